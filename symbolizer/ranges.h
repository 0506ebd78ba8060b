/* SPDX-License-Identifier: ISC */
/*
 * Finds address ranges, each with a value, by address. If several contain an
 * address, the result is the one that begins last (the innermost).
 */
#ifndef SYMBOLIZER_RANGES_H
#define SYMBOLIZER_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t r_start;
	uint32_t r_size;
	uint32_t r_value;
};

struct ranges {
	struct range *rs_v; /* by start, once sealed */
	uint32_t *rs_up;    /* nearest range before it that ends later */
	uint32_t *rs_jump;  /* a range further along these steps */
	size_t rs_n;
	size_t rs_max;
};

struct ranges_hit {
	const struct range *rh_range; /* NULL: in none */
	/* addresses from rh_from to before rh_to have the same result */
	uint64_t rh_from;
	uint64_t rh_to;
};

/* ENOMEM, E2BIG. */
int ranges_add(struct ranges *, uint64_t start, uint64_t size, uint32_t value);
/* Sorts by start; of the same start the larger is first. */
void ranges_sort(struct ranges *);
/*
 * Makes it ready for ranges_find(), after the last addition and ranges_sort().
 */
int ranges_seal(struct ranges *);
void ranges_find(const struct ranges *, uint64_t addr, struct ranges_hit *);
void ranges_free(struct ranges *);

#endif /* SYMBOLIZER_RANGES_H */
