/* SPDX-License-Identifier: ISC */
/*
 * Passes events through the steps of cli/calls/calls.h.
 *
 * An entry is kept until its return (call_table.c) if calls are to be joined,
 * or if the return alone does not show the effects of the call.  It is dropped
 * unjoined when the thread enters another call: then its return was lost.  A
 * call that is pending for CALLS_LONG is printed unfinished, and its later
 * return is printed on its own.  Time is that of the events; live and without
 * events, it is that of the clock, a little later, so that a report prints the
 * same calls as unfinished.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_join.h"

#define CALLS_LONG 250000000 /* ns until a call is printed unfinished */
#define CALLS_LATE 50000000  /* ns by which events may be late */

/* Start */

static void
calls_found(void *arg, uint32_t pid, int fd, const char *path)
{
	struct calls *tr = arg;
	const struct consumer *cn = &tr->ca_consumer;

	if (cn->cns_ops->cso_file(cn->cns_arg, pid, fd, path) == -1)
		tr->ca_failed = 1;
}

struct calls *
calls_open(const struct opts *opts, struct names *names,
    const struct consumer *consumer)
{
	struct calls *tr;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		err(1, NULL);
	tr->ca_opts = opts;
	tr->ca_names = names;
	if (consumer != NULL)
		tr->ca_consumer = *consumer;
	buf_init(&tr->ca_texts.cts_buf, -1);
	tr->ca_procs = procs_alloc();
	tr->ca_joins = tr->ca_consumer.cns_flags & CONSUMER_JOINS &&
	    !opts->o_print.opi_nojoin;
	if (opts->o_path != NULL)
		tr->ca_within = (struct path_filter){ opts->o_path,
			strlen(opts->o_path), tr->ca_procs };
	if (consumer != NULL && consumer->cns_ops->cso_file != NULL)
		procs_watch(tr->ca_procs, calls_found, tr);
	return tr;
}

void
calls_close(struct calls *tr)
{
	size_t i;

	if (tr == NULL)
		return;
	hash_free(&tr->ca_others);
	for (i = 0; i < CALLS_NPBN; i++)
		free(tr->ca_probes[i]);
	call_table_free(&tr->ca_pairs);
	buf_free(&tr->ca_texts.cts_buf);
	procs_free(tr->ca_procs);
	free(tr);
}

static int
calls_isrecorded(void *arg, const char *func)
{
	struct names *nm = arg;

	return names_find(nm, "syscall", func, "entry") != NULL &&
	    names_find(nm, "syscall", func, "return") != NULL;
}

void
calls_live(struct calls *tr, pid_t command)
{
	const struct dtioc_filter *fi = &tr->ca_opts->o_filter;

	/* only some threads or calls of a process are traced */
	procs_live(tr->ca_procs,
	    fi->dtfi_set & DTFI_TID || tr->ca_opts->o_pair.opa_isslower ||
		    tr->ca_opts->o_if != NULL
		? 0
		: call_effects_trust(calls_isrecorded, tr->ca_names));
	if (fi->dtfi_set & DTFI_PID && fi->dtfi_pid != 0)
		procs_scan(tr->ca_procs, fi->dtfi_pid,
		    (fi->dtfi_set & DTFI_CHILDREN) != 0);
	if (command > 0)
		procs_scan_command(tr->ca_procs, command);
}

/* The event of a fork needs the ids of the child, to identify its parent. */
uint64_t
calls_evtflags(void *arg, const struct dtioc_probe_info *pi)
{
	(void)arg;
	return call_effects_kind(call_effects_find(pi)) == EFFECTS_FORK
	    ? DTEVT_WHO
	    : 0;
}

struct procs *
calls_procs(struct calls *tr)
{
	return tr->ca_procs;
}

uint64_t
calls_shown(const struct calls *tr)
{
	return tr->ca_shown;
}

uint64_t
calls_filtered(const struct calls *tr)
{
	return tr->ca_filtered;
}

/* Each lost event leaves at most one other event of its call undecided. */
uint64_t
calls_untold(const struct calls *tr, uint64_t lost)
{
	return tr->ca_untold + (tr->ca_orphans < lost ? tr->ca_orphans : lost);
}

void
calls_late(struct calls *tr, void (*late)(void *, const struct dt_event *),
    void *arg)
{
	tr->ca_late = late;
	tr->ca_latearg = arg;
}

