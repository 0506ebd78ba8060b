/* SPDX-License-Identifier: ISC */
/*
 * Entries and returns of calls, which a line joins, and pairs that the kernel has
 * joined.
 */
#include <string.h>

#include "cli/calls/call_join.h"

/* A call that does not return; all threads of a process end with it. */
static void
trace_entry_ends(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev, enum within_verdict verdict)
{
	uint32_t pid = ev->ev_rec->dr_pid;

	trace_count(tr, verdict);
	if (verdict == WITHIN_YES)
		trace_line_entry(tr, tb, ev,
		    tr->tr_joins && tb->tb_ispaired ? OUT_NORETURN : 0);
	if (tb->tb_ends == EFFECTS_EXITALL && pid != 0) {
		trace_drop_all(tr, pid, NULL, OUT_NORETURN);
		procs_exit(tr->tr_procs, pid);
	}
}

enum within_verdict
trace_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	int holds = tr->tr_joins && tb->tb_ispaired &&
	    tb->tb_ends != EFFECTS_JUMP;
	enum within_verdict verdict;
	struct pair_call *pa;

	pa = pair_find(&tr->tr_pairs, trace_key(tb, ev->ev_rec->dr_tid));
	if (pa != NULL)
		trace_drop(tr, pa, 0); /* its return was lost */
	call_paths_touch(&tb->tb_shape, tr->tr_procs, ev);
	verdict = within_call(&tr->tr_within, &tb->tb_shape, ev, NULL);
	if (verdict == WITHIN_UNREAD && !tb->tb_ispaired)
		verdict = WITHIN_UNTOLD;
	if (tb->tb_ends == EFFECTS_EXIT || tb->tb_ends == EFFECTS_EXITALL) {
		trace_entry_ends(tr, tb, ev, verdict);
		return verdict;
	}
	pa = NULL;
	if (holds || (tb->tb_ispaired && (tb->tb_follow || tr->tr_within.wi_n)))
		pa = trace_keep(tr, tb, ev);
	if (pa != NULL) {
		pa->pa_arg = tb;
		pa->pa_flags = verdict | (holds ? TRACE_HELD : 0);
	} else if (verdict == WITHIN_UNREAD)
		verdict = WITHIN_UNTOLD;
	if (verdict != WITHIN_UNREAD)
		trace_count(tr, verdict);
	if (verdict == WITHIN_YES && (!holds || pa == NULL))
		trace_line_entry(tr, tb, ev, 0);
	return verdict;
}

/* A thread that executes a program has the number of the first one then. */
static struct pair_call *
trace_find_exec(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	const struct trace_probe *of;
	uint32_t pid = ev->ev_rec->dr_pid;
	struct pair_call *pa = NULL;

	if (ev->ev_ret->drr_error != 0 || pid == 0)
		return NULL;
	while ((pa = pair_each(&tr->tr_pairs, pid, pa)) != NULL) {
		of = pa->pa_arg;
		if (of->tb_probe == tb->tb_entry)
			break;
	}
	/* all the others have ended */
	trace_drop_all(tr, pid, pa, OUT_NORETURN);
	return pa;
}

/* The entry of this return, or NULL. */
static struct pair_call *
trace_find(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	const struct trace_probe *of;
	struct pair_call *pa;

	if (tb->tb_entry == NULL || ev->ev_ret == NULL)
		return NULL;
	pa = pair_find(&tr->tr_pairs, trace_key(tb, ev->ev_rec->dr_tid));
	if (tb->tb_ends == EFFECTS_EXEC && ev->ev_ret->drr_error == 0)
		return trace_find_exec(tr, tb, ev);
	if (pa == NULL)
		return NULL;
	of = pa->pa_arg;
	if (of->tb_probe == tb->tb_entry)
		return pa;
	trace_drop(tr, pa, 0); /* its return was lost, and our entry, too */
	return NULL;
}

/* The entry of the parent of a process that has returned from fork: its record
 * names the parent; if it does not, there may be only one that forks. */
static const struct dt_event *
trace_forking(struct trace *tr, const struct dt_event *ev)
{
	uint32_t ppid = ev->ev_who != NULL ? ev->ev_who->drw_ppid : 0;
	const struct dt_event *found = NULL;
	const struct trace_probe *of;
	struct pair_call *pa = NULL;

	while ((pa = pair_each(&tr->tr_pairs, ppid, pa)) != NULL) {
		of = pa->pa_arg;
		if (of->tb_ends != EFFECTS_FORK)
			continue;
		if (found != NULL && ppid == 0)
			return NULL;
		found = &pa->pa_ev;
	}
	return found;
}

static void
trace_settle(struct procs *pr, void *arg)
{
	effects_do(pr, arg);
}

