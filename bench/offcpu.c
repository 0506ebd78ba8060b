/* SPDX-License-Identifier: ISC */
/*
 * dt offcpu and bpftrace's offcputime, with two processes that wake each other:
 * the time that each adds to a context switch.  Both count by process, kernel
 * and user stack; bpftrace has user stacks by frame pointers.  Needs kprobes.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"

#define OFFCPU_MAXROUNDS 16
#define OFFCPU_WARM	 1000 /* round trips before the time is taken */

/* As offcputime.bt, which needs the kernel's headers. */
static char offcpu_script[] =
    "tracepoint:sched:sched_switch { @start[args->prev_pid] = nsecs; } "
    "kprobe:finish_task_switch* { $last = @start[tid]; if ($last != 0) { "
    "@[kstack, ustack, comm] = sum(nsecs - $last); delete(@start[tid]); } }";

/* Passes a byte on, n times. */
static void
pass(int in, int out, long n)
{
	char c = 0;

	while (n-- > 0)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			err(1, "a pipe");
}

/* Returns the time of a context switch, ns, of 2n between two processes. */
static double
switches(long n)
{
	int there[2], back[2];
	int64_t start;
	pid_t pid;

	if (pipe(there) == -1 || pipe(back) == -1)
		err(1, "pipe");
	bench_pin(bench_ncpu() - 1);
	if ((pid = bench_fork(SIGKILL)) == 0) {
		pass(there[0], back[1], n + OFFCPU_WARM);
		_exit(0);
	}
	if (write(there[1], "", 1) != 1)
		err(1, "a pipe");
	pass(back[0], there[1], OFFCPU_WARM);
	start = bench_now();
	pass(back[0], there[1], n - 1);
	start = bench_now() - start;
	bench_wait(pid, 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return start / (2.0 * (n - 1));
}

/* The same below a tracer of the whole machine. */
static double
traced(char *const argv[], long n)
{
	pid_t pid = bench_spawn(argv);
	double nsecs;

	client_idle(&pid, 1);
	nsecs = switches(n);
	bench_wait(pid, SIGINT);
	return nsecs;
}

int
main(int argc, char **argv)
{
	char path[4096];
	char *dt[] = { path, "offcpu", "--no-limit", NULL };
	char *fp[] = { path, "offcpu", "--no-limit", "--call-graph", "fp",
		NULL };
	char *peer[] = { "bpftrace", "-e", offcpu_script, NULL };
	double none, ours[OFFCPU_MAXROUNDS], theirs[OFFCPU_MAXROUNDS];
	double fps[OFFCPU_MAXROUNDS];
	int i, n;
	long count;

	bench_init(argc, argv);
	n = bench_rounds(7, 1);
	count = bench_quick ? 2000 : 50000;
	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	for (i = 0; i < n; i++) {
		none = switches(count);
		ours[i] = traced(dt, count) - none;
		fps[i] = traced(fp, count) - none;
		theirs[i] = traced(peer, count) - none;
	}
	bench_row_peer("offcpu-switch", ours, theirs, n);
	bench_row_peer("offcpu-fp", fps, theirs, n);
	return 0;
}
