/* SPDX-License-Identifier: ISC */
/*
 * Sets of functions.  Sessions with the same globs share a set and its links.
 * The first session that enables it attaches; after the last is disabled the
 * links are kept for a while, since it is usually enabled again soon.  Closing
 * the last session detaches at once.
 *
 * Attaching may take seconds, so it is done without kcov_mtx.  Detaching takes
 * as long, and is left to detach.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/timer.h"
#include "daemon/base/workers.h"
#include "daemon/kcov/kcov_funcs.h"
#include "daemon/kcov/kcov_softc.h"

#define SET_LINGER (2 * TIMER_SEC) /* time until an unused set is detached */

LIST_HEAD(kcov_sets, kcov_set);

static struct kcov_sets sets = LIST_HEAD_INITIALIZER(sets); /* [K] */
static uint32_t set_number;				    /* [K] the latest */
static pthread_cond_t set_cond = PTHREAD_COND_INITIALIZER;
static struct timer set_timer; /* when a set may be detached */
static struct work set_work;   /* [c] */
static int set_working;	       /* [c] work is in progress */

struct kcov_set *
kcov_set_get(const char *globs)
{
	struct kcov_set *ks;

	LIST_FOREACH(ks, &sets, kse_entry)
		if (strcmp(ks->kse_globs, globs) == 0)
			break;
	if (ks == NULL) {
		if ((ks = calloc(1, sizeof(*ks))) == NULL)
			return NULL;
		snprintf(ks->kse_globs, sizeof(ks->kse_globs), "%s", globs);
		if (++set_number == 0) /* 0 means none */
			set_number = 1;
		ks->kse_number = set_number;
		LIST_INSERT_HEAD(&sets, ks, kse_entry);
	}
	ks->kse_nopen++;
	return ks;
}

void
kcov_set_letgo(struct kcov_set *ks)
{
	if (ks->kse_isattached)
		log_debug("kcov: set %u is detached", ks->kse_number);
	attach_release(&ks->kse_links);
	ks->kse_isattached = 0;
}

void
kcov_set_put(struct kcov_set *ks)
{
	if (ks == NULL || --ks->kse_nopen > 0)
		return;
	LIST_REMOVE(ks, kse_entry);
	kcov_set_letgo(ks);
	free(ks);
}

/*
 * Attaching
 */

/* Called without K. */
static int
set_attach(struct kcov_set *ks, const atomic_int *cancel, struct reason *rs)
{
	struct kfuncs kf = { 0 };
	const char *why;
	const struct attach_method *am = kcov_method(&why);
	int64_t began = clock_monotonic();
	int error;

	if ((error = kfuncs_resolve(&kf, am, ks->kse_globs, rs)) == 0)
		error = kfuncs_attach(&kf, am, &ks->kse_links, ks->kse_number,
		    cancel, rs);
	ks->kse_nfuncs = kf.kfs_n - kf.kfs_nrefused;
	if (error == 0)
		log_debug("kcov: set %u, %zu functions by %s (%zu refused), "
			  "in %lld ms",
		    ks->kse_number, kf.kfs_n, am->am_name, kf.kfs_nrefused,
		    (long long)(clock_monotonic() - began) / 1000000);
	kfuncs_free(&kf);
	return error;
}

int
kcov_set_start(struct kcov_set *ks, const atomic_int *cancel, struct reason *rs)
{
	int error;

	while (ks->kse_isbusy) {
		if (atomic_load(cancel))
			return ECANCELED;
		pthread_cond_wait(&set_cond, &kcov_mtx);
	}
	if (!ks->kse_isattached) {
		ks->kse_isbusy = 1;
		pthread_mutex_unlock(&kcov_mtx);
		error = set_attach(ks, cancel, rs);
		pthread_mutex_lock(&kcov_mtx);
		ks->kse_isbusy = 0;
		pthread_cond_broadcast(&set_cond);
		if (error != 0) {
			kcov_set_letgo(ks);
			return error;
		}
		ks->kse_isattached = 1;
	}
	ks->kse_nactive++;
	kcov_cost_limit_start();
	return 0;
}

void
kcov_set_wake(void)
{
	pthread_mutex_lock(&kcov_mtx);
	pthread_cond_broadcast(&set_cond);
	pthread_mutex_unlock(&kcov_mtx);
}

int
kcov_set_isattached(const struct kcov_set *ks)
{
	return atomic_load(&ks->kse_isattached);
}

/*
 * Releasing sets
 */

void
kcov_set_stop(struct kcov_set *ks)
{
	if (--ks->kse_nactive > 0)
		return;
	ks->kse_idle = clock_monotonic();
	timer_start(&set_timer, SET_LINGER);
}

/*
 * Detaches sets that were unused long enough; the timer is set again for the
 * others.
 */
static void
sets_look(struct work *w __attribute__((unused)))
{
	int64_t now = clock_monotonic();
	struct kcov_set *ks;
	int isleft = 0;

	pthread_mutex_lock(&kcov_mtx);
	LIST_FOREACH(ks, &sets, kse_entry) {
		if (!ks->kse_isattached || ks->kse_nactive > 0)
			continue;
		if (now - ks->kse_idle >= SET_LINGER)
			kcov_set_letgo(ks);
		else
			isleft = 1;
	}
	if (isleft)
		timer_start(&set_timer, SET_LINGER);
	pthread_mutex_unlock(&kcov_mtx);
}

static void
sets_looked(struct work *w __attribute__((unused)))
{
	set_working = 0;
}

static void
on_timer(void)
{
	if (set_working) { /* it began before this set was due */
		timer_start(&set_timer, SET_LINGER);
		return;
	}
	set_working = 1;
	set_work.w_run = sets_look;
	set_work.w_done = sets_looked;
	workers_submit(&set_work);
}

int
kcov_sets_init(void)
{
	return timer_init(&set_timer, on_timer);
}
