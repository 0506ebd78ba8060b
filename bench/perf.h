/* SPDX-License-Identifier: ISC */
/* Runs perf record, as a peer. */
#ifndef BENCH_PERF_H
#define BENCH_PERF_H

#include <stdint.h>
#include <sys/types.h>

struct perf {
	pid_t pe_pid;
	int pe_ctl, pe_ack; /* see --control in perf-record(1) */
};

/*
 * Start perf with its events created and attached but not enabled: all system
 * calls of the machine, or the named event.
 */
void perf_start(struct perf *, char *output);
void perf_start_event(struct perf *, char *event, char *output);
/*
 * Starts recording of stacks at 99 Hz; perf reads the mappings of all
 * processes.
 */
void perf_start_stacks(struct perf *, char *output);
/* Starts recording of addresses, one per period (ns) on each CPU. */
void perf_start_clock(struct perf *, char *period, char *output);
/* The same on one CPU, with copies of the user stack. */
void perf_start_dwarf(struct perf *, char *cpu, char *period, char *output);
void perf_enable(struct perf *);
void perf_stop(struct perf *);

/* Samples in a perf.data, and samples that it reports as lost. */
struct perf_counts {
	uint64_t pc_samples;
	uint64_t pc_bytes; /* of all samples */
	uint64_t pc_lost;
};
void perf_count(const char *path, struct perf_counts *);

#endif /* BENCH_PERF_H */
