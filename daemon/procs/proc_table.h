/* SPDX-License-Identifier: ISC */
/*
 * Processes by number and time.  A number may stand for several processes,
 * one after another; a process for several programs.  One lock, which the
 * caller takes.
 *
 * What has ended is kept for a while: SYMTAB_ENDED of them, SYMTAB_AGE, and as
 * long as all does not need more than SYMTAB_BYTES; the oldest goes first.
 */
#ifndef DAEMON_PROCS_PROC_TABLE_H
#define DAEMON_PROCS_PROC_TABLE_H

#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "daemon/inspect/inspect_look.h"
#include "daemon/procs/addr_space.h"
#include "daemon/procs/sideband_event.h"

#define SYMTAB_PROCS (128 << 10)
#define SYMTAB_ENDED 16384
#define SYMTAB_AGE   (600 * 1000000000ULL)
#define SYMTAB_BYTES (32UL << 20)

struct symroot;

/* What a process had mapped from a time on. */
struct symspan {
	struct symspan *sn_older;
	uint64_t sn_from;
	uint64_t sn_asof; /* a parent's image as it was then */
	struct addr_space *sn_image;
};

/* All fields under the lock. */
struct symproc {
	LIST_ENTRY(symproc) sp_entry;  /* of its hash line, newest first */
	TAILQ_ENTRY(symproc) sp_queue; /* of those that have ended */
	uint32_t sp_pid, sp_ppid;
	uint64_t sp_from;	  /* its fork; 0: before we looked */
	uint64_t sp_end;	  /* 0: it lives */
	struct symspan *sp_spans; /* newest first */
	struct symroot *sp_root;  /* where its names begin; NULL: not known */
	uid_t sp_uid;		  /* -1: not known */
	uint8_t sp_waslooked;	  /* symlook() is done, or under way */
	uint8_t sp_nnums;	  /* 0: not known */
	struct symnum *sp_nums;	  /* the innermost last */
	uint32_t sp_nnew;	  /* new files in this second */
	uint64_t sp_second;
};

struct symtab_stat {
	uint64_t ts_procs, ts_ended, ts_forgotten, ts_bytes;
};

void symtab_lock(void);
void symtab_unlock(void);

/* Who is told of a new file, or of memory without one, and of who mapped it
 * where; and of a new process, with NULL. */
typedef void
symtab_newfn(struct symproc *, struct mapped_file *, const struct symevent *);
/* Follows an event. */
void symtab_event(const struct symevent *, symtab_newfn *);
/* The process that had this number at a time, or NULL. */
struct symproc *symtab_find(uint32_t pid, uint64_t nsecs);
/* The span of that time, never NULL. */
struct symspan *symtab_span(const struct symproc *, uint64_t nsecs);
/* A process that lives and nobody told of yet; the one that is known, or
 * NULL: no memory. */
struct symproc *symtab_seen(uint32_t pid);
/* Whether its mappings of now are known from somewhere. */
int symtab_iswhole(const struct symproc *);
/* Takes a snapshot of a process, begun at nsecs, ended at done; and the files'
 * counts.  Returns the process; NULL, and nothing has happened, if it was
 * another program by then. */
struct symproc *symtab_snapshot(uint32_t pid, const struct mapping *, size_t n,
    uint64_t nsecs, uint64_t done, uint64_t from);
/* Forgets what is too old or too much. */
void symtab_trim(uint64_t now);
void symtab_clear(void);
/* Calls fn for each process until it returns another value than 0. */
int symtab_each(int (*fn)(struct symproc *, void *), void *);
void symtab_stat(struct symtab_stat *);
/* A process has got mg many bytes of numbers, see proc_free(). */
void symtab_charge(size_t nbytes);

#endif /* DAEMON_PROCS_PROC_TABLE_H */
