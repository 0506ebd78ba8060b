/* SPDX-License-Identifier: ISC */
/*
 * Sessions of the dt device and their enabled probes. Probes and providers are
 * in dt_provider.h. Each part of a session is a struct in the header of the
 * module that owns it.
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

#include <dev/dt/dtvar.h>
#include <dt/evt.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_shared.h"
#include "daemon/access/audit.h"
#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_hook_share.h"
#include "daemon/dt/dt_ledger.h"
#include "daemon/dt/dt_list.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pidns.h"
#include "daemon/dt/dt_provider.h"
#include "daemon/dt/dt_rings.h"
#include "daemon/dt/dt_stream.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/inspect/inspect.h"
#include "daemon/kernel/load_error.h"
#include "wire/wire.h"

struct interval_clock;
struct kprobe_run;
struct dt_pairs;

/* How the user stacks of a session are found. */
enum dt_tables {
	DT_TABLES_NONE,	  /* by frame pointers */
	DT_TABLES_WANTED, /* a probe being enabled requests tables */
	DT_TABLES_HELD,	  /* by tables, with unwind_hold() */
	DT_TABLES_FAILED, /* by frame pointers, since that failed */
};

/*
 * One enabled probe of one session (the BSD original's name; not a control
 * block).
 */
struct dt_pcb {
	TAILQ_ENTRY(dt_pcb)
	dp_snext;			    /* [c] list of the session's
					     * probes */
	struct dt_probe *dp_dtp;	    /* [I] */
	struct dt_req dp_req;		    /* [c] constant while it records */
	struct dt_cond *dp_cond;	    /* [co] condition to set when
					     * enabled */
	struct dt_pcb *dp_other;	    /* [c] other probe of its pair,
					     * or NULL */
	uint64_t dp_nsecs;		    /* [I] clock period, 0: no clock */
	int *dp_links;			    /* [co] one per CPU, -1 if none */
	struct interval_clock *dp_interval; /* [c] while it records */
	int dp_started;			    /* [c] */
	uid_t dp_person;     /* [I] user charged in the limit of probes */
	uint64_t dp_missed0; /* [c] hits that its program missed, at start */
};

TAILQ_HEAD(dt_pcb_list, dt_pcb);

#define DT_NSLOW 8 /* with more, use own threads */

/* One session of the dt device. */
struct dt_softc {
	TAILQ_ENTRY(dt_softc) ds_entry; /* [c] list of all sessions */
	struct op_queue *ds_queue;	/* [c] operations on the session */
	atomic_uchar *ds_cpudue;	/* [ao] by CPU: it changed */
	unsigned int ds_slot;		/* [I] session slot */
	unsigned int ds_gen;		/* [I] generation of the slot */
	struct peer ds_peer;		/* [I] */
	struct audit ds_audit;		/* [c] */
	struct stream *ds_stream;	/* [Io] */
	uint32_t ds_mode;		/* [I] DT_MODE_* */
	int ds_ordered;			/* [I] wants low water */
	struct dt_pcb_list ds_pcbs;	/* [co] enabled probes */
	struct dt_pcb *ds_pcb;		/* [c] probe being enabled */
	uint64_t *ds_enabled;		/* [co] one bit per pbn in ds_pcbs */
	uint32_t ds_nbits;		/* [c] size of ds_enabled */
	int ds_recording;		/* [c] */
	int ds_self;			/* [c] DTIOCSELF */
	atomic_int ds_tables;		/* [a] enum dt_tables */
	atomic_int ds_notables;		/* [a] DT_LEDGER_NOTABLES */
	struct dtioc_filter ds_filter;	/* [c] */
	struct dtioc_path ds_path;	/* [c] */
	struct dt_pairs *ds_pairs;	/* [co] NULL: no pairs */
	struct dt_rings ds_rings;	/* [c] */
	unsigned int ds_hooks;		/* [c] 1 << enum dt_hook, in use */
	struct dt_counted ds_counted;	/* [ac] */
	atomic_uint ds_runs;		/* [a] starts that succeeded */

	/* numbering of processes, and following */
	struct dt_pidns ds_pidns; /* [c] */
	int ds_following;	  /* [c] uses the hooks of dt_follow.c */
	struct dt_costs ds_cost;  /* [acd] */
	atomic_int ds_ended;	  /* [a] dtd is exiting */

	struct kprobe_run *ds_kset; /* [c] while it records */
	size_t ds_nslow;	    /* [c] probes that are slow to attach */
	size_t ds_ntp;		    /* [c] tracepoints, also slow to attach */
	atomic_int ds_cancel;	    /* [a] the client has disconnected */
	struct dt_listing ds_list;  /* [co] */
	int ds_hastypes;	    /* [c] it holds the types of func_proto.c */
	int ds_sumsfd;		    /* [co] socket of a client of sums, or -1 */
	struct dt_symuse ds_sym;    /* [co] */
	struct dt_sending ds_send;  /* [d] */
	atomic_int ds_stopped;	    /* [a] drain the rings, then send END */
};

/*
 * Returns whether the session may see only its owner's processes; clocks are
 * exempt for clients with PROFILE.
 */
static inline int
dt_softc_islimited(const struct dt_softc *sc)
{
	return (sc->ds_peer.pr_rights & RIGHT_TRACE_ALL) == 0;
}

/*
 * Returns whether the session records processes that its owner has named, or
 * only the owner's: these bear the cost of their hits. Process 1 with its
 * descendants counts as the whole machine.
 */
