/* SPDX-License-Identifier: ISC */
/*
 * Processes by number and time.  A number may stand for several processes,
 * one after another; a process for several programs.  One lock, which the
 * caller takes.
 *
 * Ended processes are kept for a while: PROC_TABLE_ENDED of them, for
 * PROC_TABLE_AGE.  If all needs more than PROC_TABLE_BYTES, the user who uses
 * the most loses names (proc_share.h).
 */
#ifndef DAEMON_PROCS_PROC_TABLE_H
#define DAEMON_PROCS_PROC_TABLE_H

#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "daemon/inspect/inspect_proc.h"
#include "daemon/procs/addr_space.h"
#include "daemon/procs/sideband_event.h"

#define PROC_TABLE_PROCS (128 << 10)
#define PROC_TABLE_ENDED 16384
#define PROC_TABLE_AGE	 (600 * 1000000000ULL)
#define PROC_TABLE_BYTES (32UL << 20)
#define PROC_TABLE_HUGE	 (2UL << 20) /* address spaces that are dropped first */

struct root_dir;

/* The address space of a process from a time on. */
struct proc_span {
	struct proc_span *pn_older;
	uint64_t pn_from;
	uint64_t pn_asof; /* a parent's address space as of this time */
	struct addr_space *pn_space;
};

/* All fields under the lock. */
struct process {
	LIST_ENTRY(process) ps_entry;  /* in its hash bucket, newest first */
	TAILQ_ENTRY(process) ps_queue; /* in the list of ended processes */
	uint32_t ps_pid, ps_ppid;
	uint64_t ps_from;   /* time of its fork; 0: before monitoring */
	uint64_t ps_end;    /* 0: it is alive */
	uint64_t ps_forgot; /* time before which its programs are unknown */
	struct proc_span *ps_spans; /* newest first */
	struct root_dir *ps_root;   /* root directory; NULL: unknown */
	uid_t ps_uid;		    /* -1: unknown */
	uint8_t ps_isinspected; /* proc_status_get() is done or in progress */
	uint8_t ps_nnums;	/* 0: unknown */
	struct symnum *ps_nums; /* the innermost last */
	uint32_t ps_nnew;	/* new files in this second */
	uint64_t ps_second;
};

struct proc_table_stat {
	uint64_t pt_procs, pt_ended, pt_forgotten, pt_bytes;
};

void proc_table_lock(void);
void proc_table_unlock(void);

/*
 * Called for a new file or memory without a file, with the process and its
 * mapping; and for a new process, with NULL.
 */
typedef void proc_table_newfn(struct process *, struct mapped_file *,
    const struct sideband_event *);
/* Applies an event. */
void proc_table_event(const struct sideband_event *, proc_table_newfn *);
/* Returns the process that had this pid at a time, or NULL. */
struct process *proc_table_find(uint32_t pid, uint64_t nsecs);
/* Returns the span of that time, never NULL. */
struct proc_span *proc_table_span(const struct process *, uint64_t nsecs);
/* Returns a live process, added if it is unknown; NULL: out of memory. */
struct process *proc_table_seen(uint32_t pid);
/*
 * Ends all processes that existed before nsecs and do not any more.  Takes the
 * lock.
 */
void proc_table_reap(uint64_t nsecs);
/* Returns whether all current mappings of the process are known. */
int proc_table_iswhole(const struct process *);
/*
 * Enters a snapshot of a process, begun at nsecs, ended at done, and takes over
 * the files' counts.  Returns the process; or NULL, without effect, if it has
 * executed another program since.
 */
struct process *proc_table_snapshot(uint32_t pid, const struct mapping *,
    size_t n, uint64_t nsecs, uint64_t done, uint64_t from);
/* Removes what is too old or exceeds the limits. */
void proc_table_trim(uint64_t now);
void proc_table_clear(void);
/* Calls fn for each process until it returns another value than 0. */
int proc_table_each(int (*fn)(struct process *, void *), void *);
void proc_table_stat(struct proc_table_stat *);
/* Charges memory that a process's entry has allocated; see proc_free(). */
void proc_table_charge(size_t nbytes);

#endif /* DAEMON_PROCS_PROC_TABLE_H */
