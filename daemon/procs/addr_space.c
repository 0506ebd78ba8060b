/* SPDX-License-Identifier: ISC */
/*
 * Mappings by address and time, see addr_space.h.  Those of now are in
 * mappings.h; those that have gone are in a circle, where the oldest makes
 * room.  Each of both has one count of its file.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/procs/addr_space.h"
#include "daemon/procs/addr_space_impl.h"

#define GONE_MIN 8

struct symimage_stat symimage_sum;
static LIST_HEAD(, symimage) symimages = LIST_HEAD_INITIALIZER(symimages);
static uint64_t symimage_serial;

void
symimage_charge(struct symimage *im)
{
	size_t nbytes = sizeof(*im) + im->im_spots.sp_nbytes +
	    im->im_gonemax * sizeof(im->im_gone[0]);

	symimage_sum.is_bytes += nbytes - im->im_charged;
	im->im_charged = nbytes;
}

struct symimage *
symimage_alloc(void)
{
	struct symimage *im = calloc(1, sizeof(*im));

	if (im == NULL)
		return NULL;
	im->im_refs = 1;
	im->im_serial = ++symimage_serial;
	LIST_INSERT_HEAD(&symimages, im, im_entry);
	symimage_sum.is_images++;
	symimage_charge(im);
	return im;
}

struct symimage *
symimage_share(struct symimage *im)
{
	im->im_refs++;
	return im;
}

static struct symgone *
gone_nth(const struct symimage *im, size_t i)
{
	return &im->im_gone[(im->im_gonehead + i) % im->im_gonemax];
}

void
symimage_trim(struct symimage *im)
{
	size_t i;

	for (i = 0; i < im->im_ngone; i++) {
		symfile_unmap(gone_nth(im, i)->sg_spot.so_file);
		im->im_forgot = gone_nth(im, i)->sg_until;
	}
	symimage_sum.is_spots -= im->im_ngone;
	free(im->im_gone);
	im->im_gone = NULL;
	im->im_gonehead = im->im_ngone = im->im_gonemax = 0;
	symimage_charge(im);
}

static void
spots_drop(struct symimage *im)
{
	struct symplace pl = { 0, 0 };
	const struct symspot *so;

	for (; (so = symspots_at(&im->im_spots, &pl)) != NULL; pl.pl_spot++)
		symfile_unmap(so->so_file);
	symimage_sum.is_spots -= im->im_spots.sp_n;
	symspots_free(&im->im_spots);
	symimage_charge(im);
}

int
symimage_drop(struct symimage *im)
{
	if (im->im_gonemax == 0 && im->im_spots.sp_n == 0)
		return 0;
	symimage_sum.is_dropped += im->im_ngone;
	if (im->im_gonemax > 0) {
		symimage_trim(im);
		return 1;
	}
	symimage_sum.is_dropped += im->im_spots.sp_n;
	spots_drop(im);
	im->im_iswhole = 0;
	return 1;
}

void
symimage_free(struct symimage *im)
{
	if (im == NULL || --im->im_refs > 0)
		return;
	symimage_free(im->im_base);
	symimage_trim(im);
	spots_drop(im);
	symimage_sum.is_images--;
	symimage_sum.is_bytes -= im->im_charged;
	LIST_REMOVE(im, im_entry);
	free(im);
}

struct symimage *
symimage_largest(void)
{
	struct symimage *im, *largest = NULL;

	LIST_FOREACH(im, &symimages, im_entry)
		if (largest == NULL || im->im_charged > largest->im_charged)
			largest = im;
	return largest;
}

static int
gone_room(struct symimage *im)
{
	size_t i, max = im->im_gonemax ? im->im_gonemax * 2 : GONE_MIN;
	struct symgone *gone;

	if (im->im_ngone < im->im_gonemax)
		return 0;
	if (max > SYMIMAGE_GONE || (gone = malloc(max * sizeof(*gone))) == NULL)
		return ENOSPC;
	for (i = 0; i < im->im_ngone; i++)
		gone[i] = *gone_nth(im, i);
	free(im->im_gone);
	im->im_gone = gone;
	im->im_gonehead = 0;
	im->im_gonemax = max;
	return 0;
}

/* Remembers what has gone; takes its count over. */
static void
gone_add(struct symimage *im, const struct symspot *so, uint64_t until)
{
	struct symgone *sg;

	if (so->so_from >= until || (gone_room(im) != 0 && im->im_ngone == 0)) {
		symfile_unmap(so->so_file);
		return;
	}
	if (im->im_ngone == im->im_gonemax) { /* the oldest makes room */
		sg = gone_nth(im, 0);
		symfile_unmap(sg->sg_spot.so_file);
		im->im_forgot = sg->sg_until;
		im->im_gonehead = (im->im_gonehead + 1) % im->im_gonemax;
		im->im_ngone--;
		symimage_sum.is_spots--;
		symimage_sum.is_dropped++;
	}
	sg = gone_nth(im, im->im_ngone++);
	sg->sg_spot = *so;
	sg->sg_until = until;
	symimage_sum.is_spots++;
}

/* Takes the count over, also if it fails. */
static int
spot_add(struct symimage *im, const struct symspot *so)
{
	struct symplace pl = symspots_find(&im->im_spots, so->so_start);
	int error = ENOSPC;

	if (im->im_spots.sp_n < SYMIMAGE_MAPS)
		error = symspots_insert(&im->im_spots, pl, so);
	if (error != 0) {
		symimage_sum.is_dropped++;
		symfile_unmap(so->so_file);
	} else
		symimage_sum.is_spots++;
	return error;
}

