/* SPDX-License-Identifier: ISC */
/*
 * Threads that open files, see symfind.h.  One is enough, as long as no file
 * system keeps it; one that is kept for SYMFIND_STUCK is replaced, up to a
 * bound.
 */
#include <pthread.h>
#include <time.h>

#include "clock.h"
#include "sym/symfind.h"
#include "sym/symlook.h"
#include "sym/symroot.h"

#define SYMFIND_QUEUE	1024
#define SYMFIND_THREADS 8
#define SYMFIND_STUCK	1000000000LL /* ns */
#define SYMFIND_IDLE	5	     /* seconds until a thread goes */
#define SYMFIND_WAIT	100000000L   /* ns, for room */

struct job {
	struct symfile *jo_file; /* held, or NULL */
	struct symsight jo_sight;
};

static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_cond_t less = PTHREAD_COND_INITIALIZER;
static struct job jobs[SYMFIND_QUEUE];
static unsigned int first, njobs;
static unsigned int nthreads, nidle, nbusy;
static int64_t lastdone; /* when a thread last took or ended a job */

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
	if (jo->jo_file != NULL)
		symfile_find(jo->jo_file, &jo->jo_sight);
	symlook(jo->jo_sight.ss_pid);
	job_free(jo);
}

/* The next job; 0: there was none for a while. */
static int
job_take(struct job *jo)
{
	struct timespec ts;

	deadline(&ts, SYMFIND_IDLE, 0);
	nidle++;
	while (njobs == 0)
		if (pthread_cond_timedwait(&more, &mtx, &ts) != 0)
			break;
	nidle--;
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
		nbusy++;
		lastdone = clock_monotonic();
		pthread_mutex_unlock(&mtx);
		job_run(&jo);
		pthread_mutex_lock(&mtx);
		nbusy--;
		lastdone = clock_monotonic();
		pthread_cond_broadcast(&less);
	}
	nthreads--;
	pthread_mutex_unlock(&mtx);
	return NULL;
}

/* Somebody has to do it: one who sleeps, who is busy but not stuck, or a new
 * thread. */
static void
symfind_rouse(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (nidle > 0) {
		pthread_cond_signal(&more);
		return;
	}
	if (nthreads == SYMFIND_THREADS ||
	    (nthreads > 0 && clock_monotonic() - lastdone < SYMFIND_STUCK))
		return;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	if (pthread_create(&thread, &attr, symfind_thread, NULL) == 0)
		nthreads++;
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
symfind_settle(void)
{
	struct timespec ts;

	deadline(&ts, SYMFIND_IDLE, 0);
	pthread_mutex_lock(&mtx);
	while (njobs > 0 || nbusy > 0)
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
