/* SPDX-License-Identifier: ISC */
/*
 * Pages of files with a past, present or future unwind table.  At the limit of
 * memory, the tables that no program has used for the longest time are removed.
 * The caller takes one lock for all functions.
 */
#ifndef DAEMON_UNWIND_UNWIND_PAGES_H
#define DAEMON_UNWIND_UNWIND_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/unwind_shared.h"

#define UNWIND_PAGES_RETRY \
	10			/* seconds until the next try after a temporary
				 * error */
#define UNWIND_PAGES_FULL    1	/* seconds, after memory was short */
#define UNWIND_PAGES_EVICTED 60 /* seconds that programs see UNWIND_EVICTED */
#define UNWIND_PAGES_FRESH   2	/* seconds since its use that a page stays */

/* Returns whether the page's table must be built; the page is then pending. */
int unwind_pages_miss(const struct unwind_pagekey *);
/*
 * Enters the table of a pending page: rows, then rules.  ENOSPC: there is no
 * memory; it stays pending.
 */
int unwind_pages_ready(const struct unwind_pagekey *, const void *table,
    uint32_t nrows, uint32_t nrules);
/* Returns the value of a page in the map of the programs; 0: none. */
int unwind_pages_find(const struct unwind_pagekey *, struct unwind_page *);
/*
 * Ends the pending state of a page without a table. may: it is tried again
 * later.
 */
void unwind_pages_none(const struct unwind_pagekey *, int may);
/* Ends the pending state of a page for whose table memory ran out. */
void unwind_pages_full(const struct unwind_pagekey *);
/*
 * Retires tables, the one used longest ago first, until this many bytes are
 * retired; fresh ones stay, unless all is set.  Returns how many bytes.
 */
uint64_t unwind_pages_evict(uint64_t nbytes, int all);
/*
 * Removes the pages of files, whose numbers it sorts.  n 0: removes the pages
 * that can be tried again now.
 */
void unwind_pages_forget(uint32_t *files, size_t n);
/* Removes all. */
void unwind_pages_clear(void);

struct unwind_pages_stat {
	uint64_t ups_ready, ups_none;			       /* now */
	uint64_t ups_bytes;				       /* of tables */
	uint64_t ups_built, ups_failed, ups_evicted, ups_full; /* so far */
};
void unwind_pages_stat(struct unwind_pages_stat *);

#endif /* DAEMON_UNWIND_UNWIND_PAGES_H */
