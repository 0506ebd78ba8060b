/* SPDX-License-Identifier: ISC */
/*
 * tproferrs: the tprof device refuses wrong requests as documented, in the
 * documented order, for both interfaces.  Prints a line for each case with the
 * result; the first failure ends the program.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include <dt/compat.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/run/prog/raw.h"
#include "tests/run/prog/tprof.h"

#define NOBODY	 65534
#define TRIGGER	 TPROF_PARAM_VALUE2_TRIGGERCOUNT
#define SCALE	 TPROF_PARAM_VALUE2_SCALE

#define SOFT	 PERF_TYPE_SOFTWARE
#define CLOCK	 PERF_COUNT_SW_CPU_CLOCK
#define NOUNIT	 (1ULL << 40)
#define NOCPU	 (1U << 20)
#define MAXEVENT PERF_COUNT_SW_EMULATION_FAULTS

/*
 * Commands
 */

static const struct {
	const char *what;
	int error;
	struct tprof_param p; /* counter, unused, event, unit, flags, ... */
} configures[] = {
	{ "nowhere", EINVAL, { 0, 0, CLOCK, SOFT, 0, 0, 0 } },
	{ "nowhere, and no counter", EINVAL,
	    { 32, 0, CLOCK, SOFT, TPROF_PARAM_PROFILE, 0, 0 } },
	{ "counter 32", EINVAL, { 32, 0, CLOCK, SOFT, ALL, 0, 0 } },
	{ "counter 2^32 - 1", EINVAL, { ~0U, 0, CLOCK, SOFT, ALL, 0, 0 } },
	{ "a tracepoint", EINVAL,
	    { 0, 0, 1, PERF_TYPE_TRACEPOINT, ALL, 0, 0 } },
	{ "a breakpoint", EINVAL,
	    { 0, 0, 0, PERF_TYPE_BREAKPOINT, ALL, 0, 0 } },
	{ "no unit", EINVAL, { 0, 0, 0, NOUNIT, ALL, 0, 0 } },
	{ "no software event", EINVAL,
	    { 0, 0, MAXEVENT + 1, SOFT, ALL, 0, 0 } },
	{ "output of programs", EINVAL,
	    { 0, 0, PERF_COUNT_SW_BPF_OUTPUT, SOFT, ALL, 0, 0 } },
	{ "at each 0", 0, { 0, 0, CLOCK, SOFT, SAMPLES | TRIGGER, 0, 0 } },
	{ "at each 2^64 - 1", 0,
	    { 0, 0, CLOCK, SOFT, SAMPLES | TRIGGER, 0, ~0ULL } },
	{ "scale 0", 0, { 0, 0, CLOCK, SOFT, SAMPLES | SCALE, 0, 0 } },
	{ "scale 2^32", 0, { 0, 0, CLOCK, SOFT, SAMPLES | SCALE, 0, ~0ULL } },
	{ "counter 31", 0, { 31, 0, CLOCK, SOFT, ALL, 0, 0 } },
	{ "in the kernel", 0, { 0, 0, CLOCK, SOFT, TPROF_PARAM_KERN, 0, 0 } },
	{ "samples", 0, { 0, 0, CLOCK, SOFT, SAMPLES, 0, 0 } },
};

static void
configure_all(struct dt *dt)
{
	struct tprof_param p;
	char what[64];
	size_t i;

	for (i = 0; i < sizeof(configures) / sizeof(configures[0]); i++) {
		p = configures[i].p;
		snprintf(what, sizeof(what), "CONFIGURE %s",
		    configures[i].what);
		want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, configures[i].error,
		    what);
	}
}

static uint32_t
running(struct dt *dt)
{
	struct tprof_counts tc = { .c_cpu = 0 };

	if (dt_ioctl(dt, TPROF_IOC_GETCOUNTS, &tc) == -1)
		errx(1, "counts: %s", dt_error(dt));
	return tc.c_runningmask;
}

