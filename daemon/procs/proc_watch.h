/* SPDX-License-Identifier: ISC */
/*
 * Processes: which files their code was mapped from, at any time since
 * somebody asked for it.  While it is held, a thread follows the kernel's
 * own events (sideband.h); what was there before is read from /proc once.
 *
 * All functions may wait for the kernel or a file system, so they are for
 * workers; any of them.  pid is a number of dtd's own pid namespace.
 */
#ifndef DAEMON_PROCS_PROC_WATCH_H
#define DAEMON_PROCS_PROC_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/procs/mapped_file.h"

struct find_stat;

struct symmap {
	uint64_t sm_start, sm_end, sm_off;
	struct mapped_file *sm_file; /* held, open if it could be */
};

/* The executable mappings of a process as they were at a time, sorted. */
struct symview {
	uint64_t sv_from, sv_until; /* CLOCK_MONOTONIC: the same in between */
	uint64_t sv_gen;	    /* another when they are others */
	uid_t sv_uid;		    /* as far as known, else -1 */
	uint32_t sv_pid;
	int sv_error; /* why not all of its mappings may be known, or 0 */
	int sv_isnow; /* it lives, and has run no other program since */
	size_t sv_nmaps;
	struct symmap sv_maps[];
};

struct symproc_stat {
	uint64_t ps_held;      /* who holds it */
	uint64_t ps_procs;     /* processes known, */
	uint64_t ps_ended;     /* of them, those that have ended */
	uint64_t ps_images;    /* sets of mappings */
	uint64_t ps_maps;      /* mappings, also past ones */
	uint64_t ps_bytes;     /* of all of these */
	uint64_t ps_files;     /* files known, */
	uint64_t ps_open;      /* of them, open ones */
	uint64_t ps_records;   /* of the side-band, so far */
	uint64_t ps_lost;      /* that the kernel had no room for */
	uint64_t ps_bad;       /* that we did not understand */
	uint64_t ps_forgotten; /* processes, for want of room or by age */
	uint64_t ps_dropped;   /* mappings, for want of room */
	uint64_t ps_snapshots; /* passes over /proc */
	uint64_t ps_snapnsecs; /* the last one took */
	uint64_t ps_unopened;  /* files that could not be opened, so far */
	uint64_t
	    ps_cpunsecs; /* of the thread that follows; 0: nobody holds it */
};

/* The first attaches, and has the rest read in the background: an errno, and
 * symproc_why() tells more. */
int symproc_hold(void);
/* The last detaches; what is known is forgotten a while later. */
void symproc_release(void);
const char *symproc_why(void);
/* A CPU came or went. */
void symproc_cpu(unsigned int cpu);
/* The clock of the kernel's records goes by steps of up to this many ns, so a
 * change this soon after a moment is taken for an earlier one. */
#define SYMPROC_SLACK 5000
/* Returns the mappings of a process at a moment; reads pending records of the
 * kernel first.  ESRCH: unknown; ENOMEM; an errno of inspect(). */
int symproc_view(uint32_t pid, uint64_t nsecs, struct symview **);
/* Leaves out mappings of files that keep() does not like, of those that are
 * open: addresses in there are in no mapping. */
void symproc_view_keep(struct symview *,
    int (*keep)(const struct find_stat *, void *arg), void *arg);
void symproc_view_free(struct symview *);
/*
 * The perf map file (/tmp/perf-PID.map) of a process that makes code at run
 * time, in its own mount namespace: a regular file of its user or root, that
 * nobody else may write, not too large, and younger than the process.  fd:
 * O_PATH.
 */
int symproc_jitmap(uint32_t pid, uint64_t nsecs, int *fd);
/*
 * The number here of a process that is nspid in the pid namespace nsinum, at
 * depth level: ESRCH.
 */
int symproc_translate(uint32_t nsinum, uint32_t level, uint32_t nspid,
    uint64_t nsecs, uint32_t *pid);
void symproc_stat(struct symproc_stat *);

#endif /* DAEMON_PROCS_PROC_WATCH_H */
