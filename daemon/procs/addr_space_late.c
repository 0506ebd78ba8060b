/* SPDX-License-Identifier: ISC */
/*
 * Adds what becomes known of an address space later, from a snapshot or from
 * the one that it is a copy of. See addr_space.h.
 */
#include <stdlib.h>

#include "daemon/procs/addr_space.h"
#include "daemon/procs/addr_space_impl.h"

/* Returns whether some mappings, sorted, cover all of a mapping. */
static int
mappings_have(const struct mapping *list, size_t n, const struct mapping *mg)
{
	struct mapping rest = *mg;
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (list[mid].mg_end <= mg->mg_start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n; lo++) {
		if (addr_space_has(&list[lo], &rest))
			return 1;
		if (list[lo].mg_start > rest.mg_start ||
		    list[lo].mg_end <= rest.mg_start)
			return 0;
		rest.mg_end = list[lo].mg_end;
		if (!addr_space_has(&list[lo], &rest))
			return 0;
		rest.mg_off += rest.mg_end - rest.mg_start;
		rest.mg_start = rest.mg_end;
		rest.mg_end = mg->mg_end;
	}
	return 0;
}

void
addr_space_snapshot(struct addr_space *as, const struct mapping *list, size_t n,
    uint64_t nsecs, uint64_t from)
{
	struct mapping_pos mp = { 0, 0 };
	struct mapping mg;
	const struct mapping *old;
	size_t i;

	/* of two that were read at the same time, the later one counts */
	if (nsecs < as->as_snapped) {
		for (i = 0; i < n; i++)
			mapped_file_unmap(list[i].mg_file);
		return;
	}
	as->as_snapped = nsecs;
	while ((old = mappings_at(&as->as_mappings, &mp)) != NULL) {
		if (old->mg_from >= nsecs || mappings_have(list, n, old)) {
			mp.mp_index++;
			continue;
		}
		addr_space_end(as, mp, nsecs);
	}
	for (i = 0; i < n; i++) {
		mg = list[i];
		mg.mg_from = from;
		addr_space_fill(as, &mg);
		mapped_file_unmap(mg.mg_file);
	}
	as->as_iswhole = 1;
	addr_space_charge(as);
}

static void
copy_mapping(const struct mapping *mg, void *arg)
{
	mapped_file_mapped(mg->mg_file);
	addr_space_map(arg, mg);
}

struct addr_space *
addr_space_copy(struct addr_space *as, uint64_t asof)
{
	uint64_t from = 0, until = UINT64_MAX;
	struct addr_space *copy = addr_space_alloc();

	if (copy == NULL)
		return NULL;
	copy->as_iswhole = as->as_iswhole;
	addr_space_walk(as, asof, copy_mapping, copy, &from, &until);
	if (!as->as_iswhole) {
		copy->as_base = addr_space_share(as);
		copy->as_asof = asof;
	}
	return copy;
}

static void
settle_mapping(const struct mapping *mg, void *arg)
{
	addr_space_fill(arg, mg);
}

void
addr_space_settle(struct addr_space *as)
{
	uint64_t from = 0, until = UINT64_MAX;

	if (as->as_base == NULL)
		return;
	addr_space_settle(as->as_base);
	if (!as->as_base->as_iswhole)
		return;
	addr_space_walk(as->as_base, as->as_asof, settle_mapping, as, &from,
	    &until);
	addr_space_free(as->as_base);
	as->as_base = NULL;
	as->as_iswhole = 1;
	addr_space_charge(as);
}
