/* SPDX-License-Identifier: ISC */
/*
 * The kernel's table is small, so that it is fast and cheap; many keys are
 * merged by the client.  The time between snapshots depends on how full the
 * table was, so only a table that fills up is read often.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/stat/kernel_rows.h"

#define ROWS_FIRST   20000000	/* ns until the first snapshot */
#define ROWS_SHORT   5000000	/* ns between snapshots at least */
#define ROWS_LONG    1000000000 /* and at most, unless the caller differs */
#define ROWS_MANY(n) ((n) / 4)	/* rows after which it is halved */
#define ROWS_FEW(n)  ((n) / 16) /* and doubled */

void
kernel_rows_begin(struct kernel_rows *kr, struct dt *dt, uint32_t maxrows)
{
	kr->krw_dt = dt;
	kr->krw_maxrows = maxrows;
	kr->krw_every = ROWS_FIRST;
	kr->krw_longest = ROWS_LONG;
}

void
kernel_rows_free(struct kernel_rows *kr)
{
	hash_free(&kr->krw_known[0]);
	hash_free(&kr->krw_known[1]);
	free(kr->krw_unknown);
}

int
kernel_rows_set(struct kernel_rows *kr, struct dtioc_agg *ag)
{
	ag->dtag_flags |= kr->krw_isrecord ? DTAG_RECORD : 0;
	ag->dtag_maxrows = kr->krw_maxrows;
	if (dt_ioctl(kr->krw_dt, DTIOCSAGG, ag) == -1) {
		if (errno != ENOMEM || kr->krw_nset > 0 ||
		    kr->krw_maxrows == DTAG_ROWS)
			return -1;
		ag->dtag_maxrows = kr->krw_maxrows = DTAG_ROWS;
		if (dt_ioctl(kr->krw_dt, DTIOCSAGG, ag) == -1)
			return -1;
	}
	kr->krw_nset++;
	return 0;
}

void **
kernel_rows_known(struct kernel_rows *kr, const struct dt_event *ev)
{
	const size_t len = sizeof(*ev->ev_key);
	struct hash_entry *e = hash_find(&kr->krw_known[0], ev->ev_key, len);
	struct hash_entry *old;

	if (e != NULL)
		return &e->he_ptr;
	e = hash_get(&kr->krw_known[0], ev->ev_key, len);
	old = hash_find(&kr->krw_known[1], ev->ev_key, len);
	if (old != NULL) {
		e->he_ptr = old->he_ptr;
		old->he_ptr = NULL;
	}
	return &e->he_ptr;
}

/* Returns what a row stands for, NULL if the event of its key has not arrived. */
static void *
rows_known(const struct kernel_rows *kr, const struct dtioc_aggrow *row)
{
	const struct hash_entry *e;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		e = hash_find(&kr->krw_known[i], row->dtrw_words,
		    sizeof(row->dtrw_words[0]));
		if (e != NULL && e->he_ptr != NULL)
			return e->he_ptr;
	}
	return NULL;
}

/*
 * Forgets old keys after a snapshot.  After a snapshot, the first hit of each
 * key is an event again, so only the keys of the last interval are needed.  They
 * are no more than the kernel's table has rows.
 */
static void
rows_forget(struct kernel_rows *kr)
{
	if (kr->krw_known[0].ha_n <= kr->krw_maxrows)
		return;
	hash_free(&kr->krw_known[1]);
	kr->krw_known[1] = kr->krw_known[0];
	kr->krw_known[0] = (struct hash){ 0 };
}

/* Adds a row.  Returns 0 if the event of its key has not arrived. */
static int
rows_add(struct kernel_rows *kr, const struct dtioc_aggrow *row)
{
	void *known = NULL;

	if (row->dtrw_count == 0)
		return 1; /* only the first hit, which is an event */
	if (kr->krw_isrecord && (known = rows_known(kr, row)) == NULL)
		return 0;
	kr->krw_add(kr->krw_arg, row, known);
	return 1;
}

/* Keeps a row until the event of its key arrives. */
static void
rows_later(struct kernel_rows *kr, const struct dtioc_aggrow *row)
{
	if (kr->krw_nunknown == kr->krw_maxunknown) {
		kr->krw_maxunknown = 2 * kr->krw_maxunknown + 64;
		kr->krw_unknown = reallocarray(kr->krw_unknown,
		    kr->krw_maxunknown, sizeof(*kr->krw_unknown));
		if (kr->krw_unknown == NULL)
			err(1, "rows");
	}
	kr->krw_unknown[kr->krw_nunknown++] = *row;
}

/* Adds the rows whose event has arrived. */
static void
rows_retry(struct kernel_rows *kr)
{
	size_t i, n = 0;

	for (i = 0; i < kr->krw_nunknown; i++)
		if (!rows_add(kr, &kr->krw_unknown[i]))
			kr->krw_unknown[n++] = kr->krw_unknown[i];
	kr->krw_nunknown = n;
}

/*
 * Sets the time of the next snapshot, after one of n rows.  isfull: the table
 * was full.
 */
static void
rows_pace(struct kernel_rows *kr, uint64_t now, size_t n, int isfull)
{
	uint64_t ns = kr->krw_every;

	if (isfull)
		ns = ROWS_SHORT;
	else if (n > ROWS_MANY(kr->krw_maxrows))
		ns /= 2;
	else if (n < ROWS_FEW(kr->krw_maxrows))
		ns *= 2;
	if (ns < ROWS_SHORT)
		ns = ROWS_SHORT;
	if (ns > kr->krw_longest)
		ns = kr->krw_longest;
	kr->krw_every = ns;
	kr->krw_next = now + ns;
}

int
kernel_rows_isdue(struct kernel_rows *kr, uint64_t now)
{
	if (kr->krw_next == 0)
		kr->krw_next = now + kr->krw_every;
	return now >= kr->krw_next;
}

int
kernel_rows_snapshot(struct kernel_rows *kr, uint64_t now, uint64_t *nhits,
    uint64_t *nfull)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	size_t nrows = 0;
	int n;

	*nhits = *nfull = 0;
	rows_retry(kr);
	if (dt_ioctl(kr->krw_dt, DTIOCAGGSNAP, &as) == -1)
		return -1;
	while ((n = dt_agg_next(kr->krw_dt, &row)) == 1) {
		if (!rows_add(kr, &row))
			rows_later(kr, &row);
		*nhits += row.dtrw_count;
		nrows++;
	}
	*nfull = as.dtas_mapfull - kr->krw_mapfull;
	kr->krw_mapfull = as.dtas_mapfull;
	rows_pace(kr, now, nrows, *nfull != 0);
	rows_forget(kr);
	return n;
}

uint64_t
kernel_rows_end(struct kernel_rows *kr)
{
	uint64_t nhits = 0;
	size_t i;

	rows_retry(kr);
	for (i = 0; i < kr->krw_nunknown; i++)
		nhits += kr->krw_unknown[i].dtrw_count;
	kr->krw_nunknown = 0;
	return nhits;
}
