/* SPDX-License-Identifier: ISC */
/*
 * Resident memory of the idle service, during and after a recording, and of
 * bpftrace with the same probe; and the CPU time of the idle service.
 */
#include <err.h>
#include <signal.h>

#include "bench/bench.h"

#define MEMORY_MAXROUNDS 8
#define MEMORY_BPFTRACE	 1500000000LL /* ns for bpftrace to attach */
#define MEMORY_CLOSE	 500000000LL /* ns for the service to close a session */
#define MEMORY_RECORD	 500000000LL

static struct bench_dtd dtd;

/* Returns the resident memory while events are recorded, MB. */
static double
recording(const struct bench_call *bc)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, 0);
	struct dt *dt = bench_open(&dtd, 0);
	int64_t end = bench_now() + MEMORY_RECORD;
	struct dt_event ev;
	double kbytes;

	bench_enable(dt, bc->bc_probe, DTEVT_FUNCARGS, 0);
	bench_record(dt, 1);
	bench_load_go(bl);
	while (dt_next(dt, &ev, 1) != -1 && bench_now() < end)
		;
	kbytes = bench_rss(dtd.bd_pid);
	bench_load_stop(bl);
	bench_load_end(bl);
	bench_record(dt, 0);
	dt_close(dt);
	return kbytes / 1024;
}

static double
bpftrace(void)
{
	char *argv[] = { "bpftrace", "-e",
		"tracepoint:syscalls:sys_enter_mmap { @[comm] = count(); }",
		NULL };
	pid_t pid = bench_spawn(argv);
	double kbytes;

	bench_sleep(MEMORY_BPFTRACE);
	kbytes = bench_rss(pid);
	bench_wait(pid, SIGINT);
	return kbytes / 1024;
}

static double
idle_cpu(void)
{
	int64_t cpu = bench_cputime(dtd.bd_pid);

	bench_sleep(bench_quick ? 500000000LL : 2000000000LL);
	return (bench_cputime(dtd.bd_pid) - cpu) / 1e6;
}

int
main(int argc, char **argv)
{
	double idle[MEMORY_MAXROUNDS], after[MEMORY_MAXROUNDS];
	double rec[MEMORY_MAXROUNDS];
	double peer[MEMORY_MAXROUNDS], cpu[MEMORY_MAXROUNDS];
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(3, 1);
	for (i = 0; i < n; i++) {
		bench_dtd_start(&dtd);
		idle[i] = bench_rss(dtd.bd_pid) / 1024.0;
		cpu[i] = idle_cpu();
		rec[i] = recording(&bench_call6);
		bench_sleep(MEMORY_CLOSE);
		after[i] = bench_rss(dtd.bd_pid) / 1024.0;
		peer[i] = bpftrace();
		bench_dtd_stop(&dtd);
	}
	bench_row_peer("memory", rec, peer, n);
	bench_row("memory-idle", idle, n);
	bench_row("memory-after", after, n);
	bench_row("cpu-idle", cpu, n);
	return 0;
}
