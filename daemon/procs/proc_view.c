/* SPDX-License-Identifier: ISC */
/* The mappings of a process as they were, see proc_watch.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/inspect_find.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_snapshot.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/proc_watch_impl.h"

#define VIEW_MSECS 500 /* for a file */

/* A view in the making. */
struct making {
	struct symview *ma_view;
	size_t ma_n, ma_max;
	int ma_isfull; /* no memory */
};

static int
making_grow(struct making *ma)
{
	size_t max = ma->ma_max ? ma->ma_max * 2 : 16;
	struct symview *sv;

	sv = realloc(ma->ma_view, sizeof(*sv) + max * sizeof(sv->sv_maps[0]));
	if (sv == NULL)
		return 0;
	ma->ma_view = sv;
	ma->ma_max = max;
	return 1;
}

static void
making_mapping(const struct mapping *mg, void *arg)
{
	struct making *ma = arg;

	if (ma->ma_n == ma->ma_max && !making_grow(ma)) {
		ma->ma_isfull = 1;
		return;
	}
	ma->ma_view->sv_maps[ma->ma_n++] = (struct symmap){ mg->mg_start,
		mg->mg_end, mg->mg_off, mapped_file_hold(mg->mg_file) };
}

static int
map_cmp(const void *a, const void *b)
{
	const struct symmap *x = a, *y = b;

	return x->sm_start < y->sm_start ? -1 : x->sm_start > y->sm_start;
}

/* Sorted; memory without a file that touches becomes one mapping. */
static void
view_sort(struct symview *sv)
{
	struct symmap *sm, *last = NULL;
	size_t i;

	qsort(sv->sv_maps, sv->sv_nmaps, sizeof(sv->sv_maps[0]), map_cmp);
	for (i = 0; i < sv->sv_nmaps; i++) {
		sm = &sv->sv_maps[i];
		if (last != NULL && last->sm_file == sm->sm_file &&
		    last->sm_end == sm->sm_start &&
		    sm->sm_file->mf_kind == MAPPED_FILE_ANON) {
			last->sm_end = sm->sm_end;
			mapped_file_release(sm->sm_file);
			continue;
		}
		last = last == NULL ? sv->sv_maps : last + 1;
		*last = *sm;
	}
	sv->sv_nmaps = last == NULL ? 0 : last + 1 - sv->sv_maps;
}

/* Under the table's lock.  until: what was read. */
static int
view_make(const struct symproc *sp, uint64_t nsecs, uint64_t until,
    struct symview **svp)
{
	const struct symspan *sn = symtab_span(sp, nsecs), *next;
	uint64_t from = sn->sn_from, at = nsecs;
	struct making ma = { 0 };

	if (!making_grow(&ma))
		return ENOMEM;
	addr_space_settle(sn->sn_image);
	for (next = sp->sp_spans; next != sn; next = next->sn_older)
		if (next->sn_from < until)
			until = next->sn_from;
	if (at >= sn->sn_asof) { /* the parent's, and it stays */
		uint64_t never = UINT64_MAX, early = 0;

		at = sn->sn_asof;
		addr_space_walk(sn->sn_image, at, making_mapping, &ma, &early,
		    &never);
	} else
		addr_space_walk(sn->sn_image, at, making_mapping, &ma, &from,
		    &until);
	ma.ma_view->sv_nmaps = ma.ma_n;
	if (ma.ma_isfull) {
		symproc_view_free(ma.ma_view);
		return ENOMEM;
	}
	ma.ma_view->sv_from = from;
	ma.ma_view->sv_until = until > nsecs ? until : nsecs + 1;
	ma.ma_view->sv_gen = sn->sn_image->as_serial << 32 ^ from;
	ma.ma_view->sv_uid = sp->sp_uid;
	ma.ma_view->sv_pid = sp->sp_pid;
	ma.ma_view->sv_isnow = sn == sp->sp_spans && sp->sp_end == 0;
	*svp = ma.ma_view;
	return 0;
}

