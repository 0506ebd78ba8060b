/* SPDX-License-Identifier: ISC */
/*
 * The maps that all objects share.  The daemon makes them (daemon/dt/
 * dt_maps.c) and puts its descriptors in the place of these before it loads
 * an object; sizes that depend on the number of CPUs are the daemon's, too.
 */
#ifndef BPF_DT_MAPS_BPF_H
#define BPF_DT_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/dt_shared.h"

/* CPUs that this machine may ever have; the daemon sets it before load. */
const volatile __u32 dt_ncpu = 1;

/* Initialized, and so in a section of its own that can be shared. */
struct dt_table dt_table SEC(".data.dt_table") = {};

/* Each provider's object has another, so that it is known what hits were of. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* DT_MAXOPEN * ncpu */
	__type(key, __u32);
	__type(value, struct dt_count);
} dt_counts SEC(".maps");

struct dt_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* DT_MAXOPEN * ncpu */
	__type(key, __u32);
	__array(values, struct dt_ring);
} dt_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* ncpu */
	__type(key, __u32);
	__type(value, struct dt_scratch);
} dt_scratch SEC(".maps");

/* Process id to the number of reasons why it is left out. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * DT_MAXOPEN);
	__type(key, __u32);
	__type(value, __u32);
} dt_excluded SEC(".maps");

/* Processes that are followed; who is in it is bpf/dt_follow.bpf.c's affair. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* of the configuration */
	__type(key, __u64);
	__type(value, struct dt_follow);
} dt_followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, DT_NOWNED);
	__type(key, struct dt_ownedkey);
	__type(value, struct dt_owned);
} dt_owned SEC(".maps");

/* Conditions of probes; dtd writes a line before a request names it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_NCOND);
	__type(key, __u32);
	__type(value, struct dt_condline);
} dt_conds SEC(".maps");

/* Firsts of pairs, and what is asked of pairs: see dt_pair.bpf.h. */
struct dt_pairtable {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct dt_pairkey));
	__uint(value_size, sizeof(struct dt_first));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, DT_MAXOPEN);
	__type(key, __u32);
	__array(values, struct dt_pairtable);
} dt_pairs SEC(".maps");

/* The same for sessions that keep a struct dt_keep of each first hit. */
struct dt_keeptable {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct dt_pairkey));
	__uint(value_size, sizeof(struct dt_keep));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, DT_MAXOPEN);
	__type(key, __u32);
	__array(values, struct dt_keeptable);
} dt_keeps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_MAXOPEN *DT_PAIR_NDESCS);
	__type(key, __u32);
	__type(value, struct dt_pairdesc);
} dt_pairdescs SEC(".maps");

/* Where the counters and the ring of an open on a CPU are. */
static __always_inline __u32
dt_place_of(__u32 slot, __u32 cpu)
{
	return slot * dt_ncpu + cpu;
}

static __always_inline struct dt_count *
dt_count_at(__u32 place)
{
	return bpf_map_lookup_elem(&dt_counts, &place);
}

static __always_inline struct dt_count *
dt_count_of(__u32 slot, __u32 cpu)
{
	return dt_count_at(dt_place_of(slot, cpu));
}

#endif /* BPF_DT_MAPS_BPF_H */