/*
 * Probes
 */

static struct calls_probe *
calls_learn(struct calls *tr, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct calls_probe *tb;
	const struct probe *other;

	if ((tb = calloc(1, sizeof(*tb))) == NULL)
		err(1, "probes");
	tb->tb_probe = pr;
	tb->tb_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	tb->tb_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	tb->tb_follow = call_effects_find(pi);
	tb->tb_ends = call_effects_kind(tb->tb_follow);
	other = tb->tb_isentry || tb->tb_isreturn
	    ? names_find(tr->ca_names, pi->dtpi_prov, pi->dtpi_func,
		  tb->tb_isentry ? "return" : "entry")
	    : NULL;
	tb->tb_ispaired = other != NULL;
	tb->tb_entry = tb->tb_isreturn ? other : pr;
	if (tb->tb_entry != NULL)
		call_paths_find(&tb->tb_shape, tb->tb_entry);
	tb->tb_isplain = tr->ca_consumer.cns_flags & CONSUMER_RAW &&
	    tr->ca_within.pft_n == 0 && tb->tb_follow == NULL &&
	    tb->tb_shape.cph_nfds == 0 && tb->tb_shape.cph_npaths == 0;
	/* a thread is in one system call at a time */
	if ((pi->dtpi_flags & DTPI_CALL) == 0)
		tb->tb_kind = 1 +
		    (tb->tb_isreturn && other != NULL
			    ? other->pr_desc.pd_info.dtpi_pbn
			    : pi->dtpi_pbn);
	return tb;
}

const struct calls_probe *
calls_probe(struct calls *tr, uint32_t pbn)
{
	struct calls_probe **where;
	const struct probe *pr;
	struct hash_entry *e;

	if (pbn < CALLS_NPBN)
		where = &tr->ca_probes[pbn];
	else {
		e = hash_get(&tr->ca_others, &pbn, sizeof(pbn));
		where = (struct calls_probe **)&e->he_ptr;
	}
	if (*where == NULL && (pr = names_probe(tr->ca_names, pbn)) != NULL)
		*where = calls_learn(tr, pr);
	return *where;
}

int
calls_event(struct calls *tr, const struct dt_event *ev)
{
	const struct calls_probe *tb = calls_probe(tr, ev->ev_rec->dr_pbn);
	uint64_t now = ev->ev_rec->dr_time;
	enum path_filter_verdict verdict = PATH_FILTER_YES;
	struct kernel_pair pd;

	if (tb == NULL)
		return 0;
	if (tb->tb_isplain) {
		tr->ca_shown++;
		return tr->ca_consumer.cns_ops
			    ->cso_call(tr->ca_consumer.cns_arg,
				&(struct call){ .cal_probe = tb->tb_probe,
				    .cal_ev = ev }) == -1
		    ? -1
		    : 1;
	}
	procs_event(tr->ca_procs, now);
	if (now > CALLS_LONG)
		call_pending_age(tr, now - CALLS_LONG);
	if (kernel_pair_split(&pd, ev))
		verdict = call_join_paired(tr, tb, &pd, ev);
	else if (tb->tb_isentry)
		verdict = call_join_entry(tr, tb, ev);
	else if (tb->tb_isreturn)
		verdict = call_join_return(tr, tb, ev);
	else {
		if (tr->ca_within.pft_n != 0)
			verdict = PATH_FILTER_NOT; /* a tick has no path */
		call_pending_count(tr, verdict);
		if (verdict == PATH_FILTER_YES)
			call_pending_line_entry(tr, tb, ev, 0);
	}
	if (tr->ca_failed)
		return -1;
	return verdict == PATH_FILTER_YES;
}

uint64_t
calls_idle(struct calls *tr, uint64_t now)
{
	const struct table_call *pa;

	if (now > CALLS_LONG + CALLS_LATE)
		call_pending_age(tr, now - CALLS_LONG - CALLS_LATE);
	pa = tr->ca_pairs.ctb_young.cls_first;
	return pa != NULL && tr->ca_joins
	    ? pa->tc_ev.ev_rec->dr_time + CALLS_LONG + CALLS_LATE
	    : 0;
}

int
calls_end(struct calls *tr)
{
	call_pending_drop_all(tr, 0, NULL, CALL_UNFINISHED);
	return tr->ca_failed ? -1 : 0;
}
