/* SPDX-License-Identifier: ISC */
/*
 * The symbolizer as a process of the daemon's: it is left out of what is
 * recorded, as the daemon is; and what names take is given back when nobody
 * has asked for a while, by a timer that runs from a request until all that it
 * needed can go.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clock.h"
#include "conf.h"
#include "dt_maps.h"
#include "dt_softc.h"
#include "peer.h"
#include "sym/symbolizer.h"
#include "timer.h"

#define TRIM_PERIOD 5	/* s between two looks */
#define TRIM_LAST   120 /* s after the last request; all is given back then */

static struct timer trim_timer;
static uint64_t trim_asked;	/* c: last request, ns */
static int trim_isarmed;	/* c */
static atomic_int trim_running; /* a worker is at it */
static atomic_int trim_islast;	/* the timer stops with this look */

static pthread_mutex_t left_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint32_t left_out; /* by left_mtx: the symbolizer that is */

/* Programs know the numbers of the initial namespace: in another one, nobody
 * tells that of a child. */
void
dt_symtrim_leave(void)
{
	struct symbolizer_stat ss;

	if (!dt_maps_made() || !peer_pidns_initial())
		return;
	symbolizer_stat(&ss);
	pthread_mutex_lock(&left_mtx);
	if (left_out != 0 && left_out != (uint32_t)ss.ss_pid) {
		dt_exclude_del(left_out);
		left_out = 0;
	}
	if (left_out == 0 && ss.ss_pid != 0 && dt_exclude_add(ss.ss_pid) == 0)
		left_out = ss.ss_pid;
	pthread_mutex_unlock(&left_mtx);
}

static void
trim_run(struct work *w)
{
	symbolizer_trim();
	dt_symtrim_leave();
	if (atomic_load(&trim_islast)) /* nobody is in a hurry now */
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
	    clock_monotonic() - trim_asked >
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
	work_submit(w);
}

void
dt_symtrim_ask(void)
{
	trim_asked = clock_monotonic();
	if (trim_isarmed)
		return;
	timer_repeat(&trim_timer, TRIM_PERIOD * TIMER_SEC);
	trim_isarmed = 1;
}

int
dt_symtrim_init(void)
{
	return timer_init(&trim_timer, trim_look);
}
