/* SPDX-License-Identifier: ISC */
/*
 * The steps of ask.c for hits that are counted by key:
 *
 *	agg PROBE [k=KIND] ... [v=KIND] [hist=log/SUB|linear/MIN/STEP/N] [ok]
 *	    [div=N] [rows=N] [nkeys=N] [poke=OFF:BYTE]
 *		Counts a probe, by name or number.  KIND: as in ask_cond.h, and
 *		probe and cgroup.  poke changes one byte of the request.
 *	snapshot [unread] [first]
 *		Takes a snapshot and appends its rows to the handle's.  Prints
 *		the hits in them.  unread: without the rows; first: one of them.
 *	morerows
 *		Appends the rest of the rows.  Prints the hits in them.
 *	rows n|count|sum|min|max [kN=WORD] ... [value=VALUE] [none]
 *		Prints the number, or combines the members, of the rows that
 *		match.  kN: the N-th word of the key is a number, a worker's
 *		number, or begins with a text after @.  value: the row's bucket
 *		has this number; none: its hits have no value.
 *	norows
 *		Forgets the rows.
 */
#ifndef ASK_AGG_H
#define ASK_AGG_H

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_cond.h"
#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_pair.h"
#include "tests/run/prog/ask_worker.h"

static void
agg_hist_of(const char *word, struct dtioc_agg *ia)
{
	char *end;

	if (strncmp(word, "log/", 4) == 0) {
		ia->dtag_hist = DTAG_LOG;
		ia->dtag_sub = strtoul(word + 4, NULL, 0);
		return;
	}
	if (strncmp(word, "linear/", 7) != 0)
		errx(2, "there is no histogram %s", word);
	ia->dtag_hist = DTAG_LINEAR;
	ia->dtag_min = strtoll(word + 7, &end, 0);
	ia->dtag_step = *end == '/' ? strtoull(end + 1, &end, 0) : 0;
	ia->dtag_nsteps = *end == '/' ? strtoul(end + 1, NULL, 0) : 0;
}

static void
agg_poke(const char *poke, struct dtioc_agg *ia)
{
	const char *colon = strchr(poke, ':');

	if (colon == NULL)
		errx(2, "poke=OFF:BYTE");
	((uint8_t *)ia)[strtoul(poke, NULL, 0) % sizeof(*ia)] = strtoul(colon +
		1,
	    NULL, 0);
}

static void
ask_agg(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_agg ia = {
		.dtag_pbn = pair_pbn(h, name_word(w, 1)),
		.dtag_maxrows = name_optnum(w, "rows", 0),
		.dtag_divisor = name_optnum(w, "div", 0),
		.dtag_flags = name_has(w, "ok") ? DTAG_OKONLY : 0,
	};
	int i;

	for (i = 2; i < w->wd_n; i++) {
		if (strncmp(w->wd_v[i], "k=", 2) == 0) {
			if (ia.dtag_nkeys == DTAG_NKEYS)
				errx(2, "too many keys");
			cond_operand_of(w->wd_v[i] + 2,
			    &ia.dtag_keys[ia.dtag_nkeys++]);
		} else if (strncmp(w->wd_v[i], "v=", 2) == 0)
			cond_operand_of(w->wd_v[i] + 2, &ia.dtag_value);
		else if (strncmp(w->wd_v[i], "hist=", 5) == 0)
			agg_hist_of(w->wd_v[i] + 5, &ia);
	}
	ia.dtag_nkeys = name_optnum(w, "nkeys", ia.dtag_nkeys);
	for (i = 2; i < w->wd_n; i++)
		if (strncmp(w->wd_v[i], "poke=", 5) == 0)
			agg_poke(w->wd_v[i] + 5, &ia);
	h->h_agg = ia;
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSAGG, &ia));
}

