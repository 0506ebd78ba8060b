/* SPDX-License-Identifier: ISC */
/*
 * tprofs errors|exact|cut|stops|open|v4|hostile|hotplug
 *
 * The tprof device of a service of its own, through libdt.  A line for each
 * thing that was looked at; what is not as it has to be ends it.
 *
 * errors	each command, refused in each way that there is
 * exact	all samples of page faults that this program makes are told once
 * cut		read(2) gives bytes, as many as were asked for, until the end
 * stops	a reader that stops: buffers are dropped, and counted
 * open		one open at a time; who lacks the right PROFILE has none
 * v4		the interface with one counter, by descriptors (dt/compat.h)
 * hostile	commands with any content and length, and a hang-up whenever
 * hotplug	CPU 1 goes and comes while samples are taken; for machines of the
 *		tests only
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dt/compat.h>
#include "prog.h"
#include "raw.h"

#define NOBODY	65534
#define ALL	(TPROF_PARAM_KERN | TPROF_PARAM_USER)
#define SAMPLES (ALL | TPROF_PARAM_PROFILE)

static struct prog_dtd dtd;

static struct dt *
device(void)
{
	char path[PROG_PATH + 16];

	snprintf(path, sizeof(path), "%s/tprof", dtd.pd_dir);
	return dt_open(path, DT_OPEN_SERVICE);
}

static struct dt *
device_open(void)
{
	struct dt *dt = device();

	if (dt == NULL)
		errx(1, "tprof: %s", dt_error(NULL));
	return dt;
}

static void
check(int ok, const char *what)
{
	if (!ok)
		errx(1, "%s: not so (errno %s)", what, strerrorname_np(errno));
	printf("%s\n", what);
}

/* Says what a command came to, and that it was this errno (0: none). */
static void
want(struct dt *dt, unsigned long cmd, void *arg, int error, const char *what)
{
	int r = dt_ioctl(dt, cmd, arg);

	if ((r == 0) != (error == 0) || (r == -1 && errno != error))
		errx(1, "%s: %s, expected %s", what,
		    r == 0 ? "0" : strerrorname_np(errno),
		    error == 0 ? "0" : strerrorname_np(error));
	printf("%s: %s\n", what, error == 0 ? "0" : strerrorname_np(error));
}

static void
configure(struct dt *dt, uint32_t counter, uint64_t event, uint64_t each,
    uint64_t flags)
{
	struct tprof_param p = {
		.p_counter = counter,
		.p_event = event,
		.p_unit = PERF_TYPE_SOFTWARE,
		.p_flags = flags | TPROF_PARAM_VALUE2_TRIGGERCOUNT,
		.p_value2 = each,
	};

	if (dt_ioctl(dt, TPROF_IOC_CONFIGURE_EVENT, &p) == -1)
		errx(1, "configure: %s", dt_error(dt));
}

static void
start(struct dt *dt, uint32_t mask)
{
	if (dt_ioctl(dt, TPROF_IOC_START, &mask) == -1)
		errx(1, "start: %s", dt_error(dt));
}

static void
stop(struct dt *dt)
{
	uint32_t mask = ~0U;

	if (dt_ioctl(dt, TPROF_IOC_STOP, &mask) == -1)
		errx(1, "stop: %s", dt_error(dt));
}

