/* SPDX-License-Identifier: ISC */
/*
 * Stores the mappings of an address space by address and time.  Current ones
 * are in struct mappings; past ones in a circular buffer that overwrites the
 * oldest. Each holds one count of its file.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/procs/addr_space.h"

#define PAST_MIN 8
/*
 * A copy of an unknown address space keeps it until that is known.  A chain of
 * processes, each of which ends after it has forked, could make a chain of any
 * length.
 */
#define DEPTH_MAX 16
#define COPY_MAX  1024 /* mappings that are copied at once, see there */
/*
 * Past mappings that one of a snapshot is compared with, since both may be tens
 * of thousands.
 */
#define SINCE_MAX 256

struct addr_space_stat addr_space_sum;
static uint64_t addr_space_serial;

/* Updates the memory of the address space in addr_space_sum. */
static void
addr_space_charge(struct addr_space *as)
{
	size_t nbytes = sizeof(*as) + as->as_mappings.mgs_nbytes +
	    as->as_pastmax * sizeof(as->as_past[0]);

	addr_space_sum.ast_bytes += nbytes - as->as_charged;
	as->as_charged = nbytes;
}

struct addr_space *
addr_space_alloc(void)
{
	struct addr_space *as = calloc(1, sizeof(*as));

	if (as == NULL)
		return NULL;
	as->as_refs = 1;
	as->as_serial = ++addr_space_serial;
	addr_space_sum.ast_spaces++;
	addr_space_charge(as);
	return as;
}

struct addr_space *
addr_space_share(struct addr_space *as)
{
	as->as_refs++;
	return as;
}

/* as_pastmax is a power of two. */
static struct past_mapping *
past_nth(const struct addr_space *as, size_t i)
{
	return &as->as_past[(as->as_pasthead + i) & (as->as_pastmax - 1)];
}

void
addr_space_trim(struct addr_space *as)
{
	size_t i;

	for (i = 0; i < as->as_npast; i++) {
		mapped_file_unmap(past_nth(as, i)->gm_mapping.mg_file);
		as->as_forgot = past_nth(as, i)->gm_until;
	}
	addr_space_sum.ast_mappings -= as->as_npast;
	free(as->as_past);
	as->as_past = NULL;
	as->as_pasthead = as->as_npast = as->as_pastmax = 0;
	addr_space_charge(as);
}

static void
mappings_drop(struct addr_space *as)
{
	struct mapping_pos mp = { 0, 0 };
	const struct mapping *mg;

	for (; (mg = mappings_at(&as->as_mappings, &mp)) != NULL; mp.mp_index++)
		mapped_file_unmap(mg->mg_file);
	addr_space_sum.ast_mappings -= as->as_mappings.mgs_n;
	mappings_free(&as->as_mappings);
	addr_space_charge(as);
}

int
addr_space_drop(struct addr_space *as)
{
	if (as->as_pastmax == 0 && as->as_mappings.mgs_n == 0)
		return 0;
	addr_space_sum.ast_dropped += as->as_npast;
	if (as->as_pastmax > 0) {
		addr_space_trim(as);
		return 1;
	}
	addr_space_sum.ast_dropped += as->as_mappings.mgs_n;
	mappings_drop(as);
	as->as_iswhole = 0;
	return 1;
}

void
addr_space_free(struct addr_space *as)
{
	if (as == NULL || --as->as_refs > 0)
		return;
	addr_space_free(as->as_base);
	addr_space_trim(as);
	mappings_drop(as);
	addr_space_sum.ast_spaces--;
	addr_space_sum.ast_bytes -= as->as_charged;
	free(as);
}

static int
past_grow(struct addr_space *as)
{
	size_t i, max = as->as_pastmax ? as->as_pastmax * 2 : PAST_MIN;
	struct past_mapping *past;

	if (as->as_npast < as->as_pastmax)
		return 0;
	if (max > ADDR_SPACE_GONE ||
	    (past = malloc(max * sizeof(*past))) == NULL)
		return ENOSPC;
	for (i = 0; i < as->as_npast; i++)
		past[i] = *past_nth(as, i);
	free(as->as_past);
	as->as_past = past;
	as->as_pasthead = 0;
	as->as_pastmax = max;
	return 0;
}

/* Stores a past mapping and takes ownership of its count. */
static void
past_add(struct addr_space *as, const struct mapping *mg, uint64_t until)
{
	struct past_mapping *sg;

	if (mg->mg_from >= until || (past_grow(as) != 0 && as->as_npast == 0)) {
		mapped_file_unmap(mg->mg_file);
		return;
	}
	if (as->as_npast == as->as_pastmax) { /* the oldest is overwritten */
		sg = past_nth(as, 0);
		mapped_file_unmap(sg->gm_mapping.mg_file);
		as->as_forgot = sg->gm_until;
		as->as_pasthead = (as->as_pasthead + 1) % as->as_pastmax;
		as->as_npast--;
		addr_space_sum.ast_mappings--;
		addr_space_sum.ast_dropped++;
	}
	sg = past_nth(as, as->as_npast++);
	sg->gm_mapping = *mg;
	sg->gm_until = until;
	addr_space_sum.ast_mappings++;
}