/* Appends at most max rows.  Returns their hits, or -1. */
static int64_t
agg_append(struct handle *h, size_t max)
{
	struct dtioc_aggrow row;
	int64_t n = 0;
	int r = 0;

	while (max-- > 0 && (r = dt_agg_next(h->h_dt, &row)) == 1) {
		h->h_rows = reallocarray(h->h_rows, h->h_nrows + 1,
		    sizeof(*h->h_rows));
		if (h->h_rows == NULL)
			err(1, "rows");
		h->h_rows[h->h_nrows++] = row;
		n += row.dtrw_count;
	}
	return r == -1 ? -1 : n;
}

static void
agg_say(struct answer *an, int64_t n)
{
	if (n == -1)
		ask_say_result(an, -1);
	else
		ask_say(an, "%lld", (long long)n);
}

static void
ask_snapshot(struct handle *h, const struct words *w, struct answer *an)
{
	size_t max = name_has(w, "unread") ? 0
	    : name_has(w, "first")	   ? 1
					   : SIZE_MAX;
	struct dtioc_aggsnap as;

	if (dt_ioctl(h->h_dt, DTIOCAGGSNAP, &as) == -1)
		ask_say_result(an, -1);
	else
		agg_say(an, agg_append(h, max));
}

static void
ask_morerows(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	agg_say(an, agg_append(h, SIZE_MAX));
}

/* Returns whether a word of the key is what a condition states. */
static int
agg_word_is(const struct dtioc_aggrow *row, const char *s)
{
	const uint64_t *word = &row->dtrw_words[(s[1] - '0') % DTAG_NWORDS];

	if (s[3] == '@')
		return strncmp((const char *)word, s + 4, strlen(s + 4)) == 0;
	if (s[3] >= 'A' && s[3] <= 'Z')
		return *word == worker_id(s + 3);
	return *word == strtoull(s + 3, NULL, 0);
}

static int
agg_matches(const struct handle *h, const struct dtioc_aggrow *row,
    const struct words *w)
{
	int64_t first = 0, last = 0, v;
	int i, hasvalue;

	hasvalue = dt_agg_bucket(&h->h_agg, row->dtrw_bucket, &first, &last);
	for (i = 2; i < w->wd_n; i++) {
		if (w->wd_v[i][0] == 'k') {
			if (!agg_word_is(row, w->wd_v[i]))
				return 0;
		} else if (strcmp(w->wd_v[i], "none") == 0) {
			if (hasvalue)
				return 0;
		} else if (strncmp(w->wd_v[i], "value=", 6) == 0) {
			v = strtoll(w->wd_v[i] + 6, NULL, 0);
			if (!hasvalue || v < first || v > last)
				return 0;
		} else
			errx(2, "there is no condition %s", w->wd_v[i]);
	}
	return 1;
}

static void
ask_rows(struct handle *h, const struct words *w, struct answer *an)
{
	const char *what = name_word(w, 1);
	struct dtioc_aggrow all = { .dtrw_min = INT64_MAX,
		.dtrw_max = INT64_MIN };
	const struct dtioc_aggrow *row;
	size_t i, n = 0;

	for (i = 0; i < h->h_nrows; i++) {
		row = &h->h_rows[i];
		if (!agg_matches(h, row, w))
			continue;
		n++;
		all.dtrw_count += row->dtrw_count;
		all.dtrw_sum += row->dtrw_sum;
		if (row->dtrw_min < all.dtrw_min)
			all.dtrw_min = row->dtrw_min;
		if (row->dtrw_max > all.dtrw_max)
			all.dtrw_max = row->dtrw_max;
	}
	const struct {
		const char *name;
		int64_t value;
	} members[] = {
		{ "n", n },
		{ "count", all.dtrw_count },
		{ "sum", all.dtrw_sum },
		{ "min", all.dtrw_min },
		{ "max", all.dtrw_max },
	};

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (strcmp(members[i].name, what) == 0) {
			ask_say(an, "%lld", (long long)members[i].value);
			return;
		}
	errx(2, "rows have no %s", what);
}

static void
ask_norows(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	free(h->h_rows);
	h->h_rows = NULL;
	h->h_nrows = 0;
	ask_say(an, "0");
}

#endif /* ASK_AGG_H */
