/* SPDX-License-Identifier: ISC */
/*
 * Mappings of processes at the times of copied stacks, also of processes that
 * have ended.  They are kept for a short time, since the next copies are of the
 * same process.  The caller holds the lock of the tables.
 */
#ifndef DAEMON_UNWIND_UNWIND_COPY_MAPS_H
#define DAEMON_UNWIND_UNWIND_COPY_MAPS_H

#include <stdint.h>
#include <sys/types.h>

#include "bpf/unwind_shared.h"

struct proc_view;

#define COPY_MAPS_AGE	2	  /* seconds */
#define COPY_MAPS_MAX	(1 << 18) /* mappings in all */
#define COPY_MAPS_PROCS 1024	  /* processes, also one at several times */
/*
 * The pause before a program is read again: ns, and at least this many times the
 * CPU time of the last reading.
 */
#define COPY_MAPS_PAUSE (10 * 1000000ULL)
#define COPY_MAPS_SHARE 20

/* A process at a time. */
struct copy_proc {
	uint32_t cpr_pid;
	uid_t cpr_uid;
	uint32_t cpr_exec; /* as pr_exec of struct unwind_proc */
	uint64_t cpr_start;
	uint64_t cpr_time;
};

struct copy_maps {
	uint32_t cpm_n;
	const struct unwind_map *cpm_maps; /* sorted */
};

/* Returns whether the mappings of a process at a time are known. */
int copy_maps_find(const struct copy_proc *, struct copy_maps *);
/* Returns whether a program was read too recently to be read again. */
int copy_maps_ispaused(const struct copy_proc *, uint64_t now);
/* Adds mappings.  An errno. */
int copy_maps_add(const struct copy_proc *, const struct proc_view *);
/* Removes what is too old, or all. */
void copy_maps_trim(uint64_t now);
void copy_maps_clear(void);

#endif /* DAEMON_UNWIND_UNWIND_COPY_MAPS_H */
