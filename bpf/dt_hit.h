/* SPDX-License-Identifier: ISC */
/*
 * A hit, as a provider fills it in.  Lives on the stack of one run of a
 * program.  dtd includes this file because conditions address the hit's fields
 * by offset.
 */
#ifndef BPF_DT_HIT_H
#define BPF_DT_HIT_H

#include <linux/types.h>

#include <dt/evt.h>

/* Facts about a hit, the same for all sessions except where noted. */
struct dt_hit {
	__u64 h_time; /* CLOCK_MONOTONIC, ns */
	__u32 h_pid;  /* in the session's pid namespace */
	__u32 h_tid;
	__u32 h_pbn;
	__u16 h_nargs; /* arguments in h_args; 0 for a return */
	/* row of the probe, in dt_deliver.bpf.h */
	__u16 h_entry;
	__u64 h_args[6];
	__u64 h_comm[2];
	__u64 h_uid; /* real user id */
	struct dt_rec_ret h_ret;
	__u16 h_isreturn;
	__u16 h_nomm; /* no user memory: a kernel thread */
	__u32 h_cpu;
	__u64 h_duration; /* time since the first hit of a pair, ns */

	/* conditions cannot read the fields from here on */
	__u32 h_kpid; /* in the initial namespace */
	__u32 h_ktid;
	__u64 h_signal; /* address of its signal_struct: key of dt_followed */
	/* address of a tracepoint's record, or of arguments that are not in
	 * h_args; 0: none */
	__u64 h_raw;
};

#endif /* BPF_DT_HIT_H */
