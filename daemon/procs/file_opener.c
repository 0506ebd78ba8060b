/* SPDX-License-Identifier: ISC */
/*
 * The thread that finds files, see file_opener.h.  It waits for inspectors, for
 * a short while each, and so one is enough.
 */
#include <pthread.h>
#include <time.h>

#include "daemon/inspect/root_dir.h"
#include "daemon/procs/file_opener.h"
#include "daemon/procs/proc_status.h"

#define SYMFIND_QUEUE 1024
#define SYMFIND_IDLE  5		 /* seconds until the thread goes */
#define SYMFIND_WAIT  100000000L /* ns, for room */
#define SYMFIND_MSECS 100	 /* for a file */

struct job {
	struct symfile *jo_file; /* held, or NULL */
	struct symsight jo_sight;
};

static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_cond_t less = PTHREAD_COND_INITIALIZER;
static struct job jobs[SYMFIND_QUEUE];
static unsigned int first, njobs;
static int isrunning; /* the thread */

static void
deadline(struct timespec *ts, time_t secs, long nsecs)
{
	clock_gettime(CLOCK_REALTIME, ts);
	ts->tv_sec += secs;
	ts->tv_nsec += nsecs;
	if (ts->tv_nsec >= 1000000000L) {
		ts->tv_nsec -= 1000000000L;
		ts->tv_sec++;
	}
}

static void
job_free(struct job *jo)
{
	symfile_release(jo->jo_file);
	symroot_put(jo->jo_sight.ss_root);
}

static void
job_run(struct job *jo)
{
	struct symsight *ss = &jo->jo_sight;

	/* before, the parent's user and root directory count */
	(void)symlook(ss->ss_pid);
	symlook_sight(ss);
	if (jo->jo_file != NULL)
		symfile_release(symfile_find(jo->jo_file, ss, SYMFIND_MSECS));
	job_free(jo);
}

/* The next job; 0: there was none for a while. */
static int
job_take(struct job *jo)
{
	struct timespec ts;

	deadline(&ts, SYMFIND_IDLE, 0);
	while (njobs == 0)
		if (pthread_cond_timedwait(&more, &mtx, &ts) != 0)
			break;
	if (njobs == 0)
		return 0;
	*jo = jobs[first];
	first = (first + 1) % SYMFIND_QUEUE;
	njobs--;
	return 1;
}

static void *
symfind_thread(void *arg __attribute__((unused)))
{
	struct job jo;

	pthread_mutex_lock(&mtx);
	while (job_take(&jo)) {
		pthread_mutex_unlock(&mtx);
		job_run(&jo);
		pthread_mutex_lock(&mtx);
		pthread_cond_broadcast(&less);
	}
	isrunning = 0;
	pthread_mutex_unlock(&mtx);
	return NULL;
}

static void
symfind_rouse(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (isrunning) {
		pthread_cond_signal(&more);
		return;
	}
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	isrunning = pthread_create(&thread, &attr, symfind_thread, NULL) == 0;
	pthread_attr_destroy(&attr);
}

int
symfind_add(struct symfile *sf, const struct symsight *ss)
{
	struct job *jo;
	int isroom;

	pthread_mutex_lock(&mtx);
	isroom = njobs < SYMFIND_QUEUE;
	if (isroom) {
		jo = &jobs[(first + njobs++) % SYMFIND_QUEUE];
		jo->jo_file = sf != NULL ? symfile_hold(sf) : NULL;
		jo->jo_sight = *ss;
		jo->jo_sight.ss_root = symroot_get(ss->ss_root);
	}
	symfind_rouse();
	pthread_mutex_unlock(&mtx);
	return isroom;
}

void
symfind_room(void)
{
	struct timespec ts;

	deadline(&ts, 0, SYMFIND_WAIT);
	pthread_mutex_lock(&mtx);
	while (njobs > SYMFIND_QUEUE / 2)
		if (pthread_cond_timedwait(&less, &mtx, &ts) != 0)
			break;
	pthread_mutex_unlock(&mtx);
}

void
symfind_clear(void)
{
	struct job jo;

	pthread_mutex_lock(&mtx);
	while (njobs > 0) {
		jo = jobs[first];
		first = (first + 1) % SYMFIND_QUEUE;
		njobs--;
		job_free(&jo);
	}
	pthread_mutex_unlock(&mtx);
}
