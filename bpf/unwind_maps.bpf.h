/* SPDX-License-Identifier: ISC */
/*
 * The maps of unwind tables (bpf/unwind_shared.h).  The daemon creates them and
 * replaces these definitions, as with bpf/dt_maps.bpf.h.
 */
#ifndef BPF_UNWIND_MAPS_BPF_H
#define BPF_UNWIND_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/unwind_shared.h"

struct unwind_slabmap {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, UNWIND_SLAB);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_MAXSLABS);
	__type(key, __u32);
	__array(values, struct unwind_slabmap);
} unwind_slabs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by the daemon */
	__type(key, struct unwind_pagekey);
	__type(value, struct unwind_page);
} unwind_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_proc);
} unwind_procs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_misses SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWIND_NCOUNTS);
	__type(key, __u32);
	__type(value, __u64);
} unwind_counts SEC(".maps");

/* Adds 1 to a row.  For the holder of the CPU's scratch. */
static __always_inline void
unwind_count(const __u32 *row)
{
	__u64 *n = bpf_map_lookup_elem(&unwind_counts, row);

	if (n != NULL)
		++*n;
}

#endif /* BPF_UNWIND_MAPS_BPF_H */
