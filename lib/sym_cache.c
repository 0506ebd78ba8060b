/* SPDX-License-Identifier: ISC */
/*
 * A cache of the daemon's replies about addresses.  All data of a cache is in
 * chunks and tables that are freed with it.  Each string and build id is stored
 * once.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sym_request.h"
#include "lib/sym_cache.h"

#define BOOK_CHUNK (64U << 10)

struct chunk {
	struct chunk *sck_next;
	size_t sck_size;
	size_t sck_used;
	_Alignas(16) uint8_t sck_bytes[];
};

struct dt_sym_cache {
	atomic_uint scc_refs;
	struct chunk *scc_chunks; /* the first one has space */
	size_t scc_size;	  /* bytes of chunks and tables */
	struct hash scc_views;	  /* key -> struct dt_view */
	struct hash scc_strings;  /* keys: strings with their NUL */
	struct hash scc_buildids; /* keys: 20 bytes */
};

struct dt_sym_cache *
dt_sym_cache_alloc(void)
{
	struct dt_sym_cache *bk;

	bk = calloc(1, sizeof(*bk));
	if (bk != NULL)
		atomic_store(&bk->scc_refs, 1);
	return bk;
}

struct dt_sym_cache *
dt_sym_cache_hold(struct dt_sym_cache *bk)
{
	atomic_fetch_add(&bk->scc_refs, 1);
	return bk;
}

/*
 * Frees the tables of a list of views, called by dt_hash_free(); the views
 * themselves are in chunks.
 */
static void
cache_view_free(void *arg)
{
	struct dt_view *vw;

	for (vw = arg; vw != NULL; vw = vw->vw_next)
		dt_hash_free(&vw->vw_pcs, NULL);
}

void
dt_sym_cache_release(struct dt_sym_cache *bk)
{
	struct chunk *ck;

	if (bk == NULL || atomic_fetch_sub(&bk->scc_refs, 1) != 1)
		return;
	dt_hash_free(&bk->scc_views, cache_view_free);
	dt_hash_free(&bk->scc_strings, NULL);
	dt_hash_free(&bk->scc_buildids, NULL);
	while ((ck = bk->scc_chunks) != NULL) {
		bk->scc_chunks = ck->sck_next;
		free(ck);
	}
	free(bk);
}

size_t
dt_sym_cache_size(const struct dt_sym_cache *bk)
{
	return bk->scc_size;
}

void
dt_names_init(struct dt_names *nm)
{
	pthread_mutex_init(&nm->nm_lock, NULL);
	nm->nm_cache = NULL;
}

void
dt_names_free(struct dt_names *nm)
{
	dt_sym_cache_release(nm->nm_cache);
	nm->nm_cache = NULL;
	pthread_mutex_destroy(&nm->nm_lock);
}

static void *
cache_bytes(struct dt_sym_cache *bk, size_t nbytes)
{
	size_t size = nbytes > BOOK_CHUNK ? nbytes : BOOK_CHUNK;
	struct chunk *ck = bk->scc_chunks;
	void *p;

	nbytes = (nbytes + 15) & ~(size_t)15;
	if (ck == NULL || ck->sck_size - ck->sck_used < nbytes) {
		size = (size + 15) & ~(size_t)15;
		ck = malloc(sizeof(*ck) + size);
		if (ck == NULL)
			return NULL;
		ck->sck_next = bk->scc_chunks;
		ck->sck_size = size;
		ck->sck_used = 0;
		bk->scc_chunks = ck;
		bk->scc_size += sizeof(*ck) + size;
	}
	p = ck->sck_bytes + ck->sck_used;
	ck->sck_used += nbytes;
	return p;
}

/* Returns the cache's copy of bytes; NULL: ENOMEM. */
static const void *
cache_intern(struct dt_sym_cache *bk, struct hash *m, const void *bytes,
    size_t nbytes)
{
	size_t before = m->ha_nbytes;
	const struct hash_entry *e = dt_hash_get(m, bytes, nbytes);

	bk->scc_size += m->ha_nbytes - before;
	return e != NULL ? e->he_key : NULL;
}

/*
 * Returns the cache's copy of a string of a reply; NULL if it has none, or if
 * memory runs out.
 */
static const char *
cache_string(struct dt_sym_cache *bk, const struct dt_syms *sy, uint32_t ref)
{
	const char *s = dt_syms_string(sy, ref);

	return s == NULL ? NULL
			 : cache_intern(bk, &bk->scc_strings, s, strlen(s) + 1);
}

bool
dt_view_covers(const struct dt_view *vw, uint64_t nsecs)
{
	return vw->vw_from <= nsecs && nsecs < vw->vw_until;
}

struct dt_view *
dt_sym_cache_view(const struct dt_sym_cache *bk, uint64_t key, uint64_t nsecs)
{
	struct dt_view *vw, *last = NULL;

	for (vw = dt_hash_ptr(&bk->scc_views, key); vw != NULL;
	     vw = vw->vw_next) {
		if (dt_view_covers(vw, nsecs))
			return vw;
		if (last == NULL || vw->vw_until > last->vw_until)
			last = vw;
	}
	return last;
}

