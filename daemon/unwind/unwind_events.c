/* SPDX-License-Identifier: ISC */
/*
 * Takes the events of processes.  The thread that reads them holds locks that
 * all threads need, so it does not wait for the lock of the tables, whose holder
 * may wait for a grace period.  It keeps the events for that holder.
 */
#include <pthread.h>

#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_procs.h"

#define EVENTS_MAX 1024

/* All by events_mtx, which is taken after unwind_mtx. */
static pthread_mutex_t events_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct sideband_event kept[EVENTS_MAX];
static unsigned int nkept;
static uint64_t lost; /* time of the latest one that was not kept; 0: none */

void
unwind_events_flush(void)
{
	struct sideband_event se = { .se_type = SIDEBAND_LOST };
	unsigned int i;

	pthread_mutex_lock(&events_mtx);
	for (i = 0; i < nkept; i++)
		unwind_procs_event(&kept[i]);
	se.se_time = lost;
	if (lost != 0)
		unwind_procs_event(&se);
	nkept = 0;
	lost = 0;
	pthread_mutex_unlock(&events_mtx);
}

void
unwind_event(const struct sideband_event *se)
{
	if (pthread_mutex_trylock(&unwind_mtx) == 0) {
		unwind_events_flush();
		unwind_procs_event(se);
		pthread_mutex_unlock(&unwind_mtx);
		return;
	}
	pthread_mutex_lock(&events_mtx);
	if (nkept < EVENTS_MAX)
		kept[nkept++] = *se;
	else
		lost = se->se_time;
	pthread_mutex_unlock(&events_mtx);
}
