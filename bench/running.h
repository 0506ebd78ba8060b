/* SPDX-License-Identifier: ISC */
/* Report of a process of bench/running.c to that program. */
#ifndef BENCH_RUNNING_H
#define BENCH_RUNNING_H

#include <stdint.h>

#define RUNNING_NPCS 16

/* Written to the pipe in one write(2). */
struct running {
	int32_t ru_pid;
	uint32_t ru_n;
	uint64_t ru_pcs[RUNNING_NPCS]; /* addresses in functions with symbols */
};

#endif /* BENCH_RUNNING_H */