struct dt_view *
dt_sym_cache_enter(struct dt_sym_cache *bk, uint64_t key,
    const struct dt_syms *sy)
{
	struct dt_view *first = dt_hash_ptr(&bk->scc_views, key), *vw;

	for (vw = first; vw != NULL; vw = vw->vw_next) {
		if (vw->vw_gen == sy->sy_gen)
			break;
	}
	if (vw == NULL) {
		if ((vw = cache_bytes(bk, sizeof(*vw))) == NULL)
			return NULL;
		memset(vw, 0, sizeof(*vw));
		vw->vw_gen = sy->sy_gen;
		vw->vw_from = sy->sy_from;
		vw->vw_until = sy->sy_until;
		vw->vw_next = first;
		return dt_hash_put(&bk->scc_views, key, vw) == -1 ? NULL : vw;
	}
	if (sy->sy_from < vw->vw_from)
		vw->vw_from = sy->sy_from;
	if (sy->sy_until > vw->vw_until)
		vw->vw_until = sy->sy_until;
	return vw;
}

const struct dt_answer *
dt_view_get(const struct dt_view *vw, uint64_t pc, uint64_t nsecs)
{
	const struct dt_answer *an = dt_hash_ptr(&vw->vw_pcs, pc);

	if (an != NULL && an->an_passing && nsecs >= an->an_until)
		return NULL;
	return an;
}

/* Converts a frame of a reply. -1: ENOMEM. */
static int
cache_frame(struct dt_sym_cache *bk, const struct dt_syms *sy,
    const struct wire_frame *wf, struct dt_frame *df)
{
	memset(df, 0, sizeof(*df));
	df->df_func = cache_string(bk, sy, wf->wf_func);
	df->df_module = cache_string(bk, sy, wf->wf_module);
	df->df_file = cache_string(bk, sy, wf->wf_file);
	if (wf->wf_buildidlen > 0)
		df->df_buildid = cache_intern(bk, &bk->scc_buildids,
		    wf->wf_buildid, sizeof(wf->wf_buildid));
	df->df_buildidlen = wf->wf_buildidlen;
	df->df_offset = wf->wf_func != 0 ? wf->wf_offset : wf->wf_fileoff;
	df->df_fileoff = wf->wf_fileoff;
	df->df_line = wf->wf_line;
	df->df_inlined = (wf->wf_flags & WIRE_FRAME_INLINED) != 0;
	df->df_why = wf->wf_func != 0  ? DTFR_NAMED
	    : wf->wf_why != DTFR_NAMED ? wf->wf_why
				       : DTFR_NOSYM;
	df->df_error = (int)wf->wf_error;
	return (wf->wf_func != 0 && df->df_func == NULL) ||
		(wf->wf_module != 0 && df->df_module == NULL) ||
		(wf->wf_file != 0 && df->df_file == NULL) ||
		(wf->wf_buildidlen != 0 && df->df_buildid == NULL)
	    ? -1
	    : 0;
}

/*
 * Adds the n frames of an address, beginning with *wf; 0: an address without a
 * symbol.
 */
static int
cache_answer(struct dt_sym_cache *bk, struct dt_view *vw, uint64_t pc,
    const struct dt_syms *sy, const struct wire_frame *wf, uint32_t n)
{
	static const struct wire_frame none = { .wf_why = DTFR_NOSYM };
	struct dt_answer *an;
	size_t before = vw->vw_pcs.ha_nbytes, size;
	uint32_t i;

	if (n == 0) {
		wf = &none;
		n = 1;
	}
	size = sizeof(*an) + n * sizeof(an->an_frames[0]);
	if ((an = cache_bytes(bk, size)) == NULL)
		return -1;
	an->an_until = sy->sy_until;
	an->an_passing = false;
	an->an_n = n;
	for (i = 0; i < n; i++) {
		if (cache_frame(bk, sy, &wf[i], &an->an_frames[i]) == -1)
			return -1;
		if (wf[i].wf_flags & WIRE_FRAME_PASSING)
			an->an_passing = true;
	}
	if (dt_hash_put(&vw->vw_pcs, pc, an) == -1)
		return -1;
	bk->scc_size += vw->vw_pcs.ha_nbytes - before;
	return 0;
}

int
dt_sym_cache_write(struct dt_sym_cache *bk, struct dt_view *vw,
    const uint64_t *pcs, size_t npcs, const struct dt_syms *sy)
{
	const struct wire_frame *wf = sy->sy_frames;
	const struct wire_frame *end = wf + sy->sy_nframes;
	uint32_t n;
	size_t i;

	for (i = 0; i < npcs; i++, wf += n) {
		for (n = 0; wf + n < end && wf[n].wf_pc == i; n++)
			;
		if (cache_answer(bk, vw, pcs[i], sy, wf, n) == -1)
			return -1;
	}
	return 0;
}
