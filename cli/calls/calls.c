/* SPDX-License-Identifier: ISC */
/*
 * The way of an event, as cli/calls/calls.h tells.
 *
 * An entry is kept until its return comes (call_table.c) if lines are to be
 * joined, or if the return alone does not tell what the call has done.  It is
 * let go unjoined when the thread enters another call: then its return was
 * lost.  A call that goes on for TRACE_LONG is shown as it is, and what it
 * returns later has a line of its own.  That goes by the time of events;
 * without events, live, by the clock, a little later, so that a report cuts
 * where the recording did.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_join.h"

#define TRACE_LONG 250000000 /* ns: then a call is shown unfinished */
#define TRACE_LATE 50000000  /* ns: so late may events come */

/*
 * Before
 */

static void
trace_told(void *arg, uint32_t pid, int fd, const char *path)
{
	struct trace *tr = arg;

	if (tr->tr_sink.tk_file(tr->tr_sink.tk_arg, pid, fd, path) == -1)
		tr->tr_failed = 1;
}

void
trace_again(void *arg)
{
	struct trace *tr = arg;

	procs_each(tr->tr_procs, trace_told, tr);
}

struct trace *
trace_open(const struct opts *opts, struct names *names,
    const struct trace_sink *sink)
{
	struct trace *tr;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		err(1, NULL);
	tr->tr_opts = opts;
	tr->tr_names = names;
	if (sink != NULL) {
		tr->tr_hassink = 1;
		tr->tr_sink = *sink;
	}
	tr->tr_procs = procs_alloc();
	tr->tr_joins = tr->tr_sink.tk_joins && !opts->o_nojoin;
	if (opts->o_path != NULL)
		tr->tr_within = (struct within){ opts->o_path,
			strlen(opts->o_path), tr->tr_procs };
	if (sink != NULL)
		procs_watch(tr->tr_procs, trace_told, tr);
	return tr;
}

void
trace_close(struct trace *tr)
{
	size_t i;

	if (tr == NULL)
		return;
	hash_free(&tr->tr_others);
	for (i = 0; i < TRACE_NPBN; i++)
		free(tr->tr_probes[i]);
	pair_free(&tr->tr_pairs);
	procs_free(tr->tr_procs);
	free(tr);
}

static int
trace_isrecorded(void *arg, const char *func)
{
	struct names *nm = arg;

	return names_find(nm, "syscall", func, "entry") != NULL &&
	    names_find(nm, "syscall", func, "return") != NULL;
}

void
trace_live(struct trace *tr, pid_t command)
{
	const struct dtioc_filter *fi = &tr->tr_opts->o_filter;

	/* of one thread, or of some calls, not all of its process come */
	procs_live(tr->tr_procs,
	    fi->dtfi_set & DTFI_TID || tr->tr_opts->o_isslower ||
		    tr->tr_opts->o_if != NULL
		? 0
		: effects_trust(trace_isrecorded, tr->tr_names));
	if (fi->dtfi_set & DTFI_PID && fi->dtfi_pid != 0)
		procs_scan(tr->tr_procs, fi->dtfi_pid,
		    (fi->dtfi_set & DTFI_CHILDREN) != 0);
	if (command > 0)
		procs_scan_command(tr->tr_procs, command);
}

/* Whose child it is: numbers of processes are all that a fork tells. */
uint64_t
trace_evtflags(void *arg, const struct dtioc_probe_info *pi)
{
	(void)arg;
	return effects_kind(effects_find(pi->dtpi_prov, pi->dtpi_func)) ==
		EFFECTS_FORK
	    ? DTEVT_WHO
	    : 0;
}

struct procs *
trace_procs(struct trace *tr)
{
	return tr->tr_procs;
}

uint64_t
trace_shown(const struct trace *tr)
{
	return tr->tr_shown;
}

uint64_t
trace_filtered(const struct trace *tr)
{
	return tr->tr_filtered;
}

/* Each lost event leaves at most one other event of its call undecided. */
uint64_t
trace_untold(const struct trace *tr, uint64_t lost)
{
	return tr->tr_untold + (tr->tr_orphans < lost ? tr->tr_orphans : lost);
}

void
trace_late(struct trace *tr, void (*late)(void *, const struct dt_event *),
    void *arg)
{
	tr->tr_late = late;
	tr->tr_latearg = arg;
}

