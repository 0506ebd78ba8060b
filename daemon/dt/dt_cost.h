/* SPDX-License-Identifier: ISC */
/*
 * What the daemon's programs cost.  While an open records, the kernel counts
 * the run time of BPF programs in a window of 10 ms each second; dt_cost.c
 * measures, dt_cost_limit.c decides whether an open has to be stopped.
 */
#ifndef DAEMON_DT_DT_COST_H
#define DAEMON_DT_DT_COST_H

#include "daemon/dt/dt_softc.h"

/* Programs are of kinds: what of a provider, or of hooks, is attached for the
 * same opens. */
#define DT_COST_MAXKIND 32 /* a bit of ds_progs each */
#define DT_COST_UNKNOWN UINT64_MAX
#define DT_COST_ALL	1000000 /* the whole machine */

/* A window: what happened in it, by kind of program and by slot of an open. */
struct dt_window {
	struct work dw_work; /* first: the work is the window */
	int dw_error;	     /* it could not be measured */
	int dw_ncpu;	     /* online */
	int64_t dw_nsecs;    /* its length */
	uint64_t dw_empty;   /* ns that the kernel counts for nothing */
	uint64_t dw_tickcpu; /* ns that interval's threads used */
	uint64_t dw_nticks;  /* of interval, of all sessions */
	unsigned int dw_nprogs;
	uint64_t dw_used; /* kinds that are looked at, a bit each */
	unsigned int dw_nkinds;
	struct {
		uint64_t ki_nsecs; /* run time, of all CPUs */
		uint64_t ki_runs;
	} dw_kinds[DT_COST_MAXKIND];
	struct {
		unsigned int sl_gen; /* of the open; 0: none recorded */
		uint64_t sl_fired;
		uint64_t sl_excluded;
		uint64_t sl_ticks; /* of interval */
	} dw_slots[DT_MAXSESS];
};

/* Opens that record, the newest first.  Control thread. */
TAILQ_HEAD(dt_costed, dt_softc);
extern struct dt_costed dt_costed;

int dt_cost_init(void);
/* The limit of all tracing, hits of named processes included, in millionths of
 * the machine; 0: none. */
uint64_t dt_cost_limit_named(void);

/* dt_cost_base.c */
/* What the kernel counts for a run that does nothing; 0 if it cannot be told.
 * Only while it counts. */
uint64_t dt_cost_base_nsecs(void);

/* dt_cost_limit.c */
/* A window was measured; cost is in millionths of the machine. */
void dt_cost_judge(const struct dt_window *, uint64_t cost);
/* What was measured before is too old to matter. */
void dt_cost_limit_reset(void);

#endif /* DAEMON_DT_DT_COST_H */
