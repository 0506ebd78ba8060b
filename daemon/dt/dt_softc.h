/* SPDX-License-Identifier: ISC */
/*
 * Sessions of the dt device. Each part of a session is a struct in the header
 * of the module that owns it; functions of a module that needs no other part
 * take that struct. Providers take a session's enabled probes (dt_pcb.h).
 *
 * Letters: I constant after open; c control thread, or the one worker that runs
 * a command of this session, never both at once; d data thread; b written by
 * BPF; a atomic; o released by dt_softc_free().
 */
#ifndef DAEMON_DT_DT_SOFTC_H
#define DAEMON_DT_DT_SOFTC_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/access/audit.h"
#include "daemon/dt/dt_client.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_dev.h"
#include "daemon/dt/dt_ledger.h"
#include "daemon/dt/dt_list.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_pidns.h"
#include "daemon/dt/dt_rings.h"
#include "daemon/dt/dt_settings.h"
#include "daemon/dt/dt_stream.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/dt/dt_threads.h"

struct dt_agg;
struct dt_pairs;

/* One session of the dt device. */
struct dt_softc {
	TAILQ_ENTRY(dt_softc) ds_entry; /* [c] list of all sessions */
	struct dt_client ds_client;	/* [I] */
	struct audit ds_audit;		/* [c] */
	uint32_t ds_mode;		/* [I] DT_MODE_* */
	struct op_queue *ds_queue;	/* [c] operations on the session */
	struct dt_listing ds_list;	/* [co] */

	/* recording */
	struct dt_settings ds_settings; /* [c] */
	struct dt_enabled ds_enabled;	/* [co] */
	struct dt_pairs *ds_pairs;	/* [co] NULL: no pairs */
	struct dt_agg *ds_agg;		/* [co] NULL: all hits are events */
	struct dt_pidns ds_pidns;	/* [c] numbers of its processes */
	int ds_recording;		/* [c] */
	int ds_isstopping;		/* [co] a check stops the recording */
	atomic_uchar *ds_cpudue;	/* [ao] by CPU: it changed */

	/* sending */
	struct stream *ds_stream;  /* [Io] */
	struct dt_rings ds_rings;  /* [c] */
	struct dt_sending ds_send; /* [d] */
	atomic_int ds_stopped;	   /* [a] drain the rings, then send END */
	atomic_int ds_passreq;	   /* [a] enum dt_passreq */

	/* counters, cost, symbols */
	struct dt_counted ds_counted; /* [ac] */
	struct dt_costs ds_cost;      /* [acd] */
	struct dt_symuse ds_sym;      /* [co] */
	struct dt_threads ds_threads; /* [co] */
	int ds_sumsfd; /* [co] socket of a client of sums, or -1 */
};

/* dt_hotplug.c: a CPU, or DEV_CPU_ALL, came online or went offline. */
void dt_cpu_changed(struct dt_softc *, unsigned int cpu);

#endif /* DAEMON_DT_DT_SOFTC_H */
