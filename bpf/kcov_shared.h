/* SPDX-License-Identifier: ISC */
/*
 * What the kcov device and its programs share: a line for each open, and which
 * threads have one.
 */
#ifndef BPF_KCOV_SHARED_H
#define BPF_KCOV_SHARED_H

#include <linux/types.h>

#define KCOV_MAXOPEN 128 /* a power of two */
#define KCOV_NBITS   4096

/* What of a thread, or of a process, is looked at first: one bit. */
#define KCOV_WORD(id) ((id) / 64 % (KCOV_NBITS / 64))
#define KCOV_BIT(id)  (1ULL << (id) % 64)

/* Keys of kcov_threads: a thread by its number, or a process whose io_uring's
 * workers are meant. */
#define KCOV_KEY_PROCESS (1ULL << 32)

/* An open that records. */
struct kcov_line {
	__u32 kl_set;	/* links of this number are its; 0: it is disabled */
	__u32 kl_nmemb; /* records that there is room for */
	__u32 kl_tid;	/* its thread; 0: that has ended.  Programs write it */
	__u32 kl_pad;
	__u64 kl_recorded; /* counted by programs, from here on */
	__u64 kl_dropped;
	__u64 kl_interrupt;
	__u64 kl_pad2[3]; /* a line of the cache each */
};

struct kcov_table {
	__u64 kt_bits[KCOV_NBITS / 64];
	struct kcov_line kt_line[KCOV_MAXOPEN];
};

#endif /* BPF_KCOV_SHARED_H */
