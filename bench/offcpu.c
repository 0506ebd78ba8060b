/* SPDX-License-Identifier: ISC */
/*
 * dt offcpu and bpftrace's offcputime, with two processes that wake each other:
 * the time that each adds to a context switch.  Both count by process, kernel
 * and user stack; bpftrace has user stacks by frame pointers.
 * CPU time of the tracers themselves does not count.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

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
#define OFFCPU_SCRIPT(end) \
	"tracepoint:sched:sched_switch { @start[args->prev_pid] = nsecs; } " end \
	" { $last = @start[tid]; if ($last != 0) { " \
	"@[kstack, ustack, comm] = sum(nsecs - $last); delete(@start[tid]); } }"
static char offcpu_script[] = OFFCPU_SCRIPT("kprobe:finish_task_switch*");
/*
 * For kernels without kprobes: the next hook in a thread that waited in read(2).
 * Its kernel stack is shorter, so it costs less.
 */
static char offcpu_calls[] = OFFCPU_SCRIPT("tracepoint:syscalls:sys_exit_read");

/* Passes bytes on: n, or if n is -1 until it is killed. */
static void
pass(int in, int out, long n)
{
	char c = 0;

	while (n == -1 || n-- > 0)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			err(1, "a pipe");
}

/* CPU time of this process and of another. */
static int64_t
both_cputimes(pid_t other)
{
	return bench_cputime(getpid()) + bench_cputime(other);
}

/*
 * Returns the time of a context switch, ns, of 2n between two processes on one
 * CPU.  It is CPU time, as another process may use the CPU, too.
 */
static double
switches(long n)
{
	int there[2], back[2];
	int64_t nsecs;
	pid_t pid;

	if (pipe(there) == -1 || pipe(back) == -1)
		err(1, "pipe");
	bench_pin(bench_ncpu() - 1);
	if ((pid = bench_fork(SIGKILL)) == 0)
		pass(there[0], back[1], -1);
	if (write(there[1], "", 1) != 1)
		err(1, "a pipe");
	pass(back[0], there[1], OFFCPU_WARM);
	nsecs = both_cputimes(pid);
	pass(back[0], there[1], n);
	nsecs = both_cputimes(pid) - nsecs;
	bench_wait(pid, SIGKILL);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return nsecs / (2.0 * n);
}

/*
 * The same below a tracer of the whole machine.  Returns when all its processes
 * have ended: dt does not wait for its dtd to detach.
 */
static double
traced(char *const argv[], long n)
{
	pid_t pid = bench_spawn(argv);
	double nsecs;

	client_ready(pid);
	nsecs = switches(n);
	bench_wait(pid, SIGINT);
	while (wait(NULL) > 0)
		continue;
	return nsecs;
}

int
main(int argc, char **argv)
{
	char path[4096];
	char *dt[] = { path, "offcpu", "--no-limit", NULL };
	char *fp[] = { path, "offcpu", "--no-limit", "--call-graph", "fp",
		NULL };
	char *peer[] = { "bpftrace", "-e",
		access("/sys/kernel/tracing/kprobe_events", F_OK) == 0
		    ? offcpu_script
		    : offcpu_calls,
		NULL };
	double none, ours[OFFCPU_MAXROUNDS], theirs[OFFCPU_MAXROUNDS];
	double fps[OFFCPU_MAXROUNDS];
	int i, n;
	long count;

	bench_init(argc, argv);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) == -1)
		err(1, "prctl");
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
