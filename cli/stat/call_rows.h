/* SPDX-License-Identifier: ISC */
/* Counts of calls by their names, whichever of their probes was hit. */
#ifndef CLI_STAT_CALL_ROWS_H
#define CLI_STAT_CALL_ROWS_H

#include "cli/base/hist.h"
#include "cli/result/counts.h"

/* The keys that are counted. */
#define CALL_ROWS_KEYS "probe,from.probe,errno"

/* Calls with one name and one errno. */
struct call_row {
	const char *clw_name; /* "openat", "kprobe:vfs_read" */
	uint64_t clw_count;
	uint64_t clw_failed;	      /* clw_count, or 0 */
	const struct hist *clw_times; /* ns; NULL: no time is known */
};

/* All calls of a recording. */
struct call_sums {
	uint64_t csu_n;
	uint64_t csu_nsecs; /* from the first event to the last */
	uint64_t csu_lost;  /* events that are missing */
};

/* Calls fn for counts by these keys.  The name is valid during the call. */
void call_rows_each(const struct out_counts *,
    void (*fn)(void *, const struct call_row *), void *arg);

#endif /* CLI_STAT_CALL_ROWS_H */
