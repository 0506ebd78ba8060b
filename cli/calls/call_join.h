/* SPDX-License-Identifier: ISC */
/*
 * Shared state of the call tracker: calls.c has probes and events,
 * call_join.c entries and returns, call_pending.c calls in between.
 */
#ifndef CLI_CALLS_CALL_JOIN_H
#define CLI_CALLS_CALL_JOIN_H

#include "cli/calls/call_resolve.h"
#include "cli/calls/call_table.h"
#include "cli/calls/calls.h"
#include "cli/calls/kernel_pair.h"
#include "cli/calls/path_filter.h"
#include "cli/procs/call_effects.h"
#include "cli/procs/call_paths.h"

#define CALLS_NPBN 4096 /* probes below are found by index */

/* State of a probe; constant after its initialization. */
struct calls_probe {
	const struct probe *tb_probe;
	const struct probe *tb_entry; /* this probe, or the enabled entry of
				       * a return */
	const struct call_effects *tb_follow;
	struct call_paths tb_shape; /* of the entry; else empty */
	uint32_t tb_kind;	    /* of pair_key */
	uint8_t tb_isentry;
	uint8_t tb_isreturn;
	uint8_t tb_ispaired; /* the other probe of the pair is enabled, too */
	uint8_t tb_ends;     /* enum call_effects_kind */
	uint8_t tb_isplain;  /* written to a file unchanged */
};

/* tc_flags: an enum path_filter_verdict, and the following */
#define CALLS_VERDICT 0x03
#define CALLS_HELD    0x04 /* to be joined: not printed yet */
#define CALLS_CUT     0x08 /* printed as unfinished */

struct calls {
	const struct opts *ca_opts;
	struct names *ca_names;
	struct consumer ca_consumer; /* cns_ops NULL: none */
	struct procs *ca_procs;
	int ca_joins;
	struct path_filter ca_within; /* --path */
	uint64_t ca_shown, ca_filtered;
	uint64_t ca_untold;  /* of ca_filtered: the path is unknown */
	uint64_t ca_orphans; /* the same, where the call's other event was
			      * lost */
	void (*ca_late)(void *, const struct dt_event *);
	void *ca_latearg;
	int ca_failed; /* the output has failed */
	struct call_table ca_pairs;
	struct call_texts ca_texts; /* of the printed call */
	struct calls_probe *ca_probes[CALLS_NPBN];
	struct hash ca_others; /* pbn -> struct calls_probe */
};

/* calls.c: returns NULL for an unknown pbn */
const struct calls_probe *calls_probe(struct calls *, uint32_t pbn);

/* call_pending.c */
void call_pending_count(struct calls *tr, enum path_filter_verdict verdict);
/*
 * Resolves a call if the consumer prints it, and passes it on.  fc: the effects
 * of the call, which are applied in between; NULL: none.
 */
void call_pending_line(struct calls *tr, struct call *cl,
    const struct call_paths *shape, const struct effects_call *fc);
/* Prints an output line up to the entry of a call. */
void call_pending_line_entry(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev, unsigned int flags);
enum path_filter_verdict call_pending_verdict(const struct table_call *pa);
/*
 * Applies the verdict for a call whose entry could not read its path;
 * PATH_FILTER_UNREAD: its return is missing.
 */
void call_pending_decide(struct calls *tr, struct table_call *pa,
    enum path_filter_verdict verdict);
/* Ends a call that did not return. */
void
call_pending_drop(struct calls *tr, struct table_call *pa, unsigned int flags);
/* Ends the pending calls of a process (0: of all processes), except `but`. */
void call_pending_drop_all(struct calls *tr, uint32_t pid,
    const struct table_call *but, unsigned int flags);
/* Prints calls that have been pending since before the given time. */
void call_pending_age(struct calls *tr, uint64_t before);
struct call_key call_pending_key(const struct calls_probe *tb, uint32_t tid);
/*
 * Copies an entry.  If there are too many pending calls, drops an old one: most
 * of these belong to killed threads.
 */
struct table_call *call_pending_keep(struct calls *tr,
    const struct calls_probe *tb, const struct dt_event *ev);

/* call_join.c */
enum path_filter_verdict call_join_entry(struct calls *tr,
    const struct calls_probe *tb, const struct dt_event *ev);
enum path_filter_verdict call_join_return(struct calls *tr,
    const struct calls_probe *tb, const struct dt_event *ev);
enum path_filter_verdict
call_join_paired(struct calls *tr, const struct calls_probe *tb,
    const struct kernel_pair *pd, const struct dt_event *ev);

#endif /* CLI_CALLS_CALL_JOIN_H */
