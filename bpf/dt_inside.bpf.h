/* SPDX-License-Identifier: ISC */
/*
 * Counts the programs in progress on each CPU, so that the daemon can wait for
 * them without a grace period, which takes 10 to 30 ms.  A program enters before
 * it reads whether a session records, and leaves after its last access to
 * anything of a session.
 */
#ifndef BPF_DT_INSIDE_BPF_H
#define BPF_DT_INSIDE_BPF_H

#include "bpf/dt_maps.bpf.h"

/* Written by programs, read by dtd. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* ncpu */
	__type(key, __u32);
	__type(value, struct dt_inside);
} dt_inside SEC(".maps");

/* Adds to a counter; a full barrier, see dt_count_barrier(). */
static __always_inline void
inside_add(__u64 *n, const __u64 change)
{
	__u64 was = __sync_fetch_and_add(n, change);

	barrier_var(was);
}

/* Returns what dt_inside_leave() takes; NULL never happens. */
static __always_inline __u64 *
dt_inside_enter(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct dt_inside *in = bpf_map_lookup_elem(&dt_inside, &cpu);

	if (in == NULL)
		return NULL;
	inside_add(&in->din_n, 1);
	return &in->din_n;
}

static __always_inline void
dt_inside_leave(__u64 *n)
{
	inside_add(n, -1);
}

#endif /* BPF_DT_INSIDE_BPF_H */
