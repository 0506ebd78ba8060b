/* SPDX-License-Identifier: ISC */
/* Keeps the tables of pages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <bpf/bpf.h>

#include "common/clock.h"
#include "daemon/sym/table_buf.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_maps.h"
#include "daemon/unwind/unwind_pages.h"

#define LINES 8192 /* of the hash; a power of two */

struct page_entry {
	LIST_ENTRY(page_entry) pge_line;
	struct unwind_pagekey pge_key;
	enum unwind_state pge_state;
	struct slab_block *pge_block; /* with UNWIND_READY */
	uint32_t pge_wait;  /* second until which misses are ignored */
	uint32_t pge_until; /* and from which the page is removed; 0: never */
};

static LIST_HEAD(, page_entry) lines[LINES];
static size_t npages;
static struct unwind_pages_stat stat;

static unsigned int
line_of(const struct unwind_pagekey *uk)
{
	return (uk->uk_file * 2654435761u + uk->uk_page * 40503u) >> 7 &
	    (LINES - 1);
}

static struct page_entry *
page_find(const struct unwind_pagekey *uk)
{
	struct page_entry *pge;

	LIST_FOREACH(pge, &lines[line_of(uk)], pge_line)
		if (memcmp(&pge->pge_key, uk, sizeof(*uk)) == 0)
			return pge;
	return NULL;
}

/* Adds a page to the count of its state, or removes it. */
static void
page_count(const struct page_entry *pge, int n)
{
	if (pge->pge_state == UNWIND_READY) {
		stat.ups_ready += n;
		stat.ups_bytes += n * (int64_t)pge->pge_block->sbk_nbytes;
	} else if (pge->pge_state == UNWIND_NONE)
		stat.ups_none += n;
}

/* Changes the state, first in the map, and retires the previous block. */
static int
page_set(struct page_entry *pge, enum unwind_state state,
    struct slab_block *block)
{
	struct unwind_page up = { .up_place = block == NULL ? 0
							    : block->sbk_place,
		.up_state = state };

	if (bpf_map_update_elem(unwind_maps[UNWIND_PAGES].umr_fd, &pge->pge_key,
		&up, BPF_ANY) != 0)
		return errno;
	page_count(pge, -1);
	slab_retire(pge->pge_block);
	pge->pge_state = state;
	pge->pge_block = block;
	pge->pge_wait = pge->pge_until = 0;
	page_count(pge, 1);
	return 0;
}

static void
page_free(struct page_entry *pge)
{
	(void)bpf_map_delete_elem(unwind_maps[UNWIND_PAGES].umr_fd,
	    &pge->pge_key);
	page_count(pge, -1);
	slab_retire(pge->pge_block);
	LIST_REMOVE(pge, pge_line);
	npages--;
	free(pge);
}

/* Removes the next page without a table, if there is one. */
static void
page_make_room(void)
{
	static unsigned int hand;
	struct page_entry *pge;
	unsigned int i;

	for (i = 0; i < LINES; i++) {
		hand = (hand + 1) & (LINES - 1);
		LIST_FOREACH(pge, &lines[hand], pge_line)
			if (pge->pge_state == UNWIND_NONE ||
			    pge->pge_state == UNWIND_EVICTED) {
				page_free(pge);
				return;
			}
	}
}

static struct page_entry *
page_add(const struct unwind_pagekey *uk)
{
	struct page_entry *pge;

	if (npages >= unwind_pages_max)
		page_make_room();
	if (npages >= unwind_pages_max ||
	    (pge = calloc(1, sizeof(*pge))) == NULL)
		return NULL;
	pge->pge_key = *uk;
	pge->pge_state = UNWIND_EVICTED;
	LIST_INSERT_HEAD(&lines[line_of(uk)], pge, pge_line);
	npages++;
	return pge;
}

int
unwind_pages_find(const struct unwind_pagekey *uk, struct unwind_page *up)
{
	const struct page_entry *pge = page_find(uk);

	if (pge == NULL)
		return 0;
	up->up_state = pge->pge_state;
	up->up_place = pge->pge_block == NULL ? 0 : pge->pge_block->sbk_place;
	return 1;
}

int
unwind_pages_miss(const struct unwind_pagekey *uk)
{
	struct page_entry *pge = page_find(uk);

	if (pge == NULL)
		pge = page_add(uk);
	else if (pge->pge_state != UNWIND_EVICTED ||
	    pge->pge_wait > clock_secs())
		return 0;
	if (pge == NULL)
		return 0;
	if (page_set(pge, UNWIND_PENDING, NULL) == 0)
		return 1;
	page_free(pge);
	return 0;
}