/* What the call has done is done between its arguments and its result, by
 * the format: a recording tells nothing of what comes before its event. */
static void
trace_follow(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *entry, const struct dt_event *ev)
{
	struct effects_call *fc = &tr->tr_done;

	if (tb->tb_follow == NULL || ev->ev_ret == NULL)
		return;
	fc->ec_follow = tb->tb_follow;
	fc->ec_entry = entry;
	fc->ec_ret = ev;
	if (tb->tb_ends == EFFECTS_FORK && ev->ev_ret->drr_retval == 0 &&
	    entry == NULL)
		fc->ec_entry = trace_forking(tr, ev);
	procs_later(tr->tr_procs, trace_settle, fc);
	if (tr->tr_sink.tk_hasfiles)
		procs_settle(tr->tr_procs);
}

static void
trace_line_return(struct trace *tr, const struct trace_probe *tb,
    const struct pair_call *pa, const struct dt_event *ev)
{
	struct out_event oe = {
		.oe_probe = tb->tb_probe,
		.oe_ev = ev,
		.oe_eprobe = tb->tb_entry,
		.oe_procs = tr->tr_procs,
		.oe_shape = &tb->tb_shape,
	};

	if (pa != NULL) {
		oe.oe_entry = &pa->pa_ev;
		if (pa->pa_flags & TRACE_CUT)
			oe.oe_flags = OUT_RESUMED;
		else if ((pa->pa_flags & TRACE_HELD) == 0)
			oe.oe_flags = OUT_APART;
	}
	trace_line(tr, &oe);
}

/*
 * Decides about a return that has neither an entry nor strings.  If the entry
 * is enabled, the device has left it out by its path, or it was lost.
 * Otherwise the call may have had a path that cannot be read any more.
 */
static enum within_verdict
trace_orphan(struct trace *tr, const struct trace_probe *tb)
{
	static const char *const untold[] = { "close", "execve", "execveat" };
	const char *func = tb->tb_probe->pr_desc.pd_info.dtpi_func;
	size_t i;

	if (tb->tb_entry != NULL) {
		if (tb->tb_shape.cph_nfds + tb->tb_shape.cph_npaths > 0)
			tr->tr_orphans++;
		return WITHIN_NOT;
	}
	for (i = 0; i < sizeof(untold) / sizeof(untold[0]); i++) {
		if (strcmp(func, untold[i]) == 0)
			return WITHIN_UNTOLD;
	}
	return WITHIN_NOT;
}

enum within_verdict
trace_return(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	struct pair_call *pa = trace_find(tr, tb, ev);
	enum within_verdict verdict;

	if (pa == NULL && tr->tr_within.wi_n != 0 && ev->ev_strings == NULL)
		verdict = trace_orphan(tr, tb);
	else if (pa == NULL)
		verdict = within_return(&tr->tr_within, ev);
	else {
		if (trace_verdict(pa) == WITHIN_UNREAD)
			trace_decide(tr, pa,
			    within_call(&tr->tr_within, &tb->tb_shape,
				&pa->pa_ev, ev));
		verdict = trace_verdict(pa);
	}
	trace_count(tr, verdict);
	trace_follow(tr, tb, pa != NULL ? &pa->pa_ev : NULL, ev);
	if (verdict == WITHIN_YES)
		trace_line_return(tr, tb, pa, ev);
	procs_settle(tr->tr_procs);
	if (pa != NULL)
		pair_drop(&tr->tr_pairs, pa);
	return verdict;
}

enum within_verdict
trace_paired(struct trace *tr, const struct trace_probe *tb,
    const struct paired *pd, const struct dt_event *ev)
{
	const struct trace_probe *first = trace_probe(tr, ev->ev_first);
	enum within_verdict verdict;

	if (first == NULL)
		return WITHIN_NOT;
	call_paths_touch(&first->tb_shape, tr->tr_procs, &pd->pd_first);
	verdict = within_call(&tr->tr_within, &first->tb_shape, &pd->pd_first,
	    &pd->pd_second);
	trace_count(tr, verdict);
	trace_follow(tr, tb, &pd->pd_first, &pd->pd_second);
	if (verdict == WITHIN_YES)
		trace_line(tr,
		    &(struct out_event){ .oe_probe = tb->tb_probe,
			.oe_ev = ev,
			.oe_eprobe = first->tb_probe,
			.oe_entry = &pd->pd_first,
			.oe_second = &pd->pd_second,
			.oe_flags = OUT_PAIRED,
			.oe_procs = tr->tr_procs,
			.oe_shape = &first->tb_shape });
	procs_settle(tr->tr_procs);
	return verdict;
}
