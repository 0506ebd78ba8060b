/* SPDX-License-Identifier: ISC */
/* The ledger of a session. */
#ifndef DAEMON_DT_DT_LEDGER_H
#define DAEMON_DT_DT_LEDGER_H

#include <stdatomic.h>
#include <stdint.h>

#include <dt/evt.h>

#include "daemon/dt/dt_hook_share.h"
#include "daemon/dt/dt_maps.h"

struct dt_softc;

/* Counters of a session that are not in BPF maps. Letters as in dt_softc.h. */
struct dt_counted {
	uint64_t dcn_missed0[DT_NHOOK]; /* [c] at start */
	uint64_t dcn_missed[DT_NTALLY]; /* [c] sum of earlier runs */
	int dcn_missed_unknown;		/* [c] */
	int dcn_returns_unknown;	/* [c] of missed returns */
	uint64_t dcn_unfollowed;	/* [c] besides those that BPF counts */
	atomic_uint dcn_runs;		/* [a] starts that succeeded */
	atomic_int dcn_ended;		/* [a] dtd is exiting */
	atomic_int dcn_aggregates;	/* [a] it counts hits by key */
	atomic_uint dcn_tallies; /* [a] one bit per tally that it enabled */
	/* [a] records that the socket took; records of a disconnected client */
	atomic_uint_fast64_t dcn_read[DT_NTALLY];
	atomic_uint_fast64_t dcn_discarded[DT_NTALLY];
};

/*
 * Adds the counters of one tally; dt_ledger_sum() adds all known now. Any
 * thread.
 */
void dt_ledger_add(const struct dt_softc *, enum dt_tally, struct dt_ledger *);
void dt_ledger_sum(const struct dt_softc *, struct dt_ledger *);
void dt_ledger_start(struct dt_softc *); /* worker */
void dt_ledger_stop(struct dt_softc *);	 /* worker */

#endif /* DAEMON_DT_DT_LEDGER_H */
