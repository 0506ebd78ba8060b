/* SPDX-License-Identifier: ISC */
/*
 * What the files of cli/calls/calls.h share: calls.c has probes and events,
 * call_join.c entries and returns, call_pending.c calls in between.
 */
#ifndef CLI_CALLS_CALL_JOIN_H
#define CLI_CALLS_CALL_JOIN_H

#include "cli/calls/call_table.h"
#include "cli/calls/calls.h"
#include "cli/calls/kernel_pair.h"
#include "cli/calls/path_filter.h"
#include "cli/procs/call_paths.h"
#include "cli/procs/effects.h"

#define TRACE_NPBN 4096 /* probes below are found by index */

/* What is known of a probe; constant once made. */
struct trace_probe {
	const struct probe *tb_probe;
	const struct probe *tb_entry; /* this, or if enabled that of a return */
	const struct effects *tb_follow;
	struct call_paths tb_shape; /* of that; else empty */
	uint32_t tb_kind;      /* of pair_key */
	uint8_t tb_isentry;
	uint8_t tb_isreturn;
	uint8_t tb_ispaired; /* the other one is enabled, too */
	uint8_t tb_ends;     /* enum effects_kind */
	uint8_t tb_isplain; /* goes to a file as it is, nothing is to be done */
};

/* pa_flags: an enum within_verdict, and */
#define TRACE_VERDICT 0x03
#define TRACE_HELD    0x04 /* is to be joined: was not shown yet */
#define TRACE_CUT     0x08 /* was shown unfinished */

struct trace {
	const struct opts *tr_opts;
	struct names *tr_names;
	int tr_hassink; /* 0: nothing is printed */
	struct trace_sink tr_sink;
	struct procs *tr_procs;
	int tr_joins;
	struct within tr_within; /* --path */
	uint64_t tr_shown, tr_filtered;
	uint64_t tr_untold;  /* of tr_filtered: the path is not known */
	uint64_t tr_orphans; /* the same, if the call's other event was lost */
	void (*tr_late)(void *, const struct dt_event *);
	void *tr_latearg;
	int tr_failed; /* the output */
	struct pairs tr_pairs;
	struct effects_call tr_done; /* for procs_later() */
	struct trace_probe *tr_probes[TRACE_NPBN];
	struct hash tr_others; /* pbn -> struct trace_probe */
};

/* calls.c: NULL, if nobody has heard of it */
const struct trace_probe *trace_probe(struct trace *, uint32_t pbn);

/* call_pending.c */
void trace_count(struct trace *tr, enum within_verdict verdict);
void trace_line(struct trace *tr, const struct out_event *oe);
/* A line that ends with the entry of a call. */
void trace_line_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev, unsigned int flags);
enum within_verdict trace_verdict(const struct pair_call *pa);
/* Decides about a call whose entry could not read its path; WITHIN_UNREAD: its
 * return is missing. */
void trace_decide(struct trace *tr, struct pair_call *pa,
    enum within_verdict verdict);
/* Ends a call that did not return. */
void trace_drop(struct trace *tr, struct pair_call *pa, unsigned int flags);
/* Ends the calls of a process, or all with 0, but for one. */
void trace_drop_all(struct trace *tr, uint32_t pid, const struct pair_call *but,
    unsigned int flags);
/* Shows those that go on for long. */
void trace_age(struct trace *tr, uint64_t before);
struct pair_key trace_key(const struct trace_probe *tb, uint32_t tid);
/* Copies an entry.  When there are too many calls, one that went on for
 * long is forgotten: mostly its thread has been killed. */
struct pair_call *trace_keep(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev);

/* call_join.c */
enum within_verdict trace_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev);
enum within_verdict trace_return(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev);
enum within_verdict trace_paired(struct trace *tr, const struct trace_probe *tb,
    const struct paired *pd, const struct dt_event *ev);

#endif /* CLI_CALLS_CALL_JOIN_H */