/* Touches n pages that nobody has touched. */
static void
fault(size_t n)
{
	size_t page = getpagesize(), i;
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	(void)madvise(p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	munmap(p, n * page);
}

/* After a stop: reads what is left; of this process so many. */
static uint64_t
readall(struct dt *dt, uint64_t *mine)
{
	tprof_sample_t s[100];
	uint64_t nbytes = 0;
	ssize_t n;
	size_t i;

	*mine = 0;
	while ((n = dt_read(dt, s, sizeof(s), 1000 * PROG_DEADLINE)) > 0) {
		nbytes += n;
		for (i = 0; i < n / sizeof(s[0]); i++)
			*mine += s[i].s_pid == (uint32_t)getpid();
	}
	if (n == -1)
		errx(1, "read: %s", dt_error(dt));
	return nbytes;
}

/* All that was taken is one of three, and what was read is one of these. */
static void
conserve(struct dt *dt, uint64_t nbytes, struct tprof_stat *st)
{
	struct tprof_taken tt;

	if (dt_ioctl(dt, TPROF_IOC_GETSTAT, st) == -1 ||
	    dt_ioctl(dt, TPROF_IOC_GETTAKEN, &tt) == -1)
		errx(1, "statistics: %s", dt_error(dt));
	if (tt.tt_taken !=
	    st->ts_sample + st->ts_overflow + st->ts_dropbuf_sample)
		errx(1, "taken %llu, sample %llu, overflow %llu, dropped %llu",
		    (unsigned long long)tt.tt_taken,
		    (unsigned long long)st->ts_sample,
		    (unsigned long long)st->ts_overflow,
		    (unsigned long long)st->ts_dropbuf_sample);
	if (nbytes != st->ts_sample * sizeof(tprof_sample_t) ||
	    tt.tt_read != st->ts_sample)
		errx(1, "%llu bytes were read, of %llu samples",
		    (unsigned long long)nbytes,
		    (unsigned long long)st->ts_sample);
	printf("all samples are accounted for\n");
}

/*
 * Cases
 */

static void
errors(void)
{
	struct dt *dt = device_open();
	struct tprof_param p = { .p_unit = PERF_TYPE_SOFTWARE };
	struct tprof_param_v4 v4 = { .p_unit = PERF_TYPE_SOFTWARE };
	struct tprof_counts tc = { .c_cpu = 0 };
	struct tprof_info ti;
	uint32_t mask = 1, none = 0;
	char buf[64];

	want(dt, 0x20005463, NULL, EINVAL, "unknown");
	want(dt, TPROF_IOC_GETINFO, &ti, 0, "GETINFO");
	check(ti.ti_version == TPROF_VERSION && ti.ti_ident != 0, "version");
	want(dt, TPROF_IOC_GETNCOUNTERS, &mask, 0, "GETNCOUNTERS");
	check(dt_read(dt, buf, sizeof(buf), -1) == 0, "read before START: 0");
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE nowhere");
	p.p_flags = ALL;
	p.p_counter = mask;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE too many");
	p.p_counter = 0;
	p.p_unit = PERF_TYPE_TRACEPOINT;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE tracepoint");
	p.p_unit = PERF_TYPE_BREAKPOINT;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE breakpoint");
	p.p_unit = 1ULL << 40;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE no unit");
	p.p_unit = PERF_TYPE_SOFTWARE;
	p.p_event = PERF_COUNT_SW_BPF_OUTPUT;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE no event");
	p.p_event = PERF_COUNT_SW_CPU_CLOCK;
	p.p_flags = SAMPLES | TPROF_PARAM_VALUE2_TRIGGERCOUNT;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EINVAL, "CONFIGURE each 0");
	mask = ~0U;
	want(dt, TPROF_IOC_START, &mask, 0, "START of nothing");
	want(dt, TPROF_IOC_STOP, &mask, 0, "STOP of nothing");
	want(dt, TPROF_IOC_STOP_V4, NULL, 0, "STOP_V4 of nothing");
	p.p_flags = SAMPLES;
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, 0, "CONFIGURE");
	mask = 1;
	want(dt, TPROF_IOC_START, &mask, 0, "START");
	want(dt, TPROF_IOC_START, &mask, 0, "START again");
	want(dt, TPROF_IOC_START, &none, 0, "START of no counter");
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, EBUSY, "CONFIGURE it runs");
	v4.p_flags = ALL;
	want(dt, TPROF_IOC_START_V4, &v4, EBUSY, "START_V4 it runs");
	want(dt, TPROF_IOC_GETCOUNTS, &tc, 0, "GETCOUNTS");
	check(tc.c_runningmask == 1 && tc.c_ncounters == TPROF_MAXCOUNTERS,
	    "mask of what runs");
	tc.c_cpu = 1U << 20;
	want(dt, TPROF_IOC_GETCOUNTS, &tc, ESRCH, "GETCOUNTS no such CPU");
	want(dt, TPROF_IOC_GETCOUNTS, NULL, EFAULT, "GETCOUNTS of NULL");
	want(dt, TPROF_IOC_STOP, &mask, 0, "STOP");
	v4.p_flags = 0;
	want(dt, TPROF_IOC_START_V4, &v4, EINVAL, "START_V4 nowhere");
	v4.p_flags = ALL;
	v4.p_unit = PERF_TYPE_TRACEPOINT;
	want(dt, TPROF_IOC_START_V4, &v4, EINVAL, "START_V4 tracepoint");
	v4.p_unit = PERF_TYPE_SOFTWARE;
	want(dt, TPROF_IOC_START_V4, &v4, 0, "START_V4 after failures");
	want(dt, TPROF_IOC_STOP_V4, NULL, 0, "STOP_V4");
	dt_close(dt);
}

/* A counter beside it counts the same faults, and takes no samples. */
static void
exact(void)
{
	struct dt *dt = device_open();
	struct tprof_stat st;
	uint64_t nbytes, mine;

	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, SAMPLES);
	configure(dt, 1, PERF_COUNT_SW_CPU_CLOCK, 0, ALL);
	start(dt, 3);
	fault(3000);
	stop(dt);
	nbytes = readall(dt, &mine);
	conserve(dt, nbytes, &st);
	if (st.ts_overflow + st.ts_dropbuf_sample == 0)
		/* sanitizers have faults of their own */
		check(mine >= 3000 && mine < 4500, "each fault is a sample");
	else
		check(mine > 0, "each fault is a sample"); /* others' load */
	dt_close(dt);
}

