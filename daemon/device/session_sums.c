/* SPDX-License-Identifier: ISC */
/* Adds up the counts of all sessions and serves clients that query them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/device/cdevsw.h"
#include "daemon/device/session_sums.h"
#include "daemon/inspect/inspect.h"

#define SUMS_NROWS   32	     /* providers of all devices */
#define SUMS_MAX     64	     /* clients at once */
#define SUMS_STACK   131072  /* bytes per thread */
#define SUMS_PAUSE   2000000 /* ns between two replies to a client */
#define NSECS_IN_SEC UINT64_C(1000000000)

_Static_assert(DTSM_SKIPTICK - DTSM_FIRED + 1 == NSUM, "sums of a row");

struct sums_row {
	const char *srw_device; /* constant once the row counts */
	const char *srw_provider;
	atomic_uint_fast64_t srw_sums[NSUM];
};

struct sums {
	struct wire_sums sm_head;
	struct dtioc_sum sm_list[DTSM_MAX];
};

static pthread_mutex_t rows_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct sums_row rows[SUMS_NROWS];
static atomic_int nrows; /* grows by rows_mtx */

/* One thread at a time queries the devices. */
static pthread_mutex_t sums_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct sums sums;	/* by sums_mtx */
static uint64_t sums_nrequests; /* by sums_mtx */
static uint64_t sums_cputime;	/* by sums_mtx: ns */
static atomic_int sums_nclients;

/*
 * Rows
 */

int
sums_row(const char *device, const char *provider)
{
	int i, n, row = -1;

	pthread_mutex_lock(&rows_mtx);
	n = atomic_load(&nrows);
	for (i = 0; i < n && row == -1; i++)
		if (strcmp(rows[i].srw_device, device) == 0 &&
		    strcmp(rows[i].srw_provider, provider) == 0)
			row = i;
	if (row == -1 && n < SUMS_NROWS) {
		row = n;
		rows[row].srw_device = device;
		rows[row].srw_provider = provider;
		atomic_store(&nrows, n + 1);
	}
	pthread_mutex_unlock(&rows_mtx);
	return row;
}

void
sums_add(int row, uint64_t added[NSUM], const uint64_t now[NSUM])
{
	int i;

	for (i = 0; i < NSUM; i++) {
		if ((int64_t)(now[i] - added[i]) <= 0)
			continue;
		if (row != -1)
			atomic_fetch_add(&rows[row].srw_sums[i],
			    now[i] - added[i]);
		added[i] = now[i];
	}
}

/*
 * A reply
 */

void
sums_put(struct sums *sm, uint32_t what, const char *device, const char *name,
    uint64_t value)
{
	struct dtioc_sum *s;

	if (sm->sm_head.wu_count == DTSM_MAX)
		return;
	s = &sm->sm_list[sm->sm_head.wu_count++];
	memset(s, 0, sizeof(*s));
	s->dtsm_what = what;
	snprintf(s->dtsm_device, sizeof(s->dtsm_device), "%s", device);
	if (name != NULL)
		snprintf(s->dtsm_name, sizeof(s->dtsm_name), "%s", name);
	s->dtsm_value = value;
}

static void
sums_put_rows(struct sums *sm)
{
	int i, n = atomic_load(&nrows);
	unsigned int k;

	for (i = 0; i < n; i++)
		for (k = 0; k < NSUM; k++)
			sums_put(sm, DTSM_FIRED + k, rows[i].srw_device,
			    rows[i].srw_provider,
			    atomic_load(&rows[i].srw_sums[k]));
}

/*
 * Returns seconds since 1970.  The value in /proc changes when the clock is
 * set.
 */
static uint64_t
sums_started(void)
{
	static uint64_t ticks; /* since boot; by sums_mtx */
	unsigned long long start;
	struct timespec now, up;
	FILE *f;

	if (ticks == 0 && (f = fopen("/proc/self/stat", "re")) != NULL) {
		if (fscanf(f,
			"%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u "
			"%*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
			"%llu",
			&start) == 1)
			ticks = start;
		fclose(f);
	}
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return now.tv_sec - up.tv_sec + ticks / sysconf(_SC_CLK_TCK);
}

static void
sums_put_memory(struct sums *sm)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long size, resident;

	if (f == NULL)
		return;
	if (fscanf(f, "%llu %llu", &size, &resident) == 2) {
		sums_put(sm, DTSM_VSIZE, "", NULL, size * getpagesize());
		sums_put(sm, DTSM_RSS, "", NULL, resident * getpagesize());
	}
	fclose(f);
}

