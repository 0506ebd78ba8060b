/* SPDX-License-Identifier: ISC */
/*
 * Attaches tracepoints, and detaches them later on a worker.
 *
 * Closing a link and closing its perf event are slow: the kernel waits until no
 * CPU is in any tracepoint, under a lock that attaching needs, too. One worker
 * closes what is due, one link after another, unless it is used again meanwhile.
 * If the daemon exits before, the kernel closes the rest.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "bpf/dt_tracepoint_table.h"
#include "daemon/access/limit.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/base/workers.h"
#include "daemon/dt/prov/dt_prov_tracepoint_attach.h"

static pthread_mutex_t tp_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tp_cond = PTHREAD_COND_INITIALIZER;
static char tp_used[DT_TP_ENTRIES];  /* by tp_mtx */
static unsigned int tp_nused;	     /* by tp_mtx */
static struct dt_tplink *tp_closing; /* due; by tp_mtx */
static struct work tp_closer;
static int tp_isclosing; /* tp_closer runs; by tp_mtx */

void
dt_tplink_init(struct dt_tplink *tl)
{
	memset(tl, 0, sizeof(*tl));
	tl->tpl_entry = tl->tpl_slow = tl->tpl_link = -1;
}

/* With the lock held. */
static int
tp_entry_alloc(struct dt_tplink *tl, uid_t person)
{
	static unsigned int last;
	unsigned int i;

	if (tl->tpl_entry >= 0)
		return 0;
	if (tp_nused + limit_kept(person, DT_TP_ENTRIES) >= DT_TP_ENTRIES)
		return EMFILE;
	for (i = 0; i < DT_TP_ENTRIES; i++) {
		last = (last + 1) % DT_TP_ENTRIES;
		if (!tp_used[last]) {
			tp_used[last] = 1;
			tp_nused++;
			tl->tpl_entry = last;
			return 0;
		}
	}
	return EMFILE;
}

static void
tp_entry_free(struct dt_tplink *tl)
{
	if (tl->tpl_keeps)
		return;
	if (tl->tpl_entry >= 0) {
		tp_used[tl->tpl_entry] = 0;
		tp_nused--;
	}
	tl->tpl_entry = -1;
}

/* Closes the links that are due and unused. */
static void
tp_close_run(struct work *w __attribute__((unused)))
{
	struct dt_tplink *tl;
	int link, slow;

	pthread_mutex_lock(&tp_mtx);
	while ((tl = tp_closing) != NULL) {
		tp_closing = tl->tpl_next;
		tl->tpl_due = 0;
		if (tl->tpl_nuser > 0 || tl->tpl_busy)
			continue;
		link = tl->tpl_link;
		slow = tl->tpl_slow;
		tl->tpl_link = tl->tpl_slow = -1;
		tl->tpl_busy = 1;
		pthread_mutex_unlock(&tp_mtx);
		if (link >= 0)
			spawn_lock_close(link);
		if (slow >= 0)
			spawn_lock_close(slow);
		pthread_mutex_lock(&tp_mtx);
		tl->tpl_busy = 0;
		tp_entry_free(tl);
		pthread_cond_broadcast(&tp_cond);
	}
	tp_isclosing = 0;
	pthread_mutex_unlock(&tp_mtx);
}

/* With the lock held: no session uses the link any more. */
static void
tp_close_later(struct dt_tplink *tl)
{
	if (tl->tpl_due)
		return;
	tl->tpl_due = 1;
	tl->tpl_next = tp_closing;
	tp_closing = tl;
	if (tp_isclosing)
		return;
	tp_isclosing = 1;
	tp_closer.w_run = tp_close_run;
	workers_submit(&tp_closer);
}

int
dt_tplink_get(struct dt_tplink *tl, uid_t person,
    int (*attach)(struct dt_tplink *, int, void *), void *arg)
{
	int error = 0, isnew;

	pthread_mutex_lock(&tp_mtx);
	while (tl->tpl_busy)
		pthread_cond_wait(&tp_cond, &tp_mtx);
	isnew = tl->tpl_entry == -1;
	if (tl->tpl_link == -1 && (error = tp_entry_alloc(tl, person)) == 0) {
		tl->tpl_busy = 1;
		pthread_mutex_unlock(&tp_mtx);
		error = attach(tl, isnew, arg);
		pthread_mutex_lock(&tp_mtx);
		tl->tpl_busy = 0;
		if (error != 0)
			tp_close_later(tl);
		pthread_cond_broadcast(&tp_cond);
	}
	if (error == 0)
		tl->tpl_nuser++;
	pthread_mutex_unlock(&tp_mtx);
	return error;
}

void
dt_tplink_put(struct dt_tplink *tl)
{
	pthread_mutex_lock(&tp_mtx);
	if (--tl->tpl_nuser == 0)
		tp_close_later(tl);
	pthread_mutex_unlock(&tp_mtx);
}
