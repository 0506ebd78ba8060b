/* SPDX-License-Identifier: ISC */
/*
 * A queue of files, and the thread that finds them.  It waits only a short time
 * for each inspector, so one thread is enough.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "daemon/inspect/root_dir.h"
#include "daemon/procs/file_opener.h"
#include "daemon/procs/proc_status.h"

#define FILE_OPENER_QUEUE 1024
#define FILE_OPENER_IDLE  5	     /* seconds until the thread exits */
#define FILE_OPENER_WAIT  100000000L /* ns, for space in the queue */
#define FILE_OPENER_MSECS 100	     /* for a file */

struct job {
	struct mapped_file *jo_file; /* held, or NULL */
	struct sighting jo_sight;
};

static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_cond_t less = PTHREAD_COND_INITIALIZER;
static struct job jobs[FILE_OPENER_QUEUE];
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
	mapped_file_release(jo->jo_file);
	root_dir_put(jo->jo_sight.sg_root);
}

static void
job_run(struct job *jo)
{
	struct sighting *sg = &jo->jo_sight;

	int error;

	/* until then, the parent's user and root directory are used */
	error = proc_status_get(sg->sg_pid);
	proc_status_sight(sg);
	if (error != 0 && error != ESRCH)
		sg->sg_uid = (uid_t)-1; /* not the parent's fault */
	if (jo->jo_file != NULL)
		mapped_file_release(
		    mapped_file_find(jo->jo_file, sg, FILE_OPENER_MSECS));
	job_free(jo);
}

/* Stores the next job.  Returns 0 if there was none for a while. */
static int
job_take(struct job *jo)
{
	struct timespec ts;

	deadline(&ts, FILE_OPENER_IDLE, 0);
	while (njobs == 0)
		if (pthread_cond_timedwait(&more, &mtx, &ts) != 0)
			break;
	if (njobs == 0)
		return 0;
	*jo = jobs[first];
	first = (first + 1) % FILE_OPENER_QUEUE;
	njobs--;
	return 1;
}

static void *
file_opener_thread(void *arg __attribute__((unused)))
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
file_opener_rouse(void)
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
	isrunning = pthread_create(&thread, &attr, file_opener_thread, NULL) ==
	    0;
	pthread_attr_destroy(&attr);
}

int
file_opener_add(struct mapped_file *mf, const struct sighting *sg)
{
	struct job *jo;
	int isroom;

	pthread_mutex_lock(&mtx);
	isroom = njobs < FILE_OPENER_QUEUE;
	if (isroom) {
		jo = &jobs[(first + njobs++) % FILE_OPENER_QUEUE];
		jo->jo_file = mf != NULL ? mapped_file_hold(mf) : NULL;
		jo->jo_sight = *sg;
		jo->jo_sight.sg_root = root_dir_get(sg->sg_root);
	}
	file_opener_rouse();
	pthread_mutex_unlock(&mtx);
	return isroom;
}

void
file_opener_room(void)
{
	struct timespec ts;

	deadline(&ts, 0, FILE_OPENER_WAIT);
	pthread_mutex_lock(&mtx);
	while (njobs > FILE_OPENER_QUEUE / 2)
		if (pthread_cond_timedwait(&less, &mtx, &ts) != 0)
			break;
	pthread_mutex_unlock(&mtx);
}

void
file_opener_clear(void)
{
	struct job jo;

	pthread_mutex_lock(&mtx);
	while (njobs > 0) {
		jo = jobs[first];
		first = (first + 1) % FILE_OPENER_QUEUE;
		njobs--;
		job_free(&jo);
	}
	pthread_mutex_unlock(&mtx);
}
