/* SPDX-License-Identifier: ISC */
/*
 * A recording session: the common part of stat, record and profile.  These
 * differ in the probes, in the sections of an event, and in what they do with
 * it.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include <stdint.h>

#include <libdt.h>

#include "cli/calls/calls.h"
#include "cli/cond/cond.h"
#include "cli/opts/opts.h"
#include "cli/out/out.h"
#include "cli/session/command.h"
#include "cli/session/losses.h"
#include "cli/session/stack_wait.h"
#include "cli/sym/name_cache.h"

/* Requirements of a subcommand. */
struct session_ops {
	uint64_t so_evtflags; /* DTEVT_* */
	uint64_t so_budget;   /* bytes of rings without --buffer */
	int so_openflags;     /* DT_OPEN_* */
	/* additional flags for one probe; may be NULL */
	uint64_t (*so_moreflags)(void *, const struct dtioc_probe_info *);
	/* recording has started, the command still waits; may be NULL */
	void (*so_started)(void *);
	/*
	 * no event has arrived until now (CLOCK_MONOTONIC, ns): returns the
	 * time of its next call, 0: none; may be NULL
	 */
	uint64_t (*so_idle)(void *, uint64_t now);
	/*
	 * of calls of which a pattern matches both probes, only this one:
	 * "entry" or "return"; NULL: both.  If the return decides --if, it is
	 * the return.
	 */
	const char *so_half;
	/* a call whose return decides --if is one event with its arguments */
	int so_wantsargs;
	/* wants the thread and the texts of the first hit of --from and --to */
	int so_wantsfirst;
	int so_wantspending; /* wants lr_pending */
	int so_iswaits;	     /* pairs are waits, not calls */
	int so_hidesuntil;   /* so_event does not want events of --until */
	/*
	 * an event; returns 0 to continue, -1 to end the recording; NULL with
	 * ss_calls
	 */
	int (*so_event)(void *, const struct dt_event *);
	/*
	 * at each so_nsecs (0: never), and once at the end for the rest; may
	 * be NULL
	 */
	void (*so_interval)(void *, uint64_t nsecs);
	uint64_t so_nsecs;
	int so_prints;	   /* so_event prints */
	int so_readsahead; /* so_event is slow: dt keeps what the rings cannot */
	/* so_interval is called at each line of stdin, whose end ends the run */
	int so_islines;
};

/* An enabled probe. */
struct session_probe {
	uint32_t spb_pbn;
	uint32_t spb_first; /* of a second probe: the first one of its pair */
	enum {
		SESSION_HIT,
		SESSION_FIRST, /* of a pair, whose event is of the second */
		SESSION_SECOND,
	} spb_part;
};

/* c: constant after session_open. */
struct session {
	const struct opts *ss_opts;	  /* [c] */
	const struct session_ops *ss_ops; /* [c] */
	void *ss_arg;			  /* [c] argument of the functions of
					   * ss_ops */
	struct dt *ss_dt;		  /* [c] */
	struct calls *ss_calls;		  /* that all events pass, or NULL */
	struct stack_wait ss_events;
	int ss_haswaits; /* events have user stacks, and may wait in ss_events */
	struct name_cache ss_names;
	struct consumer ss_consumer;
	struct command ss_command;
	struct cond_expr *ss_cond;	 /* [c] --if, or NULL */
	int ss_condnoted;		 /* the note on its names was printed */
	struct session_probe *ss_probes; /* enabled ones */
	unsigned int ss_nenabled;	 /* entries of ss_probes */
	size_t ss_nfuncs;		 /* kernel functions enabled */
	uint64_t ss_start;		 /* CLOCK_MONOTONIC, ns: RECORD 1 */
	uint64_t ss_stop;		 /* RECORD 0; 0 while recording */
	uint64_t ss_lastint;		 /* end of the last interval */
	int ss_full;			 /* the output is full */
	int ss_eof;			 /* with so_islines: stdin has ended */
	uint64_t ss_lasttime;		 /* CLOCK_MONOTONIC time of the last
					 * event */
	struct hash ss_until;		 /* pbn -> whether for --until only */
	const struct probe *ss_trigger;	 /* probe that ended the session, or
					 * NULL */
	uint32_t ss_triggerpid;
	char ss_triggercomm[DT_REC_COMMLEN]; /* NUL terminated */
	int ss_nsaves;			     /* SIGUSR1 handled */
	uint64_t ss_saveat;    /* time of the oldest unhandled SIGUSR1, or 0 */
	int ss_nsignals;       /* signals handled */
	int ss_signo;	       /* last signal */
	int ss_left;	       /* the command keeps running */
	int ss_ended;	       /* the command has ended by itself */
	int ss_broken;	       /* the daemon has exited */
	uint64_t ss_shown;     /* events passed to ss_ops */
	uint64_t ss_filtered;  /* events that --path filtered */
	uint64_t ss_unknown;   /* of ss_filtered: the path is unknown */
	uint64_t ss_pending;   /* calls that had not returned at the stop */
	uint64_t ss_guesses;   /* paths from /proc, read after their event */
	uint64_t ss_maxbudget; /* limit to which rings may grow, 0: fixed */
	uint64_t ss_ahead;     /* bytes that are read ahead, 0: none */
	int ss_hasahead;       /* some were, since the last batch began */
	uint64_t ss_progress;  /* next update of its line; UINT64_MAX: none */
	struct losses ss_losing;
	uint64_t ss_checked;	       /* ss_shown at its last query */
	struct dtioc_fullstat ss_stat; /* before the stop */
	struct dt_ledger ss_ledger;    /* final */
};

