/* SPDX-License-Identifier: ISC */
/*
 * Calls under way: kept from their entry on, until they return, or are shown as
 * they are; and lines of what is shown.
 */
#include "cli/calls/call_join.h"

void
trace_count(struct trace *tr, enum within_verdict verdict)
{
	if (verdict == WITHIN_YES)
		tr->tr_shown++;
	else
		tr->tr_filtered++;
	if (verdict == WITHIN_UNTOLD)
		tr->tr_untold++;
}

void
trace_line(struct trace *tr, const struct out_event *oe)
{
	if (tr->tr_hassink &&
	    tr->tr_sink.tk_event(tr->tr_sink.tk_arg, oe) == -1)
		tr->tr_failed = 1;
}

void
trace_line_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev, unsigned int flags)
{
	trace_line(tr,
	    &(struct out_event){ .oe_probe = tb->tb_probe,
		.oe_ev = ev,
		.oe_flags = flags,
		.oe_procs = tr->tr_procs,
		.oe_shape = &tb->tb_shape });
}

enum within_verdict
trace_verdict(const struct pair_call *pa)
{
	return pa->pa_flags & TRACE_VERDICT;
}

void
trace_decide(struct trace *tr, struct pair_call *pa,
    enum within_verdict verdict)
{
	const struct trace_probe *tb = pa->pa_arg;

	if (trace_verdict(pa) != WITHIN_UNREAD)
		return;
	/* the device has found its return outside, or that was lost */
	if (verdict == WITHIN_UNREAD) {
		tr->tr_orphans++;
		verdict = WITHIN_NOT;
	}
	pa->pa_flags = (pa->pa_flags & ~TRACE_VERDICT) | verdict;
	trace_count(tr, verdict);
	if (verdict != WITHIN_YES || pa->pa_flags & (TRACE_HELD | TRACE_CUT))
		return;
	if (tr->tr_late != NULL)
		tr->tr_late(tr->tr_latearg, &pa->pa_ev);
	trace_line_entry(tr, tb, &pa->pa_ev, 0);
}

/* Shows what there is of a call that won't be joined any more. */
static void
trace_show(struct trace *tr, struct pair_call *pa, unsigned int flags)
{
	const struct trace_probe *tb = pa->pa_arg;

	trace_decide(tr, pa, WITHIN_UNREAD);
	if (trace_verdict(pa) != WITHIN_YES)
		return;
	if (pa->pa_flags & TRACE_HELD)
		trace_line_entry(tr, tb, &pa->pa_ev, flags);
	else if (pa->pa_flags & TRACE_CUT && flags & OUT_NORETURN)
		trace_line_entry(tr, tb, &pa->pa_ev, OUT_RESUMED | flags);
}

void
trace_drop(struct trace *tr, struct pair_call *pa, unsigned int flags)
{
	trace_show(tr, pa, flags);
	pair_drop(&tr->tr_pairs, pa);
}

void
trace_drop_all(struct trace *tr, uint32_t pid, const struct pair_call *but,
    unsigned int flags)
{
	struct pair_call *pa, *next;

	pa = pair_each(&tr->tr_pairs, pid, NULL);
	for (; pa != NULL; pa = next) {
		next = pair_each(&tr->tr_pairs, pid, pa);
		if (pa != but)
			trace_drop(tr, pa, flags);
	}
}

void
trace_age(struct trace *tr, uint64_t before)
{
	struct pair_call *pa;

	while ((pa = tr->tr_pairs.pp_young.pl_first) != NULL &&
	    pa->pa_ev.ev_rec->dr_time < before) {
		/* undecided calls wait for their return */
		if (trace_verdict(pa) != WITHIN_UNREAD) {
			trace_show(tr, pa, OUT_UNFINISHED);
			if (pa->pa_flags & TRACE_HELD)
				pa->pa_flags ^= TRACE_HELD | TRACE_CUT;
		}
		pair_age(&tr->tr_pairs, pa);
	}
}

struct pair_key
trace_key(const struct trace_probe *tb, uint32_t tid)
{
	return (struct pair_key){ .pk_tid = tid, .pk_kind = tb->tb_kind };
}

struct pair_call *
trace_keep(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	struct pair_key key = trace_key(tb, ev->ev_rec->dr_tid);
	struct pair_call *pa = pair_put(&tr->tr_pairs, key, ev);

	if (pa == NULL && tr->tr_pairs.pp_old.pl_first != NULL) {
		trace_decide(tr, tr->tr_pairs.pp_old.pl_first, WITHIN_UNREAD);
		pair_drop(&tr->tr_pairs, tr->tr_pairs.pp_old.pl_first);
		pa = pair_put(&tr->tr_pairs, key, ev);
	}
	return pa;
}
