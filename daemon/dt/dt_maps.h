/* SPDX-License-Identifier: ISC */
/*
 * The maps that daemon and BPF programs share (bpf/dt_maps.bpf.h), made once
 * and put in the place of each object's own.
 */
#ifndef DAEMON_DT_DT_MAPS_H
#define DAEMON_DT_DT_MAPS_H

#include "bpf/dt_shared.h"

struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;
struct bpf_program;

/*
 * What is counted apart: hits of a provider, or of those that have programs in
 * common.  Each has counters for all opens, in a map of its own, which its
 * objects get.  So programs need not know whose hits they count.
 */
enum dt_tally {
	DT_TALLY_PROFILE,
	DT_TALLY_INTERVAL,
	DT_TALLY_SYSCALL, /* and syscall32; who is followed is counted here */
	DT_TALLY_TRACEPOINT,
	DT_TALLY_KPROBE,
	DT_TALLY_RAWTRACEPOINT,
	DT_NTALLY
};

struct dt_maps {
	struct dt_table *dtm_table;	   /* mapped */
	struct dt_cond_entry *dtm_conds;   /* mapped, DT_NCOND */
	int dtm_rings;			   /* map of rings, by the same index */
	int dtm_noring;			   /* stands where a slot has no ring */
	int dtm_excluded;		   /* hash */
	int dtm_followed;		   /* hash, see bpf/dt_follow.bpf.c */
	int dtm_owned;			   /* map: see struct dt_owned */
	int dtm_pairs;			   /* map of tables, see dt_pair.c */
	int dtm_keeps;			   /* the same, of struct dt_keep */
	struct dt_pairdesc *dtm_pairdescs; /* mapped, DT_PAIRDESC() */
};

extern struct dt_maps dt_maps;

/* Makes the maps.  Returns errno; EPERM: no right to use BPF. */
int dt_maps_init(void);
int dt_maps_made(void); /* whether it has succeeded */
/* Hands them to an object that is open and not loaded, with the counters that
 * its hits are for. */
int dt_maps_share(struct bpf_object *, enum dt_tally);
/* Counters of a slot, by CPU; NULL: no program that would count there has been
 * loaded.  Any thread. */
struct dt_count *dt_counts_of(unsigned int slot, enum dt_tally);
/* An object that is open and not loaded is not to map this one: all pages of
 * a mapping count as resident, and somebody has it already. */
void dt_maps_unseen(const struct bpf_object_skeleton *, const struct bpf_map *);
/* Whether the variables of a loaded object can be seen here: libbpf maps none
 * where it thinks that the kernel cannot.  0, or EOPNOTSUPP and a text. */
int dt_maps_seen(const void *bss, char *text);
/* A descriptor of a loaded program that stays when its object goes, or -1. */
int dt_prog_keep(const struct bpf_program *);

#endif /* DAEMON_DT_DT_MAPS_H */