/* Takes ownership of the count, even on failure. */
static int
mapping_add(struct addr_space *as, const struct mapping *mg)
{
	struct mapping_pos mp = mappings_find(&as->as_mappings, mg->mg_start);
	int error = ENOSPC;

	if (as->as_mappings.mgs_n < ADDR_SPACE_MAPS)
		error = mappings_insert(&as->as_mappings, mp, mg);
	if (error != 0) {
		addr_space_sum.ast_dropped++;
		mapped_file_unmap(mg->mg_file);
	} else
		addr_space_sum.ast_mappings++;
	return error;
}

/* Returns a part of a mapping, for which it counts the file again. */
static struct mapping
mapping_part(const struct mapping *mg, uint64_t start, uint64_t end)
{
	struct mapping part = *mg;

	part.mg_start = start;
	part.mg_end = end;
	if (mg->mg_file->mf_kind != MAPPED_FILE_ANON)
		part.mg_off += start - mg->mg_start;
	mapped_file_mapped(part.mg_file);
	return part;
}

/* Marks the mapping at a position as past. */
static void
addr_space_end(struct addr_space *as, struct mapping_pos mp, uint64_t until)
{
	struct mapping mg = *mappings_at(&as->as_mappings, &mp);

	mappings_remove(&as->as_mappings, mp);
	addr_space_sum.ast_mappings--;
	past_add(as, &mg, until);
}

/* Ends the part of the mapping from start to end, which are inside of it. */
static void
mapping_cut(struct addr_space *as, struct mapping_pos mp, uint64_t start,
    uint64_t end, uint64_t until)
{
	struct mapping old = *mappings_at(&as->as_mappings, &mp), part;

	mappings_remove(&as->as_mappings, mp);
	addr_space_sum.ast_mappings--;
	part = mapping_part(&old, start, end);
	past_add(as, &part, until);
	if (old.mg_start < start) {
		part = mapping_part(&old, old.mg_start, start);
		(void)mapping_add(as, &part);
	}
	if (end < old.mg_end) {
		part = mapping_part(&old, end, old.mg_end);
		(void)mapping_add(as, &part);
	}
	mapped_file_unmap(old.mg_file);
}

/* Returns whether a mapping contains another, at the same offset of the file. */
static int
addr_space_has(const struct mapping *mg, const struct mapping *part)
{
	return mg->mg_file == part->mg_file && mg->mg_start <= part->mg_start &&
	    part->mg_end <= mg->mg_end &&
	    (mg->mg_file->mf_kind == MAPPED_FILE_ANON ||
		mg->mg_off + (part->mg_start - mg->mg_start) == part->mg_off);
}

/*
 * Returns a time since which no other past mapping was in a range: the earliest
 * one, if few mappings have ended since.
 */
static uint64_t
past_since(const struct addr_space *as, uint64_t start, uint64_t end,
    uint64_t from)
{
	const struct past_mapping *sg;
	size_t i = as->as_npast, first = i > SINCE_MAX ? i - SINCE_MAX : 0;

	/* the mapping is newer than all past ones */
	if (i == 0 || past_nth(as, i - 1)->gm_until <= from)
		return from;
	if (first > 0 && past_nth(as, first - 1)->gm_until > from)
		from = past_nth(as, first - 1)->gm_until;
	while (i-- > first) {
		sg = past_nth(as, i);
		if (sg->gm_mapping.mg_start < end &&
		    start < sg->gm_mapping.mg_end && sg->gm_until > from)
			from = sg->gm_until;
	}
	return from;
}

/* Returns whether a neighbour without a file may have had a range as well. */
static int
addr_space_isnear(const struct addr_space *as, const struct mapping *near,
    const struct mapping *mg, uint64_t start, uint64_t end)
{
	return near != NULL && near->mg_file == mg->mg_file &&
	    near->mg_from <= mg->mg_from &&
	    past_since(as, start, end, near->mg_from) == near->mg_from;
}

/*
 * Extends a neighbour over a range of memory without a file: a program may add
 * one page after another, which the kernel joins.  Returns whether it did.
 */
static int
addr_space_extend(struct addr_space *as, const struct mapping *mg,
    uint64_t start, uint64_t end)
{
	struct mapping_pos mp;
	struct mapping *near;

	if (mg->mg_file->mf_kind != MAPPED_FILE_ANON)
		return 0;
	mp = mappings_find(&as->as_mappings, start - 1);
	near = mappings_at(&as->as_mappings, &mp);
	if (near != NULL && near->mg_end == start &&
	    addr_space_isnear(as, near, mg, start, end)) {
		near->mg_end = end;
		return 1;
	}
	mp = mappings_find(&as->as_mappings, end);
	near = mappings_at(&as->as_mappings, &mp);
	if (near != NULL && near->mg_start == end &&
	    addr_space_isnear(as, near, mg, start, end)) {
		near->mg_start = start;
		return 1;
	}
	return 0;
}

