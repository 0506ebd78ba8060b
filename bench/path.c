/* SPDX-License-Identifier: ISC */
/*
 * Cost for a process whose system calls are recorded with the strings and
 * structs that their arguments point to, compared with strace, which stops the
 * process at each call, with bpftrace and with perf trace.
 *
 * The calls fail, so that file operations are excluded.  The added cost is the
 * time of a call minus its time without tracing.
 */
#include <sys/stat.h>
#include <sys/syscall.h>

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"

#define PATH_MAXROUNDS 16
#define PATH_QUIETMS   20
#define PATH_NAME      "/nonexistent/folder/of/some/depth/with/a/file.txt"
#define PATH_READY     5000 /* limit for strace to attach, ms */
#define PATH_FEW       100  /* factor by which slow tracers make fewer calls */

static void
loop_open(uint64_t n)
{
	while (n-- > 0)
		(void)syscall(SYS_openat, AT_FDCWD, PATH_NAME, O_RDONLY);
}

static void
loop_stat(uint64_t n)
{
	struct stat st;

	while (n-- > 0)
		(void)syscall(SYS_newfstatat, STDIN_FILENO, "", &st,
		    AT_EMPTY_PATH);
}

static const struct bench_call call_open = { "openat", "syscall:openat:entry",
	loop_open };
static const struct bench_call call_stat = { "newfstatat",
	"syscall:newfstatat:entry", loop_stat };

static struct bench_dtd dtd;

/*
 * Returns the ns per call while a process started by start (NULL: none) traces
 * the load.
 */
static double
run(const struct bench_call *bc, uint64_t n, pid_t (*start)(pid_t))
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	pid_t pid = start != NULL ? start(bl->bl_pid) : 0;
	double nsecs;

	bench_load_go(bl);
	nsecs = bench_load_end(bl);
	if (pid != 0)
		bench_wait(pid, SIGINT);
	return nsecs;
}

/* The same for dt; isreturn: also records the return and its memory. */
static double
run_dt(const struct bench_call *bc, uint64_t n, int isreturn)
{
	const uint64_t flags = DTEVT_EXECNAME | DTEVT_FUNCARGS | DTEVT_STRINGS |
	    DTEVT_MEMORY;
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	struct dt *dt = bench_open(&dtd, 0);
	struct dt_event ev;
	char name[64];
	double nsecs;

	bench_enable(dt, bc->bc_probe, flags, 0);
	if (isreturn) {
		snprintf(name, sizeof(name), "syscall:%s:return", bc->bc_name);
		bench_enable(dt, name, flags, 0);
	}
	bench_record(dt, 1);
	bench_load_go(bl);
	while (dt_next(dt, &ev, PATH_QUIETMS) == 1 || !bench_load_done(bl))
		;
	nsecs = bench_load_end(bl);
	bench_record(dt, 0);
	dt_close(dt);
	return nsecs;
}

/* Returns the tracer of a process, 0: none. */
static int
tracer_of(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	fclose(f);
	return tracer;
}

static pid_t
start_strace(pid_t of)
{
	char number[16];
	char *argv[] = { "strace", "-qq", "-o", "/dev/null", "-p", number,
		NULL };
	pid_t pid;
	int i;

	snprintf(number, sizeof(number), "%d", (int)of);
	pid = bench_spawn(argv);
	for (i = 0; tracer_of(of) != pid; i++) {
		if (i == PATH_READY)
			errx(1, "strace does not attach: is it installed?");
		bench_sleep(1000000);
	}
	return pid;
}

static pid_t
start_bpftrace(pid_t of)
{
	char text[256];
	char *argv[] = { "bpftrace", "-o", "/dev/null", "-e", text, NULL };
	pid_t pid;

	snprintf(text, sizeof(text),
	    "tracepoint:syscalls:sys_enter_openat /pid == %d/ "
	    "{ printf(\"%%s\\n\", str(args->filename)); }",
	    (int)of);
	pid = bench_spawn(argv);
	client_ready(pid);
	return pid;
}

static pid_t
start_perf(pid_t of)
{
	char number[16];
	char *argv[] = { "perf", "trace", "-e", "openat", "-o", "/dev/null",
		"-p", number, NULL };
	pid_t pid;

	snprintf(number, sizeof(number), "%d", (int)of);
	pid = bench_spawn(argv);
	client_ready(pid);
	return pid;
}

static void
path(int n, uint64_t ncalls)
{
	double dt[PATH_MAXROUNDS], strace[PATH_MAXROUNDS], none;
	double bpftrace[PATH_MAXROUNDS], perf[PATH_MAXROUNDS];
	double nones[PATH_MAXROUNDS];
	int i;

	for (i = 0; i < n; i++) {
		nones[i] = none = run(&call_open, ncalls, NULL);
		dt[i] = run_dt(&call_open, ncalls, 0) - none;
		strace[i] = run(&call_open, ncalls / PATH_FEW, start_strace) -
		    none;
		bpftrace[i] = run(&call_open, ncalls / 4, start_bpftrace) -
		    none;
		perf[i] = run(&call_open, ncalls / PATH_FEW, start_perf) - none;
	}
	bench_row_peer("path-strace", dt, strace, n);
	bench_row_peer("path-bpftrace", dt, bpftrace, n);
	bench_row_peer("path-perf", dt, perf, n);
	bench_note("openat of a missing path takes %.0f ns untraced; "
		   "perf trace may print the path's address only",
	    bench_median(nones, n));
}

static void
memory(int n, uint64_t ncalls)
{
	double dt[PATH_MAXROUNDS], strace[PATH_MAXROUNDS], none;
	int i;

	for (i = 0; i < n; i++) {
		none = run(&call_stat, ncalls, NULL);
		dt[i] = run_dt(&call_stat, ncalls, 1) - none;
		strace[i] = run(&call_stat, ncalls / PATH_FEW, start_strace) -
		    none;
	}
	bench_row_peer("memory-strace", dt, strace, n);
}

int
main(int argc, char **argv)
{
	uint64_t ncalls;
	int n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	ncalls = bench_quick ? 50000 : 300000;
	bench_dtd_start(&dtd);
	path(n, ncalls);
	memory(n, ncalls);
	bench_dtd_stop(&dtd);
	return 0;
}
