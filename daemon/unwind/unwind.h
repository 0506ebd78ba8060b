/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables for BPF programs: pages of code and mappings of processes,
 * which programs find in the maps of unwind_maps.h.
 *
 * A thread reads the programs' reports of missing ones.  Other threads read the
 * mappings of processes (proc_watch.h), and have symbolizers build tables, at
 * most one thread for the files of a user.
 */
#ifndef DAEMON_UNWIND_UNWIND_H
#define DAEMON_UNWIND_UNWIND_H

#include <stdint.h>

#include "bpf/unwind_shared.h"

struct bpf_object;
struct dtioc_stack;

/* Seconds that tables stay after the last release. */
#define UNWIND_LINGER 10
/* Another time, for tests. */
extern int unwind_linger;

/*
 * For an object that is open and not loaded: omit removes the maps, which plain
 * programs do not use; share gives it the maps, which it creates at the first
 * call.  An object without these maps is fine.  Returns an errno.
 */
void unwind_omit(struct bpf_object *);
int unwind_share(struct bpf_object *);
/*
 * Begins serving the programs' reports, at the first hold, and starts a
 * symbolizer for the user's processes.  May wait for the kernel.  Returns an
 * errno; proc_watch_why() has the text for one of proc_watch_hold().
 */
int unwind_hold(uid_t);
/*
 * Releases a hold.  Some time after the last release, all tables are removed.
 */
void unwind_release(void);

/*
 * A session of the dt device, by its slot and the slot's generation.  Copies of
 * stacks that programs make for it are kept from open to close.
 */
#define UNWIND_SESSION(slot, gen) ((uint64_t)(slot) << 32 | (gen))
int unwind_copies_open(uint64_t session);
void unwind_copies_close(uint64_t session);
/*
 * Enters a copy that no program made, and has it walked.  Its time is after
 * unwind_hold().
 */
struct unwind_copy;
void unwind_copy_add(const struct unwind_copy *, size_t nbytes);
/*
 * Takes the frames of a copy of a session.  EAGAIN: they are not known yet;
 * ENOENT: it has no such copy.  Waits for 2 ms at most.
 */
int unwind_copy_take(uint64_t session, uint32_t number, struct dtioc_stack *);

struct unwind_stat {
	uint64_t us_held;
	uint64_t us_misses;	/* that programs reported, so far */
	uint64_t us_pages;	/* with a table, now */
	uint64_t us_none;	/* without one, now */
	uint64_t us_procs;	/* now */
	uint64_t us_maps;	/* of processes, now */
	uint64_t us_files;	/* with a number, now */
	uint64_t us_bytes;	/* of tables and mappings, now */
	uint64_t us_slabbytes;	/* of memory for them, now */
	uint64_t us_limit;	/* maximum of us_slabbytes */
	uint64_t us_built;	/* tables, so far */
	uint64_t us_failed;	/* to build, so far; tried again later */
	uint64_t us_evicted;	/* tables, so far */
	uint64_t us_full;	/* tables without memory, so far */
	uint64_t us_read;	/* mappings of processes, so far */
	uint64_t us_unread;	/* processes that could not be read, so far */
	uint64_t us_buildnsecs; /* waited for tables, so far */
	uint64_t us_readnsecs;	/* waited for mappings, so far */
	uint64_t us_copies;	/* of stacks, so far */
	uint64_t us_copieslost; /* because memory ran out, so far */
	uint64_t us_walked;	/* copies, so far */
	uint64_t us_givenup;	/* copies walked without all tables, so far */
	/* stacks that were walked, by enum dt_stack_end, so far */
	uint64_t us_ends[UNWIND_NENDS];
};
/* Any thread; does not wait. */
void unwind_stat(struct unwind_stat *);

#endif /* DAEMON_UNWIND_UNWIND_H */
