/* SPDX-License-Identifier: ISC */
/*
 * What the programs of bench/growth.sh share: a load that is traced by some
 * opens while one reader takes their events, and the line of a point.
 */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include "bench/bench.h"

#define GROWTH_MAXROUNDS 16
#define GROWTH_MAXOPEN	 64
/* A process that is not the load, for filters that let nothing pass. */
#define GROWTH_NOBODY 1

/* What came of a load. */
struct growth {
	double gr_nsecs; /* CPU time of a call */
	double gr_rate;	 /* M events a second, all opens together */
	double gr_bytes; /* of a record in the ring, header included */
	double gr_nread; /* events */
};

/* Runs the call ncalls times on the last CPU, and reads what the opens get
 * until nothing comes any more. */
void growth_run(struct growth *, struct dt *const *dts, int ndt,
    const struct bench_call *, uint64_t ncalls);

/*
 * A point of a curve, for bench/growth.sh: a value in each of n rounds, of
 * which it prints median and quartiles.  label: instead of x in the table.
 */
void growth_point(const char *panel, const char *series, const char *label,
    double x, const double *rounds, int n);

#endif /* BENCH_GROWTH_H */
