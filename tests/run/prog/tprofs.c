/* SPDX-License-Identifier: ISC */
/*
 * tprofs exact|cut|stops|open|v4|hostile|hotplug
 *
 * The tprof device of a separate service, through libdt.  Prints a line for
 * each check; the first failure ends the program.
 *
 * exact	each sample of page faults that this program makes is read once
 * cut		read(2) returns as many bytes as requested, until the end
 * stops	a reader that stops: buffers are dropped and counted
 * open		one session at a time, and only with the right PROFILE
 * v4		the interface with one counter, by descriptors (dt/compat.h)
 * hostile	commands with arbitrary content and length, and disconnects at
 *		any time
 * hotplug	all CPUs but the first go offline and online while samples are
 *		taken, two at once where there are two; in guests of the tests
 *		only
 *
 * tproferrs.c tests refused requests, tprofends.c stopped sessions, and
 * tprofcounts.c counts.
 */
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
#include "tests/run/prog/raw.h"
#include "tests/run/prog/tprof.h"

#define NOBODY 65534

/*
 * Cases
 */

/* A second counter counts another event, and takes no samples. */
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
		/* sanitizers cause faults, too */
		check(mine >= 3000 && mine < 4500, "each fault is a sample");
	else
		check(mine > 0, "each fault is a sample"); /* other load */
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

/* Makes a command that may be valid. */
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
	exact();
}

/*
 * CPUs
 */

static int
cpu_online(unsigned int cpu, const char *on)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
	    cpu);
	if ((fd = open(path, O_WRONLY)) == -1)
		return -1;
	if (write(fd, on, 1) != 1)
		err(1, "%s", path);
	close(fd);
	return 0;
}

/* All but the first; returns their number. */
static unsigned int
cpus_online(const char *on)
{
	unsigned int cpu = 1;

	while (cpu_online(cpu, on) == 0)
		cpu++;
	return cpu - 1;
}

static void
cpus_back(void)
{
	(void)cpus_online("1");
}

/* Waits for a sample of each of these CPUs that is newer than now. */
static void
await_cpus(struct dt *dt, unsigned int ncpu, uint64_t *n)
{
	uint64_t since = prog_now(), wanted = (1ULL << (ncpu + 1)) - 2;
	struct dt_tprof_sample ts;

	while (wanted != 0) {
		if (dt_tprof_next(dt, &ts, 1000 * PROG_DEADLINE) != 1)
			errx(1, "no samples of CPUs %#jx: %s",
			    (uintmax_t)wanted, dt_error(dt));
		++*n;
		if (ts.ts_time >= since)
			wanted &= ~(1ULL << ts.ts_sample.s_cpuid);
	}
}

static void
hotplug(void)
{
	struct dt *dt = device_open();
	unsigned int ncpu = cpus_online("1");
	struct dt_tprof_sample ts;
	struct tprof_stat st;
	uint64_t n = 0;
	int i;

	atexit(cpus_back);
	configure(dt, 0, PERF_COUNT_SW_CPU_CLOCK, 10000000, SAMPLES);
	start(dt, 1);
	for (i = 0; i < 3; i++) {
		await_cpus(dt, ncpu, &n);
		cpus_online("0");
		cpus_online("1");
	}
	await_cpus(dt, ncpu, &n);
	stop(dt);
	while (dt_tprof_next(dt, &ts, 1000 * PROG_DEADLINE) == 1)
		n++;
	conserve(dt, n * sizeof(tprof_sample_t), &st);
	cpus_online("0");
	start(dt, 1);
	cpus_online("1");
	await_cpus(dt, ncpu, &n);
	printf("%u CPUs that come later have samples, too\n", ncpu);
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		int alone; /* it needs no service */
	} runs[] = {
		{ "exact", exact, 0 },
		{ "cut", cut, 0 },
		{ "stops", stops, 0 },
		{ "open", one_open, 0 },
		{ "v4", v4, 1 }, /* has a private daemon */
		{ "hostile", hostile, 0 },
		{ "hotplug", hotplug, 0 },
	};
	size_t i;

	prog_init("tprofs", 2 * PROG_DEADLINE);
	for (i = 0; argc == 2 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (strcmp(argv[1], runs[i].name) != 0)
			continue;
		if (!runs[i].alone)
			prog_dtd_start(&dtd, NULL);
		runs[i].run();
		if (!runs[i].alone)
			prog_dtd_stop(&dtd);
		return 0;
	}
	errx(1, "usage: tprofs exact|cut|stops|open|v4|hostile|hotplug");
}
