/* SPDX-License-Identifier: ISC */
/*
 * Resolves addresses of user code to frames: finds the mapping of each address,
 * then requests the symbols of each file (symbolizer.c), which are cached.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#include "daemon/sym/resolve_user.h"

/* An address in a file (of JIT code: in memory), and its result. */
struct place {
	struct mapped_file *rpl_file;
	uint64_t rpl_off;
	struct resolved *rpl_result;
};

static void
resolve_reason(struct resolved *re, uint32_t why, int error)
{
	re->re_why = why;
	re->re_error = error;
}

/*
 * Sets the reason (DTFR_*) why an address has no symbol, from the errno of
 * opening or reading its file.
 */
static void
resolve_reason_file(struct resolved *re, const struct mapped_file *mf,
    int error)
{
	uint32_t why = DTFR_WORKER;

	re->re_passing = mapped_file_ispassing(error);
	if (error == ESTALE)
		why = DTFR_OTHER;
	else if (mf->mf_fd == -1 || error == EBUSY)
		why = DTFR_NOFILE;
	else if (error == ENOEXEC)
		why = DTFR_NOTELF;
	resolve_reason(re, why, error);
}

static int
resolve_alloc(struct resolved_list *rl, size_t n)
{
	memset(rl, 0, sizeof(*rl));
	if ((rl->rl_v = calloc(n + 1, sizeof(*rl->rl_v))) == NULL)
		return ENOMEM;
	rl->rl_n = n;
	return 0;
}

void
resolve_free(struct resolved_list *rl)
{
	size_t i;

	for (i = 0; i < rl->rl_nframes; i++)
		symbol_frames_free(&rl->rl_frames[i]);
	free(rl->rl_frames);
	free(rl->rl_v);
	memset(rl, 0, sizeof(*rl));
}

int
resolve_none(struct resolved_list *rl, size_t n, uint32_t why, int error)
{
	size_t i;

	if (resolve_alloc(rl, n) != 0)
		return ENOMEM;
	for (i = 0; i < n; i++)
		resolve_reason(&rl->rl_v[i], why, error);
	return 0;
}

/* Returns the mapping that contains an address, or NULL. */
static const struct proc_mapping *
resolve_mapping(const struct proc_view *pv, uint64_t pc)
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
resolve_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	uint64_t xid = x->rpl_file == NULL ? 0 : x->rpl_file->mf_id;
	uint64_t yid = y->rpl_file == NULL ? 0 : y->rpl_file->mf_id;

	if (xid != yid)
		return xid < yid ? -1 : 1;
	return x->rpl_off < y->rpl_off ? -1 : x->rpl_off > y->rpl_off;
}

/*
 * Passes frames to their addresses, by index in pl, and to rl, which frees
 * them.
 */
static int
resolve_frames(struct resolved_list *rl, const struct symbol_frames *sy,
    const struct place *pl, size_t n)
{
	struct symbol_frames *all;
	struct resolved *re;
	size_t i, m, pc;

	all = reallocarray(rl->rl_frames, rl->rl_nframes + 1, sizeof(*all));
	if (all == NULL)
		return ENOMEM;
	rl->rl_frames = all;
	all[rl->rl_nframes++] = *sy;
	for (i = 0; i < sy->syf_n; i += m) {
		pc = sy->syf_frames[i].wf_pc;
		for (m = 1;
		     i + m < sy->syf_n && sy->syf_frames[i + m].wf_pc == pc;
		     m++)
			;
		if (pc >= n)
			continue;
		re = pl[pc].rpl_result;
		if (sy->syf_frames[i + m - 1].wf_func == 0 && m == 1)
			continue;
		re->re_frames = &sy->syf_frames[i];
		re->re_strings = sy->syf_strings;
		re->re_n = m;
		resolve_reason(re, DTFR_NAMED, 0);
	}
	return 0;
}

/* n places of one file.  ENOMEM. */
static int
resolve_in_file(struct resolved_list *rl, const struct place *pl, size_t n,
    const uint64_t *offsets, unsigned int flags)
{
	struct mapped_file *mf = pl->rpl_file;
	struct symbol_frames sy;
	uint8_t id[MAPPED_FILE_BUILDID];
	uint32_t idlen;
	size_t i;
	int error;

	error = symbolizer_names(mf, offsets, n, flags, &sy);
	if (error == 0) /* the cache may have the file under another path */
		(void)symbolizer_buildid(mf, id, &idlen);
	for (i = 0; i < n; i++)
		if (error == 0)
			resolve_reason(pl[i].rpl_result, DTFR_NOSYM, 0);
		else
			resolve_reason_file(pl[i].rpl_result, mf, error);
	if (error != 0)
		return error == ENOMEM ? ENOMEM : 0;
	if ((error = resolve_frames(rl, &sy, pl, n)) != 0)
		symbol_frames_free(&sy);
	return error;
}

