/* SPDX-License-Identifier: ISC */
/*
 * A whole command, as one types it: dt stat with a private dtd, and bpftrace
 * that counts the same calls, around a program that ends at once.
 */
#include <stdio.h>

#include "bench.h"

#define WHOLE_MAXROUNDS 32

static double
run(char *const argv[])
{
	int64_t start = bench_now();

	bench_wait(bench_spawn(argv), 0);
	return (bench_now() - start) / 1e6;
}

int
main(int argc, char **argv)
{
	char path[4096];
	char *dt[] = { path, "stat", "syscall:getppid:entry", "--", "/bin/true",
		NULL };
	char *bpftrace[] = { "bpftrace", "-e",
		"tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); }",
		"-c", "/bin/true", NULL };
	double ours[WHOLE_MAXROUNDS], theirs[WHOLE_MAXROUNDS];
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(15, 3);
	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	run(dt); /* files into the page cache */
	run(bpftrace);
	for (i = 0; i < n; i++) {
		ours[i] = run(dt);
		theirs[i] = run(bpftrace);
	}
	bench_row("whole-ms", ours, n);
	bench_row_peer("whole", ours, theirs, n);
	return 0;
}
