/* SPDX-License-Identifier: ISC */
/* What the processes of bench/running.c tell it. */
#ifndef BENCH_RUNNING_H
#define BENCH_RUNNING_H

#include <stdint.h>

#define RUNNING_NPCS 16

/* Written to the pipe in one go. */
struct running {
	int32_t ru_pid;
	uint32_t ru_n;
	uint64_t ru_pcs[RUNNING_NPCS]; /* in functions that have names */
};

#endif /* BENCH_RUNNING_H */
