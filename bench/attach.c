/* SPDX-License-Identifier: ISC */
/*
 * Time from the command to the first event printed: dt record with a service,
 * and bpftrace, for a tracepoint and for 1, 78 and about 1,000 kernel
 * functions.
 *
 * A process makes the traced calls at intervals, and both tracers filter on
 * this process.  The rows use a running service, so the daemon's start is
 * excluded; rows named -private and the row "whole" include it.
 */
#include <sys/syscall.h>
#include <sys/time.h>

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define ATTACH_MAXROUNDS 16
#define ATTACH_MAXARGS	 12
#define ATTACH_KPROBES	 "/sys/bus/event_source/devices/kprobe/type"
#define ATTACH_MULTI	 1000	   /* this many need kprobe.multi */
#define ATTACH_GAP	 1000000LL /* ns between two calls */
#define ATTACH_SETTLE	 300000000 /* ns before each run, see first_line() */
#define ATTACH_MAX	 300	   /* s until the first event must be printed */

struct attach {
	const char *at_row;
	int at_n; /* approximate number of functions; 0: a tracepoint */
	const char *at_dt[3];
	const char *at_bpftrace; /* the same probes, separated by commas */
};

static const struct attach attaches[] = {
	{ "attach-tp", 0, { "tracepoint:timer:itimer_state" },
	    "tracepoint:timer:itimer_state" },
	{ "attach-1", 1, { "kprobe:vfs_read:entry" }, "kprobe:vfs_read" },
	{ "attach-78", 78, { "kprobe:vfs_*:entry" }, "kprobe:vfs_*" },
	{ "attach-1000", ATTACH_MULTI,
	    { "kprobe:v*:entry", "kprobe:set*:entry" },
	    "kprobe:v*,kprobe:set*" },
};

/* Sets a timer that is off, and reads an empty file. */
static pid_t
caller_start(void)
{
	const struct itimerval off = { { 0, 0 }, { 0, 0 } };
	pid_t parent = getpid(), pid = fork();
	int fd;

	if (pid != 0)
		return pid;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (getppid() == parent) {
		bench_sleep(ATTACH_GAP);
		(void)setitimer(ITIMER_VIRTUAL, &off, NULL);
		(void)syscall(SYS_read, fd, NULL, 0L);
	}
	_exit(0);
}

/*
 * Returns the ms until a program prints a line that begins with text.  The
 * kernel detaches the previous probes after their process has exited, and
 * delays programs that attach meanwhile; hence the sleep.
 */
static double
first_line(char *const argv[], const char *text)
{
	char line[4096];
	double ms = -1;
	int64_t start;
	pid_t pid;
	FILE *f;
	int fd;

	bench_sleep(ATTACH_SETTLE);
	start = bench_now();
	alarm(ATTACH_MAX); /* the signal ends this process */
	pid = bench_spawn_pipe(argv, &fd);
	if ((f = fdopen(fd, "r")) == NULL)
		err(1, "fdopen");
	while (ms < 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, text, strlen(text)) == 0)
			ms = (bench_now() - start) / 1e6;
	if (ms < 0)
		errx(1, "%s printed no event", argv[0]);
	kill(pid, SIGINT);
	while (fgets(line, sizeof(line), f) != NULL)
		;
	fclose(f);
	bench_wait(pid, SIGINT);
	alarm(0);
	return ms;
}

static double
run_dt(const struct attach *at, pid_t pid)
{
	char path[4096], number[16];
	char *argv[ATTACH_MAXARGS] = { path, "record", "-p", number };
	int i;

	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	snprintf(number, sizeof(number), "%d", (int)pid);
	for (i = 0; at->at_dt[i] != NULL; i++)
		argv[4 + i] = (char *)at->at_dt[i];
	return first_line(argv, "");
}

static double
run_bpftrace(const struct attach *at, pid_t pid)
{
	char text[256];
	char *argv[] = { "bpftrace", "-B", "line", "-e", text, NULL };

	snprintf(text, sizeof(text),
	    "%s /pid == %d/ { printf(\"hit %%d\\n\", pid); }", at->at_bpftrace,
	    (int)pid);
	return first_line(argv, "hit ");
}

static void
attach(const struct attach *at, const struct bench_dtd *bd, pid_t pid)
{
	double ours[ATTACH_MAXROUNDS], theirs[ATTACH_MAXROUNDS];
	double alone[ATTACH_MAXROUNDS];
	int i, n = bench_rounds(at->at_n > 1 ? 3 : 7, 1);
	char name[64];

	bench_dtd_serve(bd, 1);
	(void)run_dt(at, pid); /* the first run reads types, which dtd caches */
	bench_dtd_serve(bd, 0);
	for (i = 0; i < n; i++) {
		alone[i] = run_dt(at, pid);
		bench_dtd_serve(bd, 1);
		ours[i] = run_dt(at, pid);
		bench_dtd_serve(bd, 0);
		theirs[i] = run_bpftrace(at, pid);
	}
	bench_row_peer(at->at_row, ours, theirs, n);
	snprintf(name, sizeof(name), "%s-private", at->at_row);
	bench_row_peer(name, alone, theirs, n);
}

/*
 * Returns whether functions can be attached in one operation.  Otherwise many
 * functions take minutes to detach.
 */
static int
has_multi(void)
{
	return access("/sys/kernel/tracing/available_filter_functions_addrs",
		   F_OK) == 0;
}

int
main(int argc, char **argv)
{
	int hasfunctions = access(ATTACH_KPROBES, F_OK) == 0;
	struct bench_dtd bd;
	pid_t pid;
	size_t i;

	bench_init(argc, argv);
	/* the default limit is 512 functions */
	setenv("BPFTRACE_MAX_PROBES", "8192", 1);
	setenv("BPFTRACE_MAX_BPF_PROGS", "8192", 1);
	bench_dtd_start(&bd);
	pid = caller_start();
	for (i = 0; i < sizeof(attaches) / sizeof(attaches[0]); i++) {
		if (attaches[i].at_n > 0 && !hasfunctions)
			continue;
		if (attaches[i].at_n >= ATTACH_MULTI && !has_multi()) {
			bench_note("%s: this kernel attaches functions one by "
				   "one, and takes minutes to detach them",
			    attaches[i].at_row);
			continue;
		}
		attach(&attaches[i], &bd, pid);
	}
	bench_wait(pid, SIGKILL);
	bench_dtd_stop(&bd);
	return 0;
}