/*
 * Adds a mapping for each part not covered yet, with its own counts; it does
 * not begin at mg_from if something else was mapped there.
 */
static void
addr_space_fill(struct addr_space *as, const struct mapping *mg)
{
	uint64_t at = mg->mg_start, end;
	const struct mapping *old;
	struct mapping part;
	struct mapping_pos mp;

	while (at < mg->mg_end) {
		mp = mappings_find(&as->as_mappings, at);
		old = mappings_at(&as->as_mappings, &mp);
		end = mg->mg_end;
		if (old != NULL && old->mg_start <= at) {
			at = old->mg_end;
			continue;
		}
		if (old != NULL && old->mg_start < end)
			end = old->mg_start;
		if (addr_space_extend(as, mg, at, end)) {
			at = end;
			continue;
		}
		part = mapping_part(mg, at, end);
		part.mg_from = past_since(as, at, end, mg->mg_from);
		at = end;
		if (mapping_add(as, &part) != 0)
			return;
	}
}

/* Ends what is mapped there; memory without a file stays for more of it. */
static void
mappings_cut(struct addr_space *as, const struct mapping *mg)
{
	struct mapping_pos mp = mappings_find(&as->as_mappings, mg->mg_start);
	const struct mapping *old;
	uint64_t end;

	while ((old = mappings_at(&as->as_mappings, &mp)) != NULL &&
	    old->mg_start < mg->mg_end) {
		if (old->mg_file == mg->mg_file &&
		    mg->mg_file->mf_kind == MAPPED_FILE_ANON) {
			mp.mp_index++;
			continue;
		}
		end = old->mg_end < mg->mg_end ? old->mg_end : mg->mg_end;
		mapping_cut(as, mp,
		    old->mg_start > mg->mg_start ? old->mg_start : mg->mg_start,
		    end, mg->mg_from);
		mp = mappings_find(&as->as_mappings, end);
	}
}

void
addr_space_map(struct addr_space *as, const struct mapping *mg)
{
	struct mapping_pos mp = mappings_find(&as->as_mappings, mg->mg_start);
	const struct mapping *old = mappings_at(&as->as_mappings, &mp);

	if (old == NULL ||
	    !addr_space_has(old, mg)) { /* else nothing changes */
		mappings_cut(as, mg);
		addr_space_fill(as, mg);
		addr_space_charge(as);
	}
	mapped_file_unmap(mg->mg_file);
}

void
addr_space_walk(const struct addr_space *as, uint64_t nsecs,
    void (*fn)(const struct mapping *, void *), void *arg, uint64_t *from,
    uint64_t *until)
{
	struct mapping_pos mp = { 0, 0 };
	const struct mapping *mg;
	const struct past_mapping *sg;
	size_t i;

#define FROM(t)	 (*from = *from > (t) ? *from : (t))
#define UNTIL(t) (*until = *until < (t) ? *until : (t))
	if (as->as_forgot <= nsecs)
		FROM(as->as_forgot);
	for (; (mg = mappings_at(&as->as_mappings, &mp)) != NULL;
	     mp.mp_index++) {
		if (mg->mg_from > nsecs) {
			UNTIL(mg->mg_from);
			continue;
		}
		FROM(mg->mg_from);
		fn(mg, arg);
	}
	for (i = 0; i < as->as_npast; i++) {
		sg = past_nth(as, i);
		if (sg->gm_until <= nsecs)
			FROM(sg->gm_until);
		else if (sg->gm_mapping.mg_from > nsecs)
			UNTIL(sg->gm_mapping.mg_from);
		else {
			FROM(sg->gm_mapping.mg_from);
			UNTIL(sg->gm_until);
			fn(&sg->gm_mapping, arg);
		}
	}
#undef FROM
#undef UNTIL
}

/*
 * Mappings that become known later, from a snapshot or from the original of a
 * copy
 */

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

	/* a later snapshot was entered already: discards this one */
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

/*
 * Does not copy many mappings before a client needs them: most children end
 * soon, and a process can have children faster than dtd copies its mappings.
 */
struct addr_space *
addr_space_copy(struct addr_space *as, uint64_t asof)
{
	uint64_t from = 0, until = UINT64_MAX;
	struct addr_space *copy = addr_space_alloc();
	int islater = as->as_mappings.mgs_n > COPY_MAX;

	if (copy == NULL)
		return NULL;
	copy->as_iswhole = as->as_iswhole && !islater;
	copy->as_snapped = as->as_snapped < asof ? as->as_snapped : asof;
	if (!islater)
		addr_space_walk(as, asof, copy_mapping, copy, &from, &until);
	if (!copy->as_iswhole && as->as_depth < DEPTH_MAX) {
		copy->as_depth = as->as_depth + 1;
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
	as->as_depth = 0;
	as->as_iswhole = 1;
	addr_space_charge(as);
}
