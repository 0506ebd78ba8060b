/* SPDX-License-Identifier: ISC */
/*
 * Measures and limits the cost of the daemon's BPF programs. While a session
 * records, the kernel counts their run time in a window of 10 ms each second.
 * dt_cost.c measures; dt_cost_limit.c decides whether to stop a session.
 */
#ifndef DAEMON_DT_DT_COST_H
#define DAEMON_DT_DT_COST_H

#include "daemon/base/workers.h"
#include "daemon/dt/dt_softc.h"

/*
 * Programs have kinds: all those of one provider, or of hooks, that are
 * attached for the same sessions.
 */
#define DT_COST_MAXKIND 32 /* one bit of ds_progs each */
#define DT_COST_UNKNOWN UINT64_MAX
#define DT_COST_ALL	1000000 /* the whole machine */

/* One window: what was measured, by kind of program and by session slot. */
struct dt_window {
	struct work dw_work; /* first: the work is the window */
	int dw_error;	     /* errno if measuring failed */
	int dw_ncpu;	     /* CPUs online */
	int64_t dw_nsecs;    /* length of the window */
	uint64_t dw_empty;   /* ns that the kernel counts for an empty
			      * program */
	uint64_t dw_tickcpu; /* CPU time of interval's threads, ns */
	uint64_t dw_nticks;  /* ticks of interval, all sessions */
	unsigned int dw_nprogs;
	uint64_t dw_used; /* bit mask of the kinds measured */
	unsigned int dw_nkinds;
	struct {
		uint64_t ki_nsecs; /* run time, sum of all CPUs */
		uint64_t ki_runs;
	} dw_kinds[DT_COST_MAXKIND];
	struct {
		unsigned int sl_gen; /* generation of the session; 0: none
				      * recorded */
		uint64_t sl_fired;
		uint64_t sl_excluded;
		uint64_t sl_ticks; /* ticks of interval */
	} dw_slots[DT_MAXSESS];
};

/* Recording sessions, newest first. Control thread. */
TAILQ_HEAD(dt_costed, dt_softc);
extern struct dt_costed dt_costed;

int dt_cost_init(void);
/*
 * The limit of all tracing, including hits of named processes, in millionths of
 * the machine; 0: none.
 */
uint64_t dt_cost_limit_named(void);

/* dt_cost_base.c */
/*
 * Returns the time that the kernel counts for an empty program, 0 if it cannot
 * be measured. Call only while the kernel counts run times.
 */
uint64_t dt_cost_base_nsecs(void);

/* dt_cost_limit.c */
/* Evaluates a window; cost is in millionths of the machine. */
void dt_cost_judge(const struct dt_window *, uint64_t cost);
/* Discards earlier measurements, which are too old to matter. */
void dt_cost_limit_reset(void);

#endif /* DAEMON_DT_DT_COST_H */