static void
sums_put_process(struct sums *sm)
{
	struct timespec ts;
	struct rlimit rl;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		sums_put(sm, DTSM_CPUNSECS, "", NULL,
		    ts.tv_sec * NSECS_IN_SEC + ts.tv_nsec);
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0)
		sums_put(sm, DTSM_MAXFDS, "", NULL, rl.rlim_cur);
	sums_put_memory(sm);
	sums_put(sm, DTSM_STARTED, "", NULL, sums_started());
	sums_put(sm, DTSM_ASKED, "", NULL, sums_nrequests);
	sums_put(sm, DTSM_ASKEDCPU, "", NULL, sums_cputime);
}

static void
sums_put_inspectors(struct sums *sm)
{
	struct inspect_stat is;

	inspect_stat(&is);
	sums_put(sm, DTSM_INSPRUNNING, "", NULL, is.is_running);
	sums_put(sm, DTSM_INSPSTUCK, "", NULL, is.is_stuck);
	sums_put(sm, DTSM_INSPASKS, "", NULL, is.is_asks);
	sums_put(sm, DTSM_INSPTIMEOUTS, "", NULL, is.is_timeouts);
	sums_put(sm, DTSM_INSPREFUSED, "", NULL, is.is_refused);
}

/* Composes a reply, under sums_mtx. */
static void
sums_make(struct sums *sm)
{
	int i;

	memset(&sm->sm_head, 0, sizeof(sm->sm_head));
	sm->sm_head.wu_entsize = sizeof(sm->sm_list[0]);
	sums_nrequests++;
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_sums != NULL)
			devices[i]->d_sums(sm);
	sums_put_rows(sm);
	sums_put_process(sm);
	sums_put_inspectors(sm);
}

/*
 * Clients
 */

static uint64_t
sums_cpu(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) == -1)
		return 0;
	return ts.tv_sec * NSECS_IN_SEC + ts.tv_nsec;
}

/*
 * Returns whether the client is still connected.  A reply is dropped if its
 * socket is full.
 */
static int
sums_answer(int fd, uint64_t tag)
{
	uint64_t cpu = sums_cpu();
	size_t len;
	ssize_t n;

	pthread_mutex_lock(&sums_mtx);
	sums_make(&sums);
	sums.sm_head.wu_tag = tag;
	len = sizeof(sums.sm_head) +
	    sums.sm_head.wu_count * sizeof(sums.sm_list[0]);
	n = send(fd, &sums, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	sums_cputime += sums_cpu() - cpu;
	pthread_mutex_unlock(&sums_mtx);
	return n != -1 || errno == EAGAIN || errno == ENOBUFS ||
	    errno == ENOMEM;
}

static void *
sums_thread(void *arg)
{
	static const struct timespec pause = { .tv_nsec = SUMS_PAUSE };
	int fd = (int)(intptr_t)arg;
	uint64_t tag;
	ssize_t n;

	do {
		n = recv(fd, &tag, sizeof(tag), MSG_TRUNC);
		if (n == -1 && errno == EINTR)
			continue;
		if (n != sizeof(tag) || !sums_answer(fd, tag))
			break;
		(void)nanosleep(&pause, NULL);
	} while (1);
	(void)shutdown(fd, SHUT_RDWR); /* the session has a copy */
	close(fd);
	atomic_fetch_sub(&sums_nclients, 1);
	return NULL;
}

static int
sums_start(int fd)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	if ((error = pthread_attr_init(&attr)) != 0)
		return error;
	(void)pthread_attr_setstacksize(&attr, SUMS_STACK);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, sums_thread, (void *)(intptr_t)fd);
	pthread_attr_destroy(&attr);
	return error;
}

int
sums_open(int *clientfd, int *fdp)
{
	int sv[2] = { -1, -1 }, own = -1, error = 0;

	if (atomic_fetch_add(&sums_nclients, 1) >= SUMS_MAX)
		error = EMFILE;
	else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) ==
		-1 ||
	    (own = fcntl(sv[0], F_DUPFD_CLOEXEC, 0)) == -1)
		error = errno;
	if (error == 0)
		error = sums_start(sv[0]);
	if (error == 0) {
		*clientfd = sv[1];
		*fdp = own;
		return 0;
	}
	atomic_fetch_sub(&sums_nclients, 1);
	if (sv[0] != -1) {
		close(sv[0]);
		close(sv[1]);
	}
	if (own != -1)
		close(own);
	return error;
}