/* Both interfaces, and their effect on each other; counter 0 is configured. */
static void
starts(struct dt *dt)
{
	struct tprof_param p = { .p_unit = SOFT, .p_flags = SAMPLES };
	struct tprof_param bad = { .p_unit = NOUNIT, .p_flags = SAMPLES };
	struct tprof_param_v4 v4 = { .p_unit = SOFT, .p_flags = ALL };
	uint32_t one = 1, all = ~0U, none = 0, other = 1U << 9;

	want(dt, TPROF_IOC_STOP, &all, 0, "STOP of nothing");
	want(dt, TPROF_IOC_STOP_V4, NULL, 0, "STOP_V4 of nothing");
	want(dt, TPROF_IOC_START, &none, 0, "START of no counter");
	want(dt, TPROF_IOC_START, &other, 0, "START of one not configured");
	check(running(dt) == 0, "nothing runs");
	want(dt, TPROF_IOC_START, &one, 0, "START");
	want(dt, TPROF_IOC_START, &one, 0, "START again");
	check(running(dt) == 1, "the first runs");
	want(dt, TPROF_IOC_START_V4, &v4, EBUSY, "START_V4 it runs");
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &bad, EINVAL, "CONFIGURE badly");
	check(running(dt) == 1, "a request that fails leaves it alone");
	want(dt, TPROF_IOC_CONFIGURE_EVENT, &p, 0, "CONFIGURE it runs");
	check(running(dt) == 0, "which stops it");
	v4.p_flags = 0;
	want(dt, TPROF_IOC_START_V4, &v4, EINVAL, "START_V4 nowhere");
	v4.p_flags = ALL;
	v4.p_unit = PERF_TYPE_TRACEPOINT;
	want(dt, TPROF_IOC_START_V4, &v4, EINVAL, "START_V4 tracepoint");
	v4.p_unit = SOFT;
	v4.p_event = MAXEVENT + 1;
	want(dt, TPROF_IOC_START_V4, &v4, EINVAL, "START_V4 no event");
	v4.p_event = CLOCK;
	want(dt, TPROF_IOC_START_V4, &v4, 0, "START_V4 after failures");
	check(running(dt) == 1, "it runs");
	want(dt, TPROF_IOC_STOP_V4, NULL, 0, "STOP_V4");
	check(running(dt) == 0, "it is stopped");
}

static void
gets(struct dt *dt)
{
	struct tprof_counts tc = { .c_cpu = NOCPU };
	struct tprof_stat st;
	struct tprof_taken tt;
	struct tprof_info ti;
	uint32_t n = 0;

	want(dt, TPROF_IOC_GETINFO, &ti, 0, "GETINFO");
	check(ti.ti_version == TPROF_VERSION && ti.ti_ident != 0, "version");
	want(dt, TPROF_IOC_GETNCOUNTERS, &n, 0, "GETNCOUNTERS");
	check(n == TPROF_MAXCOUNTERS, "there are 32");
	want(dt, TPROF_IOC_GETCOUNTS, &tc, ESRCH, "GETCOUNTS no such CPU");
	tc.c_cpu = 0;
	want(dt, TPROF_IOC_GETCOUNTS, &tc, 0, "GETCOUNTS");
	want(dt, TPROF_IOC_GETSTAT, &st, 0, "GETSTAT");
	check(st.ts_sample == 0 && st.ts_emptybuf == 0, "nothing yet");
	want(dt, TPROF_IOC_GETTAKEN, &tt, 0, "GETTAKEN");
	want(dt, 0x20005463, NULL, EINVAL, "an unknown command");
	want(dt, DTIOCGSTATS, &tt, EINVAL, "a command of dt");
}

