/* SPDX-License-Identifier: ISC */
/* Inserts and removes mappings in chunks; a full chunk is split in two. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/procs/mappings.h"

#define CHUNK_MIN 4 /* mappings; most processes have fewer */
#define CHUNK_MAX 128

struct mapping_pos
mappings_find(const struct mappings *ms, uint64_t addr)
{
	struct mapping_pos mp = { 0, 0 };
	const struct mapping_chunk *mc;
	size_t lo = 0, hi = ms->mgs_nchunks, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		mc = ms->mgs_chunks[mid];
		if (mc->mc_mappings[mc->mc_n - 1].mg_end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	mp.mp_chunk = lo;
	if (lo == ms->mgs_nchunks)
		return mp;
	mc = ms->mgs_chunks[lo];
	for (lo = 0, hi = mc->mc_n; lo < hi;) {
		mid = (lo + hi) / 2;
		if (mc->mc_mappings[mid].mg_end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	mp.mp_index = lo;
	return mp;
}

struct mapping *
mappings_at(const struct mappings *ms, struct mapping_pos *mp)
{
	/* past the end of a chunk is the beginning of the next */
	if (mp->mp_chunk < ms->mgs_nchunks &&
	    mp->mp_index >= ms->mgs_chunks[mp->mp_chunk]->mc_n) {
		mp->mp_chunk++;
		mp->mp_index = 0;
	}
	if (mp->mp_chunk >= ms->mgs_nchunks)
		return NULL;
	return &ms->mgs_chunks[mp->mp_chunk]->mc_mappings[mp->mp_index];
}

static struct mapping_chunk *
chunk_resize(struct mappings *ms, struct mapping_chunk *mc, uint32_t max)
{
	uint32_t old = mc != NULL ? mc->mc_max : 0;
	struct mapping_chunk *new;

	new = realloc(mc, sizeof(*mc) + max * sizeof(mc->mc_mappings[0]));
	if (new == NULL)
		return NULL;
	if (mc == NULL) {
		new->mc_n = 0;
		ms->mgs_nbytes += sizeof(*mc);
	}
	new->mc_max = max;
	ms->mgs_nbytes += (max - old) * sizeof(mc->mc_mappings[0]);
	return new;
}

/* Inserts an empty chunk before the chunk of this index. */
static struct mapping_chunk *
chunk_new(struct mappings *ms, size_t at, uint32_t max)
{
	size_t maxchunks = ms->mgs_maxchunks ? ms->mgs_maxchunks * 2 : 1;
	struct mapping_chunk **chunks, *mc;

	if (ms->mgs_nchunks == ms->mgs_maxchunks) {
		chunks = realloc(ms->mgs_chunks, maxchunks * sizeof(mc));
		if (chunks == NULL)
			return NULL;
		ms->mgs_nbytes += (maxchunks - ms->mgs_maxchunks) * sizeof(mc);
		ms->mgs_chunks = chunks;
		ms->mgs_maxchunks = maxchunks;
	}
	if ((mc = chunk_resize(ms, NULL, max)) == NULL)
		return NULL;
	memmove(&ms->mgs_chunks[at + 1], &ms->mgs_chunks[at],
	    (ms->mgs_nchunks - at) * sizeof(mc));
	ms->mgs_chunks[at] = mc;
	ms->mgs_nchunks++;
	return mc;
}

/* Splits the chunk at the position into two halves. */
static int
chunk_split(struct mappings *ms, struct mapping_pos *mp)
{
	struct mapping_chunk *left, *right;
	uint32_t half = CHUNK_MAX / 2;

	if ((right = chunk_new(ms, mp->mp_chunk + 1, CHUNK_MAX)) == NULL)
		return ENOMEM;
	left = ms->mgs_chunks[mp->mp_chunk];
	right->mc_n = left->mc_n - half;
	memcpy(right->mc_mappings, &left->mc_mappings[half],
	    right->mc_n * sizeof(left->mc_mappings[0]));
	left->mc_n = half;
	if (mp->mp_index > half) {
		mp->mp_chunk++;
		mp->mp_index -= half;
	}
	return 0;
}

/*
 * Makes space for one more mapping in the chunk of a position, which may
 * change.
 */
static int
place_room(struct mappings *ms, struct mapping_pos *mp)
{
	struct mapping_chunk *mc;

	if (ms->mgs_nchunks == 0)
		return chunk_new(ms, 0, CHUNK_MIN) == NULL ? ENOMEM : 0;
	if (mp->mp_chunk == ms->mgs_nchunks) { /* after the last chunk */
		mp->mp_chunk--;
		mp->mp_index = ms->mgs_chunks[mp->mp_chunk]->mc_n;
	}
	mc = ms->mgs_chunks[mp->mp_chunk];
	if (mc->mc_n < mc->mc_max)
		return 0;
	if (mc->mc_max == CHUNK_MAX)
		return chunk_split(ms, mp);
	if ((mc = chunk_resize(ms, mc, mc->mc_max * 2)) == NULL)
		return ENOMEM;
	ms->mgs_chunks[mp->mp_chunk] = mc;
	return 0;
}

int
mappings_insert(struct mappings *ms, struct mapping_pos mp,
    const struct mapping *mg)
{
	struct mapping_chunk *mc;

	if (place_room(ms, &mp) != 0)
		return ENOMEM;
	mc = ms->mgs_chunks[mp.mp_chunk];
	memmove(&mc->mc_mappings[mp.mp_index + 1],
	    &mc->mc_mappings[mp.mp_index],
	    (mc->mc_n - mp.mp_index) * sizeof(*mg));
	mc->mc_mappings[mp.mp_index] = *mg;
	mc->mc_n++;
	ms->mgs_n++;
	return 0;
}

void
mappings_remove(struct mappings *ms, struct mapping_pos mp)
{
	struct mapping_chunk *mc = ms->mgs_chunks[mp.mp_chunk];

	ms->mgs_n--;
	mc->mc_n--;
	memmove(&mc->mc_mappings[mp.mp_index],
	    &mc->mc_mappings[mp.mp_index + 1],
	    (mc->mc_n - mp.mp_index) * sizeof(mc->mc_mappings[0]));
	if (mc->mc_n > 0)
		return;
	ms->mgs_nbytes -= sizeof(*mc) + mc->mc_max * sizeof(mc->mc_mappings[0]);
	free(mc);
	ms->mgs_nchunks--;
	memmove(&ms->mgs_chunks[mp.mp_chunk], &ms->mgs_chunks[mp.mp_chunk + 1],
	    (ms->mgs_nchunks - mp.mp_chunk) * sizeof(mc));
}

void
mappings_free(struct mappings *ms)
{
	size_t i;

	for (i = 0; i < ms->mgs_nchunks; i++)
		free(ms->mgs_chunks[i]);
	free(ms->mgs_chunks);
	*ms = (struct mappings){ 0 };
}
