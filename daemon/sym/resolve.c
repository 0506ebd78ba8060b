/* SPDX-License-Identifier: ISC */
/* From addresses to names, see resolve.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#include "daemon/sym/resolve.h"

/* An address in a file (or, of JIT code, in memory), and whose it is. */
struct place {
	struct mapped_file *pl_file;
	uint64_t pl_off;
	struct symname *pl_name;
};

static void
name_fail(struct symname *sn, uint32_t why, int error)
{
	sn->sn_why = why;
	sn->sn_error = error;
}

/* Why the errno of opening or reading a file leaves an address nameless. */
static void
name_fail_file(struct symname *sn, const struct mapped_file *mf, int error)
{
	uint32_t why = DTFR_WORKER;

	sn->sn_passing = mapped_file_ispassing(error);
	if (error == ESTALE)
		why = DTFR_OTHER;
	else if (mf->mf_fd == -1 || error == EBUSY)
		why = DTFR_NOFILE;
	else if (error == ENOEXEC)
		why = DTFR_NOTELF;
	name_fail(sn, why, error);
}

static int
names_alloc(struct symnames *ss, size_t n)
{
	memset(ss, 0, sizeof(*ss));
	if ((ss->ss_names = calloc(n + 1, sizeof(*ss->ss_names))) == NULL)
		return ENOMEM;
	ss->ss_n = n;
	return 0;
}

void
symnames_free(struct symnames *ss)
{
	size_t i;

	for (i = 0; i < ss->ss_nframes; i++)
		symframes_free(&ss->ss_frames[i]);
	free(ss->ss_frames);
	free(ss->ss_names);
	memset(ss, 0, sizeof(*ss));
}

int
symnames_none(struct symnames *ss, size_t n, uint32_t why, int error)
{
	size_t i;

	if (names_alloc(ss, n) != 0)
		return ENOMEM;
	for (i = 0; i < n; i++)
		name_fail(&ss->ss_names[i], why, error);
	return 0;
}

/* The mapping that an address is in, or NULL. */
static const struct proc_mapping *
view_find(const struct proc_view *pv, uint64_t pc)
{
	size_t lo = 0, hi = pv->pv_nmaps, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (pv->pv_maps[mid].pm_start <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && pc < pv->pv_maps[lo - 1].pm_end ? &pv->pv_maps[lo - 1]
							 : NULL;
}

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	uint64_t xid = x->pl_file == NULL ? 0 : x->pl_file->mf_id;
	uint64_t yid = y->pl_file == NULL ? 0 : y->pl_file->mf_id;

	if (xid != yid)
		return xid < yid ? -1 : 1;
	return x->pl_off < y->pl_off ? -1 : x->pl_off > y->pl_off;
}

/* Hands frames to the names that they are of, and to ss, which frees them.
 * Each name gets those of its index in pl. */
static int
names_give(struct symnames *ss, const struct symframes *sy,
    const struct place *pl, size_t n)
{
	struct symframes *all;
	struct symname *sn;
	size_t i, m, pc;

	all = reallocarray(ss->ss_frames, ss->ss_nframes + 1, sizeof(*all));
	if (all == NULL)
		return ENOMEM;
	ss->ss_frames = all;
	all[ss->ss_nframes++] = *sy;
	for (i = 0; i < sy->sy_n; i += m) {
		pc = sy->sy_frames[i].sy_pc;
		for (m = 1;
		     i + m < sy->sy_n && sy->sy_frames[i + m].sy_pc == pc; m++)
			;
		if (pc >= n)
			continue;
		sn = pl[pc].pl_name;
		if (sy->sy_frames[i + m - 1].sy_func == NULL && m == 1)
			continue;
		sn->sn_frames = &sy->sy_frames[i];
		sn->sn_n = m;
		name_fail(sn, DTFR_NAMED, 0);
	}
	return 0;
}

/* n places of one file.  ENOMEM. */
static int
names_of_file(struct symnames *ss, const struct place *pl, size_t n,
    const uint64_t *offsets, unsigned int flags)
{
	struct mapped_file *mf = pl->pl_file;
	struct symframes sy;
	uint8_t id[MAPPED_FILE_BUILDID];
	uint32_t idlen;
	size_t i;
	int error;

	error = symbolizer_names(mf, offsets, n, flags, &sy);
	if (error == 0) /* names may be known by another name of the file */
		(void)symbolizer_buildid(mf, id, &idlen);
	for (i = 0; i < n; i++)
		if (error == 0)
			name_fail(pl[i].pl_name, DTFR_NOSYM, 0);
		else
			name_fail_file(pl[i].pl_name, mf, error);
	if (error != 0)
		return error == ENOMEM ? ENOMEM : 0;
	if ((error = names_give(ss, &sy, pl, n)) != 0)
		symframes_free(&sy);
	return error;
}

