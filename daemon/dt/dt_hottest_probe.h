/* SPDX-License-Identifier: ISC */
/*
 * Estimates which of many probes is hit most from a sample of records, with a
 * few candidates and their votes (Misra and Gries). Every probe with more than
 * a ninth of the votes is a candidate. Old votes fade: when one candidate
 * reaches DT_VOTEMAX, all are halved.
 *
 * One thread votes, any thread may read: a candidate and its votes are one
 * atomic word.
 */
#ifndef DAEMON_DT_DT_HOTTEST_PROBE_H
#define DAEMON_DT_DT_HOTTEST_PROBE_H

#include <stdatomic.h>
#include <stdint.h>

#define DT_NVOTES  8
#define DT_VOTEMAX 256 /* limit at which all votes are halved */

struct dt_hottest_probe {
	atomic_uint_fast64_t dh_cand[DT_NVOTES]; /* pbn << 32 | votes */
};

void dt_hottest_probe_clear(struct dt_hottest_probe *);
void dt_hottest_probe_add(struct dt_hottest_probe *, uint32_t pbn);
/* Stores the candidate with the most votes. Returns 0 if there are no votes. */
int dt_hottest_probe_top(const struct dt_hottest_probe *, uint32_t *pbn);

#endif /* DAEMON_DT_DT_HOTTEST_PROBE_H */