static void
cut(void)
{
	struct dt *dt = device_open();
	struct tprof_stat st;
	tprof_sample_t s[50];
	uint64_t mine;
	size_t done = 0, i, bad = 0;
	ssize_t n = 0;

	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, SAMPLES);
	start(dt, 1);
	fault(200);
	while (done < sizeof(s) &&
	    (n = dt_read(dt, (char *)s + done,
		 done + 7 < sizeof(s) ? 7 : sizeof(s) - done, -1)) > 0)
		done += n;
	check(done == sizeof(s), "as many bytes as were asked for");
	for (i = 0; i < sizeof(s) / sizeof(s[0]); i++)
		bad += s[i].s_pc == 0 || s[i].s_cpuid > 1024 ||
		    (s[i].s_flags & ~TPROF_SAMPLE_INKERNEL) != 0 ||
		    (s[i].s_flags & TPROF_SAMPLE_INKERNEL) != (s[i].s_pc >> 63);
	check(bad == 0, "samples that were cut are whole");
	stop(dt);
	conserve(dt, sizeof(s) + readall(dt, &mine), &st);
	check(dt_read(dt, s, sizeof(s), -1) == 0, "0 at the end");
	start(dt, 1);
	fault(10);
	stop(dt);
	check(readall(dt, &mine) > 0, "and again");
	dt_close(dt);
}

static void
stops(void)
{
	struct dt *dt = device_open();
	struct tprof_stat st = { 0 };
	uint64_t mine;

	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, SAMPLES);
	start(dt, 1);
	while (st.ts_dropbuf == 0) {
		fault(10000);
		if (dt_ioctl(dt, TPROF_IOC_GETSTAT, &st) == -1)
			errx(1, "%s", dt_error(dt));
	}
	stop(dt);
	conserve(dt, readall(dt, &mine), &st);
	check(st.ts_dropbuf_sample >= st.ts_dropbuf, "buffers were dropped");
	start(dt, 1);
	fault(100);
	stop(dt);
	check(readall(dt, &mine) > 0, "who reads again has samples again");
	dt_close(dt);
}

static void
one_open(void)
{
	struct dt *dt = device_open(), *other;
	struct tprof_stat st;
	int status;
	pid_t pid;

	check(device() == NULL && errno == EBUSY, "a second open: EBUSY");
	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, SAMPLES);
	start(dt, 1);
	fault(100);
	dt_close(dt);
	other = device_open();
	check(dt_ioctl(other, TPROF_IOC_GETSTAT, &st) == 0 &&
		st.ts_sample == 0 && st.ts_buf == 0,
	    "an open begins anew");
	if ((pid = prog_fork()) == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) == -1 ||
		    setresuid(NOBODY, NOBODY, NOBODY) == -1)
			_exit(2);
		_exit(device() == NULL && errno == EPERM ? 0 : 1);
	}
	check(waitpid(pid, &status, 0) == pid && status == 0,
	    "without the right: EPERM, before EBUSY");
	dt_close(other);
}

static void
v4(void)
{
	struct tprof_param_v4 p = { .p_event = PERF_COUNT_SW_PAGE_FAULTS,
		.p_unit = PERF_TYPE_SOFTWARE,
		.p_flags = TPROF_PARAM_USER };
	tprof_sample_t s[10];
	struct tprof_stat st;
	struct tprof_info ti;
	ssize_t n, nbytes = 0;
	int fd = dt_compat_open("/dev/tprof", O_RDWR);

	check(fd != -1, "open");
	check(dt_compat_ioctl(fd, TPROF_IOC_GETINFO, &ti) == 0, "GETINFO");
	check(dt_compat_ioctl(fd, TPROF_IOC_START_V4, &p) == 0, "START");
	fault(100);
	check(dt_compat_read(fd, s, sizeof(s)) == sizeof(s), "read");
	check(dt_compat_ioctl(fd, TPROF_IOC_STOP_V4, NULL) == 0, "STOP");
	nbytes = sizeof(s);
	while ((n = dt_compat_read(fd, s, sizeof(s))) > 0)
		nbytes += n;
	check(n == 0 && dt_compat_ioctl(fd, TPROF_IOC_GETSTAT, &st) == 0 &&
		nbytes == (ssize_t)(st.ts_sample * sizeof(s[0])),
	    "all has been read");
	check(dt_compat_close(fd) == 0, "close");
}

