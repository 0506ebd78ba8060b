/* SPDX-License-Identifier: ISC */
/*
 * The files that the code of processes was mapped from, by time, from the first
 * proc_watch_hold() on.  While it is held, a thread follows the kernel's events
 * (sideband.h); earlier mappings are read from /proc once.
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

struct proc_mapping {
	uint64_t pm_start, pm_end, pm_off;
	struct mapped_file *pm_file; /* held, open if it could be */
};

/* The executable mappings of a process as they were at a time, sorted. */
struct proc_view {
	uint64_t pv_from, pv_until; /* CLOCK_MONOTONIC: the same in between */
	uint64_t pv_gen; /* changes with the mappings, as do its halves */
	uid_t pv_uid;	 /* -1: unknown */
	uint32_t pv_pid;
	uint64_t pv_cost; /* CPU time that it took, without reading records */
	int pv_error;	  /* why not all of its mappings may be known, or 0 */
	int pv_isnow;	  /* it lives, and has run no other program since */
	size_t pv_nmaps;
	struct proc_mapping pv_maps[];
};

struct proc_watch_stat {
	uint64_t pws_held;	/* users that hold it */
	uint64_t pws_procs;	/* processes known */
	uint64_t pws_ended;	/* processes known that have exited */
	uint64_t pws_images;	/* address spaces */
	uint64_t pws_maps;	/* mappings, also past ones */
	uint64_t pws_bytes;	/* of processes and mappings */
	uint64_t pws_files;	/* files known */
	uint64_t pws_open;	/* files open */
	uint64_t pws_records;	/* of the side-band, so far */
	uint64_t pws_lost;	/* records lost by the kernel */
	uint64_t pws_bad;	/* records of unknown form */
	uint64_t pws_forgotten; /* processes removed by limit or age */
	uint64_t pws_dropped;	/* mappings dropped by limits */
	uint64_t pws_snapshots; /* passes over /proc */
	uint64_t pws_snapnsecs; /* ns that the last pass took */
	uint64_t pws_unopened;	/* files that could not be opened, so far */
	uint64_t
	    pws_cpunsecs; /* of the thread that follows; 0: it is not held */
};

/*
 * The first call attaches, and reads /proc in the background.  Returns an
 * errno, for which proc_watch_why() is the text.
 */
int proc_watch_hold(void);
/* The last call detaches; the table is cleared a while later. */
void proc_watch_release(void);
const char *proc_watch_why(void);
/*
 * Has fn called for each event after it was applied, under locks: fn must not
 * wait, nor call functions of this module.  NULL: none.
 */
void proc_watch_listen(void (*fn)(const struct sideband_event *));
/* Handles a CPU that came online or went offline. */
void proc_watch_cpu(unsigned int cpu);
/*
 * Resolution of the clock of the kernel's records, ns: a change up to this long
 * after a time counts as earlier.
 */
#define PROC_WATCH_SLACK 5000
/* Returns the mappings of a process at a moment; reads pending records of the
 * kernel first.  ESRCH: unknown; ENOMEM; an errno of inspect(). */
int proc_view_get(uint32_t pid, uint64_t nsecs, struct proc_view **);
/* Removes the mappings of open files for which keep() returns 0. */
void proc_watch_view_keep(struct proc_view *,
    int (*keep)(const struct find_stat *, void *arg), void *arg);
void proc_watch_view_free(struct proc_view *);
/*
 * Opens the perf map file (/tmp/perf-PID.map) of a process that generates code,
 * in the process's mount namespace: a regular file of its user or root, that no
 * other user may write, not too large, and younger than the process.  fd:
 * O_PATH.
 */
int proc_perf_map_open(uint32_t pid, uint64_t nsecs, int *fd);
/*
 * Finds the pid, in dtd's namespace, of the process that is nspid in the pid
 * namespace nsinum at depth level.  Returns 0 or ESRCH.
 */
int proc_perf_map_translate(uint32_t nsinum, uint32_t level, uint32_t nspid,
    uint64_t nsecs, uint32_t *pid);
void proc_watch_stat(struct proc_watch_stat *);

#endif /* DAEMON_PROCS_PROC_WATCH_H */
