/* SPDX-License-Identifier: ISC */
/*
 * Two profiles beside each other: the weight of each function and of each stack
 * in both.  They are read as folded stacks, which dt report prints of a
 * recording.
 */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/base/hash.h"

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_NSIDES,
};

/* A function or a stack.  Its name is the key of its entry. */
struct diff_row {
	uint64_t dfr_self[DIFF_NSIDES];
	uint64_t dfr_total[DIFF_NSIDES];
	uint64_t dfr_last; /* number of the last stack that it was counted in */
};

struct diff {
	struct hash dif_funcs, dif_stacks; /* struct diff_row */
	uint64_t dif_weight[DIFF_NSIDES];
	uint64_t dif_nstacks; /* lines so far */
};

/* Adds folded stacks.  Returns 0, or the number of a line that is none. */
unsigned int diff_read(struct diff *, enum diff_side, FILE *);
void diff_free(struct diff *);

/* The share of a weight, from 0 to 1. */
double diff_share(const struct diff *, enum diff_side, uint64_t weight);
/*
 * The standard error of the change between two shares, if weights are numbers of
 * samples.
 */
double diff_error(const struct diff *, const uint64_t weight[DIFF_NSIDES]);

#endif /* CLI_DIFF_DIFF_H */
