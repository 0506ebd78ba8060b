/* SPDX-License-Identifier: ISC */
/* Copies the mappings that a process had at a time, with their files open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access/charge.h"
#include "daemon/base/clock.h"
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_snapshot.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/proc_watch_impl.h"

#define VIEW_MSECS 500 /* for a file */
#define VIEW_PAUSE 10  /* times the cost of the last snapshot */

/* A view in the making. */
struct making {
	struct proc_view *mkg_view;
	size_t mkg_n, mkg_max;
	int mkg_isfull; /* no memory */
};

static int
making_grow(struct making *ma)
{
	size_t max = ma->mkg_max ? ma->mkg_max * 2 : 16;
	struct proc_view *pv;

	pv = realloc(ma->mkg_view, sizeof(*pv) + max * sizeof(pv->pv_maps[0]));
	if (pv == NULL)
		return 0;
	ma->mkg_view = pv;
	ma->mkg_max = max;
	return 1;
}

static void
making_mapping(const struct mapping *mg, void *arg)
{
	struct making *ma = arg;

	if (ma->mkg_n == ma->mkg_max && !making_grow(ma)) {
		ma->mkg_isfull = 1;
		return;
	}
	ma->mkg_view->pv_maps[ma->mkg_n++] = (struct proc_mapping){
		mg->mg_start, mg->mg_end, mg->mg_off,
		mapped_file_hold(mg->mg_file)
	};
}

static int
map_cmp(const void *a, const void *b)
{
	const struct proc_mapping *x = a, *y = b;

	return x->pm_start < y->pm_start ? -1 : x->pm_start > y->pm_start;
}

/* Only past mappings are out of order, so most views are sorted. */
static int
view_issorted(const struct proc_view *pv)
{
	size_t i;

	for (i = 1; i < pv->pv_nmaps; i++)
		if (map_cmp(&pv->pv_maps[i - 1], &pv->pv_maps[i]) > 0)
			return 0;
	return 1;
}

/* Joins adjacent mappings without a file.  The mappings are sorted. */
static void
view_sort(struct proc_view *pv)
{
	struct proc_mapping *sm, *last = NULL;
	size_t i;

	if (!view_issorted(pv))
		qsort(pv->pv_maps, pv->pv_nmaps, sizeof(pv->pv_maps[0]),
		    map_cmp);
	for (i = 0; i < pv->pv_nmaps; i++) {
		sm = &pv->pv_maps[i];
		if (last != NULL && last->pm_file == sm->pm_file &&
		    last->pm_end == sm->pm_start &&
		    sm->pm_file->mf_kind == MAPPED_FILE_ANON) {
			last->pm_end = sm->pm_end;
			mapped_file_release(sm->pm_file);
			continue;
		}
		last = last == NULL ? pv->pv_maps : last + 1;
		*last = *sm;
	}
	pv->pv_nmaps = last == NULL ? 0 : last + 1 - pv->pv_maps;
}

