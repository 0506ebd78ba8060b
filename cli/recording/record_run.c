/* SPDX-License-Identifier: ISC */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/file_sink.h"
#include "cli/base/str_name.h"
#include "cli/calls/calls.h"
#include "cli/decode/args.h"
#include "cli/out/out.h"
#include "cli/out/out_text_event.h"
#include "cli/recording/record_run.h"
#include "cli/recording/recorder.h"
#include "cli/session/session.h"

#define RECORD_NTEXTS 16

struct record_text {
	char rct_name[DTNAMESIZE]; /* of the argument, or retval */
	int rct_isfound;	   /* a probe has it */
	int rct_isoption;
};

/*
 * The texts that --str requests, and those that str() of a condition tests:
 * arguments and results of functions, by name.
 */
struct record_texts {
	struct record_text rts_list[RECORD_NTEXTS];
	unsigned int rts_n;
};

struct record {
	struct session rc_session;
	struct out rc_out;	     /* unless it records */
	struct file_sink rc_sink;    /* of rc_out, with -o FILE.txt */
	struct recorder rc_recorder; /* with -o FILE.dt */
	struct calls *rc_trace;
	struct name_cache rc_matched; /* the probes to be enabled */
	int rc_wantspaths;	      /* in events: they cannot be followed */
	struct record_texts rc_texts;
};

/*
 * Texts
 */

static void
texts_add(struct record_texts *rts, const char *name, size_t len, int isoption)
{
	struct record_text *rct;

	if (rts->rts_n == RECORD_NTEXTS)
		errx(1, "at most %d texts can be recorded", RECORD_NTEXTS);
	rct = &rts->rts_list[rts->rts_n++];
	snprintf(rct->rct_name, sizeof(rct->rct_name), "%.*s", (int)len, name);
	rct->rct_isfound = 0;
	rct->rct_isoption = isoption;
}

/* Adds the names of str(NAME), which may follow a side of a pair. */
static void
texts_add_cond(struct record_texts *rts, const struct cond_expr *ce)
{
	const struct cond_node *cn;
	char inner[COND_MAXNAME];
	const char *name;

	for (cn = ce->ce_nodes; cn < ce->ce_nodes + ce->ce_n; cn++) {
		if (cn->cn_kind != COND_NAME ||
		    (name = strstr(cn->cn_tok.tok_name, "str(")) == NULL ||
		    !str_name(name, inner, sizeof(inner)))
			continue;
		texts_add(rts, inner, strlen(inner), 0);
	}
}

/*
 * Sets the texts of a list of names and of a condition; either may be NULL.
 */
static void
record_texts_init(struct record_texts *rts, const char *list,
    const struct cond_expr *ce)
{
	size_t len;

	rts->rts_n = 0;
	for (; list != NULL && *list != '\0'; list += len) {
		len = strcspn(list, ",");
		if (len > 0)
			texts_add(rts, list, len, 1);
		len += list[len] == ',';
	}
	if (ce != NULL)
		texts_add_cond(rts, ce);
}

/* Returns the flags of a text if the probe has it, or 0. */
static uint64_t
text_evtflags(const struct record_text *rct, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct cond_operand co;
	char name[DTNAMESIZE + 8];

	snprintf(name, sizeof(name), "str(%.63s)", rct->rct_name);
	if (cond_operand(pr, pr, name, &co) == -1)
		return 0;
	if (co.cop_opd.op_kind == DT_OPD_ARG)
		return arg_str_evtflags(pr, co.cop_opd.op_argn);
	return strcmp(pd->pd_info.dtpi_name, "return") == 0
	    ? DTEVT_STRINGS | DTEVT_RETTEXT
	    : 0;
}

/* Returns the DTEVT_* of a probe for these texts. */
static uint64_t
record_texts_evtflags(struct record_texts *rts, const struct probe *pr)
{
	struct record_text *rct = rts->rts_list;
	uint64_t flags = 0, one;

	for (; rct < rts->rts_list + rts->rts_n; rct++) {
		one = text_evtflags(rct, pr);
		rct->rct_isfound |= one != 0;
		flags |= one;
	}
	return flags;
}