/* The files that its mappings mean, open if they could be. */
static int
view_open(struct symview *sv, struct symroot *root)
{
	struct sighting ss = { .sg_pid = sv->sv_pid,
		.sg_uid = sv->sv_uid,
		.sg_root = root };
	struct mapped_file *mf;
	struct symmap *sm;
	size_t i;

	view_sort(sv);
	for (i = 0; i < sv->sv_nmaps; i++) {
		sm = &sv->sv_maps[i];
		ss.sg_start = sm->sm_start;
		ss.sg_end = sm->sm_end;
		if ((mf = mapped_file_find(sm->sm_file, &ss, VIEW_MSECS)) ==
		    NULL)
			return ENOMEM;
		mapped_file_release(sm->sm_file);
		sm->sm_file = mf;
	}
	return 0;
}

/* What is not known of the process, and can still be asked, is asked: the errno
 * of that. */
static int
view_ask(uint32_t pid, uint64_t nsecs)
{
	const struct symproc *sp;
	int islive, iswhole = 0, waslooked = 0, error = 0;

	symtab_lock();
	sp = symtab_find(pid, nsecs);
	islive = sp == NULL || sp->sp_end == 0;
	if (sp != NULL) {
		iswhole = symtab_span(sp, nsecs)->sn_image->as_iswhole;
		waslooked = sp->sp_waslooked;
	}
	symtab_unlock();
	if (islive && !iswhole)
		error = symsnap_one(pid, 0);
	else if (!iswhole)
		symproc_settle(); /* its parent's mappings are its own */
	if (islive && !waslooked && error == 0)
		error = symlook(pid);
	return error;
}

int
symproc_view(uint32_t pid, uint64_t nsecs, struct symview **svp)
{
	uint64_t until = symproc_sync(nsecs), at = nsecs + SYMPROC_SLACK;
	struct symroot *root = NULL;
	struct symproc *sp;
	struct symview *sv;
	int error, asked;

	if (until == 0)
		return ESRCH; /* nobody holds it */
	asked = view_ask(pid, at);
	error = asked != 0 ? asked : ESRCH;
	symtab_lock();
	if ((sp = symtab_find(pid, at)) != NULL) {
		error = view_make(sp, at, until, &sv);
		root = symroot_get(sp->sp_root);
	}
	symtab_unlock();
	if (error == 0) {
		if (sv->sv_from > nsecs)
			sv->sv_from = nsecs;
		sv->sv_error = asked == ESRCH ? 0 : asked;
		error = view_open(sv, root);
		if (error == 0)
			*svp = sv;
		else
			symproc_view_free(sv);
	}
	symroot_put(root);
	return error;
}

static int
view_mayread(const struct symview *sv, const struct mapped_file *mf,
    int (*keep)(const struct find_stat *, void *), void *arg)
{
	struct find_stat fs;

	return mf->mf_fd == -1 ||
	    (inspect_stat_ask(mf->mf_fd, mapped_file_key(mf), sv->sv_uid,
		 &fs) == 0 &&
		keep(&fs, arg));
}

void
symproc_view_keep(struct symview *sv,
    int (*keep)(const struct find_stat *, void *), void *arg)
{
	struct symmap *sm;
	size_t i, n = 0;

	for (i = 0; i < sv->sv_nmaps; i++) {
		sm = &sv->sv_maps[i];
		if (!view_mayread(sv, sm->sm_file, keep, arg))
			mapped_file_release(sm->sm_file);
		else
			sv->sv_maps[n++] = *sm;
	}
	sv->sv_nmaps = n;
}

void
symproc_view_free(struct symview *sv)
{
	size_t i;

	if (sv == NULL)
		return;
	for (i = 0; i < sv->sv_nmaps; i++)
		mapped_file_release(sv->sv_maps[i].sm_file);
	free(sv);
}
