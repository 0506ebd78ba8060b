/* SPDX-License-Identifier: ISC */
/*
 * Finds the nearest names by the number of characters that are inserted,
 * deleted, replaced, or exchanged with the next.  Names of very different
 * lengths are skipped, and a count ends when it exceeds the worst name kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/function_walk.h"
#include "symbolizer/nearest.h"
#include "symbolizer/notes.h"

#define NAMES_KEPT 8
#define NAME_MAX   256		  /* longer names are not compared */
#define STEPS_MAX  (512ULL << 20) /* pairs of characters compared, in all */

struct near_name {
	unsigned int nrn_far;
	char nrn_name[NAME_MAX];
};

/* The nearest names so far, the best first. */
struct nearest {
	const char *nst_name;
	size_t nst_len;
	unsigned int nst_limit; /* names further away are not similar */
	unsigned int nst_max, nst_n;
	uint64_t nst_left; /* steps */
	struct near_name nst_v[NAMES_KEPT];
};

static unsigned int
least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Returns the distance of two names, or more than the limit.  Three rows of the
 * usual table are kept, for exchanged characters.
 */
static unsigned int
distance(const char *a, size_t n, const char *b, size_t m, unsigned int limit)
{
	unsigned int rows[3][NAME_MAX + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	unsigned int low;
	size_t i, j;

	for (j = 0; j <= m; j++)
		last[j] = j;
	for (i = 1; i <= n; i++) {
		low = row[0] = i;
		for (j = 1; j <= m; j++) {
			row[j] = least(least(last[j], row[j - 1]) + 1,
			    last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
			low = least(low, row[j]);
		}
		if (low > limit)
			return low;
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[m];
}

static int
has_name(const struct nearest *nst, const char *name)
{
	unsigned int i;

	for (i = 0; i < nst->nst_n; i++)
		if (strcmp(nst->nst_v[i].nrn_name, name) == 0)
			return 1;
	return 0;
}

/* Keeps a name if it is near enough. */
static void
offer(struct nearest *nst, const char *name)
{
	size_t len = strlen(name), more;
	unsigned int far, at;

	more = len > nst->nst_len ? len - nst->nst_len : nst->nst_len - len;
	if (len >= NAME_MAX || more > nst->nst_limit ||
	    nst->nst_left < len * nst->nst_len)
		return;
	nst->nst_left -= len * nst->nst_len;
	far = distance(nst->nst_name, nst->nst_len, name, len, nst->nst_limit);
	if (far > nst->nst_limit || has_name(nst, name))
		return;
	for (at = nst->nst_n; at > 0 && nst->nst_v[at - 1].nrn_far > far; at--)
		;
	if (at == nst->nst_max)
		return;
	if (nst->nst_n < nst->nst_max)
		nst->nst_n++;
	memmove(&nst->nst_v[at + 1], &nst->nst_v[at],
	    (nst->nst_n - 1 - at) * sizeof(*nst->nst_v));
	nst->nst_v[at].nrn_far = far;
	memcpy(nst->nst_v[at].nrn_name, name, len + 1);
	if (nst->nst_n == nst->nst_max)
		nst->nst_limit = nst->nst_v[nst->nst_n - 1].nrn_far;
}

/*
 * Offers a function in the form in which the name was requested: as stored, with
 * parameters, or else without.
 */
static int
function_offer(void *arg, const struct function_symbol *fs)
{
	const struct nearest *nst = arg;
	const size_t len = strlen(fs->fs_name);
	char name[SYMREQ_NAME];

	if (strncmp(nst->nst_name, "_Z", 2) == 0 ||
	    strncmp(nst->nst_name, "_R", 2) == 0)
		offer(arg, fs->fs_name);
	if (strchr(nst->nst_name, '(') != NULL) {
		demangle_signature(fs->fs_name, len, name);
		offer(arg, name);
	}
	demangle_name(fs->fs_name, len, name);
	offer(arg, name);
	return 0;
}

static int
note_offer(void *arg, const struct note *nt)
{
	offer(arg, nt->nt_full);
	return 0;
}

/* Similar are names of which two thirds are the same. */
static void
begin(struct nearest *nst, const struct probe_query *pq)
{
	*nst = (struct nearest){ .nst_name = pq->pq_name,
		.nst_len = strlen(pq->pq_name),
		.nst_left = STEPS_MAX,
		.nst_max = least(pq->pq_max, NAMES_KEPT) };
	nst->nst_limit = nst->nst_len < 3 ? 1 : 1 + nst->nst_len / 3;
}

static void
put_all(const struct nearest *nst, struct probe_sink *sink)
{
	struct found_site fo;
	unsigned int i;

	for (i = 0; i < nst->nst_n; i++) {
		fo = (struct found_site){ .fo_name = nst->nst_v[i].nrn_name };
		sink->psk_put(sink, &fo);
	}
}

int
nearest_functions(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct nearest nst;

	begin(&nst, pq);
	if (nst.nst_len >= NAME_MAX || nst.nst_max == 0)
		return 0;
	(void)function_walk(ob, function_offer, NULL, &nst);
	put_all(&nst, sink);
	return 0;
}

int
nearest_notes(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct nearest nst;

	begin(&nst, pq);
	if (nst.nst_len >= NAME_MAX || nst.nst_max == 0)
		return 0;
	(void)notes_walk(object_file_main(ob), note_offer, &nst);
	put_all(&nst, sink);
	return 0;
}
