/* SPDX-License-Identifier: ISC */
/* The table of pending calls: finds, adds and drops them. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_table.h"

#define CALL_TABLE_SMALL 512 /* bytes of a record whose memory is reused */

static struct table_call **
call_table_bucket(struct call_table *pp, struct call_key key)
{
	uint32_t hash = (key.ck_tid ^ key.ck_kind << 16) * 0x9e3779b1U;

	return &pp->ctb_buckets[hash >> 20 & (CALL_TABLE_NBUCKETS - 1)];
}

static struct call_list *
call_table_list(struct call_table *pp, const struct table_call *pa)
{
	return pa->tc_old ? &pp->ctb_old : &pp->ctb_young;
}

static void
call_table_link(struct call_table *pp, struct table_call *pa)
{
	struct call_list *pl = call_table_list(pp, pa);

	pa->tc_next = NULL;
	pa->tc_prev = pl->cls_last;
	if (pl->cls_last != NULL)
		pl->cls_last->tc_next = pa;
	else
		pl->cls_first = pa;
	pl->cls_last = pa;
}

static void
call_table_unlink(struct call_table *pp, struct table_call *pa)
{
	struct call_list *pl = call_table_list(pp, pa);

	if (pa->tc_next != NULL)
		pa->tc_next->tc_prev = pa->tc_prev;
	else
		pl->cls_last = pa->tc_prev;
	if (pa->tc_prev != NULL)
		pa->tc_prev->tc_next = pa->tc_next;
	else
		pl->cls_first = pa->tc_next;
}

static struct table_call *
call_table_alloc(struct call_table *pp, size_t nbytes)
{
	struct table_call *pa = pp->ctb_free;

	if (nbytes <= CALL_TABLE_SMALL && pa != NULL) {
		pp->ctb_free = pa->tc_hash;
		return pa;
	}
	nbytes = nbytes <= CALL_TABLE_SMALL ? CALL_TABLE_SMALL
					    : (nbytes + 7) & ~(size_t)7;
	if (pp->ctb_nbytes + nbytes > CALL_TABLE_NBYTES)
		return NULL;
	if ((pa = malloc(sizeof(*pa) + nbytes)) == NULL)
		err(1, "calls");
	pa->tc_size = nbytes;
	pp->ctb_nbytes += nbytes;
	return pa;
}

static const void *
call_table_moved(const void *p, const struct table_call *pa,
    const struct dt_event *ev)
{
	if (p == NULL)
		return NULL;
	return (const char *)pa->tc_rec +
	    ((const char *)p - (const char *)ev->ev_rec);
}

/* Copies an event.  All its pointers point into its record. */
static void
call_table_copy(struct table_call *pa, const struct dt_event *ev)
{
	struct dt_event *to = &pa->tc_ev;

	memcpy(pa->tc_rec, ev->ev_rec, ev->ev_rec->dr_length);
	*to = *ev;
	to->ev_rec = (const struct dt_rec *)pa->tc_rec;
	to->ev_args = call_table_moved(ev->ev_args, pa, ev);
	to->ev_ret = call_table_moved(ev->ev_ret, pa, ev);
	to->ev_comm = call_table_moved(ev->ev_comm, pa, ev);
	to->ev_who = call_table_moved(ev->ev_who, pa, ev);
	to->ev_kstack = call_table_moved(ev->ev_kstack, pa, ev);
	to->ev_ustack = call_table_moved(ev->ev_ustack, pa, ev);
	to->ev_strings = call_table_moved(ev->ev_strings, pa, ev);
	to->ev_duration = call_table_moved(ev->ev_duration, pa, ev);
}

struct table_call *
call_table_put(struct call_table *pp, struct call_key key,
    const struct dt_event *ev)
{
	struct table_call *pa, **bucket = call_table_bucket(pp, key);

	if (pp->ctb_n >= CALL_TABLE_MAX ||
	    (pa = call_table_alloc(pp, ev->ev_rec->dr_length)) == NULL)
		return NULL;
	pa->tc_key = key;
	pa->tc_old = 0;
	pa->tc_flags = 0;
	pa->tc_arg = NULL;
	call_table_copy(pa, ev);
	pa->tc_hash = *bucket;
	*bucket = pa;
	call_table_link(pp, pa);
	pp->ctb_n++;
	return pa;
}

struct table_call *
call_table_find(struct call_table *pp, struct call_key key)
{
	struct table_call *pa = *call_table_bucket(pp, key);

	while (pa != NULL &&
	    (pa->tc_key.ck_tid != key.ck_tid ||
		pa->tc_key.ck_kind != key.ck_kind))
		pa = pa->tc_hash;
	return pa;
}

void
call_table_drop(struct call_table *pp, struct table_call *pa)
{
	struct table_call **pap = call_table_bucket(pp, pa->tc_key);

	while (*pap != pa)
		pap = &(*pap)->tc_hash;
	*pap = pa->tc_hash;
	call_table_unlink(pp, pa);
	pp->ctb_n--;
	if (pa->tc_size == CALL_TABLE_SMALL) {
		pa->tc_hash = pp->ctb_free;
		pp->ctb_free = pa;
		return;
	}
	pp->ctb_nbytes -= pa->tc_size;
	free(pa);
}

void
call_table_age(struct call_table *pp, struct table_call *pa)
{
	call_table_unlink(pp, pa);
	pa->tc_old = 1;
	call_table_link(pp, pa);
}

struct table_call *
call_table_each(struct call_table *pp, uint32_t pid,
    const struct table_call *after)
{
	struct table_call *pa;
	int young = after != NULL && !after->tc_old;

	pa = after != NULL ? after->tc_next : pp->ctb_old.cls_first;
	for (;;) {
		while (
		    pa != NULL && pid != 0 && pa->tc_ev.ev_rec->dr_pid != pid)
			pa = pa->tc_next;
		if (pa != NULL || young)
			return pa;
		young = 1;
		pa = pp->ctb_young.cls_first;
	}
}

void
call_table_free(struct call_table *pp)
{
	struct table_call *pa;

	while ((pa = call_table_each(pp, 0, NULL)) != NULL)
		call_table_drop(pp, pa);
	while ((pa = pp->ctb_free) != NULL) {
		pp->ctb_free = pa->tc_hash;
		free(pa);
	}
	pp->ctb_nbytes = 0;
}
