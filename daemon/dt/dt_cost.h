/* SPDX-License-Identifier: ISC */
/*
 * Measures and limits the cost of the daemon's BPF programs. While a session
 * records, the kernel counts their run time in a window of 10 ms each second.
 * dt_cost.c measures; dt_cost_limit.c decides whether to stop a session.
 */
#ifndef DAEMON_DT_DT_COST_H
#define DAEMON_DT_DT_COST_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "bpf/dt_shared.h"
#include "daemon/base/workers.h"
#include "daemon/dt/dt_hottest_probe.h"
#include "wire/wire.h"

struct dt_client;
struct dt_enabled;
struct dt_provider;
struct dtioc_fullstat;
struct op_queue;
struct sums;

/*
 * Programs have kinds. A kind has all programs of one provider, or of hooks,
 * that are attached for the same sessions.
 */
#define DT_COST_MAXKIND 32 /* one bit of ds_cost.dco_progs each */
#define DT_COST_UNKNOWN UINT64_MAX
#define DT_COST_ALL	1000000 /* the whole machine */

/* dco_limited */
#define DT_COST_LIMITED 1 /* because of its cost */
#define DT_COST_CHANGED 2 /* because a probed file has changed */

/* Measurements of one window, by kind of program and by session slot. */
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

/* Why a recording is stopped: cost in millionths of the machine. */
struct dt_limit_why {
	const char *lw_setting;	  /* name of the limit */
	uint64_t lw_limit;	  /* value of the setting */
	uint64_t lw_cost;	  /* cost that the limit applies to */
	uid_t lw_person;	  /* user with the largest part of the cost */
	uint64_t lw_part;	  /* that part, including lw_cpu */
	uint64_t lw_cpu;	  /* CPU time of commands and symbol lookups */
	unsigned int lw_nsession; /* sessions of the user; 0: limit of one
				   * session */
};

/* The costs of a session. Letters as in dt_softc.h. */
struct dt_costs {
	TAILQ_ENTRY(dt_costs) dco_entry;      /* [c] recording sessions */
	const struct dt_client *dco_client;   /* [I] */
	const struct dt_enabled *dco_enabled; /* [c] */
	struct op_queue *dco_queue;	      /* [c] of the session */
	int dco_islisted;		      /* [c] it is in that list */
	uint64_t dco_progs;	/* [c] kinds of programs it keeps attached */
	int dco_hasstacks;	/* [c] a probe records stacks */
	uint64_t dco_sum;	/* [c] sum of this run's windows */
	uint64_t dco_nwindows;	/* [c] number of those windows */
	uint64_t dco_bill;	/* [c] cost in the last window */
	uint64_t dco_billother; /* [c] without hits of named processes */
	unsigned int dco_overs; /* [c] a bit per window, 1: over */
	struct dt_limit_why dco_why; /* [c] why it is stopped */
	int dco_nolimit;	     /* [c] DTIOCNOLIMIT */
	atomic_int dco_limited; /* [a] the daemon stopped this run: DT_COST_* */
	char dco_note[WIRE_MAXNOTE];	   /* [c] reason; d after ds_stopped */
	struct dt_hottest_probe dco_votes; /* [a] d votes by records, c by
					    * counted hits; c reads */
};

/* Recording sessions, newest first. Control thread. */
TAILQ_HEAD(dt_costed, dt_costs);
extern struct dt_costed dt_costed;

int dt_cost_init(void);
/*
 * Registers a loaded program; the descriptor stays open. Sessions with a probe
 * of prov (if not NULL), or with one of these hooks (bits), keep it attached.
 * Any thread.
 */
void dt_cost_watch(int fd, const struct dt_provider *prov, unsigned int hooks);
void
dt_cost_open(struct dt_costs *, const struct dt_enabled *, struct op_queue *);
/* A session starts recording; it stops (no effect if it did not record). c */
void dt_cost_add(struct dt_costs *);
void dt_cost_del(struct dt_costs *);
/* Fills dtfs_cost*.  c */
void dt_cost_report(const struct dt_costs *, struct dtioc_fullstat *);
/* Stores cost and run time of the programs. Any thread. */
void dt_cost_sums(struct sums *);

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
/* Composes and logs why a session is stopped. c */
void dt_cost_limit_report(struct dt_costs *);
/* Discards earlier measurements, which are too old to matter. */
void dt_cost_limit_reset(void);

#endif /* DAEMON_DT_DT_COST_H */