/* Something that a command could mean, more or less. */
static size_t
hostile_frame(uint8_t *buf, uint32_t *command)
{
	static const uint32_t commands[] = { TPROF_IOC_GETINFO,
		TPROF_IOC_START_V4, TPROF_IOC_START, TPROF_IOC_STOP_V4,
		TPROF_IOC_STOP, TPROF_IOC_GETSTAT, TPROF_IOC_GETNCOUNTERS,
		TPROF_IOC_CONFIGURE_EVENT, TPROF_IOC_CONFIGURE_EVENT,
		TPROF_IOC_GETCOUNTS, TPROF_IOC_GETTAKEN };
	struct tprof_param p = {
		.p_counter = random() % 40,
		.p_event = random() % 10,
		.p_unit = random() % 12,
		.p_flags = random() % 8 | (uint64_t)(random() % 16) << 60,
		.p_value = random(),
		.p_value2 = 1ULL << (random() % 64),
	};
	size_t len, i;

	*command =
	    commands[random() % (sizeof(commands) / sizeof(commands[0]))];
	len = *command & DT_IOC_IN ? (*command >> 16) & 0x1fff : 0;
	if (random() % 8 == 0)
		len = random() % 400;
	for (i = 0; i < len; i++)
		buf[i] = random() % 3 == 0 ? random() : 0;
	if (*command == TPROF_IOC_CONFIGURE_EVENT && len == sizeof(p) &&
	    random() % 8 != 0)
		memcpy(buf, &p, sizeof(p));
	return len;
}

static void
hostile(void)
{
	char path[PROG_PATH + 16];
	static uint8_t buf[512];
	struct raw rw;
	uint32_t command;
	unsigned long n = 0, ok = 0;
	size_t len;
	int i, left, error;

	snprintf(path, sizeof(path), "%s/tprof", dtd.pd_dir);
	srandom(1);
	for (i = 0; i < 60; i++) {
		if ((error = raw_open(&rw, path)) != 0)
			errx(1, "open: %d", error);
		for (left = random() % 40; left > 0; left--) {
			len = hostile_frame(buf, &command);
			if ((error = raw_call(&rw, command, buf, len)) == -1)
				errx(1, "command %#x: hung up", command);
			ok += error == 0;
			n++;
		}
		raw_close(&rw);
	}
	printf("%lu commands, %lu of them fine\n", n, ok);
	check(ok > n / 10 && ok < n, "some of each");
	errors();
}

/*
 * CPU 1
 */

static void
cpu_online(const char *on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd == -1 || write(fd, on, 1) != 1)
		err(1, "CPU 1");
	close(fd);
}

static void
cpu_back(void)
{
	cpu_online("1");
}

/* A sample of CPU 1 that is younger than now. */
static void
await_cpu(struct dt *dt, uint64_t *n)
{
	uint64_t since = prog_now();
	struct dt_tprof_sample ts;

	do {
		if (dt_tprof_next(dt, &ts, 1000 * PROG_DEADLINE) != 1)
			errx(1, "no sample of CPU 1: %s", dt_error(dt));
		++*n;
	} while (ts.ts_sample.s_cpuid != 1 || ts.ts_time < since);
}

static void
hotplug(void)
{
	struct dt *dt = device_open();
	struct dt_tprof_sample ts;
	struct tprof_stat st;
	uint64_t n = 0;
	int i;

	atexit(cpu_back);
	configure(dt, 0, PERF_COUNT_SW_CPU_CLOCK, 10000000, SAMPLES);
	start(dt, 1);
	for (i = 0; i < 3; i++) {
		await_cpu(dt, &n);
		cpu_online("0");
		cpu_online("1");
	}
	await_cpu(dt, &n);
	stop(dt);
	while (dt_tprof_next(dt, &ts, 1000 * PROG_DEADLINE) == 1)
		n++;
	conserve(dt, n * sizeof(tprof_sample_t), &st);
	cpu_online("0");
	start(dt, 1);
	cpu_online("1");
	await_cpu(dt, &n);
	check(1, "a CPU that comes later has samples, too");
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} runs[] = {
		{ "errors", errors },
		{ "exact", exact },
		{ "cut", cut },
		{ "stops", stops },
		{ "open", one_open },
		{ "v4", v4 },
		{ "hostile", hostile },
		{ "hotplug", hotplug },
	};
	size_t i;

	prog_init("tprofs", 2 * PROG_DEADLINE);
	for (i = 0; argc == 2 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (strcmp(argv[1], runs[i].name) != 0)
			continue;
		if (runs[i].run != v4) /* which has a private daemon */
			prog_dtd_start(&dtd, NULL);
		runs[i].run();
		if (runs[i].run != v4)
			prog_dtd_stop(&dtd);
		return 0;
	}
	errx(1, "usage: tprofs errors|exact|cut|stops|open|v4|hostile|hotplug");
}