/* A part of a spot, with a count of its own. */
static struct symspot
spot_part(const struct symspot *so, uint64_t start, uint64_t end)
{
	struct symspot part = *so;

	part.so_start = start;
	part.so_end = end;
	if (so->so_file->sf_kind != SYMFILE_ANON)
		part.so_off += start - so->so_start;
	symfile_mapped(part.so_file);
	return part;
}

void
symimage_end(struct symimage *im, struct symplace pl, uint64_t until)
{
	struct symspot so = *symspots_at(&im->im_spots, &pl);

	symspots_remove(&im->im_spots, pl);
	symimage_sum.is_spots--;
	gone_add(im, &so, until);
}

/* The spot has gone between start and end, which are inside of it. */
static void
spot_cut(struct symimage *im, struct symplace pl, uint64_t start, uint64_t end,
    uint64_t until)
{
	struct symspot old = *symspots_at(&im->im_spots, &pl), part;

	symspots_remove(&im->im_spots, pl);
	symimage_sum.is_spots--;
	part = spot_part(&old, start, end);
	gone_add(im, &part, until);
	if (old.so_start < start) {
		part = spot_part(&old, old.so_start, start);
		(void)spot_add(im, &part);
	}
	if (end < old.so_end) {
		part = spot_part(&old, end, old.so_end);
		(void)spot_add(im, &part);
	}
	symfile_unmap(old.so_file);
}

int
symimage_has(const struct symspot *so, const struct symspot *part)
{
	return so->so_file == part->so_file && so->so_start <= part->so_start &&
	    part->so_end <= so->so_end &&
	    (so->so_file->sf_kind == SYMFILE_ANON ||
		so->so_off + (part->so_start - so->so_start) == part->so_off);
}

/* From when on a range has had nothing else in it that has gone. */
static uint64_t
gone_since(const struct symimage *im, uint64_t start, uint64_t end,
    uint64_t from)
{
	const struct symgone *sg;
	size_t i;

	/* what is mapped now is newer than all of them */
	if (im->im_ngone == 0 ||
	    gone_nth(im, im->im_ngone - 1)->sg_until <= from)
		return from;
	for (i = 0; i < im->im_ngone; i++) {
		sg = gone_nth(im, i);
		if (sg->sg_spot.so_start < end && start < sg->sg_spot.so_end &&
		    sg->sg_until > from)
			from = sg->sg_until;
	}
	return from;
}

void
symimage_fill(struct symimage *im, const struct symspot *so)
{
	uint64_t at = so->so_start, end;
	const struct symspot *old;
	struct symspot part;
	struct symplace pl;

	while (at < so->so_end) {
		pl = symspots_find(&im->im_spots, at);
		old = symspots_at(&im->im_spots, &pl);
		end = so->so_end;
		if (old != NULL && old->so_start <= at) {
			at = old->so_end;
			continue;
		}
		if (old != NULL && old->so_start < end)
			end = old->so_start;
		part = spot_part(so, at, end);
		part.so_from = gone_since(im, at, end, so->so_from);
		at = end;
		if (spot_add(im, &part) != 0)
			return;
	}
}

/* Ends what is mapped there; memory without a file stays for more of it. */
static void
spots_cut(struct symimage *im, const struct symspot *so)
{
	struct symplace pl = symspots_find(&im->im_spots, so->so_start);
	const struct symspot *old;

	while ((old = symspots_at(&im->im_spots, &pl)) != NULL &&
	    old->so_start < so->so_end) {
		if (old->so_file == so->so_file &&
		    so->so_file->sf_kind == SYMFILE_ANON) {
			pl.pl_spot++;
			continue;
		}
		spot_cut(im, pl,
		    old->so_start > so->so_start ? old->so_start : so->so_start,
		    old->so_end < so->so_end ? old->so_end : so->so_end,
		    so->so_from);
		pl = symspots_find(&im->im_spots, so->so_start);
	}
}

void
symimage_map(struct symimage *im, const struct symspot *so)
{
	struct symplace pl = symspots_find(&im->im_spots, so->so_start);
	const struct symspot *old = symspots_at(&im->im_spots, &pl);

	if (old == NULL || !symimage_has(old, so)) { /* else nothing changes */
		spots_cut(im, so);
		symimage_fill(im, so);
		symimage_charge(im);
	}
	symfile_unmap(so->so_file);
}

void
symimage_walk(const struct symimage *im, uint64_t nsecs,
    void (*fn)(const struct symspot *, void *), void *arg, uint64_t *from,
    uint64_t *until)
{
	struct symplace pl = { 0, 0 };
	const struct symspot *so;
	const struct symgone *sg;
	size_t i;

#define FROM(t)	 (*from = *from > (t) ? *from : (t))
#define UNTIL(t) (*until = *until < (t) ? *until : (t))
	if (im->im_forgot <= nsecs)
		FROM(im->im_forgot);
	for (; (so = symspots_at(&im->im_spots, &pl)) != NULL; pl.pl_spot++) {
		if (so->so_from > nsecs) {
			UNTIL(so->so_from);
			continue;
		}
		FROM(so->so_from);
		fn(so, arg);
	}
	for (i = 0; i < im->im_ngone; i++) {
		sg = gone_nth(im, i);
		if (sg->sg_until <= nsecs)
			FROM(sg->sg_until);
		else if (sg->sg_spot.so_from > nsecs)
			UNTIL(sg->sg_spot.so_from);
		else {
			FROM(sg->sg_spot.so_from);
			UNTIL(sg->sg_until);
			fn(&sg->sg_spot, arg);
		}
	}
#undef FROM
#undef UNTIL
}
