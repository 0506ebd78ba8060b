/* SPDX-License-Identifier: ISC */
/*
 * What the data socket of tprof carries: DATA blocks are samples as BPF writes
 * them, without headers of rings.  Included by bpf/, too.
 */
#ifndef WIRE_SAMPLE_H
#define WIRE_SAMPLE_H

#include <linux/types.h>

/* Programs get the first 24 bytes, tprof_sample_t. */
struct wire_tprof_sample {
	__u32 wt_pid;
	__u32 wt_lwpid;
	__u32 wt_cpuid;
	__u32 wt_flags; /* TPROF_SAMPLE_* */
	__u64 wt_pc;
	__u64 wt_time; /* CLOCK_MONOTONIC, ns */
};

/* Reply to START.  A run lasts while something samples. */
struct wire_tprof_run {
	__u32 wr_run; /* number of the run, 0: nothing samples */
	__u32 wr_reserved;
};

/* WIRE_BLOCK_END, behind all samples of a run. */
struct wire_tprof_end {
	__u32 we_run;
	__u32 we_reserved;
};

_Static_assert(sizeof(struct wire_tprof_sample) == 32, "sample of tprof");

#endif /* WIRE_SAMPLE_H */
