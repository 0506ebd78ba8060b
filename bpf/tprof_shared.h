/* SPDX-License-Identifier: ISC */
/*
 * Memory shared by daemon/tprof/ and the program of tprof.  Letters: B:
 * written by BPF; *: by BPF and the daemon.
 */
#ifndef BPF_TPROF_SHARED_H
#define BPF_TPROF_SHARED_H

#include <linux/types.h>

#define TPROF_NHITS 32 /* TPROF_MAXCOUNTERS */

/*
 * Counters of a CPU, in their own cache lines.  The kernel skips the program
 * when it interrupts a thread that is changing a BPF map; the daemon finds
 * these samples when it stops a counter, and adds them to taken and overflow.
 */
struct tprof_count {
	__u64 tc_taken;	   /* [*] samples */
	__u64 tc_overflow; /* [*] samples lost: ring full, or skipped */
	__u64 tc_excluded; /* [B] hits outside of the namespace, not samples */
	__u64 tc_woke; /* [*] the data thread was woken for a half-full ring */
	__u64 tc_pad[4];
	__u64 tc_hits[TPROF_NHITS]; /* [*] by counter, since its start */
};

/*
 * A link's cookie: the session's generation, so that hits for a closed session
 * are ignored, and the counter.
 */
#define TPROF_COOKIE(gen, counter) ((__u64)(gen) << 32 | (counter))
#define TPROF_COOKIE_GEN(cookie)   ((__u32)((cookie) >> 32))

#endif /* BPF_TPROF_SHARED_H */