/* Code without a file: the process may have told its names. */
static int
names_of_jit(struct symnames *ss, const struct proc_view *pv, uint64_t nsecs,
    const struct place *pl, size_t n, const uint64_t *pcs)
{
	struct symframes sy;
	int error, fd;
	size_t i;

	error = proc_perf_map_open(pv->pv_pid, nsecs, &fd);
	if (error == 0) {
		error = symbolizer_jit(fd, pv->pv_uid,
		    (uint64_t)pv->pv_pid << 32 | (uint32_t)pv->pv_gen, pcs, n,
		    &sy);
		close(fd);
	}
	for (i = 0; i < n; i++)
		name_fail(pl[i].pl_name, DTFR_ANON, error);
	if (error != 0)
		return error == ENOMEM ? ENOMEM : 0;
	if ((error = names_give(ss, &sy, pl, n)) != 0)
		symframes_free(&sy);
	return error;
}

/* All places, file by file; pv NULL: there is no process. */
static int
names_of_places(struct symnames *ss, const struct proc_view *pv, uint64_t nsecs,
    struct place *pl, size_t n, unsigned int flags)
{
	uint64_t *offsets;
	int error = 0;
	size_t i, m;

	if ((offsets = reallocarray(NULL, n + 1, sizeof(*offsets))) == NULL)
		return ENOMEM;
	qsort(pl, n, sizeof(*pl), place_cmp);
	for (i = 0; i < n; i++)
		offsets[i] = pl[i].pl_off;
	for (i = 0; error == 0 && i < n; i += m) {
		for (m = 1; i + m < n && pl[i + m].pl_file == pl[i].pl_file;
		     m++)
			;
		if (pl[i].pl_file == NULL)
			error = names_of_jit(ss, pv, nsecs, &pl[i], m,
			    &offsets[i]);
		else
			error = names_of_file(ss, &pl[i], m, &offsets[i],
			    flags);
	}
	free(offsets);
	return error;
}

/* Where an address is: whether there is anything to ask for. */
static int
view_place(const struct proc_view *pv, uint64_t pc, struct symname *sn,
    struct place *pl)
{
	const struct proc_mapping *sm = view_find(pv, pc);

	if (sm == NULL) {
		name_fail(sn, DTFR_NOMAP,
		    pv->pv_error != 0 ? pv->pv_error : ENOENT);
		sn->sn_passing = pv->pv_error != 0;
		return 0;
	}
	sn->sn_file = sm->pm_file;
	sn->sn_off = pc - sm->pm_start + sm->pm_off;
	pl->pl_name = sn;
	pl->pl_off = sn->sn_off;
	pl->pl_file = sm->pm_file;
	if (sm->pm_file->mf_kind == MAPPED_FILE_ANON) {
		pl->pl_file = NULL;
		pl->pl_off = pc;
		sn->sn_base = pc - sn->sn_off;
		sn->sn_passing = 1;
	}
	return 1;
}

int
symnames_view(struct symnames *ss, const struct proc_view *pv, uint64_t nsecs,
    const uint64_t *pcs, size_t n, unsigned int flags)
{
	struct place *pl;
	size_t i, nplaces = 0;
	int error;

	if ((error = names_alloc(ss, n)) != 0)
		return error;
	if ((pl = reallocarray(NULL, n + 1, sizeof(*pl))) == NULL) {
		symnames_free(ss);
		return ENOMEM;
	}
	for (i = 0; i < n; i++)
		nplaces += view_place(pv, pcs[i], &ss->ss_names[i],
		    &pl[nplaces]);
	error = names_of_places(ss, pv, nsecs, pl, nplaces, flags);
	free(pl);
	if (error != 0)
		symnames_free(ss);
	return error;
}

int
symnames_file(struct symnames *ss, struct mapped_file *mf,
    const uint64_t *offsets, size_t n, unsigned int flags)
{
	struct place *pl;
	size_t i;
	int error;

	if ((error = names_alloc(ss, n)) != 0)
		return error;
	if ((pl = reallocarray(NULL, n + 1, sizeof(*pl))) == NULL) {
		symnames_free(ss);
		return ENOMEM;
	}
	for (i = 0; i < n; i++) {
		ss->ss_names[i].sn_file = mf;
		ss->ss_names[i].sn_off = offsets[i];
		pl[i] = (struct place){ mf, offsets[i], &ss->ss_names[i] };
	}
	error = names_of_places(ss, NULL, 0, pl, n, flags);
	free(pl);
	if (error != 0)
		symnames_free(ss);
	return error;
}
