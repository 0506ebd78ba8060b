/* SPDX-License-Identifier: ISC */
/*
 * The ledger of a run, in words.
 */
#ifndef CLI_OUT_LEDGER_H
#define CLI_OUT_LEDGER_H

#include <stdint.h>

#include "cli/base/buf.h"
#include <dt/evt.h>

/* What a recording has that keeps the newest events only (--last). */
struct ledger_newest {
	uint64_t ln_wanted; /* ns of --last; 0: it is no such recording */
	uint64_t ln_nsecs;  /* that it covers */
	uint64_t ln_kept;   /* events in it */
	uint64_t ln_letgo;  /* older ones, no losses */
	uint64_t ln_memory; /* bytes that were not enough; 0: they were */
};

/* What a run did, beside its ledger. */
struct ledger_run {
	uint64_t lr_start;     /* CLOCK_MONOTONIC, ns; 0: unknown */
	uint64_t lr_end;       /* or the moment that it is about */
	uint64_t lr_shown;     /* events that were used */
	uint64_t lr_ringbytes; /* of the largest ring, 0: unknown */
	unsigned int lr_nrings;
	uint64_t lr_budget;    /* bytes of all rings at first, 0: unknown */
	uint64_t lr_maxbudget; /* to which they could grow, 0: not */
	uint64_t lr_late;      /* events that came after younger ones */
	uint64_t lr_filtered;  /* events that --path left out here */
	uint64_t lr_untold;    /* of lr_filtered: the path is not known */
	int lr_isreport;       /* read from a file: nothing to do */
	int lr_hasstacks;
	uint64_t lr_cost;     /* millionths of the machine */
	unsigned int lr_ncpu; /* that it has; 0: the cost is not known */
	const char *lr_note;  /* why dtd stopped it, or NULL */
	const char *lr_file;  /* what lr_newest is about */
	struct ledger_newest lr_newest;
};

/* Clock ticks that did not come although the CPU was busy. */
uint64_t ledger_skipped(const struct dt_ledger *);
/* Events that were lost, as --strict counts them. */
uint64_t ledger_lost(const struct dt_ledger *);
/* Why dtd stopped the run, NULL if it did not. */
const char *ledger_stopped(const struct dt_ledger *, const struct ledger_run *);
/* The line when no ledger came: n events were read. */
void ledger_broken(struct buf *, uint64_t n);
/* How much of the time and of the events the file has. */
void ledger_newest(struct buf *, const struct ledger_newest *, const char *);
/* Lines that begin with "dt: ": how many events, how many lost, why, and
 * what to do. */
void
ledger_text(struct buf *, const struct dt_ledger *, const struct ledger_run *);

#endif /* CLI_OUT_LEDGER_H */
