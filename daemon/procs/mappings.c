/* SPDX-License-Identifier: ISC */
/* Mappings sorted by address, see mappings.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/procs/mappings.h"

#define CHUNK_MIN 4 /* spots; most processes have a handful */
#define CHUNK_MAX 128

struct symplace
symspots_find(const struct symspots *sp, uint64_t addr)
{
	struct symplace pl = { 0, 0 };
	const struct symchunk *sc;
	size_t lo = 0, hi = sp->sp_nchunks, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		sc = sp->sp_chunks[mid];
		if (sc->sc_spots[sc->sc_n - 1].so_end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	pl.pl_chunk = lo;
	if (lo == sp->sp_nchunks)
		return pl;
	sc = sp->sp_chunks[lo];
	for (lo = 0, hi = sc->sc_n; lo < hi;) {
		mid = (lo + hi) / 2;
		if (sc->sc_spots[mid].so_end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	pl.pl_spot = lo;
	return pl;
}

struct symspot *
symspots_at(const struct symspots *sp, struct symplace *pl)
{
	/* past the end of a chunk is the beginning of the next */
	if (pl->pl_chunk < sp->sp_nchunks &&
	    pl->pl_spot >= sp->sp_chunks[pl->pl_chunk]->sc_n) {
		pl->pl_chunk++;
		pl->pl_spot = 0;
	}
	if (pl->pl_chunk >= sp->sp_nchunks)
		return NULL;
	return &sp->sp_chunks[pl->pl_chunk]->sc_spots[pl->pl_spot];
}

static struct symchunk *
chunk_resize(struct symspots *sp, struct symchunk *sc, uint32_t max)
{
	uint32_t old = sc != NULL ? sc->sc_max : 0;
	struct symchunk *new;

	new = realloc(sc, sizeof(*sc) + max * sizeof(sc->sc_spots[0]));
	if (new == NULL)
		return NULL;
	if (sc == NULL) {
		new->sc_n = 0;
		sp->sp_nbytes += sizeof(*sc);
	}
	new->sc_max = max;
	sp->sp_nbytes += (max - old) * sizeof(sc->sc_spots[0]);
	return new;
}

/* A new chunk before that of a number. */
static struct symchunk *
chunk_new(struct symspots *sp, size_t at, uint32_t max)
{
	size_t maxchunks = sp->sp_maxchunks ? sp->sp_maxchunks * 2 : 1;
	struct symchunk **chunks, *sc;

	if (sp->sp_nchunks == sp->sp_maxchunks) {
		chunks = realloc(sp->sp_chunks, maxchunks * sizeof(sc));
		if (chunks == NULL)
			return NULL;
		sp->sp_nbytes += (maxchunks - sp->sp_maxchunks) * sizeof(sc);
		sp->sp_chunks = chunks;
		sp->sp_maxchunks = maxchunks;
	}
	if ((sc = chunk_resize(sp, NULL, max)) == NULL)
		return NULL;
	memmove(&sp->sp_chunks[at + 1], &sp->sp_chunks[at],
	    (sp->sp_nchunks - at) * sizeof(sc));
	sp->sp_chunks[at] = sc;
	sp->sp_nchunks++;
	return sc;
}

/* Two of the one at the place, each with half of its spots. */
static int
chunk_split(struct symspots *sp, struct symplace *pl)
{
	struct symchunk *left, *right;
	uint32_t half = CHUNK_MAX / 2;

	if ((right = chunk_new(sp, pl->pl_chunk + 1, CHUNK_MAX)) == NULL)
		return ENOMEM;
	left = sp->sp_chunks[pl->pl_chunk];
	right->sc_n = left->sc_n - half;
	memcpy(right->sc_spots, &left->sc_spots[half],
	    right->sc_n * sizeof(left->sc_spots[0]));
	left->sc_n = half;
	if (pl->pl_spot > half) {
		pl->pl_chunk++;
		pl->pl_spot -= half;
	}
	return 0;
}

/* Room for one more in the chunk of a place, which may become another. */
static int
place_room(struct symspots *sp, struct symplace *pl)
{
	struct symchunk *sc;

	if (sp->sp_nchunks == 0)
		return chunk_new(sp, 0, CHUNK_MIN) == NULL ? ENOMEM : 0;
	if (pl->pl_chunk == sp->sp_nchunks) { /* behind all of them */
		pl->pl_chunk--;
		pl->pl_spot = sp->sp_chunks[pl->pl_chunk]->sc_n;
	}
	sc = sp->sp_chunks[pl->pl_chunk];
	if (sc->sc_n < sc->sc_max)
		return 0;
	if (sc->sc_max == CHUNK_MAX)
		return chunk_split(sp, pl);
	if ((sc = chunk_resize(sp, sc, sc->sc_max * 2)) == NULL)
		return ENOMEM;
	sp->sp_chunks[pl->pl_chunk] = sc;
	return 0;
}

int
symspots_insert(struct symspots *sp, struct symplace pl,
    const struct symspot *so)
{
	struct symchunk *sc;

	if (place_room(sp, &pl) != 0)
		return ENOMEM;
	sc = sp->sp_chunks[pl.pl_chunk];
	memmove(&sc->sc_spots[pl.pl_spot + 1], &sc->sc_spots[pl.pl_spot],
	    (sc->sc_n - pl.pl_spot) * sizeof(*so));
	sc->sc_spots[pl.pl_spot] = *so;
	sc->sc_n++;
	sp->sp_n++;
	return 0;
}

void
symspots_remove(struct symspots *sp, struct symplace pl)
{
	struct symchunk *sc = sp->sp_chunks[pl.pl_chunk];

	sp->sp_n--;
	sc->sc_n--;
	memmove(&sc->sc_spots[pl.pl_spot], &sc->sc_spots[pl.pl_spot + 1],
	    (sc->sc_n - pl.pl_spot) * sizeof(sc->sc_spots[0]));
	if (sc->sc_n > 0)
		return;
	sp->sp_nbytes -= sizeof(*sc) + sc->sc_max * sizeof(sc->sc_spots[0]);
	free(sc);
	sp->sp_nchunks--;
	memmove(&sp->sp_chunks[pl.pl_chunk], &sp->sp_chunks[pl.pl_chunk + 1],
	    (sp->sp_nchunks - pl.pl_chunk) * sizeof(sc));
}

void
symspots_free(struct symspots *sp)
{
	size_t i;

	for (i = 0; i < sp->sp_nchunks; i++)
		free(sp->sp_chunks[i]);
	free(sp->sp_chunks);
	*sp = (struct symspots){ 0 };
}
