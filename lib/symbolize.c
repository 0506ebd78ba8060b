/* SPDX-License-Identifier: ISC */
/*
 * dt_symbolize() and dt_symbolize_file(): from addresses to frames, from the
 * handle's cache.  Missing addresses are requested once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/sym_request.h"

#define STACK_PCS 128 /* addresses for which stack memory suffices */

/* Frames as returned to the client; they hold a reference to their cache. */
struct box {
	struct dt_sym_cache *bx_cache;
	struct dt_frame bx_frames[];
};

/* A call in progress. */
struct symbolize {
	struct dt_symask smb_req;
	uint64_t smb_key; /* process and flags */
	const uint64_t *smb_pcs;
	size_t smb_npcs;
	const struct dt_answer **smb_answers; /* per address, or NULL */
};

static int
symbolize_compare(const void *a, const void *b)
{
	uint64_t pa = *(const uint64_t *)a, pb = *(const uint64_t *)b;

	return (pa > pb) - (pa < pb);
}

/*
 * Looks up all addresses at a time.  Returns the number of addresses that are
 * not cached.
 */
static size_t
symbolize_cached(struct symbolize *sm, const struct dt_view *vw, uint64_t nsecs)
{
	size_t i, nmissing = 0;

	for (i = 0; i < sm->smb_npcs; i++) {
		sm->smb_answers[i] = vw == NULL
		    ? NULL
		    : dt_view_get(vw, sm->smb_pcs[i], nsecs);
		nmissing += sm->smb_answers[i] == NULL;
	}
	return nmissing;
}

/*
 * Collects the addresses without frames, each once; at least the first address,
 * so that the reply identifies the current program of the process.
 */
static size_t
symbolize_missing(const struct symbolize *sm, uint64_t *pcs)
{
	size_t i, n = 0, nunique = 0;

	for (i = 0; i < sm->smb_npcs; i++) {
		if (sm->smb_answers[i] == NULL)
			pcs[n++] = sm->smb_pcs[i];
	}
	if (n == 0)
		pcs[n++] = sm->smb_pcs[0];
	qsort(pcs, n, sizeof(*pcs), symbolize_compare);
	for (i = 0; i < n; i++) {
		if (nunique == 0 || pcs[nunique - 1] != pcs[i])
			pcs[nunique++] = pcs[i];
	}
	return nunique;
}

/*
 * Requests missing addresses, caches the reply and looks up again, in the
 * reply's view: *vwp.  Returns the number still missing, or -1.
 */
static ssize_t
symbolize_fetch(struct dt *dt, struct dt_sym_cache *sc, struct symbolize *sm,
    struct dt_view **vwp)
{
	uint64_t nsecs = sm->smb_req.syk_nsecs, *pcs;
	struct dt_syms sy;
	ssize_t r = -1;
	size_t n;

