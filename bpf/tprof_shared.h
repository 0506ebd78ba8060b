/* SPDX-License-Identifier: ISC */
/*
 * Memory that daemon/tprof/ and the program of tprof share.
 *
 * Letters: B written by BPF; * by both.
 */
#ifndef BPF_TPROF_SHARED_H
#define BPF_TPROF_SHARED_H

#include <linux/types.h>

/* Counters of a CPU, a line of the cache each. */
struct tprof_count {
	__u64 tc_taken;	   /* [B] samples */
	__u64 tc_overflow; /* [B] for which there was no room */
	__u64 tc_excluded; /* [B] out of the namespace: no samples */
	__u64 tc_woke; /* [*] the data thread was told that it is half full */
	__u64 tc_pad[4];
};

/* A link's cookie: the open, so that one that is gone is not served, and the
 * counter. */
#define TPROF_COOKIE(gen, counter) ((__u64)(gen) << 32 | (counter))
#define TPROF_COOKIE_GEN(cookie)   ((__u32)((cookie) >> 32))

#endif /* BPF_TPROF_SHARED_H */
