/* SPDX-License-Identifier: ISC */
/*
 * Joins entries and returns of calls, and prints pairs that the kernel has
 * joined.
 */
#include <string.h>

#include "cli/calls/call_join.h"

/* Handles a call that does not return; it ends all threads of its process. */
static void
call_join_entry_ends(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev, enum path_filter_verdict verdict)
{
	uint32_t pid = ev->ev_rec->dr_pid;

	call_pending_count(tr, verdict);
	if (verdict == PATH_FILTER_YES)
		call_pending_line_entry(tr, tb, ev,
		    tr->ca_joins && tb->tb_ispaired ? CALL_NORETURN : 0);
	if (tb->tb_ends == EFFECTS_EXITALL && pid != 0) {
		call_pending_drop_all(tr, pid, NULL, CALL_NORETURN);
		procs_exit(tr->ca_procs, pid);
	}
}

enum path_filter_verdict
call_join_entry(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	int holds = tr->ca_joins && tb->tb_ispaired &&
	    tb->tb_ends != EFFECTS_JUMP;
	enum path_filter_verdict verdict;
	struct table_call *pa;

	pa = call_table_find(&tr->ca_pairs,
	    call_pending_key(tb, ev->ev_rec->dr_tid));
	if (pa != NULL)
		call_pending_drop(tr, pa, 0); /* the return was lost */
	call_paths_touch(&tb->tb_shape, tr->ca_procs, ev);
	verdict = path_filter_call(&tr->ca_within, &tb->tb_shape, ev, NULL);
	if (verdict == PATH_FILTER_UNREAD && !tb->tb_ispaired)
		verdict = PATH_FILTER_UNTOLD;
	if (tb->tb_ends == EFFECTS_EXIT || tb->tb_ends == EFFECTS_EXITALL) {
		call_join_entry_ends(tr, tb, ev, verdict);
		return verdict;
	}
	pa = NULL;
	if (holds ||
	    (tb->tb_ispaired && (tb->tb_follow || tr->ca_within.pft_n)))
		pa = call_pending_keep(tr, tb, ev);
	if (pa != NULL) {
		pa->tc_arg = tb;
		pa->tc_flags = verdict | (holds ? CALLS_HELD : 0);
	} else if (verdict == PATH_FILTER_UNREAD)
		verdict = PATH_FILTER_UNTOLD;
	if (verdict != PATH_FILTER_UNREAD)
		call_pending_count(tr, verdict);
	if (verdict == PATH_FILTER_YES && (!holds || pa == NULL))
		call_pending_line_entry(tr, tb, ev, 0);
	return verdict;
}

/*
 * Finds the execve(2) of a thread, which has the tid of the main thread at its
 * return.
 */
static struct table_call *
call_join_find_exec(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	const struct calls_probe *of;
	uint32_t pid = ev->ev_rec->dr_pid;
	struct table_call *pa = NULL;

	if (ev->ev_ret->drr_error != 0 || pid == 0)
		return NULL;
	while ((pa = call_table_each(&tr->ca_pairs, pid, pa)) != NULL) {
		of = pa->tc_arg;
		if (of->tb_probe == tb->tb_entry)
			break;
	}
	/* all other threads have ended */
	call_pending_drop_all(tr, pid, pa, CALL_NORETURN);
	return pa;
}

/* Returns the entry of this return, or NULL. */
static struct table_call *
call_join_find(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	const struct calls_probe *of;
	struct table_call *pa;

	if (tb->tb_entry == NULL || ev->ev_ret == NULL)
		return NULL;
	pa = call_table_find(&tr->ca_pairs,
	    call_pending_key(tb, ev->ev_rec->dr_tid));
	if (tb->tb_ends == EFFECTS_EXEC && ev->ev_ret->drr_error == 0)
		return call_join_find_exec(tr, tb, ev);
	if (pa == NULL)
		return NULL;
	of = pa->tc_arg;
	if (of->tb_probe == tb->tb_entry)
		return pa;
	call_pending_drop(tr, pa, 0); /* a return and an entry were lost */
	return NULL;
}

/*
 * Returns the parent's entry for a process that returns from fork: its record
 * names the parent; otherwise, there must be only one process in fork.
 */
static const struct dt_event *
call_join_forking(struct calls *tr, const struct dt_event *ev)
{
	uint32_t ppid = ev->ev_who != NULL ? ev->ev_who->drw_ppid : 0;
	const struct dt_event *found = NULL;
	const struct calls_probe *of;
	struct table_call *pa = NULL;

	while ((pa = call_table_each(&tr->ca_pairs, ppid, pa)) != NULL) {
		of = pa->tc_arg;
		if (of->tb_ends != EFFECTS_FORK)
			continue;
		if (found != NULL && ppid == 0)
			return NULL;
		found = &pa->tc_ev;
	}
	return found;
}