/* session_condition.c: --if.  These functions also print and exit on failure. */
void session_cond_open(struct session *);
void session_cond_close(struct session *);
/*
 * Compiles the condition of a probe.  COND_LATER: only its return can decide,
 * so the return must be among the requested probes.
 */
int session_cond_make(struct session *, const struct dtioc_probe_info *,
    int hasreturn, struct dt_cond *);
/* Returns whether only the return of the call can decide the condition. */
int
session_cond_islater(struct session *, const struct dtioc_probe_info *entry);
/* Sets the condition of an enabled probe. */
void session_cond_set(struct session *, const struct dtioc_probe_info *,
    const struct dt_cond *);

/* Returns the probe that declares the arguments; NULL: none. */
const struct probe *
session_cond_entry(struct session *, const struct dtioc_probe_info *);
/* Prints the error in the expression and its position. */
void session_cond_bad(const struct session *, const struct cond_error *)
    __attribute__((noreturn));

/*
 * session_pair.c: calls that match a pattern, which the kernel joins; and the
 * two probes of --from and --to.  These functions also print and exit on
 * failure.
 */
void session_pair_calls(struct session *, const char *pattern);
/*
 * Enables both probes of a call.  Returns 1, 0 if one of them was already
 * enabled, -1 with errno.
 */
int session_pair_call(struct session *, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret);
/*
 * Joins an entry and a return, which are enabled, by their thread.  Returns 0,
 * or -1 with errno.
 */
int session_pair_enabled(struct session *, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret);
void session_pair_fromto(struct session *);

/*
 * session_enable.c: enables all probes that match a pattern (of --until:
 * isuntil); with --slower, the matching calls; all probes of the command line.
 */
void session_enable_all(struct session *, const char *pattern, int isuntil);
void session_enable(struct session *, const char *pattern);
void session_enable_args(struct session *);
/*
 * Makes a table of n probes, which stay the caller's, for session_other(); free
 * it by hash_clear().
 */
void session_halves(struct hash *, const struct dtioc_probe_info *, size_t n);
/*
 * Returns the other probe of the call of a probe: its entry, or its return.
 * NULL: it is not among them.
 */
const struct dtioc_probe_info *
session_other(const struct hash *, const struct dtioc_probe_info *);
/*
 * Looks up the probes of a pattern as dt_lookup() does.  If the pattern names a
 * clock or a counter with a period, *period is that period, otherwise 0.
 */
ssize_t session_lookup(struct dt *, const char *pattern,
    struct dtioc_probe_info **, uint64_t *period);
/*
 * Enables a probe, with this period if it is a clock; hidden: for --until only.
 * Returns 1, 0 if it was already enabled, -1 with errno.
 */
int session_enable_one(struct session *, const struct dtioc_probe_info *,
    uint64_t period, int hidden);

/*
 * Names the probes that the kernel has refused when it attached the others, and
 * forgets them, with their pairs.  Returns their number; exits if none is left.
 */
size_t session_drop_refused(struct session *);

/* Adds hits that were counted in the kernel to the events. */
void session_counted(struct session *, uint64_t n);

/*
 * These print and exit on failure.  session_consume() follows session_open(),
 * and copies the consumer.
 */
void session_consume(struct session *, const struct consumer *);
void session_open(struct session *, const struct opts *,
    const struct session_ops *, void *);
void session_run(struct session *);
/*
 * Returns the time up to which the session has passed on all events; 0:
 * unknown.  See dt_lowwater(); the argument is a struct session.
 */
uint64_t session_lowwater(const void *);
/*
 * Called after the summary: prints the ledger, waits for the command and frees
 * everything.  Returns the exit status of dt.
 */
int session_end(struct session *);

#endif /* CLI_SESSION_SESSION_H */
