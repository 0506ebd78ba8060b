/* SPDX-License-Identifier: ISC */
/*
 * The maps that the daemon and its BPF programs share (bpf/dt_maps.bpf.h). They
 * are created once and replace each object's own maps.
 */
#ifndef DAEMON_DT_DT_MAPS_H
#define DAEMON_DT_DT_MAPS_H

#include <stdint.h>

#include "bpf/dt_shared.h"

struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;
struct bpf_program;
struct reason;

/*
 * Units of accounting: one provider, or several that share programs. Each has
 * its own map of counters for all sessions, which its objects use. So programs
 * need not know which provider they count for.
 */
enum dt_tally {
	DT_TALLY_PROFILE,
	DT_TALLY_INTERVAL,
	DT_TALLY_SYSCALL, /* also syscall32 and followed processes */
	DT_TALLY_TRACEPOINT,
	DT_TALLY_KPROBE,
	DT_TALLY_RAWTRACEPOINT,
	DT_TALLY_UPROBE, /* also usdt */
	DT_TALLY_COUNTER,
	DT_NTALLY
};

extern unsigned int dt_ncpu; /* cpus_end() */

struct dt_maps {
	struct dt_table *dtm_table;	    /* mapped */
	struct dt_cond_entry *dtm_conds;    /* mapped, DT_NCOND */
	struct dt_readrow *dtm_reads;	    /* mapped, DT_NREADROWS */
	int dtm_rings;			    /* map of rings, by session slot
					    * and CPU */
	int dtm_noring;			    /* placeholder for slots without a
					    * ring */
	int dtm_excluded;		    /* hash */
	int dtm_followed;		    /* hash (bpf/dt_follow.bpf.c) */
	int dtm_owned;			    /* map of struct dt_owned */
	int dtm_pairs;			    /* map of hashes (dt_pair.c) */
	int dtm_keeps;			    /* the same, of struct dt_keep */
	struct dt_pairdesc *dtm_pairdescs;  /* mapped, DT_PAIRDESC() */
	int dtm_aggs;			    /* map of arrays (dt_agg.c) */
	struct dt_aggdesc *dtm_aggdescs;    /* mapped, DT_AGGDESC() */
	const struct dt_inside *dtm_inside; /* mapped, dt_ncpu */
};

extern struct dt_maps dt_maps;

/* Creates the maps. Returns an errno; EPERM: no permission to use BPF. */
int dt_maps_init(void);
int dt_maps_made(void); /* whether dt_maps_init() succeeded */
/*
 * Gives the maps, with the counters of the tally, to an object that is open and
 * not loaded.  It gets the maps of unwind tables by unwind_share().
 */
int dt_maps_share(struct bpf_object *, enum dt_tally);
/*
 * Returns the counters of a slot, by CPU; NULL if no program of the tally has
 * been loaded. Any thread.
 */
struct dt_count *dt_counts_of(unsigned int slot, enum dt_tally);
/*
 * Keeps libbpf from mapping this map for an object that is open and not loaded:
 * all pages of a mapping count as resident, and the daemon has mapped it
 * already.
 */
void dt_maps_unseen(const struct bpf_object_skeleton *, const struct bpf_map *);
/*
 * Checks that the variables of a loaded object are mapped; libbpf maps none if
 * it finds no support in the kernel. Returns 0, or EOPNOTSUPP and a text.
 */
int dt_maps_seen(const void *bss, struct reason *);
/*
 * Removes the table of a session's slot from a map of maps; waits for a grace
 * period.
 */
void dt_maps_remove(int outer, uint32_t slot);
/* Returns a descriptor of a loaded program that outlives its object, or -1. */
int dt_prog_keep(const struct bpf_program *);

#endif /* DAEMON_DT_DT_MAPS_H */
