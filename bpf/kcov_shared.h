/* SPDX-License-Identifier: ISC */
/*
 * Memory that the kcov device and its programs share: a row for each session,
 * and a set of traced threads.
 */
#ifndef BPF_KCOV_SHARED_H
#define BPF_KCOV_SHARED_H

#include <linux/types.h>

#define KCOV_MAXOPEN 128 /* a power of two */
#define KCOV_NBITS   4096

/* Bit of a thread or process in kct_bits, tested first. */
#define KCOV_WORD(id) ((id) / 64 % (KCOV_NBITS / 64))
#define KCOV_BIT(id)  (1ULL << (id) % 64)

/*
 * Keys of kcov_threads: a thread's number, or a process whose io_uring workers
 * are traced.
 */
#define KCOV_KEY_PROCESS (1ULL << 32)

/* A session that records. */
struct kcov_entry {
	__u32 kcl_set;	    /* number of its set of functions; 0: disabled */
	__u32 kcl_nmemb;    /* capacity in records */
	__u32 kcl_tid;	    /* thread, 0: has ended; also written by BPF */
	__u32 kcl_sock;	    /* the client's control socket + 1; 0: unknown */
	__u64 kcl_recorded; /* written by BPF from here on */
	__u64 kcl_dropped;
	__u64 kcl_interrupt;
	__u64 kcl_pad2[3]; /* pads to a cache line */
};

struct kcov_table {
	__u64 kct_bits[KCOV_NBITS / 64];
	struct kcov_entry kct_entry[KCOV_MAXOPEN];
};

#endif /* BPF_KCOV_SHARED_H */
