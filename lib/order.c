/* SPDX-License-Identifier: ISC */
/*
 * Sorts records by time.  The records of each CPU are almost always sorted, so
 * the set consists of few runs.  A natural merge sort takes n log(runs), and
 * the rest of one pass is a single run of the next.
 *
 * Records are in chunks, freed after their last record was returned.  Only
 * index entries are moved.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"

#define ORDER_FIRST 1024 /* entries of the initial index */
#define ORDER_SPARE 8	 /* free chunks that are kept */

struct dt_orderent {
	uint64_t oe_time;
	struct dt_kept *oe_kept;
};

struct dt_chunk {
	struct dt_chunk *ck_next; /* next free chunk */
	size_t ck_used;		  /* bytes used */
	unsigned int ck_live;	  /* records not yet returned */
	_Alignas(8) uint8_t ck_data[DT_ORDER_CHUNK];
};

/* Maximum size of a record with its header, rounded as in a chunk. */
#define ORDER_MAXREC (sizeof(struct dt_kept) + 65536)

_Static_assert(ORDER_MAXREC <= DT_ORDER_CHUNK, "a chunk has any record");
_Static_assert(2 * sizeof(struct dt_orderent) <=
	sizeof(struct dt_kept) + sizeof(struct dt_rec),
    "the bound of the index");

struct dt_order *
dt_order_alloc(void)
{
	return calloc(1, sizeof(struct dt_order));
}

void
dt_order_free(struct dt_order *od)
{
	struct dt_chunk *ck;
	size_t i;

	if (od == NULL)
		return;
	/* a chunk is freed with its last record */
	for (i = od->or_next; i < od->or_nents; i++) {
		ck = od->or_ents[i].oe_kept->kpt_chunk;
		if (--ck->ck_live == 0 && ck != od->or_chunk)
			free(ck);
	}
	if (od->or_out != NULL) {
		ck = od->or_out->kpt_chunk;
		if (--ck->ck_live == 0 && ck != od->or_chunk)
			free(ck);
	}
	free(od->or_chunk);
	while ((ck = od->or_free) != NULL) {
		od->or_free = ck->ck_next;
		free(ck);
	}
	free(od->or_ents);
	free(od->or_tmp);
	free(od);
}

/* Releases a record that was returned and is not used any more. */
static void
order_release(struct dt_order *od, struct dt_chunk *ck)
{
	if (--ck->ck_live > 0)
		return;
	ck->ck_used = 0;
	if (ck == od->or_chunk)
		return; /* keeps being filled, from its start */
	if (od->or_nfree >= ORDER_SPARE) {
		od->or_nchunks--;
		free(ck);
		return;
	}
	ck->ck_next = od->or_free;
	od->or_free = ck;
	od->or_nfree++;
}

/* Removes returned entries; the rest is already sorted. */
static void
order_drop(struct dt_order *od)
{
	od->or_nents -= od->or_ready;
	memmove(od->or_ents, od->or_ents + od->or_ready,
	    od->or_nents * sizeof(*od->or_ents));
	od->or_next = od->or_ready = 0;
}

const struct dt_kept *
dt_order_get(struct dt_order *od)
{
	struct dt_orderent *oe;

	if (od->or_out != NULL) {
		order_release(od, od->or_out->kpt_chunk);
		od->or_out = NULL;
	}
	if (od->or_next == od->or_ready) {
		if (od->or_ready != 0)
			order_drop(od);
		return NULL;
	}
	oe = &od->or_ents[od->or_next++];
	if (oe->oe_time > od->or_last)
		od->or_last = oe->oe_time;
	od->or_out = oe->oe_kept;
	return od->or_out;
}

/* Enlarges the index. */
static bool
order_grow(struct dt_order *od)
{
	struct dt_orderent *ents, *tmp;
	size_t size;

	size = od->or_size == 0 ? ORDER_FIRST : od->or_size * 2;
	ents = reallocarray(od->or_ents, size, sizeof(*ents));
	if (ents == NULL)
		return false;
	od->or_ents = ents;
	tmp = reallocarray(od->or_tmp, size, sizeof(*tmp));
	if (tmp == NULL)
		return false;
	od->or_tmp = tmp;
	od->or_size = size;
	return true;
}

