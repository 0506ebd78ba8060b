/* SPDX-License-Identifier: ISC */
/*
 * Pending calls: keeps them from their entry to their return, or prints them
 * unfinished; prints joined calls.
 */
#include "cli/calls/call_join.h"

void
call_pending_count(struct calls *tr, enum path_filter_verdict verdict)
{
	if (verdict == PATH_FILTER_YES)
		tr->ca_shown++;
	else
		tr->ca_filtered++;
	if (verdict == PATH_FILTER_UNTOLD)
		tr->ca_untold++;
}

void
call_pending_line(struct calls *tr, struct call *cl,
    const struct call_paths *shape, const struct effects_call *fc)
{
	struct call_texts *cts = &tr->ca_texts;
	const struct consumer *cn = &tr->ca_consumer;
	int prints = cn->cns_ops != NULL && !(cn->cns_flags & CONSUMER_RAW);

	if (prints)
		call_resolve_entry(cts, cl, tr->ca_procs);
	if (prints && cn->cns_flags & CONSUMER_PATHS)
		call_resolve_paths(cts, cl, tr->ca_procs, shape);
	if (fc != NULL)
		call_effects_do(tr->ca_procs, fc);
	if (prints)
		call_resolve_return(cts, cl, tr->ca_procs,
		    cn->cns_flags & CONSUMER_JOINS &&
			cl->cal_flags & CALL_APART);
	if (cn->cns_ops != NULL && cn->cns_ops->cso_call(cn->cns_arg, cl) == -1)
		tr->ca_failed = 1;
}

void
call_pending_line_entry(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev, unsigned int flags)
{
	call_pending_line(tr,
	    &(struct call){ .cal_probe = tb->tb_probe,
		.cal_ev = ev,
		.cal_flags = flags },
	    &tb->tb_shape, NULL);
}

enum path_filter_verdict
call_pending_verdict(const struct table_call *pa)
{
	return pa->tc_flags & CALLS_VERDICT;
}

void
call_pending_decide(struct calls *tr, struct table_call *pa,
    enum path_filter_verdict verdict)
{
	const struct calls_probe *tb = pa->tc_arg;

	if (call_pending_verdict(pa) != PATH_FILTER_UNREAD)
		return;
	/* the device filtered its return by path, or it was lost */
	if (verdict == PATH_FILTER_UNREAD) {
		tr->ca_orphans++;
		verdict = PATH_FILTER_NOT;
	}
	pa->tc_flags = (pa->tc_flags & ~CALLS_VERDICT) | verdict;
	call_pending_count(tr, verdict);
	if (verdict != PATH_FILTER_YES ||
	    pa->tc_flags & (CALLS_HELD | CALLS_CUT))
		return;
	if (tr->ca_late != NULL)
		tr->ca_late(tr->ca_latearg, &pa->tc_ev);
	call_pending_line_entry(tr, tb, &pa->tc_ev, 0);
}

/* Prints a pending call that will not be joined. */
static void
call_pending_show(struct calls *tr, struct table_call *pa, unsigned int flags)
{
	const struct calls_probe *tb = pa->tc_arg;

	call_pending_decide(tr, pa, PATH_FILTER_UNREAD);
	if (call_pending_verdict(pa) != PATH_FILTER_YES)
		return;
	if (pa->tc_flags & CALLS_HELD)
		call_pending_line_entry(tr, tb, &pa->tc_ev, flags);
	else if (pa->tc_flags & CALLS_CUT && flags & CALL_NORETURN)
		call_pending_line_entry(tr, tb, &pa->tc_ev,
		    CALL_RESUMED | flags);
}

void
call_pending_drop(struct calls *tr, struct table_call *pa, unsigned int flags)
{
	call_pending_show(tr, pa, flags);
	call_table_drop(&tr->ca_pairs, pa);
}

void
call_pending_drop_all(struct calls *tr, uint32_t pid,
    const struct table_call *but, unsigned int flags)
{
	struct table_call *pa, *next;

	pa = call_table_each(&tr->ca_pairs, pid, NULL);
	for (; pa != NULL; pa = next) {
		next = call_table_each(&tr->ca_pairs, pid, pa);
		if (pa != but)
			call_pending_drop(tr, pa, flags);
	}
}

void
call_pending_age(struct calls *tr, uint64_t before)
{
	struct table_call *pa;

	while ((pa = tr->ca_pairs.ctb_young.cls_first) != NULL &&
	    pa->tc_ev.ev_rec->dr_time < before) {
		/* undecided calls wait for their return */
		if (call_pending_verdict(pa) != PATH_FILTER_UNREAD) {
			call_pending_show(tr, pa, CALL_UNFINISHED);
			if (pa->tc_flags & CALLS_HELD)
				pa->tc_flags ^= CALLS_HELD | CALLS_CUT;
		}
		call_table_age(&tr->ca_pairs, pa);
	}
}

struct call_key
call_pending_key(const struct calls_probe *tb, uint32_t tid)
{
	return (struct call_key){ .ck_tid = tid, .ck_kind = tb->tb_kind };
}

struct table_call *
call_pending_keep(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	struct call_key key = call_pending_key(tb, ev->ev_rec->dr_tid);
	struct table_call *pa = call_table_put(&tr->ca_pairs, key, ev);

	if (pa == NULL && tr->ca_pairs.ctb_old.cls_first != NULL) {
		call_pending_decide(tr, tr->ca_pairs.ctb_old.cls_first,
		    PATH_FILTER_UNREAD);
		call_table_drop(&tr->ca_pairs, tr->ca_pairs.ctb_old.cls_first);
		pa = call_table_put(&tr->ca_pairs, key, ev);
	}
	return pa;
}