/*
 * Probes
 */

static struct trace_probe *
trace_learn(struct trace *tr, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct trace_probe *tb;
	const struct probe *other;

	if ((tb = calloc(1, sizeof(*tb))) == NULL)
		err(1, "probes");
	tb->tb_probe = pr;
	tb->tb_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	tb->tb_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	tb->tb_follow = effects_find(pi->dtpi_prov, pi->dtpi_func);
	tb->tb_ends = effects_kind(tb->tb_follow);
	other = tb->tb_isentry || tb->tb_isreturn
	    ? names_find(tr->tr_names, pi->dtpi_prov, pi->dtpi_func,
		  tb->tb_isentry ? "return" : "entry")
	    : NULL;
	tb->tb_ispaired = other != NULL;
	tb->tb_entry = tb->tb_isreturn ? other : pr;
	if (tb->tb_entry != NULL)
		call_paths_find(&tb->tb_shape, tb->tb_entry);
	tb->tb_isplain = tr->tr_opts->o_file != NULL && !tr->tr_joins &&
	    tr->tr_within.wi_n == 0 && tb->tb_follow == NULL &&
	    tb->tb_shape.cph_nfds == 0 && tb->tb_shape.cph_npaths == 0;
	/* a thread is in one system call at a time */
	if (strncmp(pi->dtpi_prov, "syscall", 7) != 0)
		tb->tb_kind = 1 +
		    (tb->tb_isreturn && other != NULL
			    ? other->pr_desc.pd_info.dtpi_pbn
			    : pi->dtpi_pbn);
	return tb;
}

const struct trace_probe *
trace_probe(struct trace *tr, uint32_t pbn)
{
	struct trace_probe **where;
	const struct probe *pr;
	struct hash_entry *e;

	if (pbn < TRACE_NPBN)
		where = &tr->tr_probes[pbn];
	else {
		e = hash_get(&tr->tr_others, &pbn, sizeof(pbn));
		where = (struct trace_probe **)&e->he_ptr;
	}
	if (*where == NULL && (pr = names_probe(tr->tr_names, pbn)) != NULL)
		*where = trace_learn(tr, pr);
	return *where;
}

int
trace_event(struct trace *tr, const struct dt_event *ev)
{
	const struct trace_probe *tb = trace_probe(tr, ev->ev_rec->dr_pbn);
	uint64_t now = ev->ev_rec->dr_time;
	enum within_verdict verdict = WITHIN_YES;
	struct paired pd;

	if (tb == NULL)
		return 0;
	if (tb->tb_isplain) {
		tr->tr_shown++;
		return tr->tr_sink.tk_event(tr->tr_sink.tk_arg,
			   &(struct out_event){ .oe_probe = tb->tb_probe,
			       .oe_ev = ev }) == -1
		    ? -1
		    : 1;
	}
	procs_event(tr->tr_procs, now);
	if (now > TRACE_LONG)
		trace_age(tr, now - TRACE_LONG);
	if (paired_split(&pd, ev))
		verdict = trace_paired(tr, tb, &pd, ev);
	else if (tb->tb_isentry)
		verdict = trace_entry(tr, tb, ev);
	else if (tb->tb_isreturn)
		verdict = trace_return(tr, tb, ev);
	else {
		if (tr->tr_within.wi_n != 0)
			verdict = WITHIN_NOT; /* a tick has no path */
		trace_count(tr, verdict);
		if (verdict == WITHIN_YES)
			trace_line_entry(tr, tb, ev, 0);
	}
	if (tr->tr_failed)
		return -1;
	return verdict == WITHIN_YES;
}

uint64_t
trace_idle(struct trace *tr, uint64_t now)
{
	const struct pair_call *pa;

	if (now > TRACE_LONG + TRACE_LATE)
		trace_age(tr, now - TRACE_LONG - TRACE_LATE);
	pa = tr->tr_pairs.pp_young.pl_first;
	return pa != NULL && tr->tr_joins
	    ? pa->pa_ev.ev_rec->dr_time + TRACE_LONG + TRACE_LATE
	    : 0;
}

int
trace_end(struct trace *tr)
{
	trace_drop_all(tr, 0, NULL, OUT_UNFINISHED);
	return tr->tr_failed ? -1 : 0;
}
