/* SPDX-License-Identifier: ISC */
/*
 * The enabled probes of a session. Providers know a session by this struct
 * only.
 */
#ifndef DAEMON_DT_DT_PCB_H
#define DAEMON_DT_DT_PCB_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <dev/dt/dtvar.h>

#include "bpf/dt_shared.h"
#include "daemon/dt/dt_client.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_file.h"
#include "daemon/dt/dt_hook_share.h"
#include "daemon/dt/dt_ledger.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_provider.h"
#include "daemon/dt/dt_settings.h"
#include "daemon/kernel/load_error.h"

struct interval_clock;
struct kprobe_run;
struct user_probes;
struct op;

/*
 * One enabled probe of one session (the BSD original's name; not a control
 * block). Letters as in dt_softc.h.
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
	uint64_t dp_texts;		    /* [I] DTEVT_TEXT(), _RETTEXT */
	uint64_t dp_nsecs;		    /* [I] clock period, 0: no clock */
	int *dp_links;			    /* [co] one per CPU, -1 if none */
	struct interval_clock *dp_interval; /* [c] while it records */
	int dp_started;			    /* [c] */
	int dp_walks;			    /* [c] programs with unwind tables
					     * are used; constant while it
					     * records */
	int dp_hasreads;		    /* [I] it may have reads, in the
					     * same programs */
	int dp_hasregs;			    /* [c] a read needs a register */
	uid_t dp_person;     /* [I] user charged in the limit of probes */
	uint64_t dp_missed0; /* [c] hits that its program missed, at start */
};

TAILQ_HEAD(dt_pcb_list, dt_pcb);

/* A set of numbers, which grows. */
struct dt_bits {
	uint64_t *btt_words;
	uint32_t btt_n; /* size, in bits */
};

/* The enabled probes of a session. Letters as in dt_softc.h. */
struct dt_enabled {
	const struct dt_client *den_client;	/* [I] */
	const struct dt_settings *den_settings; /* [I] */
	struct dt_counted *den_counted; /* [I] where providers count misses */
	struct dt_pcb_list den_pcbs;	/* [co] */
	struct dt_pcb *den_pcb;		/* [c] probe being enabled */
	/* [co] pbns in den_pcbs: of listed probes, and of files, where they begin
	 * at the session's first */
	struct dt_bits den_bits[2];
	unsigned int den_hooks; /* [c] 1 << enum dt_hook, in use */
	int den_following;	/* [c] it uses hooks of dt_follow.c */
	size_t den_nslow;	/* [c] probes that are slow to attach */
	size_t den_ntp;		/* [c] tracepoints, also slow to attach */
	struct kprobe_run *den_kprobes; /* [c] while it records */
	struct kprobe_run *den_uprobes; /* [c] the same of user programs */
	struct dt_file_list den_files;	/* [co] */
	struct user_probes *den_users;	/* [co] probes of these files */
	size_t den_nusers;		/* [c] enabled probes of files */
	int den_hastypes;	 /* [c] it holds the types of func_proto.c */
	atomic_int den_cancel;	 /* [a] the client has disconnected */
	atomic_int den_tables;	 /* [a] enum dt_tables of dt_tables.h */
	atomic_int den_notables; /* [a] DT_LEDGER_NOTABLES */
	int den_hasreads;	 /* [c] a probe with dp_hasreads was enabled */
};

#define DT_NSLOW 8 /* with more, use own threads */

/*
 * Returns whether operations take long because many probes are attached, or may
 * hang because the kernel reads the file of a probe; they then run on separate
 * threads.
 */
static inline int
dt_enabled_isslow(const struct dt_enabled *en)
{
	return en->den_nslow + en->den_ntp > DT_NSLOW || en->den_nusers > 0;
}

void dt_enabled_init(struct dt_enabled *, const struct dt_client *,
    const struct dt_settings *, struct dt_counted *);
void dt_enabled_free(struct dt_enabled *);
/* Returns what any of the probes records: DT_EVT_*. */
uint8_t dt_enabled_evtflags(const struct dt_enabled *);

/*
 * Implements ENABLE and DISABLE of both versions. The condition, or NULL, is
 * the filter of version 1; bits: DT_REQ_*.
 */
int dt_pcb_enable(struct op *, const struct dtioc_req *, const struct dt_cond *,
    uint8_t bits);
int dt_pcb_disable(struct op *, uint32_t pbn);
/* Disables probes that no client may enable, since RECORD has refused them. c */
void dt_pcb_drop_refused(struct dt_softc *);
void dt_pcb_free(struct dt_pcb *);
struct dt_pcb *dt_pcb_find(const struct dt_enabled *, uint32_t pbn);
/* Converts DTEVT_* to the byte that BPF uses, DT_EVT_*. */
uint8_t dt_pcb_evtflags(uint64_t);
/* Sets what is recorded of a function or a static probe. */
void dt_pcb_func(struct dt_pcb *, const struct dtioc_req *);
/*
 * Sets the period of a clock or counter, and what it records: EINVAL if the
 * period is out of bounds.
 */
int dt_pcb_period(struct dt_pcb *, const struct dtioc_req *, uint64_t min,
    uint64_t max);
/* Clocks, ns; bounds of the newer BSD original: seconds that fit 32 bits. */
#define DT_CLOCK_MIN 200000ULL
#define DT_CLOCK_MAX (4294967295ULL * 1000000000ULL)
/* Allocates dp_links, all unset.  Returns 0 or ENOMEM. */
int dt_pcb_links(struct dt_pcb *);

/* dt_cond.c: conditions of enabled probes */
/*
 * Replaces the probe's condition: EINVAL with a text, ENOSPC. Only while it
 * does not record.
 */
int dt_cond_set(struct dt_pcb *, const struct dt_cond *, struct reason *);
/* The same, for a client's request. */
int dt_cond_request(struct dt_pcb *, const struct dtioc_condition *,
    struct reason *);

#endif /* DAEMON_DT_DT_PCB_H */
