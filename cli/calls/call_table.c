/* SPDX-License-Identifier: ISC */
/* The table of pending calls: finds, adds and drops them. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_table.h"

#define CALL_TABLE_SMALL 512 /* bytes of a record whose memory is reused */

void
call_table_init(struct call_table *pp)
{
	memset(pp, 0, sizeof(*pp));
	TAILQ_INIT(&pp->ctb_young);
	TAILQ_INIT(&pp->ctb_old);
}

static struct table_call **
call_table_bucket(struct call_table *pp, struct call_key key)
{
	uint32_t hash = (key.ck_tid ^ key.ck_kind << 16) * 0x9e3779b1U;

	return &pp->ctb_buckets[hash >> 20 & (CALL_TABLE_NBUCKETS - 1)];
}

/* All pointers of an event point into its record. */
#define MOVED(p) \
	((p) == NULL ? NULL \
		     : (const void *)((const char *)pa->tc_rec + \
			   ((const char *)(p) - (const char *)ev->ev_rec)))

struct table_call *
call_table_put(struct call_table *pp, struct call_key key,
    const struct dt_event *ev)
{
	struct table_call *pa = pp->ctb_free;
	struct table_call **bucket = call_table_bucket(pp, key);
	size_t nbytes = (ev->ev_rec->dr_length + 7) & ~(size_t)7;

	if (pp->ctb_n >= CALL_TABLE_MAX)
		return NULL;
	if (nbytes < CALL_TABLE_SMALL)
		nbytes = CALL_TABLE_SMALL;
	if (nbytes == CALL_TABLE_SMALL && pa != NULL)
		pp->ctb_free = pa->tc_hash;
	else {
		if (pp->ctb_nbytes + nbytes > CALL_TABLE_NBYTES)
			return NULL;
		if ((pa = malloc(sizeof(*pa) + nbytes)) == NULL)
			err(1, "calls");
		pa->tc_size = nbytes;
		pp->ctb_nbytes += nbytes;
	}
	pa->tc_key = key;
	pa->tc_old = 0;
	pa->tc_flags = 0;
	pa->tc_arg = NULL;
	memcpy(pa->tc_rec, ev->ev_rec, ev->ev_rec->dr_length);
	pa->tc_ev = *ev;
	pa->tc_ev.ev_rec = (const struct dt_rec *)pa->tc_rec;
	pa->tc_ev.ev_args = MOVED(ev->ev_args);
	pa->tc_ev.ev_ret = MOVED(ev->ev_ret);
	pa->tc_ev.ev_comm = MOVED(ev->ev_comm);
	pa->tc_ev.ev_who = MOVED(ev->ev_who);
	pa->tc_ev.ev_kstack = MOVED(ev->ev_kstack);
	pa->tc_ev.ev_ustack = MOVED(ev->ev_ustack);
	pa->tc_ev.ev_strings = MOVED(ev->ev_strings);
	pa->tc_ev.ev_duration = MOVED(ev->ev_duration);
	pa->tc_hash = *bucket;
	*bucket = pa;
	TAILQ_INSERT_TAIL(&pp->ctb_young, pa, tc_time);
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
	TAILQ_REMOVE(pa->tc_old ? &pp->ctb_old : &pp->ctb_young, pa, tc_time);
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
	TAILQ_REMOVE(&pp->ctb_young, pa, tc_time);
	pa->tc_old = 1;
	TAILQ_INSERT_TAIL(&pp->ctb_old, pa, tc_time);
}

struct table_call *
call_table_each(struct call_table *pp, uint32_t pid,
    const struct table_call *after)
{
	struct table_call *pa;
	int young = after != NULL && !after->tc_old;

	pa = after != NULL ? TAILQ_NEXT(after, tc_time)
			   : TAILQ_FIRST(&pp->ctb_old);
	for (;;) {
		while (
		    pa != NULL && pid != 0 && pa->tc_ev.ev_rec->dr_pid != pid)
			pa = TAILQ_NEXT(pa, tc_time);
		if (pa != NULL || young)
			return pa;
		young = 1;
		pa = TAILQ_FIRST(&pp->ctb_young);
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