static inline int
dt_softc_isnamed(const struct dt_softc *sc)
{
	const struct dtioc_filter *fi = &sc->ds_filter;

	if (dt_softc_islimited(sc) &&
	    (sc->ds_peer.pr_rights & RIGHT_PROFILE) == 0)
		return 1;
	return (fi->dtfi_set & DTFI_TID) != 0 ||
	    ((fi->dtfi_set & DTFI_PID) != 0 && fi->dtfi_pid != 1);
}

/*
 * Returns whether operations take long because many probes are attached; they
 * then run on separate threads.
 */
static inline int
dt_softc_isslow(const struct dt_softc *sc)
{
	return sc->ds_nslow + sc->ds_ntp > DT_NSLOW;
}

/* dt_dev.c */
extern const struct cdevsw dt_cdevsw;
extern unsigned int dt_nopen;			    /* [c] sessions */
unsigned int dt_sessions_of(uid_t);		    /* c */
void dt_softcs_each(void (*fn)(struct dt_softc *)); /* c: all sessions */

/* dt_dev.c: c */
int dt_drain_open(void *); /* d_drain */

/* dt_hotplug.c: a CPU, or DEV_CPU_ALL, came online or went offline. */
void dt_cpu_changed(struct dt_softc *, unsigned int cpu);

/* dt_pcb.c */
/*
 * Implements ENABLE and DISABLE of both versions. The condition, or NULL, is
 * the filter of version 1; bits: DT_REQ_*.
 */
int dt_pcb_enable(struct op *, const struct dtioc_req *, const struct dt_cond *,
    uint8_t bits);
int dt_pcb_disable(struct op *, uint32_t pbn);
void dt_pcb_free(struct dt_pcb *);
struct dt_pcb *dt_pcb_find(struct dt_softc *, uint32_t pbn);
/* Converts DTEVT_* to the byte that BPF uses, DT_EVT_*. */
uint8_t dt_pcb_evtflags(uint64_t);
void dt_pcb_purge(struct dt_softc *);
/* Sets the period of a clock: EINVAL if it is out of bounds. */
int dt_pcb_period(struct dt_pcb *, const struct dtioc_req *);

/* dt_cond.c: conditions of enabled probes */
/*
 * Replaces the probe's condition: EINVAL with a text, ENOSPC. Only while it
 * does not record.
 */
int dt_cond_set(struct dt_pcb *, const struct dt_cond *, struct reason *);

/* dt_pair.c: pairs of enabled probes */
/* Dissolves the probe's pair, if any; neither probe records. */
void dt_pair_part(struct dt_softc *, struct dt_pcb *);
void dt_pair_start(struct dt_softc *); /* before its probes start */
/* w: removes all first hits; no program runs for the session. */
void dt_pair_stop(struct dt_softc *);
void dt_pair_tick(struct dt_softc *);  /* c: periodically, while it records */
void dt_pair_close(struct dt_softc *); /* w */
void dt_pair_free(struct dt_softc *);  /* c: after close */

/* dt_tables.c: user stacks by unwind tables */
/* Notes that a probe being enabled requests them. */
void dt_tables_request(struct dt_softc *, const struct dt_pcb *,
    const struct dtioc_req *);
/* Returns whether the session uses them, or will if they are available. */
int dt_tables_isrequested(const struct dt_softc *);
/* w: makes tables available, or else frame pointers are used. Returns 0. */
int dt_tables_hold(struct dt_softc *, struct reason *);
/* w: before a start, loads programs that the session's probes still need. */
int dt_tables_load(struct dt_softc *, struct reason *);
/* w: notes that a probe uses frame pointers, since its program was refused. */
void dt_tables_failed(struct dt_softc *);
void dt_tables_close(struct dt_softc *); /* w */
/*
 * w: returns whether the probe of the session has programs with unwind tables;
 * constant while it records.
 */
int dt_tables_isused(const struct dt_softc *, const struct dt_pcb *);

/* dt_record.c */
/*
 * Stops all probes and waits until no program runs for this session; the hooks
 * remain to be released. Worker.
 */
void dt_record_stop(struct dt_softc *);

/* dt_sums.c: sums over all sessions */
void dt_sums_init(void);	       /* after the providers are known */
void dt_sums(struct sums *);	       /* d_sums */
void dt_sums_add(struct dt_softc *);   /* c */
void dt_sums_start(struct dt_softc *); /* w: before it records */
/* w: after its ledger is complete, before its rings are freed */
void dt_sums_del(struct dt_softc *);
void dt_sums_hangup(struct dt_softc *); /* c: the client of sums disconnected */
void dt_sums_limited(void);
/*
 * w: waits for the statistics of symbols, below 1 s, or else returns earlier
 * ones.
 */
void dt_sums_sym(struct dtioc_symstat *, uint64_t *hung, long nsecs);

/* dt_follow.c: a process and its descendants; w */
/* Returns whether the session records only processes that it follows. */
int dt_follow_isneeded(const struct dt_softc *);
/*
 * Loads the programs if the session follows processes; start loads them if
 * necessary.
 */
int dt_follow_load(const struct dt_softc *, struct reason *);
/* Called before the probes start; no effect if the session follows none. */
int dt_follow_start(struct dt_softc *, struct reason *);
/*
 * halt stops adding children, before a grace period; stop removes all processes
 * after it.
 */
void dt_follow_halt(struct dt_softc *);
void dt_follow_stop(struct dt_softc *);

#endif /* DAEMON_DT_DT_SOFTC_H */
