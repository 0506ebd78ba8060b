/* SPDX-License-Identifier: ISC */
/*
 * Counts the stacks of samples or hits, and the functions in them; for profile
 * and offcpu, and for report of a recording.
 */
#ifndef CLI_PROFILE_PROFILE_H
#define CLI_PROFILE_PROFILE_H

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/base/hash.h"
#include "cli/result/profile.h"
#include "cli/sym/frames.h"

#define PROFILE_TOP	10	/* functions and stacks that are printed */
#define PROFILE_MAXKEPT 2000000 /* hits with thread and time: 80 MB */

/* Keys (cli/stat/key.h) of a stack in a profile, besides the stack. */
#define PROFILE_KEYS "pid,comm"

struct profile {
	struct name_cache *pf_names;
	int pf_withidle;       /* counts idle CPUs, too */
	int pf_isexact;	       /* distinguishes processes and addresses */
	struct hash pf_raw;    /* stacks as received, not yet resolved */
	uint64_t pf_since;     /* time of the oldest of them, ns */
	struct hash pf_stacks; /* stacks of frames */
	struct frames pf_frames;
	struct out_profile pf_out; /* results */
	struct hash pf_whys;	   /* reasons for incomplete stacks */
	int pf_keeps;		   /* keeps hits with their thread and time */
	struct buf pf_kept;	   /* struct out_sample */
	size_t pf_nfolded;	   /* kept hits with resolved stacks */
	struct hash pf_tids;	   /* pid and tid -> index in pf_threads */
	struct buf pf_threads;	   /* struct out_thread */
};

/*
 * The functions below are called between profile_begin() and profile_end().
 * The unit is samples until profile_unit() sets it; name becomes opr_name, and
 * is not copied.
 */
void
profile_begin(struct profile *, struct name_cache *, int isexact, int withidle);
void profile_unit(struct profile *, enum profile_unit, const char *name);
/*
 * Keeps the thread and the time of each hit, up to PROFILE_MAXKEPT.  Each hit
 * has to be added on its own.
 */
void profile_keep(struct profile *);

/* Hits with one stack. */
struct profile_hits {
	uint64_t phi_count;  /* hits */
	uint64_t phi_weight; /* the sum of their weights */
	enum profile_wait phi_wait;
	const char *phi_name, *phi_text; /* osa_name, osa_text */
	/* the function or system call that was called, or NULL; its last frame */
	const char *phi_call;
	int phi_isusercall; /* a function of the program */
};

/*
 * Adds hits with the stacks, process and name of an event.  Addresses are
 * resolved by the mappings that the process had at the time of the event.
 */
void profile_add(struct profile *, const struct dt_event *,
    const struct profile_hits *);
/* Adds a sample or a hit that weighs 1. */
void profile_event(struct profile *, const struct dt_event *);
/*
 * Resolves the stacks collected so far, before their processes are forgotten.
 * now: CLOCK_MONOTONIC, ns.  Does nothing before it is due; returns the due
 * time, 0: nothing is pending.
 */
uint64_t profile_name(struct profile *, uint64_t now);
/*
 * The result, valid until profile_end(), which frees everything.  top: 0 is
 * PROFILE_TOP.
 */
const struct out_profile *profile_result(struct profile *, unsigned int top);
void profile_end(struct profile *);

#endif /* CLI_PROFILE_PROFILE_H */
