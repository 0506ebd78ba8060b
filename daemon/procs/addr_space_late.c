/* SPDX-License-Identifier: ISC */
/*
 * What becomes known of an address space later: by a snapshot, or from the one
 * that it is a copy of.  See addr_space.h.
 */
#include <stdlib.h>

#include "daemon/procs/addr_space.h"
#include "daemon/procs/addr_space_impl.h"

/* Whether some mappings, sorted, have all of a spot. */
static int
spots_have(const struct symspot *list, size_t n, const struct symspot *so)
{
	struct symspot rest = *so;
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (list[mid].so_end <= so->so_start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n; lo++) {
		if (symimage_has(&list[lo], &rest))
			return 1;
		if (list[lo].so_start > rest.so_start ||
		    list[lo].so_end <= rest.so_start)
			return 0;
		rest.so_end = list[lo].so_end;
		if (!symimage_has(&list[lo], &rest))
			return 0;
		rest.so_off += rest.so_end - rest.so_start;
		rest.so_start = rest.so_end;
		rest.so_end = so->so_end;
	}
	return 0;
}

void
symimage_snapshot(struct symimage *im, const struct symspot *list, size_t n,
    uint64_t nsecs, uint64_t from)
{
	struct symplace pl = { 0, 0 };
	struct symspot so;
	const struct symspot *old;
	size_t i;

	/* of two that were read at the same time, the later one counts */
	if (nsecs < im->im_snapped) {
		for (i = 0; i < n; i++)
			symfile_unmap(list[i].so_file);
		return;
	}
	im->im_snapped = nsecs;
	while ((old = symspots_at(&im->im_spots, &pl)) != NULL) {
		if (old->so_from >= nsecs || spots_have(list, n, old)) {
			pl.pl_spot++;
			continue;
		}
		symimage_end(im, pl, nsecs);
	}
	for (i = 0; i < n; i++) {
		so = list[i];
		so.so_from = from;
		symimage_fill(im, &so);
		symfile_unmap(so.so_file);
	}
	im->im_iswhole = 1;
	symimage_charge(im);
}

static void
copy_spot(const struct symspot *so, void *arg)
{
	symfile_mapped(so->so_file);
	symimage_map(arg, so);
}

struct symimage *
symimage_copy(struct symimage *im, uint64_t asof)
{
	uint64_t from = 0, until = UINT64_MAX;
	struct symimage *copy = symimage_alloc();

	if (copy == NULL)
		return NULL;
	copy->im_iswhole = im->im_iswhole;
	symimage_walk(im, asof, copy_spot, copy, &from, &until);
	if (!im->im_iswhole) {
		copy->im_base = symimage_share(im);
		copy->im_asof = asof;
	}
	return copy;
}

static void
settle_spot(const struct symspot *so, void *arg)
{
	symimage_fill(arg, so);
}

void
symimage_settle(struct symimage *im)
{
	uint64_t from = 0, until = UINT64_MAX;

	if (im->im_base == NULL)
		return;
	symimage_settle(im->im_base);
	if (!im->im_base->im_iswhole)
		return;
	symimage_walk(im->im_base, im->im_asof, settle_spot, im, &from, &until);
	symimage_free(im->im_base);
	im->im_base = NULL;
	im->im_iswhole = 1;
	symimage_charge(im);
}
