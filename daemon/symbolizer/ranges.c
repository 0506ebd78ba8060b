/* SPDX-License-Identifier: ISC */
/*
 * Ranges of addresses, see ranges.h.  The way from the range that begins last
 * before an address to the one that holds it leads over rs_up: each step ends
 * later than the one before, and what is passed over ends before the address.
 * Ranges rarely overlap, so there is hardly ever a step.
 */
#include <errno.h>
#include <stdlib.h>

#include "ranges.h"

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

int
ranges_sort(struct ranges *rs)
{
	if (rs->rs_n > 1)
		qsort(rs->rs_v, rs->rs_n, sizeof(*rs->rs_v), range_cmp);
	return 0;
}

/* The last address of a range and one; none begins near the end of all. */
static uint64_t
range_end(const struct range *r)
{
	uint64_t end = r->r_start + r->r_size;

	return end < r->r_start ? UINT64_MAX : end;
}

int
ranges_seal(struct ranges *rs)
{
	struct range *v;
	uint32_t i, up;

	if (rs->rs_n == 0)
		return 0;
	v = realloc(rs->rs_v, rs->rs_n * sizeof(*v));
	if (v != NULL)
		rs->rs_v = v;
	rs->rs_max = rs->rs_n;
	rs->rs_up = malloc(rs->rs_n * sizeof(*rs->rs_up));
	if (rs->rs_up == NULL)
		return ENOMEM;
	for (i = 0; i < rs->rs_n; i++) {
		up = i == 0 ? NONE : i - 1;
		while (up != NONE &&
		    range_end(&rs->rs_v[up]) <= range_end(&rs->rs_v[i]))
			up = rs->rs_up[up];
		rs->rs_up[i] = up;
	}
	return 0;
}

void
ranges_find(const struct ranges *rs, uint64_t addr, struct ranges_hit *hit)
{
	size_t lo = 0, hi = rs->rs_n, mid;
	uint32_t i;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (rs->rs_v[mid].r_start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*hit = (struct ranges_hit){ NULL, 0,
		lo < rs->rs_n ? rs->rs_v[lo].r_start : UINT64_MAX };
	for (i = lo == 0 ? NONE : lo - 1; i != NONE; i = rs->rs_up[i]) {
		if (range_end(&rs->rs_v[i]) > addr)
			break;
		hit->rh_from = range_end(&rs->rs_v[i]);
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
	*rs = (struct ranges){ 0 };
}
