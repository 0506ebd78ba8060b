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

/* All pointers of an event point into its record. */
#define MOVED(p) \
	((p) == NULL ? NULL \
		     : (const void *)((const char *)pa->tc_rec + \
			   ((const char *)(p) - (const char *)ev->ev_rec)))

struct table_call *
call_table_put(struct call_table *pp, struct call_key key,
    const struct dt_event *ev)
{
	struct table_call *pa = LIST_FIRST(&pp->ctb_free);
	size_t nbytes = (ev->ev_rec->dr_length + 7) & ~(size_t)7;
	uint32_t bucket = (key.ck_tid + key.ck_kind) % CALL_TABLE_NBUCKETS;

	if (pp->ctb_n >= CALL_TABLE_MAX)
		return NULL;
	if (nbytes < CALL_TABLE_SMALL)
		nbytes = CALL_TABLE_SMALL;
	if (nbytes == CALL_TABLE_SMALL && pa != NULL)
		LIST_REMOVE(pa, tc_hash);
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
	LIST_INSERT_HEAD(&pp->ctb_buckets[bucket], pa, tc_hash);
	TAILQ_INSERT_TAIL(&pp->ctb_young, pa, tc_time);
	pp->ctb_n++;
	return pa;
}

struct table_call *
call_table_find(struct call_table *pp, struct call_key key)
{
	uint32_t bucket = (key.ck_tid + key.ck_kind) % CALL_TABLE_NBUCKETS;
	struct table_call *pa;

	LIST_FOREACH(pa, &pp->ctb_buckets[bucket], tc_hash)
		if (pa->tc_key.ck_tid == key.ck_tid &&
		    pa->tc_key.ck_kind == key.ck_kind)
			break;
	return pa;
}

void
call_table_drop(struct call_table *pp, struct table_call *pa)
{
	LIST_REMOVE(pa, tc_hash);
	TAILQ_REMOVE(pa->tc_old ? &pp->ctb_old : &pp->ctb_young, pa, tc_time);
	pp->ctb_n--;
	if (pa->tc_size == CALL_TABLE_SMALL) {
		LIST_INSERT_HEAD(&pp->ctb_free, pa, tc_hash);
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
	while ((pa = LIST_FIRST(&pp->ctb_free)) != NULL) {
		LIST_REMOVE(pa, tc_hash);
		free(pa);
	}
	pp->ctb_nbytes = 0;
}