/* Exits if no probe has a name of the list. */
static void
record_texts_check(const struct record_texts *rts)
{
	const struct record_text *rct = rts->rts_list;

	for (; rct < rts->rts_list + rts->rts_n; rct++)
		if (rct->rct_isoption && !rct->rct_isfound)
			errx(1, "--str %s: these probes have no such text",
			    rct->rct_name);
}

/*
 * The session
 */

/*
 * Enables a probe of rhw_also, regardless of --if.  Prints a note if it is not
 * available here.  islater: does nothing unless the condition needs a return.
 */
static int
record_enable_also(struct record *rc, const char *pattern, int islater)
{
	struct session *ss = &rc->rc_session;
	struct dtioc_probe_info *pi;
	int n = -1;

	if (dt_lookup(ss->ss_dt, pattern, &pi) == 1) {
		n = islater && !session_cond_islater(ss, pi)
		    ? 0
		    : session_enable_one(ss, pi, 0, 0);
		if (n == 1)
			calls_uncounted(rc->rc_trace, pi->dtpi_pbn);
		free(pi);
	}
	if (n == -1 && !islater)
		warnx("%s is not traced: %s", pattern, dt_error(ss->ss_dt));
	return n == 1;
}

/* Enables the probes of rhw_also; returns how many were not enabled before. */
static unsigned int
record_enable_all_also(struct record *rc, const struct record_how *rh,
    int islater)
{
	const char *const *also;
	unsigned int n = 0;

	for (also = rh->rhw_also; also != NULL && *also != NULL; also++)
		n += record_enable_also(rc, *also, islater);
	return n;
}

/*
 * A call that exits does not return: a condition that needs a return would
 * refuse it, and with it the status of the process.  So such calls come before
 * the requested probes, and are not printed.
 */
static void
record_enable(struct record *rc, struct opts *opts, const struct record_how *rh)
{
	if (record_enable_all_also(rc, rh, 1) > 0)
		opts->o_print.opi_trace.otr_hides = OPTS_TRACE_EXIT |
		    OPTS_TRACE_EXITGROUP;
	session_enable_args(&rc->rc_session);
	(void)record_enable_all_also(rc, rh, 0);
}

static void
record_started(void *arg)
{
	struct record *rc = arg;
	struct block_head head;

	calls_live(rc->rc_trace, rc->rc_session.ss_command.cd_pid);
	if (opts_isrecording(rc->rc_session.ss_opts))
		return; /* the recorder has written its own */
	block_head_init(&head);
	(void)out_head(&rc->rc_out, &head);
}

/*
 * A recording is sorted when it is read.  But --path depends on the preceding
 * calls, and --last on the newest of all events, so with these it is sorted
 * here, too.
 */
static int
record_openflags(const struct opts *opts)
{
	return opts_isrecording(opts) && opts->o_select.ose_path == NULL &&
		opts->o_file.ofi_last == 0
	    ? DT_OPEN_LOWWATER
	    : DT_OPEN_ORDERED;
}

/* Opens the output, and passes events to it by way of rc_trace. */
static void
record_consume(struct record *rc, const struct opts *opts)
{
	int isrecording = opts_isrecording(opts);
	struct session *ss = &rc->rc_session;
	struct consumer consumer;

	if (isrecording) {
		recorder_open(&rc->rc_recorder, opts, &ss->ss_names,
		    session_lowwater, ss);
		consumer = recorder_consumer(&rc->rc_recorder);
	} else {
		out_open(&rc->rc_out, opts, &ss->ss_names);
		out_file_begin(&rc->rc_out, &rc->rc_sink);
		consumer = out_consumer(&rc->rc_out);
	}
	session_consume(ss, &consumer);
	ss->ss_calls = rc->rc_trace = calls_open(opts, &ss->ss_names,
	    &consumer);
	if (isrecording)
		recorder_follow(&rc->rc_recorder, rc->rc_trace);
}