/*
 * Determines the effects of a call.  Returns 0 if it has none, or has not
 * returned.
 */
static int
call_join_effects(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *entry, const struct dt_event *ev,
    struct effects_call *fc)
{
	if (tb->tb_follow == NULL || ev->ev_ret == NULL)
		return 0;
	fc->ec_follow = tb->tb_follow;
	fc->ec_entry = entry;
	fc->ec_ret = ev;
	if (tb->tb_ends == EFFECTS_FORK && ev->ev_ret->drr_retval == 0 &&
	    entry == NULL)
		fc->ec_entry = call_join_forking(tr, ev);
	return 1;
}

static struct call
call_join_made(const struct calls_probe *tb, const struct table_call *pa,
    const struct dt_event *ev)
{
	struct call cl = {
		.cal_probe = tb->tb_probe,
		.cal_ev = ev,
		.cal_eprobe = tb->tb_entry,
	};

	if (pa != NULL) {
		cl.cal_entry = &pa->tc_ev;
		if (pa->tc_flags & CALLS_CUT)
			cl.cal_flags = CALL_RESUMED;
		else if ((pa->tc_flags & CALLS_HELD) == 0)
			cl.cal_flags = CALL_APART;
	}
	return cl;
}

/*
 * Verdict on a return without an entry and without strings.  If the entry is
 * enabled, the device filtered it by its path, or it was lost. Otherwise the
 * call may have had a path that can no longer be read.
 */
static enum path_filter_verdict
call_join_orphan(struct calls *tr, const struct calls_probe *tb)
{
	static const char *const untold[] = { "close", "execve", "execveat" };
	const char *func = tb->tb_probe->pr_desc.pd_info.dtpi_func;
	size_t i;

	if (tb->tb_entry != NULL) {
		if (tb->tb_shape.cph_nfds + tb->tb_shape.cph_npaths > 0)
			tr->ca_orphans++;
		return PATH_FILTER_NOT;
	}
	for (i = 0; i < sizeof(untold) / sizeof(untold[0]); i++) {
		if (strcmp(func, untold[i]) == 0)
			return PATH_FILTER_UNTOLD;
	}
	return PATH_FILTER_NOT;
}

enum path_filter_verdict
call_join_return(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	struct table_call *pa = call_join_find(tr, tb, ev);
	enum path_filter_verdict verdict;
	struct effects_call fc;
	struct call cl;
	int has;

	if (pa == NULL && tr->ca_within.pft_n != 0 && ev->ev_strings == NULL)
		verdict = call_join_orphan(tr, tb);
	else if (pa == NULL)
		verdict = path_filter_return(&tr->ca_within, ev);
	else {
		if (call_pending_verdict(pa) == PATH_FILTER_UNREAD)
			call_pending_decide(tr, pa,
			    path_filter_call(&tr->ca_within, &tb->tb_shape,
				&pa->tc_ev, ev));
		verdict = call_pending_verdict(pa);
	}
	call_pending_count(tr, verdict);
	has = call_join_effects(tr, tb, pa != NULL ? &pa->tc_ev : NULL, ev,
	    &fc);
	if (verdict == PATH_FILTER_YES) {
		cl = call_join_made(tb, pa, ev);
		call_pending_line(tr, &cl, &tb->tb_shape, has ? &fc : NULL);
	} else if (has)
		call_effects_do(tr->ca_procs, &fc);
	if (pa != NULL)
		call_table_drop(&tr->ca_pairs, pa);
	return verdict;
}

enum path_filter_verdict
call_join_paired(struct calls *tr, const struct calls_probe *tb,
    const struct kernel_pair *pd, const struct dt_event *ev)
{
	const struct calls_probe *first = calls_probe(tr, ev->ev_first);
	enum path_filter_verdict verdict;
	struct effects_call fc;
	int has;

	if (first == NULL)
		return PATH_FILTER_NOT;
	call_paths_touch(&first->tb_shape, tr->ca_procs, &pd->kpr_first);
	verdict = path_filter_call(&tr->ca_within, &first->tb_shape,
	    &pd->kpr_first, &pd->kpr_second);
	call_pending_count(tr, verdict);
	has = call_join_effects(tr, tb, &pd->kpr_first, &pd->kpr_second, &fc);
	if (verdict == PATH_FILTER_YES)
		call_pending_line(tr,
		    &(struct call){ .cal_probe = tb->tb_probe,
			.cal_ev = ev,
			.cal_eprobe = first->tb_probe,
			.cal_entry = &pd->kpr_first,
			.cal_second = &pd->kpr_second,
			.cal_flags = CALL_PAIRED },
		    &first->tb_shape, has ? &fc : NULL);
	else if (has)
		call_effects_do(tr->ca_procs, &fc);
	return verdict;
}
