/* SPDX-License-Identifier: ISC */
/*
 * Which of many probes is hit most, found by looking at a few records: a
 * handful of candidates with their votes (Misra and Gries).  Whatever has more
 * than a ninth of the votes is among them.  Old votes fade: as soon as one
 * candidate has many, all are halved.
 *
 * One thread votes, any may ask: a candidate and its votes are one word.
 */
#ifndef DAEMON_DT_DT_HOTTEST_H
#define DAEMON_DT_DT_HOTTEST_H

#include <stdatomic.h>
#include <stdint.h>

#define DT_NVOTES  8
#define DT_VOTEMAX 256 /* then all are halved */

struct dt_hottest {
	atomic_uint_fast64_t dh_cand[DT_NVOTES]; /* pbn << 32 | votes */
};

void dt_hottest_clear(struct dt_hottest *);
void dt_hottest_add(struct dt_hottest *, uint32_t pbn);
/* The candidate with the most votes.  Returns 0 if nobody has voted. */
int dt_hottest_top(const struct dt_hottest *, uint32_t *pbn);

#endif /* DAEMON_DT_DT_HOTTEST_H */
