/* SPDX-License-Identifier: ISC */
/*
 * A hit, as a provider found it.  The daemon knows it, too: conditions look at
 * a hit by offsets that it writes.
 */
#ifndef BPF_DT_HIT_H
#define BPF_DT_HIT_H

#include <linux/types.h>

#include <dt/evt.h>

/* What a provider found out about a hit, whoever wants it. */
struct dt_hit {
	__u64 h_time; /* CLOCK_MONOTONIC, ns */
	__u32 h_pid;  /* as the open's namespace knows them */
	__u32 h_tid;
	__u32 h_pbn;
	__u16 h_nargs; /* of h_args; 0 for a return */
	__u16 h_line;  /* of the probe, where a walk over opens has lines */
	__u64 h_args[6];
	__u64 h_comm[2];
	__u64 h_uid; /* real user id */
	struct dt_rec_ret h_ret;
	__u16 h_isreturn;
	__u16 h_nomm; /* no user memory: a thread of the kernel */
	__u32 h_cpu;
	__u64 h_duration; /* of a pair, ns */

	/* conditions look at nothing from here on, see dt_cond.bpf.h */
	__u32 h_kpid; /* in the initial namespace */
	__u32 h_ktid;
	__u64 h_signal; /* its signal_struct: key of dt_followed */
	__u64 h_raw;	/* address of a tracepoint's record, or 0 */
};

#endif /* BPF_DT_HIT_H */