static uint64_t
gen_mix(uint64_t gen, uint64_t value)
{
	gen = (gen ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return gen ^ gen >> 32;
}

/*
 * The generation of the mappings since a time.  A mapping that becomes known
 * later does not change that time, so the ranges count, too.  Each half of the
 * result depends on everything.
 */
static uint64_t
view_gen(const struct proc_view *pv, uint64_t serial, uint64_t from)
{
	uint64_t gen = gen_mix(serial, from);
	size_t i;

	for (i = 0; i < pv->pv_nmaps; i++) {
		gen = gen_mix(gen, pv->pv_maps[i].pm_start);
		gen = gen_mix(gen, pv->pv_maps[i].pm_end);
		gen = gen_mix(gen, pv->pv_maps[i].pm_off);
	}
	return gen;
}

/* Under the table's lock.  until: time up to which records were read. */
static int
view_make(const struct process *ps, uint64_t nsecs, uint64_t until,
    struct proc_view **svp)
{
	const struct proc_span *sn = proc_table_span(ps, nsecs), *next;
	uint64_t from = sn->pn_from, at = nsecs;
	struct making ma = { 0 };

	if (!making_grow(&ma))
		return ENOMEM;
	addr_space_settle(sn->pn_space);
	for (next = ps->ps_spans; next != sn; next = next->pn_older)
		if (next->pn_from < until)
			until = next->pn_from;
	if (at >= sn->pn_asof) { /* the parent's, and it stays */
		uint64_t never = UINT64_MAX, early = 0;

		at = sn->pn_asof;
		addr_space_walk(sn->pn_space, at, making_mapping, &ma, &early,
		    &never);
	} else
		addr_space_walk(sn->pn_space, at, making_mapping, &ma, &from,
		    &until);
	ma.mkg_view->pv_nmaps = ma.mkg_n;
	if (ma.mkg_isfull) {
		proc_watch_view_free(ma.mkg_view);
		return ENOMEM;
	}
	ma.mkg_view->pv_from = from;
	ma.mkg_view->pv_until = until > nsecs ? until : nsecs + 1;
	ma.mkg_view->pv_gen = view_gen(ma.mkg_view, sn->pn_space->as_serial,
	    from);
	ma.mkg_view->pv_uid = ps->ps_uid;
	ma.mkg_view->pv_pid = ps->ps_pid;
	ma.mkg_view->pv_isnow = sn == ps->ps_spans && ps->ps_end == 0;
	*svp = ma.mkg_view;
	return 0;
}

/* Finds the files of its mappings, and opens them where possible. */
static int
view_open(struct proc_view *pv, struct root_dir *root)
{
	struct sighting ss = { .sg_pid = pv->pv_pid,
		.sg_uid = pv->pv_uid,
		.sg_root = root };
	struct mapped_file *mf;
	struct proc_mapping *sm;
	size_t i;

	view_sort(pv);
	for (i = 0; i < pv->pv_nmaps; i++) {
		sm = &pv->pv_maps[i];
		ss.sg_start = sm->pm_start;
		ss.sg_end = sm->pm_end;
		if ((mf = mapped_file_find(sm->pm_file, &ss, VIEW_MSECS)) ==
		    NULL)
			return ENOMEM;
		mapped_file_release(sm->pm_file);
		sm->pm_file = mf;
	}
	return 0;
}

/*
 * Returns the time of the last snapshot of a process.  A child that shares its
 * parent's mappings has had none: it may have executed a program since.
 */
static uint64_t
view_snapped(const struct proc_span *sn)
{
	return sn->pn_asof == UINT64_MAX ? sn->pn_space->as_snapped
					 : sn->pn_from;
}

/*
 * Returns whether the process may have mappings whose records were lost since
 * its last snapshot.  One with many mappings is not read all the time.
 */
static int
view_islossy(const struct proc_span *sn)
{
	const struct addr_space *as = sn->pn_space;

	return as->as_iswhole && view_snapped(sn) < proc_watch_lost() &&
	    view_snapped(sn) + VIEW_PAUSE * as->as_snapcost <
	    (uint64_t)clock_monotonic();
}

/*
 * Requests unknown mappings of the process that are still available.  It does
 * not wait for the pass over /proc that follows lost records, since processes
 * may end before.  Returns the errno of that request.
 */
static int
view_request(uint32_t pid, uint64_t nsecs)
{
	const struct process *ps;
	const struct proc_span *sn;
	int islive, iswhole = 0, islost = 0, waslooked = 0, error = 0;
	uint64_t since = 0;

	proc_table_lock();
	ps = proc_table_find(pid, nsecs);
	islive = ps == NULL || ps->ps_end == 0;
	if (ps != NULL) {
		sn = proc_table_span(ps, nsecs);
		addr_space_settle(sn->pn_space);
		iswhole = sn->pn_space->as_iswhole;
		since = view_snapped(sn);
		islost = view_islossy(sn);
		waslooked = ps->ps_isinspected;
	}
	proc_table_unlock();
	if (islive && (islost ? !inspect_isstuck(pid) : !iswhole))
		error = proc_snapshot_one(pid, islost ? since : 0);
	else if (!iswhole)
		proc_watch_settle(); /* it has its parent's mappings */
	if (islive && !waslooked && error == 0)
		error = proc_status_get(pid);
	return error;
}

/* CPU time of the calling thread, but for what it spends on all processes. */
static uint64_t
view_now(void)
{
	return charge_now() - proc_watch_drained();
}

int
proc_view_get(uint32_t pid, uint64_t nsecs, struct proc_view **svp)
{
	uint64_t until = proc_watch_sync(nsecs), at = nsecs + PROC_WATCH_SLACK;
	uint64_t begun = view_now();
	struct root_dir *root = NULL;
	struct process *ps;
	struct proc_view *pv;
	int error, why;

	if (until == 0)
		return ESRCH; /* monitoring is off */
	why = view_request(pid, at);
	error = why != 0 ? why : ESRCH;
	proc_table_lock();
	if ((ps = proc_table_find(pid, at)) != NULL) {
		error = view_make(ps, at, until, &pv);
		root = root_dir_get(ps->ps_root);
	}
	proc_table_unlock();
	if (error == 0) {
		if (pv->pv_from > nsecs)
			pv->pv_from = nsecs;
		pv->pv_error = why == ESRCH ? 0 : why;
		error = view_open(pv, root);
		pv->pv_cost = view_now() - begun;
		if (error == 0)
			*svp = pv;
		else
			proc_watch_view_free(pv);
	}
	root_dir_put(root);
	return error;
}

static int
view_mayread(const struct proc_view *pv, const struct mapped_file *mf,
    int (*keep)(const struct find_stat *, void *), void *arg)
{
	struct find_stat fs;

	return mf->mf_fd == -1 ||
	    (inspect_stat_request(mf->mf_fd, mapped_file_key(mf), pv->pv_uid,
		 &fs) == 0 &&
		keep(&fs, arg));
}

void
proc_watch_view_keep(struct proc_view *pv,
    int (*keep)(const struct find_stat *, void *), void *arg)
{
	struct proc_mapping *sm;
	size_t i, n = 0;

	for (i = 0; i < pv->pv_nmaps; i++) {
		sm = &pv->pv_maps[i];
		if (!view_mayread(pv, sm->pm_file, keep, arg))
			mapped_file_release(sm->pm_file);
		else
			pv->pv_maps[n++] = *sm;
	}
	pv->pv_nmaps = n;
}

void
proc_watch_view_free(struct proc_view *pv)
{
	size_t i;

	if (pv == NULL)
		return;
	for (i = 0; i < pv->pv_nmaps; i++)
		mapped_file_release(pv->pv_maps[i].pm_file);
	free(pv);
}