	pcs = reallocarray(NULL, sm->smb_npcs, sizeof(*pcs));
	if (pcs == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	n = symbolize_missing(sm, pcs);
	if (dt_syms_get(dt, &sm->smb_req, pcs, n, &sy) == 0) {
		*vwp = dt_sym_cache_enter(sc, sm->smb_key, &sy);
		if (*vwp == NULL ||
		    dt_sym_cache_write(sc, *vwp, pcs, n, &sy) == -1) {
			dt_fail(dt, ENOMEM, NULL);
		} else {
			/* a time in the future means now */
			if (nsecs >= sy.sy_until)
				nsecs = sy.sy_until - 1;
			r = (ssize_t)symbolize_cached(sm, *vwp, nsecs);
		}
		dt_syms_free(&sy);
	}
	free(pcs);
	return r;
}

/*
 * Looks up and requests all addresses.  If the cache does not cover the time,
 * the last known code is assumed: if the reply confirms it, cached frames are
 * valid; otherwise the rest is requested again.  Two repetitions suffice
 * unless the process keeps changing its code.
 */
static int
symbolize_all(struct dt *dt, struct dt_sym_cache *sc, struct symbolize *sm)
{
	struct dt_view *vw;
	ssize_t n;
	int i;

	vw = dt_sym_cache_view(sc, sm->smb_key, sm->smb_req.syk_nsecs);
	n = (ssize_t)symbolize_cached(sm, vw, sm->smb_req.syk_nsecs);
	if (n == 0 && vw != NULL && dt_view_covers(vw, sm->smb_req.syk_nsecs))
		return 0;
	for (i = 0; i < 3; i++) {
		n = symbolize_fetch(dt, sc, sm, &vw);
		if (n <= 0)
			return (int)n;
	}
	return dt_fail(dt, EAGAIN, "the process changes its code too fast");
}

/* Copies frames for the client. */
static int
symbolize_copy(struct dt *dt, struct dt_sym_cache *sc,
    const struct symbolize *sm, struct dt_frames *frames)
{
	const struct dt_answer *an;
	struct dt_frame *df;
	struct box *bx;
	size_t i, n = 0;
	uint32_t j;

	for (i = 0; i < sm->smb_npcs; i++)
		n += sm->smb_answers[i]->an_n;
	bx = malloc(sizeof(*bx) + n * sizeof(bx->bx_frames[0]));
	if (bx == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	df = bx->bx_frames;
	for (i = 0; i < sm->smb_npcs; i++) {
		an = sm->smb_answers[i];
		for (j = 0; j < an->an_n; j++) {
			*df = an->an_frames[j];
			df++->df_pc = i;
		}
	}
	bx->bx_cache = dt_sym_cache_hold(sc);
	frames->df_n = n;
	frames->df_frames = bx->bx_frames;
	return 0;
}

/* Processes a call with the given cache. */
static int
symbolize_run(struct dt *dt, struct dt_sym_cache *sc, struct symbolize *sm,
    struct dt_frames *frames)
{
	const struct dt_answer *few[STACK_PCS];
	int r;

	sm->smb_answers = few;
	if (sm->smb_npcs > STACK_PCS)
		sm->smb_answers = reallocarray(NULL, sm->smb_npcs,
		    sizeof(struct dt_answer *));
	if (sm->smb_answers == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	r = symbolize_all(dt, sc, sm);
	if (r == 0)
		r = symbolize_copy(dt, sc, sm, frames);
	if (sm->smb_answers != few)
		free(sm->smb_answers);
	return r;
}

/* Returns the handle's cache, a new one if it is full; with its lock held. */
static struct dt_sym_cache *
symbolize_cache(struct dt_names *nm)
{
	if (nm->nm_cache != NULL &&
	    dt_sym_cache_size(nm->nm_cache) > CACHE_MAX) {
		dt_sym_cache_release(nm->nm_cache);
		nm->nm_cache = NULL;
	}
	if (nm->nm_cache == NULL)
		nm->nm_cache = dt_sym_cache_alloc();
	return nm->nm_cache;
}

/* Checks the arguments of both functions. */
static int
symbolize_check(struct dt *dt, const uint64_t *pcs, size_t npcs,
    unsigned int flags, const struct dt_frames *frames)
{
	if (frames == NULL || (pcs == NULL && npcs > 0))
		return dt_fail(dt, EFAULT, NULL);
	if ((flags & ~(unsigned int)DT_SYM_LINES) != 0)
		return dt_fail(dt, EINVAL, "invalid flags for dt_symbolize");
	return 0;
}

int
dt_symbolize(struct dt *dt, pid_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, unsigned int flags, struct dt_frames *frames)
{
	struct dt_names *nm = &dt->h_names;
	struct dt_sym_cache *sc;
	struct symbolize sm = {
		.smb_req = { .syk_pid = (uint32_t)pid,
		    /* now: later than any cached time */
		    .syk_nsecs = nsecs != 0 ? nsecs : UINT64_MAX,
		    .syk_flags = flags & DT_SYM_LINES ? DTSY_LINES : 0 },
		.smb_key = (uint64_t)(uint32_t)pid << 1 |
		    (flags & DT_SYM_LINES ? 1 : 0),
		.smb_pcs = pcs,
		.smb_npcs = npcs,
	};
	int r;

	if (symbolize_check(dt, pcs, npcs, flags, frames) == -1)
		return -1;
	if (pid < 0)
		return dt_fail(dt, EINVAL, "no such process");
	memset(frames, 0, sizeof(*frames));
	if (npcs == 0)
		return 0;
	pthread_mutex_lock(&nm->nm_lock);
	sc = symbolize_cache(nm);
	r = sc == NULL ? dt_fail(dt, ENOMEM, NULL)
		       : symbolize_run(dt, sc, &sm, frames);
	pthread_mutex_unlock(&nm->nm_lock);
	return r;
}

int
dt_symbolize_file(struct dt *dt, const char *path, const uint8_t *buildid,
    unsigned int len, const uint64_t *offsets, size_t n, unsigned int flags,
    struct dt_frames *frames)
{
	struct dt_sym_cache *sc;
	struct symbolize sm = {
		.smb_req = { .syk_flags = flags & DT_SYM_LINES ? DTSY_LINES : 0,
		    .syk_path = path,
		    .syk_buildid = buildid,
		    .syk_buildidlen = len },
		.smb_pcs = offsets,
		.smb_npcs = n,
	};
	int r;

	if (symbolize_check(dt, offsets, n, flags, frames) == -1 ||
	    dt_symask_check(dt, &sm.smb_req) == -1)
		return -1;
	memset(frames, 0, sizeof(*frames));
	if (n == 0)
		return 0;
	if ((sc = dt_sym_cache_alloc()) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	r = symbolize_run(dt, sc, &sm, frames);
	dt_sym_cache_release(sc);
	return r;
}

void
dt_frames_free(struct dt_frames *frames)
{
	struct box *bx;
	char *p;

	if (frames == NULL || frames->df_frames == NULL)
		return;
	p = (char *)frames->df_frames - offsetof(struct box, bx_frames);
	bx = (struct box *)p;
	dt_sym_cache_release(bx->bx_cache);
	free(bx);
	memset(frames, 0, sizeof(*frames));
}