/* Resolves code without a file: the process may have written a perf map. */
static int
resolve_in_perf_map(struct resolved_list *rl, const struct proc_view *pv,
    uint64_t nsecs, const struct place *pl, size_t n, const uint64_t *pcs)
{
	struct symbol_frames sy;
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
		resolve_reason(pl[i].rpl_result, DTFR_ANON, error);
	if (error != 0)
		return error == ENOMEM ? ENOMEM : 0;
	if ((error = resolve_frames(rl, &sy, pl, n)) != 0)
		symbol_frames_free(&sy);
	return error;
}

/* All places, file by file; pv NULL: there is no process. */
static int
resolve_places(struct resolved_list *rl, const struct proc_view *pv,
    uint64_t nsecs, struct place *pl, size_t n, unsigned int flags)
{
	uint64_t *offsets;
	int error = 0;
	size_t i, m;

	if ((offsets = reallocarray(NULL, n + 1, sizeof(*offsets))) == NULL)
		return ENOMEM;
	qsort(pl, n, sizeof(*pl), resolve_compare);
	for (i = 0; i < n; i++)
		offsets[i] = pl[i].rpl_off;
	for (i = 0; error == 0 && i < n; i += m) {
		for (m = 1; i + m < n && pl[i + m].rpl_file == pl[i].rpl_file;
		     m++)
			;
		if (pl[i].rpl_file == NULL)
			error = resolve_in_perf_map(rl, pv, nsecs, &pl[i], m,
			    &offsets[i]);
		else
			error = resolve_in_file(rl, &pl[i], m, &offsets[i],
			    flags);
	}
	free(offsets);
	return error;
}

/* Stores the file and offset of an address. Returns 0 if nothing is mapped. */
static int
resolve_place(const struct proc_view *pv, uint64_t pc, struct resolved *re,
    struct place *pl)
{
	const struct proc_mapping *sm = resolve_mapping(pv, pc);

	if (sm == NULL) {
		resolve_reason(re, DTFR_NOMAP,
		    pv->pv_error != 0 ? pv->pv_error : ENOENT);
		re->re_passing = pv->pv_error != 0;
		return 0;
	}
	re->re_file = sm->pm_file;
	re->re_off = pc - sm->pm_start + sm->pm_off;
	pl->rpl_result = re;
	pl->rpl_off = re->re_off;
	pl->rpl_file = sm->pm_file;
	if (sm->pm_file->mf_kind == MAPPED_FILE_ANON) {
		pl->rpl_file = NULL;
		pl->rpl_off = pc;
		re->re_passing = 1;
	}
	return 1;
}

int
resolve_view(struct resolved_list *rl, const struct proc_view *pv,
    uint64_t nsecs, const uint64_t *pcs, size_t n, unsigned int flags)
{
	struct place *pl;
	size_t i, nplaces = 0;
	int error;

	if ((error = resolve_alloc(rl, n)) != 0)
		return error;
	if ((pl = reallocarray(NULL, n + 1, sizeof(*pl))) == NULL) {
		resolve_free(rl);
		return ENOMEM;
	}
	for (i = 0; i < n; i++)
		nplaces += resolve_place(pv, pcs[i], &rl->rl_v[i],
		    &pl[nplaces]);
	error = resolve_places(rl, pv, nsecs, pl, nplaces, flags);
	free(pl);
	if (error != 0)
		resolve_free(rl);
	return error;
}

int
resolve_file(struct resolved_list *rl, struct mapped_file *mf,
    const uint64_t *offsets, size_t n, unsigned int flags)
{
	struct place *pl;
	size_t i;
	int error;

	if ((error = resolve_alloc(rl, n)) != 0)
		return error;
	if ((pl = reallocarray(NULL, n + 1, sizeof(*pl))) == NULL) {
		resolve_free(rl);
		return ENOMEM;
	}
	for (i = 0; i < n; i++) {
		rl->rl_v[i].re_file = mf;
		rl->rl_v[i].re_off = offsets[i];
		pl[i] = (struct place){ mf, offsets[i], &rl->rl_v[i] };
	}
	error = resolve_places(rl, NULL, 0, pl, n, flags);
	free(pl);
	if (error != 0)
		resolve_free(rl);
	return error;
}