static void
pointers(struct dt *dt)
{
	static const struct {
		unsigned long cmd;
		const char *what;
	} rows[] = {
		{ TPROF_IOC_GETINFO, "GETINFO of NULL" },
		{ TPROF_IOC_GETNCOUNTERS, "GETNCOUNTERS of NULL" },
		{ TPROF_IOC_CONFIGURE_EVENT, "CONFIGURE of NULL" },
		{ TPROF_IOC_START, "START of NULL" },
		{ TPROF_IOC_START_V4, "START_V4 of NULL" },
		{ TPROF_IOC_STOP, "STOP of NULL" },
		{ TPROF_IOC_GETSTAT, "GETSTAT of NULL" },
		{ TPROF_IOC_GETCOUNTS, "GETCOUNTS of NULL" },
		{ TPROF_IOC_GETTAKEN, "GETTAKEN of NULL" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want(dt, rows[i].cmd, NULL, EFAULT, rows[i].what);
}

/* A payload whose length differs from the number's. */
static void
lengths(void)
{
	static const uint32_t cmds[] = { TPROF_IOC_GETINFO, TPROF_IOC_START,
		TPROF_IOC_START_V4, TPROF_IOC_STOP, TPROF_IOC_STOP_V4,
		TPROF_IOC_GETSTAT, TPROF_IOC_GETNCOUNTERS,
		TPROF_IOC_CONFIGURE_EVENT, TPROF_IOC_GETCOUNTS,
		TPROF_IOC_GETTAKEN };
	static const uint8_t zeros[400];
	char path[PROG_PATH + 16];
	struct raw rw;
	size_t i, len;

	snprintf(path, sizeof(path), "%s/tprof", dtd.pd_dir);
	same(raw_open(&rw, path), 0, "an open by hand");
	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++) {
		len = cmds[i] & DT_IOC_IN ? cmds[i] >> 16 & 0x1fff : 0;
		same(raw_call(&rw, cmds[i], zeros, len + 1), EINVAL,
		    "a byte too many");
		if (len > 0)
			same(raw_call(&rw, cmds[i], zeros, len - 1), EINVAL,
			    "a byte too few");
	}
	raw_close(&rw);
}

/*
 * read(2) and others
 */

static void
on_alarm(int signo)
{
	(void)signo;
}

static void
reads(struct dt *dt)
{
	const struct itimerval soon = { { 0, 10000 }, { 0, 10000 } },
			       never = { 0 };
	const struct sigaction sa = { .sa_handler = on_alarm };
	static char buf[1 << 20];
	uint32_t one = 1;

	same(dt_read(dt, buf, sizeof(buf), -1), 0, "read before START");
	same(dt_read(dt, NULL, 0, -1), 0, "read of nothing");
	same(dt_read(dt, NULL, 1, -1) == -1 ? errno : 0, EFAULT,
	    "read to NULL");
	/* this event returns none */
	configure(dt, 0, PERF_COUNT_SW_EMULATION_FAULTS, 1, SAMPLES);
	start(dt, one);
	same(dt_read(dt, buf, sizeof(buf), 0) == -1 ? errno : 0, ETIMEDOUT,
	    "read that does not wait");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	same(dt_read(dt, buf, sizeof(buf), -1) == -1 ? errno : 0, EINTR,
	    "read, and a signal");
	setitimer(ITIMER_REAL, &never, NULL);
	alarm(PROG_DEADLINE);
	signal(SIGALRM, SIG_DFL);
	stop(dt);
	same(dt_read(dt, buf, sizeof(buf), -1), 0, "read at the end");
}

/*
 * Sends a command.
 */

static void
wait_forever(int sock, void *arg)
{
	(void)arg;
	(void)prog_hear(sock);
}

static void
commands(struct dt *dt)
{
	struct prog_child pc;
	uint32_t pid = 1, one = 1, none = 0;

	want(dt, TPROF_IOC_SETCOMMAND, &pid, ESRCH, "SETCOMMAND no child");
	prog_child_start(&pc, wait_forever, NULL);
	pid = pc.pc_pid;
	configure(dt, 0, CLOCK, 1000000, SAMPLES);
	want(dt, TPROF_IOC_SETCOMMAND, &pid, 0, "SETCOMMAND");
	want(dt, TPROF_IOC_START, &one, EINVAL, "START samples of a command");
	configure(dt, 0, CLOCK, 0, ALL);
	want(dt, TPROF_IOC_START, &one, 0, "START counts of a command");
	check(running(dt) == 1, "they run");
	want(dt, TPROF_IOC_SETCOMMAND, &none, EBUSY, "SETCOMMAND it runs");
	stop(dt);
	prog_child_end(&pc);
	want(dt, TPROF_IOC_START, &one, ESRCH, "START the child has exited");
	want(dt, TPROF_IOC_SETCOMMAND, &none, 0, "SETCOMMAND of none");
	want(dt, TPROF_IOC_START, &one, 0, "START on all CPUs again");
	stop(dt);
}

/*
 * open(2)
 */

/* As an unprivileged user: first the minor, then the right, then EBUSY. */
static void
open_as_nobody(int sock, void *mode)
{
	char path[PROG_PATH + 16];
	struct raw rw;

	snprintf(path, sizeof(path), "%s/tprof", dtd.pd_dir);
	(void)raw_namespaces(); /* by a process that may */
	if (setresgid(NOBODY, NOBODY, NOBODY) == -1 ||
	    setresuid(NOBODY, NOBODY, NOBODY) == -1)
		err(1, "nobody");
	same(raw_connect(&rw, path), 0, "connect as nobody");
	raw_send_open_mode(&rw, mode != NULL);
	prog_tell(sock, (char)raw_reply(&rw));
	raw_close(&rw);
}

static int
as_nobody(int mode)
{
	struct prog_child pc;
	int error;

	prog_child_start(&pc, open_as_nobody, mode ? &dtd : NULL);
	error = prog_hear(pc.pc_sock);
	prog_child_end(&pc);
	return error;
}

static void
opens(void)
{
	struct dt *dt = device_open();

	same(as_nobody(1), EXDEV,
	    "minor 1 without the right, while it is open");
	same(as_nobody(0), EPERM, "without the right, while it is open");
	same(device() == NULL ? errno : 0, EBUSY, "a second open");
	dt_close(dt);
	prog_dtd_stop(&dtd);
	prog_dtd_start(&dtd, "opens = 1\nring-bytes = 64k\n");
	dt = prog_open(&dtd, 0);
	same(device() == NULL ? errno : 0, EMFILE, "more opens than there are");
	dt_close(dt);
	while ((dt = device()) == NULL && errno == EMFILE)
		(void)poll(NULL, 0, 5); /* until the close has completed */
	check(dt != NULL, "and when it has gone");
	configure(dt, 0, CLOCK, 1000000, SAMPLES);
	want(dt, TPROF_IOC_START, &(uint32_t){ 1 }, ENOMEM,
	    "START without room for rings");
	configure(dt, 0, CLOCK, 0, ALL);
	want(dt, TPROF_IOC_START, &(uint32_t){ 1 }, 0, "START of a count");
	kill(dtd.pd_pid, SIGKILL);
	while (dt_ioctl(dt, TPROF_IOC_STOP, &(uint32_t){ 1 }) == 0)
		continue;
	check(errno == EPIPE || errno == EIO, "the daemon was killed");
	dt_close(dt);
	(void)waitpid(dtd.pd_pid, NULL, 0);
	prog_dtd_start(&dtd, NULL);
}

int
main(void)
{
	struct dt *dt;

	prog_init("tproferrs", PROG_DEADLINE);
	prog_dtd_start(&dtd, NULL);
	dt = device_open();
	gets(dt);
	reads(dt);
	configure_all(dt);
	starts(dt);
	pointers(dt);
	commands(dt);
	dt_close(dt);
	lengths();
	opens();
	prog_dtd_stop(&dtd);
	return 0;
}
