/* SPDX-License-Identifier: ISC */
/*
 * Shared by the programs of bench/growth.sh: a load traced by several sessions,
 * with one reader of all events, and the output of a point.
 */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include "bench/bench.h"

#define GROWTH_MAXROUNDS 16
#define GROWTH_MAXOPEN	 64
/* A process that is not the load, for filters that reject all hits. */
#define GROWTH_NOBODY 1

/* Results of a load. */
struct growth {
	double gr_nsecs; /* CPU time of a call, ns */
	double gr_rate;	 /* million events per second in all sessions */
	double gr_bytes; /* bytes of a record in the ring, with its header */
	double gr_nread; /* events read */
};

/*
 * Makes ncalls calls on the last CPU, and reads the events of all sessions
 * until no more arrive.
 */
void growth_run(struct growth *, struct dt *const *dts, int ndt,
    const struct bench_call *, uint64_t ncalls);

/*
 * Prints a point of a curve: median and quartiles of n rounds.  label: printed
 * instead of x in the table.
 */
void growth_point(const char *panel, const char *series, const char *label,
    double x, const double *rounds, int n);

#endif /* BENCH_GROWTH_H */
