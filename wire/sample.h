/* SPDX-License-Identifier: ISC */
/*
 * Data socket of tprof: DATA blocks contain samples as BPF writes them, without
 * ring headers.  Included by bpf/, too.
 */
#ifndef WIRE_SAMPLE_H
#define WIRE_SAMPLE_H

#include <linux/types.h>

/* A sample.  Clients read its first 24 bytes, tprof_sample_t. */
struct wire_tprof_sample {
	__u32 wt_pid;
	__u32 wt_lwpid;
	__u32 wt_cpuid;
	__u32 wt_flags; /* TPROF_SAMPLE_* */
	__u64 wt_pc;
	__u64 wt_time; /* CLOCK_MONOTONIC, ns */
};

/* Reply to START.  A run lasts while any counter samples. */
struct wire_tprof_run {
	__u32 wr_run; /* number of the run, 0: none in progress */
	__u32 wr_reserved;
};

/* WIRE_BLOCK_END, after all samples of a run. */
struct wire_tprof_end {
	__u32 we_run;
	__u32 we_reserved;
};

_Static_assert(sizeof(struct wire_tprof_sample) == 32, "sample of tprof");

#endif /* WIRE_SAMPLE_H */
