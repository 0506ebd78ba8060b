/* SPDX-License-Identifier: ISC */
/* perf record, as a peer. */
#ifndef BENCH_PERF_H
#define BENCH_PERF_H

#include <stdint.h>
#include <sys/types.h>

struct perf {
	pid_t pe_pid;
	int pe_ctl, pe_ack; /* see --control of perf-record(1) */
};

/* Its events are made and attached, but not yet enabled: all system calls of
 * the machine, or one that is named. */
void perf_start(struct perf *, char *output);
void perf_start_event(struct perf *, char *event, char *output);
/* Stacks 99 times a second; perf reads what all processes have mapped. */
void perf_start_stacks(struct perf *, char *output);
/* Addresses, one each so many ns on each CPU. */
void perf_start_clock(struct perf *, char *period, char *output);
void perf_enable(struct perf *);
void perf_stop(struct perf *);

/* What a perf.data has: samples, and how many it says were lost. */
struct perf_counts {
	uint64_t pc_samples;
	uint64_t pc_lost;
};
void perf_count(const char *path, struct perf_counts *);

#endif /* BENCH_PERF_H */
