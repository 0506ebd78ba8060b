/* SPDX-License-Identifier: ISC */
/* Reads folded stacks, and compares shares. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diff/diff.h"

static struct diff_row *
diff_row(struct hash *rows, const char *name, size_t len)
{
	struct hash_entry *e = hash_get(rows, name, len);

	if (e->he_ptr == NULL &&
	    (e->he_ptr = calloc(1, sizeof(struct diff_row))) == NULL)
		err(1, "rows");
	return e->he_ptr;
}

/* A kind of wait, or why a stack is incomplete: no function. */
static int
diff_isnote(const char *frame)
{
	return *frame == '[';
}

/* The first frame is the name of the process. */
static void
diff_stack(struct diff *dif, enum diff_side side, const char *stack, size_t len,
    uint64_t weight)
{
	struct diff_row *row = NULL;
	const char *end = stack + len, *frame = stack;
	size_t n;

	diff_row(&dif->dif_stacks, stack, len)->dfr_self[side] += weight;
	dif->dif_weight[side] += weight;
	dif->dif_nstacks++;
	while ((frame = memchr(frame, ';', end - frame)) != NULL) {
		frame++;
		n = strcspn(frame, ";");
		if (frame + n > end)
			n = end - frame;
		if (diff_isnote(frame))
			continue;
		row = diff_row(&dif->dif_funcs, frame, n);
		if (row->dfr_last != dif->dif_nstacks)
			row->dfr_total[side] += weight;
		row->dfr_last = dif->dif_nstacks;
	}
	if (row != NULL)
		row->dfr_self[side] += weight;
}

unsigned int
diff_read(struct diff *dif, enum diff_side side, FILE *fp)
{
	char *line = NULL, *blank, *end;
	unsigned long long weight;
	unsigned int n = 0;
	size_t size = 0;

	while (getline(&line, &size, fp) > 0) {
		n++;
		if ((blank = strrchr(line, ' ')) == NULL)
			goto bad;
		errno = 0;
		weight = strtoull(blank + 1, &end, 10);
		if (!isdigit((unsigned char)blank[1]) || errno != 0 ||
		    (*end != '\n' && *end != '\0') ||
		    weight > UINT64_MAX - dif->dif_weight[side])
			goto bad;
		diff_stack(dif, side, line, blank - line, weight);
	}
	free(line);
	return 0;
bad:
	free(line);
	return n;
}

void
diff_free(struct diff *dif)
{
	hash_free(&dif->dif_funcs);
	hash_free(&dif->dif_stacks);
}

double
diff_share(const struct diff *dif, enum diff_side side, uint64_t weight)
{
	return dif->dif_weight[side] > 0
	    ? (double)weight / dif->dif_weight[side]
	    : 0;
}

double
diff_error(const struct diff *dif, const uint64_t weight[DIFF_NSIDES])
{
	double sum = 0, share;
	int i;

	for (i = 0; i < DIFF_NSIDES; i++) {
		share = diff_share(dif, i, weight[i]);
		if (dif->dif_weight[i] > 0)
			sum += share * (1 - share) / dif->dif_weight[i];
	}
	return sqrt(sum);
}
