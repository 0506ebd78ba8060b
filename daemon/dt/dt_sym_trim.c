/* SPDX-License-Identifier: ISC */
/*
 * Excludes the symbolizer from recordings, like the daemon, and releases the
 * memory of symbol requests when there has been none for a while. A timer runs
 * from a request until everything it needed is released.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/access/peer.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/timer.h"
#include "daemon/base/workers.h"
#include "daemon/dt/dt_dev.h"
#include "daemon/dt/dt_exclude.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/sym/symbolizer.h"

#define TRIM_PERIOD 5	/* s between two passes */
#define TRIM_LAST   120 /* s after the last request; then all is released */

static struct timer trim_timer;
static uint64_t trim_requested; /* c: last request, ns */
static int trim_isarmed;	/* c */
static atomic_int trim_running; /* a worker runs a pass */
static atomic_int trim_islast;	/* the timer stops after this pass */

/* By excluded_mtx: the excluded symbolizers. */
static pthread_mutex_t excluded_mtx = PTHREAD_MUTEX_INITIALIZER;
static pid_t excluded[SYMBOLIZER_POOL_MAX];
static unsigned int nexcluded;

static int
has_pid(const pid_t *v, unsigned int n, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (v[i] == pid)
			return 1;
	return 0;
}

/*
 * Programs use pids of the initial namespace; in another, a child's is unknown.
 */
void
dt_sym_trim_exclude(void)
{
	struct symbolizer_stat ss;
	unsigned int i, n = 0;
	pid_t pid;

	if (!dt_maps_made() || !peer_pidns_initial())
		return;
	pthread_mutex_lock(&excluded_mtx);
	symbolizer_stat(&ss);
	for (i = 0; i < nexcluded; i++)
		if (has_pid(ss.ss_pids, ss.ss_npids, excluded[i]))
			excluded[n++] = excluded[i];
		else
			dt_exclude_del(excluded[i], DT_LEVEL_DTD);
	nexcluded = n;
	for (i = 0; i < ss.ss_npids; i++) {
		pid = ss.ss_pids[i];
		if (!has_pid(excluded, nexcluded, pid) &&
		    dt_exclude_add(pid, DT_LEVEL_DTD) == 0)
			excluded[nexcluded++] = pid;
	}
	pthread_mutex_unlock(&excluded_mtx);
}

static void
trim_run(struct work *w)
{
	symbolizer_trim();
	dt_sym_trim_exclude();
	if (atomic_load(&trim_islast)) /* no client waits now */
		(void)malloc_trim(0);
	atomic_store(&trim_running, 0);
	free(w);
}

static void
trim_look(void)
{
	struct work *w;

	dt_softcs_each(dt_sym_tick);
	atomic_store(&trim_islast,
	    clock_monotonic() - trim_requested >
		(TRIM_LAST + conf.cf_namesidle) * 1000000000ULL);
	if (atomic_load(&trim_islast)) {
		timer_stop(&trim_timer);
		trim_isarmed = 0;
	}
	if (atomic_exchange(&trim_running, 1) != 0)
		return;
	if ((w = calloc(1, sizeof(*w))) == NULL) {
		atomic_store(&trim_running, 0);
		return;
	}
	w->w_run = trim_run;
	workers_submit(w);
}

void
dt_sym_trim_start(void)
{
	trim_requested = clock_monotonic();
	if (trim_isarmed)
		return;
	timer_repeat(&trim_timer, TRIM_PERIOD * TIMER_SEC);
	trim_isarmed = 1;
}

int
dt_sym_trim_init(void)
{
	return timer_init(&trim_timer, trim_look);
}
