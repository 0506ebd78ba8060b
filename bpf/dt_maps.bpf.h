/* SPDX-License-Identifier: ISC */
/*
 * The maps shared by all objects of the dt device.  The daemon creates them,
 * replaces the definitions here with its descriptors before it loads an object,
 * and sets the sizes that depend on the number of CPUs.
 *
 * Each comment below states who may write the map.
 */
#ifndef BPF_DT_MAPS_BPF_H
#define BPF_DT_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/dt_shared.h"

/* Possible CPUs of this machine; set by the daemon before load. */
const volatile __u32 dt_ncpu = 1;

/*
 * The session table; letters in its struct.  Initialized, so that it is in its
 * own section, which objects can share.
 */
struct dt_table dt_table SEC(".data.dt_table") = {};

/*
 * Ledger counters; letters in struct dt_count.  Each provider's object has its
 * own map, so hits are counted by provider.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* DT_MAXSESS * ncpu */
	__type(key, __u32);
	__type(value, struct dt_count);
} dt_counts SEC(".maps");

struct dt_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* DT_MAXSESS * ncpu */
	__type(key, __u32);
	__array(values, struct dt_ring);
} dt_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* ncpu */
	__type(key, __u32);
	__type(value, struct dt_scratch);
} dt_scratch SEC(".maps");

/* Privilege level (enum dt_level) by process id.  Written by dtd. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * DT_MAXSESS);
	__type(key, __u32);
	__type(value, __u32);
} dt_excluded SEC(".maps");

/* Followed processes.  Written by the programs that follow processes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set from the configuration */
	__type(key, __u64);
	__type(value, struct dt_follow);
} dt_followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, DT_NOWNED);
	__type(key, struct dt_ownedkey);
	__type(value, struct dt_owned);
} dt_owned SEC(".maps");

/* Compiled conditions.  dtd writes a row before any request refers to it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_NCOND);
	__type(key, __u32);
	__type(value, struct dt_cond_entry);
} dt_conds SEC(".maps");

/* Reads of memory.  dtd writes a row before any request refers to it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_NREADROWS);
	__type(key, __u32);
	__type(value, struct dt_readrow);
} dt_reads SEC(".maps");

/*
 * Tables of first hits, one per session.  The outer maps are written by dtd,
 * the inner ones by BPF; dtd deletes entries of threads that exit.
 */
struct dt_pairtable {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct dt_pairkey));
	__uint(value_size, sizeof(struct dt_first));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, DT_MAXSESS);
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
	__uint(max_entries, DT_MAXSESS);
	__type(key, __u32);
	__array(values, struct dt_keeptable);
} dt_keeps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_MAXSESS *DT_PAIR_NDESCS);
	__type(key, __u32);
	__type(value, struct dt_pairdesc);
} dt_pairdescs SEC(".maps");

/* Aggregations.  dtd writes a row before any request refers to it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_MAXSESS *DT_AGG_NDESCS);
	__type(key, __u32);
	__type(value, struct dt_aggdesc);
} dt_aggdescs SEC(".maps");

/*
 * Tables of counts, one per session that counts.  The outer map is written by
 * dtd, the inner ones by BPF; dtd reads and empties them when they are no longer
 * in the outer map.
 */
struct dt_aggtable {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP); /* sizes differ */
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct dt_aggelem));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, DT_MAXSESS);
	__type(key, __u32);
	__array(values, struct dt_aggtable);
} dt_aggs SEC(".maps");

/* Returns the index of a session's counters and ring for a CPU. */
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
