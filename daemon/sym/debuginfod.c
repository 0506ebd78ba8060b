/* SPDX-License-Identifier: ISC */
/*
 * Fetches debug files from a server, keeps track of pending fetches and
 * remembers which files do not exist.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "daemon/base/log.h"
#include "daemon/sym/debuginfod.h"
#include "wire/symbolizer.h"

#define FETCH_MAX    256
#define FETCH_ATONCE 2	    /* of all clients; see FETCH_SHARE */
#define FETCH_MSECS  5000   /* ms that a request waits for a file */
#define LACKS_MSECS  600000 /* until the server is queried again */
#define SLOW_MSECS   60000  /* ms without further waits after a time-out */
#define MINID	     8 /* bytes of a build id; shorter ones are not unique */

enum fetch_state {
	FETCH_NONE, /* never requested, or forgotten */
	FETCH_RUNS,
	FETCH_CAME,
	FETCH_LACKS,
	FETCH_NSTATES
};

static const int state_errors[FETCH_NSTATES] = { [FETCH_NONE] = EAGAIN,
	[FETCH_RUNS] = EAGAIN,
	[FETCH_LACKS] = ENOENT };

struct fetch {
	char dbf_id[DEBUGINFOD_ID]; /* hexadecimal; "": free */
	enum fetch_state dbf_state;
	int64_t dbf_since; /* start of this state, ms */
};

static struct debuginfod_conf conf = { "", "", 0 }; /* constant after start */

/* All by fetch_mtx. */
static pthread_mutex_t fetch_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fetch_cond = PTHREAD_COND_INITIALIZER;
static struct fetch fetches[FETCH_MAX];
static unsigned int nrunning;
static int64_t slow_until;
static int isended;

static _Thread_local char wanted[DEBUGINFOD_ID]; /* "": nothing */
static _Thread_local int64_t limit;		 /* 0: none */

void
debuginfod_init(const char *urls, const char *folder, uint64_t nbytes)
{
	conf = (struct debuginfod_conf){ urls, folder, nbytes };
}

void
debuginfod_limit(int msecs)
{
	limit = clock_msecs() + msecs;
}

void
debuginfod_begin(void)
{
	wanted[0] = '\0';
}

static void
set_state(struct fetch *fe, enum fetch_state state)
{
	fe->dbf_state = state;
	fe->dbf_since = clock_msecs();
}

/*
 * Returns the entry of a build id, which may be new.  At least one entry is not
 * in use by a running fetch.
 */
static struct fetch *
fetch_find(const char *id)
{
	struct fetch *fe, *old = NULL;

	for (fe = fetches; fe < &fetches[FETCH_MAX]; fe++) {
		if (strcmp(fe->dbf_id, id) == 0)
			break;
		if (fe->dbf_state != FETCH_RUNS &&
		    (old == NULL || fe->dbf_since < old->dbf_since))
			old = fe;
	}
	if (fe == &fetches[FETCH_MAX]) {
		fe = old;
		snprintf(fe->dbf_id, sizeof(fe->dbf_id), "%s", id);
		set_state(fe, FETCH_NONE);
	}
	if (fe->dbf_state == FETCH_LACKS &&
	    clock_msecs() - fe->dbf_since > LACKS_MSECS)
		set_state(fe, FETCH_NONE);
	return fe;
}

static void *
fetch_thread(void *arg)
{
	int error = debuginfod_run(&conf, arg);
	struct fetch *fe;

	pthread_mutex_lock(&fetch_mtx);
	fe = fetch_find(arg);
	set_state(fe, error == 0 ? FETCH_CAME : FETCH_LACKS);
	if (error == 0)
		slow_until = 0;
	nrunning--;
	pthread_cond_broadcast(&fetch_cond);
	pthread_mutex_unlock(&fetch_mtx);
	log_debug("debuginfod: %s: %s", (char *)arg,
	    error == 0 ? "fetched" : strerror(error));
	free(arg);
	return NULL;
}

/* Fetches a file on a separate thread, which waits for the process. */
static void
fetch_start(struct fetch *fe)
{
	char *id = strdup(fe->dbf_id);
	pthread_attr_t at;
	pthread_t thread;
	int error = id == NULL ? ENOMEM : pthread_attr_init(&at);

	if (error == 0) {
		(void)pthread_attr_setdetachstate(&at, PTHREAD_CREATE_DETACHED);
		error = pthread_create(&thread, &at, fetch_thread, id);
		pthread_attr_destroy(&at);
	}
	set_state(fe, error == 0 ? FETCH_RUNS : FETCH_LACKS);
	if (error == 0)
		nrunning++;
	else
		free(id);
}

/*
 * Opens a file that was fetched before, and updates its times: bound() of
 * debuginfod_run.c removes the file unused for the longest time.
 */
static int
open_kept(const char *id)
{
	char name[DEBUGINFOD_ID + 16], path[sizeof(name) + 4096];
	struct stat st;
	int fd;

	debuginfod_name(id, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/%s", conf.fc_folder, name);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -1;
	}
	(void)futimens(fd, NULL);
	return fd;
}

int
debuginfod_open(const uint8_t *id, uint32_t len, int *fd)
{
	char text[DEBUGINFOD_ID];
	struct fetch *fe;
	uint32_t i;
	int error;

	if (conf.fc_urls[0] == '\0' || len < MINID || len > SYMREQ_BUILDID)
		return ENOENT;
	for (i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	if ((*fd = open_kept(text)) != -1)
		return 0;
	pthread_mutex_lock(&fetch_mtx);
	fe = fetch_find(text);
	if (fe->dbf_state == FETCH_CAME) /* but the size limit has removed it */
		set_state(fe, FETCH_NONE);
	error = state_errors[fe->dbf_state];
	pthread_mutex_unlock(&fetch_mtx);
	if (error == EAGAIN)
		memcpy(wanted, text, sizeof(wanted));
	return error;
}

/* Until when this thread waits. */
static int64_t
wait_deadline(int64_t now)
{
	int64_t until = now + FETCH_MSECS;

	if (now < slow_until)
		return now;
	return limit != 0 && limit < until ? limit : until;
}

int
debuginfod_wait(void)
{
	int64_t now = clock_msecs(), until;
	struct timespec ts;
	struct fetch *fe;
	int error, islate = 0;

	if (wanted[0] == '\0')
		return ENOENT;
	pthread_mutex_lock(&fetch_mtx);
	until = wait_deadline(now);
	ts.tv_sec = until / 1000;
	ts.tv_nsec = until % 1000 * 1000000;
	for (;;) {
		fe = fetch_find(wanted);
		if (fe->dbf_state == FETCH_NONE && nrunning < FETCH_ATONCE &&
		    !isended)
			fetch_start(fe);
		error = state_errors[fe->dbf_state];
		if (error != EAGAIN || islate || isended)
			break;
		islate = pthread_cond_clockwait(&fetch_cond, &fetch_mtx,
			     CLOCK_MONOTONIC, &ts) == ETIMEDOUT;
	}
	if (error == EAGAIN && until > now)
		slow_until = clock_msecs() + SLOW_MSECS;
	pthread_mutex_unlock(&fetch_mtx);
	wanted[0] = '\0';
	return error;
}

void
debuginfod_end(void)
{
	pthread_mutex_lock(&fetch_mtx);
	isended = 1;
	pthread_cond_broadcast(&fetch_cond);
	pthread_mutex_unlock(&fetch_mtx);
}
