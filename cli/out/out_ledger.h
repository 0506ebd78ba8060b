/* SPDX-License-Identifier: ISC */
/* The ledger of a run, as text. */
#ifndef CLI_OUT_OUT_LEDGER_H
#define CLI_OUT_OUT_LEDGER_H

#include <stdint.h>

#include "cli/base/buf.h"
#include <dt/evt.h>

/* Statistics of a recording that keeps only the newest events (--last). */
struct ledger_newest {
	uint64_t ln_wanted; /* ns of --last; 0: not such a recording */
	uint64_t ln_nsecs;  /* ns that the recording covers */
	uint64_t ln_kept;   /* events in the recording */
	uint64_t ln_letgo;  /* older events that were discarded; they do not
			     * count as lost */
	uint64_t ln_memory; /* bytes of a memory limit that was too small; 0:
			     * sufficient */
};

/* Data of a run besides its ledger. */
struct ledger_run {
	uint64_t lr_start;     /* CLOCK_MONOTONIC, ns; 0: unknown */
	uint64_t lr_end;       /* or the time of this snapshot */
	uint64_t lr_shown;     /* events that were used */
	uint64_t lr_ringbytes; /* of the largest ring, 0: unknown */
	unsigned int lr_nrings;
	uint64_t lr_budget;    /* initial bytes of all rings, 0: unknown */
	uint64_t lr_maxbudget; /* limit to which they could grow, 0: fixed */
	uint64_t lr_late;      /* events that arrived after younger ones */
	uint64_t lr_filtered;  /* events that --path filtered here */
	uint64_t lr_unknown;   /* of lr_filtered: the path is unknown */
	uint64_t lr_guesses;   /* paths from /proc, read after their event */
	uint64_t lr_pending;   /* calls that had not returned at the end */
	int lr_iswaits;	       /* these are waits that had not ended */
	int lr_isreport;       /* read from a file: advice makes no sense */
	int lr_hasstacks;
	uint64_t lr_cost;     /* millionths of the machine */
	unsigned int lr_ncpu; /* CPUs of the machine; 0: the cost is unknown */
	const char *lr_note;  /* why dtd stopped the run, or NULL */
	const char *lr_file;  /* file that lr_newest describes */
	struct ledger_newest lr_newest;
};

/* Clock ticks missed although the CPU was busy. */
uint64_t ledger_skipped(const struct dt_ledger *);
/* Hits that were read as events, or counted in the kernel. */
uint64_t ledger_events(const struct dt_ledger *);
/* Events that were lost, as --strict counts them. */
uint64_t ledger_lost(const struct dt_ledger *);
/* Returns why dtd stopped the run, NULL if it did not. */
const char *ledger_stopped(const struct dt_ledger *, const struct ledger_run *);
/* Prints the line for a run without a ledger, in which n events were read. */
void ledger_broken(struct buf *, uint64_t n);
/* Prints the time and the events that the file covers. */
void ledger_newest(struct buf *, const struct ledger_newest *, const char *);
/*
 * Prints lines that begin with "dt: ": how many events were read, how many were
 * lost and why, and what to do.
 */
void
ledger_text(struct buf *, const struct dt_ledger *, const struct ledger_run *);

#endif /* CLI_OUT_OUT_LEDGER_H */
