/* SPDX-License-Identifier: ISC */
/*
 * The table of call_table.h.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_table.h"

#define PAIR_SMALL 512 /* bytes of a record that may be used again */

static struct pair_call **
pair_bucket(struct pairs *pp, struct pair_key key)
{
	uint32_t hash = (key.pk_tid ^ key.pk_kind << 16) * 0x9e3779b1U;

	return &pp->pp_buckets[hash >> 20 & (PAIR_NBUCKETS - 1)];
}

static struct pair_list *
pair_list(struct pairs *pp, const struct pair_call *pa)
{
	return pa->pa_old ? &pp->pp_old : &pp->pp_young;
}

static void
pair_link(struct pairs *pp, struct pair_call *pa)
{
	struct pair_list *pl = pair_list(pp, pa);

	pa->pa_next = NULL;
	pa->pa_prev = pl->pl_last;
	if (pl->pl_last != NULL)
		pl->pl_last->pa_next = pa;
	else
		pl->pl_first = pa;
	pl->pl_last = pa;
}

static void
pair_unlink(struct pairs *pp, struct pair_call *pa)
{
	struct pair_list *pl = pair_list(pp, pa);

	if (pa->pa_next != NULL)
		pa->pa_next->pa_prev = pa->pa_prev;
	else
		pl->pl_last = pa->pa_prev;
	if (pa->pa_prev != NULL)
		pa->pa_prev->pa_next = pa->pa_next;
	else
		pl->pl_first = pa->pa_next;
}

static struct pair_call *
pair_alloc(struct pairs *pp, size_t nbytes)
{
	struct pair_call *pa = pp->pp_free;

	if (nbytes <= PAIR_SMALL && pa != NULL) {
		pp->pp_free = pa->pa_hash;
		return pa;
	}
	nbytes = nbytes <= PAIR_SMALL ? PAIR_SMALL : (nbytes + 7) & ~(size_t)7;
	if (pp->pp_nbytes + nbytes > PAIR_NBYTES)
		return NULL;
	if ((pa = malloc(sizeof(*pa) + nbytes)) == NULL)
		err(1, "calls");
	pa->pa_size = nbytes;
	pp->pp_nbytes += nbytes;
	return pa;
}

static const void *
pair_moved(const void *p, const struct pair_call *pa, const struct dt_event *ev)
{
	if (p == NULL)
		return NULL;
	return (const char *)pa->pa_rec +
	    ((const char *)p - (const char *)ev->ev_rec);
}

/* All that an event points to is inside of its record. */
static void
pair_copy(struct pair_call *pa, const struct dt_event *ev)
{
	struct dt_event *to = &pa->pa_ev;

	memcpy(pa->pa_rec, ev->ev_rec, ev->ev_rec->dr_length);
	*to = *ev;
	to->ev_rec = (const struct dt_rec *)pa->pa_rec;
	to->ev_args = pair_moved(ev->ev_args, pa, ev);
	to->ev_ret = pair_moved(ev->ev_ret, pa, ev);
	to->ev_comm = pair_moved(ev->ev_comm, pa, ev);
	to->ev_who = pair_moved(ev->ev_who, pa, ev);
	to->ev_kstack = pair_moved(ev->ev_kstack, pa, ev);
	to->ev_ustack = pair_moved(ev->ev_ustack, pa, ev);
	to->ev_strings = pair_moved(ev->ev_strings, pa, ev);
	to->ev_duration = pair_moved(ev->ev_duration, pa, ev);
}

struct pair_call *
pair_put(struct pairs *pp, struct pair_key key, const struct dt_event *ev)
{
	struct pair_call *pa, **bucket = pair_bucket(pp, key);

	if (pp->pp_n >= PAIR_MAX ||
	    (pa = pair_alloc(pp, ev->ev_rec->dr_length)) == NULL)
		return NULL;
	pa->pa_key = key;
	pa->pa_old = 0;
	pa->pa_flags = 0;
	pa->pa_arg = NULL;
	pair_copy(pa, ev);
	pa->pa_hash = *bucket;
	*bucket = pa;
	pair_link(pp, pa);
	pp->pp_n++;
	return pa;
}

struct pair_call *
pair_find(struct pairs *pp, struct pair_key key)
{
	struct pair_call *pa = *pair_bucket(pp, key);

	while (pa != NULL &&
	    (pa->pa_key.pk_tid != key.pk_tid ||
		pa->pa_key.pk_kind != key.pk_kind))
		pa = pa->pa_hash;
	return pa;
}

void
pair_drop(struct pairs *pp, struct pair_call *pa)
{
	struct pair_call **pap = pair_bucket(pp, pa->pa_key);

	while (*pap != pa)
		pap = &(*pap)->pa_hash;
	*pap = pa->pa_hash;
	pair_unlink(pp, pa);
	pp->pp_n--;
	if (pa->pa_size == PAIR_SMALL) {
		pa->pa_hash = pp->pp_free;
		pp->pp_free = pa;
		return;
	}
	pp->pp_nbytes -= pa->pa_size;
	free(pa);
}

void
pair_age(struct pairs *pp, struct pair_call *pa)
{
	pair_unlink(pp, pa);
	pa->pa_old = 1;
	pair_link(pp, pa);
}

struct pair_call *
pair_each(struct pairs *pp, uint32_t pid, const struct pair_call *after)
{
	struct pair_call *pa;
	int young = after != NULL && !after->pa_old;

	pa = after != NULL ? after->pa_next : pp->pp_old.pl_first;
	for (;;) {
		while (
		    pa != NULL && pid != 0 && pa->pa_ev.ev_rec->dr_pid != pid)
			pa = pa->pa_next;
		if (pa != NULL || young)
			return pa;
		young = 1;
		pa = pp->pp_young.pl_first;
	}
}

void
pair_free(struct pairs *pp)
{
	struct pair_call *pa;

	while ((pa = pair_each(pp, 0, NULL)) != NULL)
		pair_drop(pp, pa);
	while ((pa = pp->pp_free) != NULL) {
		pp->pp_free = pa->pa_hash;
		free(pa);
	}
	pp->pp_nbytes = 0;
}
