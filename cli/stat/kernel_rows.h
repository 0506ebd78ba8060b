/* SPDX-License-Identifier: ISC */
/*
 * The rows of hits that the kernel counts (DTIOCSAGG): snapshots of them, when
 * they are due, and what a row with a hash (DTAG_RECORD) stands for.
 */
#ifndef CLI_STAT_KERNEL_ROWS_H
#define CLI_STAT_KERNEL_ROWS_H

#include <stddef.h>

#include <libdt.h>

#include "cli/base/hash.h"

struct kernel_rows {
	struct dt *krw_dt;
	/*
	 * Adds a row to the caller's counts.  known: with DTAG_RECORD, what
	 * kernel_rows_known() returned for it.
	 */
	void (*krw_add)(void *arg, const struct dtioc_aggrow *, void *known);
	void *krw_arg;
	int krw_isrecord;      /* requests have DTAG_RECORD */
	uint32_t krw_maxrows;  /* of the kernel's table */
	unsigned int krw_nset; /* requests that dtd accepted */
	uint64_t krw_mapfull;  /* as of the last snapshot */
	uint64_t krw_every;    /* ns between snapshots */
	uint64_t krw_longest;  /* the same, at most */
	uint64_t krw_next;     /* time of the next one, CLOCK_MONOTONIC, ns */
	/*
	 * First word of a row -> what it stands for; keys of the second, older
	 * table that are still in use move to the first.
	 */
	struct hash krw_known[2];
	/* rows of keys whose event has not arrived */
	struct dtioc_aggrow *krw_unknown;
	size_t krw_nunknown, krw_maxunknown;
};

/* The caller sets krw_add, krw_arg and krw_isrecord. */
void kernel_rows_begin(struct kernel_rows *, struct dt *, uint32_t maxrows);
void kernel_rows_free(struct kernel_rows *);
/*
 * Requests to count hits, with a smaller table if the user's limits do not
 * permit a larger one.  Returns 0, or -1 with errno.
 */
int kernel_rows_set(struct kernel_rows *, struct dtioc_agg *);
/*
 * Returns where the caller stores what the rows of an event with ev_key stand
 * for, initially NULL; kernel_rows_free() frees it by free(3).
 */
void **kernel_rows_known(struct kernel_rows *, const struct dt_event *);
/* Returns whether it is time for a snapshot; the first is not due at once. */
int kernel_rows_isdue(struct kernel_rows *, uint64_t now);
/*
 * Adds the rows since the last snapshot.  Stores the number of their hits, and
 * of those for which there was no row; returns 0, or -1 with errno.
 */
int kernel_rows_snapshot(struct kernel_rows *, uint64_t now, uint64_t *nhits,
    uint64_t *nfull);
/*
 * After the last event: adds rows whose event has arrived since; returns the
 * hits of all others.
 */
uint64_t kernel_rows_end(struct kernel_rows *);

#endif /* CLI_STAT_KERNEL_ROWS_H */