int
unwind_pages_ready(const struct unwind_pagekey *uk, const void *table,
    uint32_t nrows, uint32_t nrules)
{
	size_t nbytes = TABLE_BUF_BYTES(nrows, nrules);
	struct page_entry *pge = page_find(uk);
	struct unwind_block head = { nrows, nrules, clock_secs(), 0 };
	struct slab_block *sb;
	int error;

	if (pge == NULL || pge->pge_state != UNWIND_PENDING)
		return 0; /* forgotten meanwhile */
	if ((sb = slab_alloc(sizeof(head) + nbytes, &error)) == NULL)
		return error;
	memcpy(sb->sbk_mem, &head, sizeof(head));
	memcpy((char *)sb->sbk_mem + sizeof(head), table, nbytes);
	stat.ups_built++;
	if ((error = page_set(pge, UNWIND_READY, sb)) != 0) {
		slab_retire(sb);
		page_free(pge);
	}
	return 0;
}

/* Ends the pending state of a page. secs: time of the next try, or 0. */
static void
page_giveup(const struct unwind_pagekey *uk, enum unwind_state state,
    uint32_t secs)
{
	struct page_entry *pge = page_find(uk);

	if (pge == NULL || pge->pge_state != UNWIND_PENDING)
		return;
	if (page_set(pge, state, NULL) == 0)
		pge->pge_wait = pge->pge_until = secs;
	else
		page_free(pge);
}

void
unwind_pages_none(const struct unwind_pagekey *uk, int may)
{
	stat.ups_failed += may;
	page_giveup(uk, UNWIND_NONE,
	    may ? clock_secs() + UNWIND_PAGES_RETRY : 0);
}

void
unwind_pages_full(const struct unwind_pagekey *uk)
{
	stat.ups_full++;
	page_giveup(uk, UNWIND_EVICTED, clock_secs() + UNWIND_PAGES_FULL);
}

/* A table and the time of its last use, which programs may change meanwhile. */
struct used {
	struct page_entry *usd_page;
	uint32_t usd_secs;
};

static int
used_compare(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	return x->usd_secs < y->usd_secs ? -1 : x->usd_secs > y->usd_secs;
}

uint64_t
unwind_pages_evict(uint64_t nbytes, int all)
{
	struct used *v = calloc(stat.ups_ready + 1, sizeof(*v));
	uint32_t before = all ? UINT32_MAX : clock_secs() - UNWIND_PAGES_FRESH;
	struct page_entry *pge;
	uint64_t done = 0;
	size_t i, n = 0;

	for (i = 0; i < LINES && v != NULL; i++)
		LIST_FOREACH(pge, &lines[i], pge_line)
			if (pge->pge_state == UNWIND_READY)
				v[n++] = (struct used){ pge,
					((struct unwind_block *)
						pge->pge_block->sbk_mem)
					    ->ub_used };
	if (n > 0)
		qsort(v, n, sizeof(*v), used_compare);
	for (i = 0; i < n && done < nbytes && v[i].usd_secs < before; i++) {
		pge = v[i].usd_page;
		done += pge->pge_block->sbk_nbytes;
		stat.ups_evicted++;
		if (page_set(pge, UNWIND_EVICTED, NULL) == 0)
			pge->pge_until = clock_secs() + UNWIND_PAGES_EVICTED;
		else
			page_free(pge);
	}
	free(v);
	return done;
}

/* Returns whether a page may be tried again, or was evicted long ago. */
static int
page_isover(const struct page_entry *pge, uint32_t secs)
{
	return pge->pge_until != 0 && pge->pge_until <= secs;
}

static int
file_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void
unwind_pages_forget(uint32_t *files, size_t n)
{
	struct page_entry *pge, *next;
	uint32_t secs = clock_secs();
	size_t i;

	if (n > 0)
		qsort(files, n, sizeof(*files), file_compare);
	for (i = 0; i < LINES; i++)
		for (pge = LIST_FIRST(&lines[i]); pge != NULL; pge = next) {
			next = LIST_NEXT(pge, pge_line);
			if (n == 0 ? page_isover(pge, secs)
				   : bsearch(&pge->pge_key.uk_file, files, n,
					 sizeof(*files), file_compare) != NULL)
				page_free(pge);
		}
}

void
unwind_pages_clear(void)
{
	size_t i;

	for (i = 0; i < LINES; i++)
		while (!LIST_EMPTY(&lines[i]))
			page_free(LIST_FIRST(&lines[i]));
}

void
unwind_pages_stat(struct unwind_pages_stat *ups)
{
	*ups = stat;
}
