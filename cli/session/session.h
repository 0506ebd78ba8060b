/* SPDX-License-Identifier: ISC */
/*
 * A recording session: what stat, record and profile have in common.  They
 * differ in the probes, in what an event shall carry, and in what they do
 * with it.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include <stdint.h>

#include <libdt.h>

#include "cli/cond/cond.h"
#include "cli/opts/opts.h"
#include "cli/out/out.h"
#include "cli/session/command.h"
#include "cli/session/losses.h"
#include "cli/sym/names.h"

/* What a subcommand wants. */
struct session_ops {
	uint64_t so_evtflags; /* DTEVT_* */
	uint64_t so_budget;   /* bytes of rings, unless --buffer */
	int so_openflags;     /* DT_OPEN_* */
	/* more of them for one probe; may be NULL */
	uint64_t (*so_moreflags)(void *, const struct dtioc_probe_info *);
	/* recording has begun, the command waits still; may be NULL */
	void (*so_started)(void *);
	/* nothing came until now (CLOCK_MONOTONIC, ns): returns when it wants
	 * to be called again, 0: not; may be NULL */
	uint64_t (*so_idle)(void *, uint64_t now);
	/* a call of which only the return knows whether --if holds is to be
	 * one event with its arguments, not the return's alone */
	int so_wantsargs;
	/* the thread and the texts of the first hit of --from and --to */
	int so_wantsfirst;
	int so_hidesuntil; /* so_event wants no events of --until */
	/* an event; returns 0 to go on, -1 to end the recording */
	int (*so_event)(void *, const struct dt_event *);
	/* each -i, and once at the end for the rest; may be NULL */
	void (*so_interval)(void *, uint64_t nsecs);
};

/* c: constant after session_open. */
struct session {
	const struct opts *ss_opts;	  /* [c] */
	const struct session_ops *ss_ops; /* [c] */
	void *ss_arg;			  /* [c] of the functions of ss_ops */
	struct dt *ss_dt;		  /* [c] */
	struct names ss_names;
	struct out ss_out;
	struct command ss_command;
	struct cond_expr *ss_cond;	/* [c] --if, or NULL */
	int ss_condnoted;		/* what its names mean was told */
	unsigned int ss_nenabled;	/* probes */
	size_t ss_nfuncs;		/* functions of the kernel */
	uint64_t ss_start;		/* CLOCK_MONOTONIC, ns: RECORD 1 */
	uint64_t ss_stop;		/* and RECORD 0; 0 while recording */
	uint64_t ss_lastint;		/* end of the last interval */
	int ss_full;			/* no more events are wanted */
	uint64_t ss_lasttime;		/* CLOCK_MONOTONIC: the last event */
	struct hash ss_until;		/* pbn -> whether for --until only */
	const struct probe *ss_trigger; /* which ended it, or NULL */
	uint32_t ss_triggerpid;
	char ss_triggercomm[DT_REC_COMMLEN]; /* NUL terminated */
	int ss_nsaves;			     /* SIGUSR1, seen */
	uint64_t ss_saveat;    /* when one came that waits, or 0 */
	int ss_nsignals;       /* seen */
	int ss_signo;	       /* the last of them */
	int ss_left;	       /* the command is left alone */
	int ss_ended;	       /* it has ended without us */
	int ss_broken;	       /* the daemon is gone */
	uint64_t ss_shown;     /* events given to ss_ops */
	uint64_t ss_filtered;  /* which --path left out */
	uint64_t ss_untold;    /* of ss_filtered: the path is not known */
	uint64_t ss_maxbudget; /* rings may grow to it, 0: not */
	struct losses ss_losing;
	uint64_t ss_checked;	       /* ss_shown at its last query */
	struct dtioc_fullstat ss_stat; /* before the stop */
	struct dt_ledger ss_ledger;    /* final */
};

/* session_if.c: --if.  These print and exit when they fail, too. */
void session_cond_open(struct session *);
void session_cond_close(struct session *);
/* The condition of a probe.  COND_LATER: it is for its return to tell, which
 * has to be among what is asked for. */
int session_cond_make(struct session *, const struct dtioc_probe_info *,
    int hasreturn, struct dt_cond *);
/* Gives it to the probe, which is enabled. */
void session_cond_set(struct session *, const struct dtioc_probe_info *,
    const struct dt_cond *);

/* The probe that says what the arguments are; NULL: there is none. */
const struct probe *
session_cond_entry(struct session *, const struct dtioc_probe_info *);
/* Says what is wrong with the expression, and where. */
void session_cond_bad(const struct session *, const struct cond_error *)
    __attribute__((noreturn));

/* session_pair.c: the calls that a pattern means, which the kernel joins; and
 * the two probes of --from and --to.  These print and exit, too. */
void session_pair_calls(struct session *, const char *pattern);
/* One call, by both of its probes: 1, 0 if one of them was enabled before, -1
 * with errno. */
int session_pair_call(struct session *, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret);
void session_pair_fromto(struct session *);

/* session_enable.c: all probes that a pattern means (of --until, isuntil); the
 * calls that it means, with --slower; all that was asked for. */
void session_enable_all(struct session *, const char *pattern, int isuntil);
void session_enable(struct session *, const char *pattern);
void session_enable_args(struct session *);
/* The probe of the other side of the i-th of n: of its call the entry, or the
 * return.  NULL: it is not among them. */
const struct dtioc_probe_info *
session_other(const struct dtioc_probe_info *, size_t n, size_t i);
/* Enables a probe, with this period if it is a clock; hidden: for --until only.
 * Returns 1, 0 if it was enabled before, -1 with errno. */
int session_enable_one(struct session *, const struct dtioc_probe_info *,
    uint64_t period, int hidden);

/* These print and exit when they fail. */
void session_open(struct session *, const struct opts *,
    const struct session_ops *, void *);
void session_run(struct session *);
/* After the summary: the ledger, the end of the command, all is freed.
 * Returns the exit status of dt. */
int session_end(struct session *);

#endif /* CLI_SESSION_SESSION_H */