/* Begins a chunk. */
static bool
order_chunk(struct dt_order *od)
{
	struct dt_chunk *ck = od->or_free;

	if (ck != NULL) {
		od->or_free = ck->ck_next;
		od->or_nfree--;
	} else {
		if (od->or_nchunks >= DT_ORDER_MAXCHUNKS)
			return false;
		ck = malloc(sizeof(*ck));
		if (ck == NULL)
			return false;
		od->or_nchunks++;
	}
	ck->ck_used = 0;
	ck->ck_live = 0;
	/* the old chunk is not empty: freed with its last record */
	od->or_chunk = ck;
	return true;
}

bool
dt_order_room(struct dt_order *od)
{
	const struct dt_chunk *ck = od->or_chunk;

	/* an entry of the index, and space for any record */
	if ((od->or_nents < od->or_size || order_grow(od)) &&
	    ((ck != NULL && ck->ck_used + ORDER_MAXREC <= DT_ORDER_CHUNK) ||
		order_chunk(od)))
		return true;
	if (od->or_nents > 0) {
		dt_order_flush(od);
		od->or_ready = (od->or_nents + 1) / 2;
	}
	return false;
}

bool
dt_order_add(struct dt_order *od, const struct dt_rec *rec, uint32_t cpu,
    uint32_t tag)
{
	struct dt_chunk *ck = od->or_chunk;
	struct dt_kept *kp;

	if (rec->dr_time < od->or_last)
		return false;
	kp = (struct dt_kept *)(ck->ck_data + ck->ck_used);
	kp->kpt_chunk = ck;
	kp->kpt_cpu = cpu;
	kp->kpt_tag = tag;
	memcpy(kp + 1, rec, rec->dr_length);
	ck->ck_used += sizeof(*kp) + ((rec->dr_length + 7U) & ~7U);
	ck->ck_live++;
	od->or_ents[od->or_nents].oe_time = rec->dr_time;
	od->or_ents[od->or_nents].oe_kept = kp;
	od->or_nents++;
	return true;
}

/* Returns the end of the run that begins at i. */
static size_t
order_run(const struct dt_orderent *oe, size_t i, size_t n)
{
	for (i++; i < n && oe[i - 1].oe_time <= oe[i].oe_time; i++)
		continue;
	return i;
}

/* Merges from[a..b) and from[b..c) into to[a..c); stable. */
static void
order_merge(const struct dt_orderent *from, struct dt_orderent *to, size_t a,
    size_t b, size_t c)
{
	size_t i = a, j = b, k = a;

	while (i < b && j < c) {
		if (from[j].oe_time < from[i].oe_time)
			to[k++] = from[j++];
		else
			to[k++] = from[i++];
	}
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	k += b - i;
	memcpy(to + k, from + j, (c - j) * sizeof(*to));
}

/* Merges neighbouring runs in pairs until a single one remains. */
static void
order_sort(struct dt_order *od)
{
	struct dt_orderent *swap;
	size_t a, b, c, n = od->or_nents;

	while (n > 0 && order_run(od->or_ents, 0, n) < n) {
		for (a = 0; a < n; a = c) {
			b = order_run(od->or_ents, a, n);
			c = b < n ? order_run(od->or_ents, b, n) : b;
			order_merge(od->or_ents, od->or_tmp, a, b, c);
		}
		swap = od->or_ents;
		od->or_ents = od->or_tmp;
		od->or_tmp = swap;
	}
}

void
dt_order_pass(struct dt_order *od, uint64_t lowwater)
{
	size_t high = od->or_nents, low = 0, mid;

	order_sort(od);
	while (low < high) {
		mid = low + (high - low) / 2;
		if (od->or_ents[mid].oe_time < lowwater)
			low = mid + 1;
		else
			high = mid;
	}
	od->or_ready = low;
}

bool
dt_order_has(const struct dt_order *od, uint64_t time)
{
	return od->or_next < od->or_ready &&
	    od->or_ents[od->or_next].oe_time <= time;
}

void
dt_order_flush(struct dt_order *od)
{
	order_sort(od);
	od->or_ready = od->or_nents;
}
