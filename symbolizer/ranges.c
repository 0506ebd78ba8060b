/* SPDX-License-Identifier: ISC */
/*
 * Finds ranges of addresses.  A search begins at the last range that starts
 * before the address, and follows rs_up to the range that contains the address:
 * each step leads to a range with a later end, and skips only ranges that end
 * before the address.  Ranges rarely overlap, so most searches take no step;
 * but a file may be made to need a million steps, so rs_jump skips steps: with
 * jumps of the lengths 1, 3, 7, 15, ... in the order of a skew binary number, n
 * steps take O(log n) jumps (Myers, An applicative random-access stack, 1983).
 */
#include <errno.h>
#include <stdlib.h>

#include "symbolizer/ranges.h"

#define RANGES_MAX (8U << 20) /* 128 MB: no real file has as many functions */
#define NONE	   UINT32_MAX

int
ranges_add(struct ranges *rs, uint64_t start, uint64_t size, uint32_t value)
{
	size_t max = rs->rs_max;
	struct range *v;

	if (rs->rs_n == max) {
		if (max == RANGES_MAX)
			return E2BIG;
		max = max == 0 ? 1024 : max * 2;
		if ((v = realloc(rs->rs_v, max * sizeof(*v))) == NULL)
			return ENOMEM;
		rs->rs_v = v;
		rs->rs_max = max;
	}
	rs->rs_v[rs->rs_n++] = (struct range){ start,
		size > UINT32_MAX ? UINT32_MAX : size, value };
	return 0;
}

static int
range_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->r_start != y->r_start)
		return x->r_start < y->r_start ? -1 : 1;
	if (x->r_size != y->r_size)
		return x->r_size > y->r_size ? -1 : 1;
	return x->r_value < y->r_value ? -1 : x->r_value > y->r_value;
}

void
ranges_sort(struct ranges *rs)
{
	if (rs->rs_n > 1)
		qsort(rs->rs_v, rs->rs_n, sizeof(*rs->rs_v), range_cmp);
}

/* The last address of a range and one; none begins near the end of all. */
static uint64_t
range_end(const struct range *r)
{
	uint64_t end = r->r_start + r->r_size;

	return end < r->r_start ? UINT64_MAX : end;
}

/* Sets rs_jump; depth: the number of steps from each range on. */
static void
find_jumps(struct ranges *rs, uint32_t *depth)
{
	uint32_t i, up, jump, next;

	for (i = 0; i < rs->rs_n; i++) {
		up = rs->rs_up[i];
		rs->rs_jump[i] = up;
		depth[i] = up == NONE ? 0 : depth[up] + 1;
		if (up == NONE || (jump = rs->rs_jump[up]) == NONE ||
		    (next = rs->rs_jump[jump]) == NONE)
			continue;
		if (depth[up] - depth[jump] == depth[jump] - depth[next])
			rs->rs_jump[i] = next;
	}
}

int
ranges_seal(struct ranges *rs)
{
	struct range *v;
	uint32_t i, up, *depth;

	if (rs->rs_n == 0)
		return 0;
	v = realloc(rs->rs_v, rs->rs_n * sizeof(*v));
	if (v != NULL)
		rs->rs_v = v;
	rs->rs_max = rs->rs_n;
	rs->rs_up = malloc(rs->rs_n * sizeof(*rs->rs_up));
	rs->rs_jump = malloc(rs->rs_n * sizeof(*rs->rs_jump));
	depth = malloc(rs->rs_n * sizeof(*depth));
	if (rs->rs_up == NULL || rs->rs_jump == NULL || depth == NULL) {
		free(depth);
		return ENOMEM;
	}
	for (i = 0; i < rs->rs_n; i++) {
		up = i == 0 ? NONE : i - 1;
		while (up != NONE &&
		    range_end(&rs->rs_v[up]) <= range_end(&rs->rs_v[i]))
			up = rs->rs_up[up];
		rs->rs_up[i] = up;
	}
	find_jumps(rs, depth);
	free(depth);
	return 0;
}

void
ranges_find(const struct ranges *rs, uint64_t addr, struct ranges_hit *hit)
{
	size_t lo = 0, hi = rs->rs_n, mid;
	uint32_t i, jump;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (rs->rs_v[mid].r_start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*hit = (struct ranges_hit){ NULL, 0,
		lo < rs->rs_n ? rs->rs_v[lo].r_start : UINT64_MAX };
	i = lo == 0 ? NONE : lo - 1;
	while (i != NONE && range_end(&rs->rs_v[i]) <= addr) {
		hit->rh_from = range_end(&rs->rs_v[i]);
		jump = rs->rs_jump[i];
		i = jump != NONE && range_end(&rs->rs_v[jump]) <= addr
		    ? jump
		    : rs->rs_up[i];
	}
	if (i == NONE)
		return;
	hit->rh_range = &rs->rs_v[i];
	if (hit->rh_from < hit->rh_range->r_start)
		hit->rh_from = hit->rh_range->r_start;
	if (hit->rh_to > range_end(hit->rh_range))
		hit->rh_to = range_end(hit->rh_range);
}

void
ranges_free(struct ranges *rs)
{
	free(rs->rs_v);
	free(rs->rs_up);
	free(rs->rs_jump);
	*rs = (struct ranges){ 0 };
}
