/* SPDX-License-Identifier: ISC */
/*
 * The connection to dtd.  Reading the sums has a time limit.  Opening the
 * device has none, because dtd may be busy, so a separate thread opens it;
 * meanwhile requests fail after LINK_OPEN seconds.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exporter/dtd_link.h"

#define LINK_ANSWER 3000 /* ms to wait for sums */
#define LINK_OPEN   2	 /* seconds to wait for an open */

static pthread_mutex_t link_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t link_wanted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t link_done = PTHREAD_COND_INITIALIZER;
static struct dt *link_dt; /* [link_mtx] NULL: none */
static int link_opening;   /* [link_mtx] */
static const char *link_path;

/* Logs a message unless it repeats the last one. */
static void
link_log(const char *what)
{
	static char said[300];

	if (strcmp(said, what) == 0)
		return;
	snprintf(said, sizeof(said), "%s", what);
	warnx("%s", what);
}

static struct dt *
link_open(void)
{
	struct dt *dt = dt_open(link_path, DT_OPEN_SERVICE);
	char text[300];

	if (dt != NULL && dt_sums_open(dt) == 0) {
		link_log("connected to dtd");
		return dt;
	}
	snprintf(text, sizeof(text), "dtd: %.200s%s", dt_error(dt),
	    errno == EPERM
		? " (needs the right STATS, for example of group dt-stats)"
		: "");
	link_log(text);
	dt_close(dt);
	return NULL;
}

static void *
link_thread(void *arg)
{
	struct dt *dt;

	(void)arg;
	pthread_mutex_lock(&link_mtx);
	for (;;) {
		while (!link_opening)
			pthread_cond_wait(&link_wanted, &link_mtx);
		pthread_mutex_unlock(&link_mtx);
		dt = link_open();
		pthread_mutex_lock(&link_mtx);
		link_dt = dt;
		link_opening = 0;
		pthread_cond_broadcast(&link_done);
	}
	return NULL;
}

void
dtd_link_start(const char *path)
{
	pthread_t t;
	int error;

	link_path = path;
	if ((error = pthread_create(&t, NULL, link_thread, NULL)) != 0)
		errx(1, "thread: %s", strerror(error));
	pthread_detach(t);
}

/* Returns the handle, or NULL.  It stays valid: only the reader closes it. */
static struct dt *
link_get(void)
{
	struct timespec until;
	struct dt *dt;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LINK_OPEN;
	pthread_mutex_lock(&link_mtx);
	if (link_dt == NULL && !link_opening) {
		link_opening = 1;
		pthread_cond_signal(&link_wanted);
	}
	while (link_opening)
		if (pthread_cond_timedwait(&link_done, &link_mtx, &until) != 0)
			break;
	dt = link_opening ? NULL : link_dt;
	pthread_mutex_unlock(&link_mtx);
	return dt;
}

static void
link_drop(struct dt *dt)
{
	pthread_mutex_lock(&link_mtx);
	link_dt = NULL;
	pthread_mutex_unlock(&link_mtx);
	dt_close(dt);
}

/* Tries again once if the connection was closed since the last read. */
int
dtd_link_read(struct dtioc_sum *list, size_t n, char *release, size_t size)
{
	struct dt *dt;
	int r = -1, i;

	for (i = 0; i < 2; i++) {
		if ((dt = link_get()) == NULL)
			return -1;
		r = dt_sums_read(dt, list, n, LINK_ANSWER);
		if (r != -1 || errno == ETIMEDOUT)
			break;
		link_log(dt_error(dt));
		link_drop(dt);
	}
	if (r != -1)
		snprintf(release, size, "%s", dt_release(dt));
	return r;
}