/* Looks up what will be enabled; that reports errors. */
static void
record_match(struct record *rc, const struct opts *opts)
{
	struct name_cache *nm = &rc->rc_matched;
	struct dtioc_probe_info *pi;
	unsigned int i;
	ssize_t j, n;

	name_cache_init(nm, rc->rc_session.ss_dt);
	for (i = 0; i < opts->o_nargs; i++) {
		n = dt_lookup(nm->nm_dt, opts->o_args[i], &pi);
		for (j = 0; j < n; j++)
			name_cache_add_info(nm, &pi[j]);
		if (n >= 0)
			free(pi);
	}
	rc->rc_wantspaths = opts->o_select.ose_path != NULL ||
	    !calls_knowpaths(opts, nm);
}

/* A return that is joined with its entry is printed with the entry's paths. */
static uint64_t
record_moreflags(void *arg, const struct dtioc_probe_info *pi)
{
	struct record *rc = arg;
	struct session *ss = &rc->rc_session;
	const struct opts *o = ss->ss_opts;
	const struct probe *pr;
	uint64_t texts = 0;
	int isjoined = !opts_isrecording(o) && o->o_select.ose_path == NULL &&
	    o->o_select.ose_if == NULL && !o->o_pair.opa_isslower &&
	    strcmp(pi->dtpi_name, "return") == 0 &&
	    name_cache_find(&rc->rc_matched, pi->dtpi_prov, pi->dtpi_func,
		"entry") != NULL;

	if (rc->rc_texts.rts_n > 0 &&
	    (pr = name_cache_probe(&ss->ss_names, pi->dtpi_pbn)) != NULL)
		texts = record_texts_evtflags(&rc->rc_texts, pr);
	/* the sender of a signal */
	return texts | calls_evtflags(rc->rc_trace, pi) |
	    (strcmp(pi->dtpi_name, "signal_generate") == 0 ? DTEVT_WHO : 0) |
	    (rc->rc_wantspaths && !isjoined ? DTEVT_PATHS : 0);
}

int
record_run(struct opts *opts, const struct record_how *rh)
{
	int isrecording = opts_isrecording(opts);
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | DTEVT_FUNCARGS | DTEVT_STRINGS |
		    DTEVT_MEMORY | rh->rhw_evtflags,
		.so_openflags = record_openflags(opts),
		.so_budget = isrecording ? RECORD_BUDGET : rh->rhw_budget,
		.so_prints = !isrecording,
		.so_readsahead = !isrecording,
		.so_moreflags = record_moreflags,
		.so_wantsargs = !opts->o_print.opi_nojoin,
		.so_wantsfirst = 1,
		.so_started = record_started,
	};
	struct record rc = { 0 };
	struct session *ss = &rc.rc_session;
	struct columns cs;
	int status;

	columns_parse(&cs, opts->o_print.opi_columns);
	ops.so_evtflags |= columns_evtflags(&cs);
	session_open(ss, opts, &ops, &rc);
	record_consume(&rc, opts);
	if (rh->rhw_count != 0)
		calls_limit(rc.rc_trace, rh->rhw_count);
	record_match(&rc, opts);
	record_texts_init(&rc.rc_texts, rh->rhw_texts, ss->ss_cond);
	record_enable(&rc, opts, rh);
	record_texts_check(&rc.rc_texts);
	name_cache_free(&rc.rc_matched);
	session_run(ss);
	calls_end(rc.rc_trace);
	ss->ss_filtered = calls_filtered(rc.rc_trace);
	ss->ss_unknown = calls_unknown(rc.rc_trace,
	    ledger_lost(&ss->ss_ledger));
	ss->ss_guesses = procs_guesses(calls_procs(rc.rc_trace));
	recorder_follow(&rc.rc_recorder, NULL);
	calls_close(rc.rc_trace);
	status = session_end(ss);
	return isrecording ? status
			   : out_file_status(&rc.rc_out, &rc.rc_sink, status);
}
