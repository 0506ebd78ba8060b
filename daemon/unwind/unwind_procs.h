/* SPDX-License-Identifier: ISC */
/*
 * The processes whose mappings programs know.  An entry is added when a program
 * misses it, updated when the mappings change, and removed when the process
 * exits or no program has used it for a while.  The caller takes one lock for
 * all functions.
 */
#ifndef DAEMON_UNWIND_UNWIND_PROCS_H
#define DAEMON_UNWIND_UNWIND_PROCS_H

#include <stdint.h>

#include "bpf/unwind_shared.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/sideband_event.h"

#define UNWIND_PROCS_IDLE  60 /* seconds */
#define UNWIND_PROCS_RETRY 1  /* seconds, for an unknown process */
/*
 * The pause before a process's mappings are read again.  It doubles while they
 * do not change, and is at least UNWIND_PROCS_SHARE times the CPU time of the
 * last reading.
 */
#define UNWIND_PROCS_PAUSE    (10 * 1000000ULL) /* ns */
#define UNWIND_PROCS_MAXPAUSE (1000 * 1000000ULL)
#define UNWIND_PROCS_SHARE    20

/* A process whose mappings must be read. */
struct unwind_proc_request {
	uint32_t upa_pid, upa_exec;
	uint64_t upa_start;
	uint64_t upa_time; /* as of when, CLOCK_MONOTONIC */
};

/*
 * Handles a miss of the process or of a mapping, or an event that changes it.
 */
void unwind_procs_miss(const struct unwind_miss *);
void unwind_procs_event(const struct sideband_event *);
/*
 * Returns a process whose mappings are due to be read, 0 if there is none.  The
 * process is not returned again before unwind_procs_read().
 */
uint32_t unwind_procs_due(uint64_t now);
int unwind_procs_isdue(uint64_t now);
/* Returns whether a program is being read, or due. */
int unwind_procs_isreading(uint32_t pid, uint64_t start, uint32_t exec,
    uint64_t now);
/* Stores which program and time to read; returns 0 if the process ended. */
int unwind_procs_begin(uint32_t pid, struct unwind_proc_request *);
/*
 * Enters the mappings; NULL: they could not be read.  ENOSPC: there is no
 * memory; it is to be called again.
 */
int
unwind_procs_read(const struct unwind_proc_request *, const struct proc_view *);
/*
 * Writes the first n mappings of a view, whose files get numbers; memory without
 * a file has none.  The other function gives the numbers back.
 */
void
unwind_maps_fill(struct unwind_map *, uint32_t n, const struct proc_view *);
void unwind_maps_drop(const struct unwind_map *, uint32_t n);
/* Returns the user of a process that was read; (uid_t)-1: unknown. */
uid_t unwind_procs_uid(uint32_t pid);
/* Removes unused processes, or all. */
void unwind_procs_trim(uint32_t idle);
void unwind_procs_clear(void);

struct unwind_procs_stat {
	uint64_t uqs_procs, uqs_maps, uqs_bytes; /* now */
	uint64_t uqs_read, uqs_failed, uqs_cut;	 /* so far */
};
void unwind_procs_stat(struct unwind_procs_stat *);

#endif /* DAEMON_UNWIND_UNWIND_PROCS_H */
