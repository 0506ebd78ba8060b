/* SPDX-License-Identifier: ISC */
/*
 * Receives reports of missing tables and mappings from programs, while unwind
 * tables are in use.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/sched.h"
#include "daemon/device/grace_period.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_copies.h"
#include "daemon/unwind/unwind_copy_maps.h"
#include "daemon/unwind/unwind_files.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_maps.h"
#include "daemon/unwind/unwind_pages.h"
#include "daemon/unwind/unwind_procs.h"

#define NBUILDERS 3
#define NREADERS  2
#define NTHREADS  (NBUILDERS + NREADERS + UNWIND_NCOPIERS + 1)
#define TICK	  10 /* ms between looks at processes and copies that are due */
#define TICK_IDLE 50 /* ms, while no copies wait */
#define TRIM	  (1 * SECOND) /* between looks at what is over */
#define EVICT	  8	       /* one part of the limit is evicted at a time */
#define SECOND	  1000000000ULL

int unwind_linger = UNWIND_LINGER;
pthread_mutex_t unwind_mtx = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t unwind_build_cond = PTHREAD_COND_INITIALIZER;
pthread_cond_t unwind_read_cond = PTHREAD_COND_INITIALIZER;
pthread_cond_t unwind_copy_cond = PTHREAD_COND_INITIALIZER;
int unwind_isending, unwind_nbusy;
static pthread_cond_t end_cond = PTHREAD_COND_INITIALIZER; /* of isending */
uint64_t unwind_buildnsecs, unwind_readnsecs;

static pthread_mutex_t hold_mtx = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nholds; /* under hold_mtx */
static int isrunning;	    /* the same: there are threads */
static uint64_t released;   /* likewise: time at which nholds became 0 */
static pthread_t threads[NTHREADS];
static struct ring_buffer *ring; /* of the thread that reads it */
static uint64_t nmisses;	 /* under unwind_mtx */

int
unwind_reclaim(void)
{
	struct slab_block *old;
	struct slab_stat sst;
	uint64_t evicted;

	slab_stat(&sst);
	evicted = unwind_pages_evict(sst.sst_limit / EVICT, 0);
	old = slab_retired();
	if (evicted == 0 && old == NULL && sst.sst_retired == 0)
		return ENOSPC;
	pthread_mutex_unlock(&unwind_mtx);
	grace_period();
	pthread_mutex_lock(&unwind_mtx);
	slab_free(old);
	return 0;
}

void
unwind_missed(const struct unwind_miss *ms)
{
	pthread_mutex_lock(&unwind_mtx);
	nmisses++;
	if (ms->ms_what != UNWIND_MISS_PAGE)
		unwind_procs_miss(ms);
	else if (unwind_pages_miss(&ms->ms_key))
		unwind_build_add(&ms->ms_key, unwind_procs_uid(ms->ms_pid));
	pthread_mutex_unlock(&unwind_mtx);
}

static int
ring_miss(void *arg __attribute__((unused)), void *data, size_t n)
{
	if (n >= sizeof(struct unwind_miss))
		unwind_missed(data);
	return 0;
}

static int
ring_copy(void *arg __attribute__((unused)), void *data, size_t n)
{
	unwind_copies_add(data, n);
	return 0;
}

void
unwind_copy_add(const struct unwind_copy *ucp, size_t nbytes)
{
	unwind_copies_add(ucp, nbytes);
	pthread_mutex_lock(&unwind_mtx);
	pthread_cond_signal(&unwind_copy_cond);
	pthread_mutex_unlock(&unwind_mtx);
}

/* Removes what is over.  Under the lock, which is given up meanwhile. */
static void
unwind_trim(void)
{
	struct slab_block *old;
	struct slab_stat sst;

	slab_limit(conf.cf_unwindbytes);
	slab_stat(&sst);
	if (sst.sst_used > sst.sst_limit) /* it has become less */
		(void)unwind_pages_evict(sst.sst_used - sst.sst_limit, 0);
	unwind_procs_trim(UNWIND_PROCS_IDLE);
	unwind_pages_forget(NULL, 0);
	copy_maps_trim(clock_monotonic());
	unwind_files_trim(UNWIND_FILES_IDLE, unwind_pages_forget);
	if ((old = slab_retired()) == NULL)
		return;
	pthread_mutex_unlock(&unwind_mtx);
	grace_period();
	pthread_mutex_lock(&unwind_mtx);
	slab_free(old);
}

/*
 * A separate thread: a grace period may take as long as programs need to fill the
 * rings, which the collector reads meanwhile.
 */
static void *
unwind_trim_thread(void *arg __attribute__((unused)))
{
	uint64_t due = clock_monotonic() + TRIM;
	struct timespec ts;

	prctl(PR_SET_NAME, "dtd-unwind");
	pthread_mutex_lock(&unwind_mtx);
	while (!unwind_isending) {
		if ((uint64_t)clock_monotonic() >= due) {
			unwind_trim();
			due = clock_monotonic() + TRIM;
			continue;
		}
		ts.tv_sec = due / SECOND;
		ts.tv_nsec = due % SECOND;
		pthread_cond_clockwait(&end_cond, &unwind_mtx, CLOCK_MONOTONIC,
		    &ts);
	}
	pthread_mutex_unlock(&unwind_mtx);
	return NULL;
}

/* Ends the threads, and removes all tables.  Under hold_mtx. */
static void
unwind_stop(int nthreads)
{
	struct slab_block *old;

	pthread_mutex_lock(&unwind_mtx);
	unwind_isending = 1;
	pthread_cond_broadcast(&unwind_build_cond);
	pthread_cond_broadcast(&unwind_read_cond);
	pthread_cond_broadcast(&unwind_copy_cond);
	pthread_cond_broadcast(&end_cond);
	pthread_mutex_unlock(&unwind_mtx);
	while (nthreads > 0)
		pthread_join(threads[--nthreads], NULL);
	proc_watch_listen(NULL);
	pthread_mutex_lock(&unwind_mtx);
	unwind_events_flush();
	unwind_build_clear();
	unwind_copies_clear();
	copy_maps_clear();
	unwind_procs_clear();
	unwind_pages_clear();
	unwind_files_trim(0, unwind_pages_forget);
	old = slab_retired();
	pthread_mutex_unlock(&unwind_mtx);
	grace_period();
	pthread_mutex_lock(&unwind_mtx);
	slab_free(old);
	slab_clear();
	pthread_mutex_unlock(&unwind_mtx);
	ring_buffer__free(ring);
	ring = NULL;
	proc_watch_release();
	isrunning = 0;
}

/* Returns whether it has been released for long, and is now stopped. */
static int
unwind_isover(void)
{
	int isover;

	/* a new holder has the lock */
	if (pthread_mutex_trylock(&hold_mtx) != 0)
		return 0;
	pthread_mutex_lock(&unwind_mtx);
	isover = unwind_nbusy == 0; /* otherwise it would wait for a file */
	pthread_mutex_unlock(&unwind_mtx);
	isover = isover && nholds == 0 &&
	    (uint64_t)clock_monotonic() > released + unwind_linger * SECOND;
	if (isover)
		unwind_stop(NTHREADS);
	pthread_mutex_unlock(&hold_mtx);
	return isover;
}

/*
 * Wakes a thread that reads processes or walks copies, if one is due.  Returns
 * the ms until the next look.
 */
static int
unwind_wake(void)
{
	uint64_t now = clock_monotonic();
	int iswaiting;

	pthread_mutex_lock(&unwind_mtx);
	unwind_events_flush();
	if (unwind_procs_isdue(now))
		pthread_cond_signal(&unwind_read_cond);
	if (unwind_copies_isdue(now, unwind_copy_mayread, &iswaiting))
		pthread_cond_signal(&unwind_copy_cond);
	pthread_mutex_unlock(&unwind_mtx);
	return iswaiting ? TICK : TICK_IDLE;
}

static void *
unwind_thread(void *arg __attribute__((unused)))
{
	uint64_t looked = clock_monotonic(), now;
	int tick = TICK;

	prctl(PR_SET_NAME, "dtd-unwind");
	sched_prompt(UNWIND_NICE);
	for (;;) {
		(void)ring_buffer__poll(ring, tick);
		tick = unwind_wake();
		now = clock_monotonic();
		if (now < looked + TRIM)
			continue;
		looked = now;
		if (unwind_isover())
			return NULL;
	}
}

/* Returns what the n-th thread does. */
static void *(*thread_fn(int n))(void *)
{
	if (n < NBUILDERS)
		return unwind_build_thread;
	if (n < NBUILDERS + NREADERS)
		return unwind_read_thread;
	return n < NTHREADS - 1 ? unwind_copy_thread : unwind_trim_thread;
}

/* Starts the threads; under hold_mtx. */
static int
unwind_threads(void)
{
	pthread_t collector;
	int i, error = 0;

	unwind_isending = 0;
	for (i = 0; i < NTHREADS; i++) {
		error = pthread_create(&threads[i], NULL, thread_fn(i), NULL);
		if (error != 0)
			break;
	}
	if (error == 0) {
		error = pthread_create(&collector, NULL, unwind_thread, NULL);
		if (error == 0)
			pthread_detach(collector);
	}
	if (error != 0)
		unwind_stop(i);
	return error;
}

static int
unwind_start(void)
{
	int error;

	if ((error = unwind_maps_init()) != 0 ||
	    (error = grace_period_init()) != 0)
		return error;
	ring = ring_buffer__new(unwind_maps[UNWIND_MISSES].umr_fd, ring_miss,
	    NULL, NULL);
	if (ring == NULL)
		return errno;
	error = -ring_buffer__add(ring, unwind_maps[UNWIND_COPIES].umr_fd,
	    ring_copy, NULL);
	if (error != 0 || (error = proc_watch_hold()) != 0) {
		ring_buffer__free(ring);
		ring = NULL;
		return error;
	}
	pthread_mutex_lock(&unwind_mtx);
	slab_limit(conf.cf_unwindbytes);
	slab_prepare();
	pthread_mutex_unlock(&unwind_mtx);
	proc_watch_listen(unwind_event);
	isrunning = 1;
	return unwind_threads();
}

int
unwind_hold(uid_t uid)
{
	int error = 0;

	pthread_mutex_lock(&hold_mtx);
	if (!isrunning)
		error = unwind_start();
	if (error == 0)
		nholds++;
	pthread_mutex_unlock(&hold_mtx);
	if (error != 0)
		return error;
	pthread_mutex_lock(&unwind_mtx);
	unwind_build_begin(uid);
	pthread_mutex_unlock(&unwind_mtx);
	return 0;
}

void
unwind_release(void)
{
	pthread_mutex_lock(&hold_mtx);
	if (--nholds == 0)
		released = clock_monotonic();
	pthread_mutex_unlock(&hold_mtx);
}

void
unwind_omit(struct bpf_object *obj)
{
	struct bpf_map *map;
	int i;

	for (i = 0; i < UNWIND_NMAPS; i++) {
		map = bpf_object__find_map_by_name(obj,
		    unwind_maps[i].umr_name);
		if (map != NULL)
			(void)bpf_map__set_autocreate(map, false);
	}
}

int
unwind_share(struct bpf_object *obj)
{
	struct bpf_map *map;
	int i, error;

	for (i = 0; i < UNWIND_NMAPS; i++) {
		map = bpf_object__find_map_by_name(obj,
		    unwind_maps[i].umr_name);
		if (map == NULL)
			continue;
		if ((error = unwind_maps_init()) != 0)
			return error;
		if ((error = bpf_map__set_autocreate(map, true)) != 0 ||
		    (error = bpf_map__reuse_fd(map, unwind_maps[i].umr_fd)) !=
			0)
			return -error;
	}
	return 0;
}

/* Returns what programs have counted in a row of unwind_counts. */
static uint64_t
counted(uint32_t row)
{
	int i, ncpu = libbpf_num_possible_cpus();
	uint64_t *values, sum = 0;

	if (ncpu <= 0 || (values = calloc(ncpu, sizeof(*values))) == NULL)
		return 0;
	if (bpf_map_lookup_elem(unwind_maps[UNWIND_COUNTS].umr_fd, &row,
		values) == 0)
		for (i = 0; i < ncpu; i++)
			sum += values[i];
	free(values);
	return sum;
}

void
unwind_stat(struct unwind_stat *us)
{
	struct unwind_pages_stat ups;
	struct unwind_procs_stat uqs;
	struct slab_stat sst;
	struct unwind_copies_stat ucs;
	int i;

	unwind_copies_stat(&ucs);
	pthread_mutex_lock(&unwind_mtx);
	unwind_pages_stat(&ups);
	unwind_procs_stat(&uqs);
	slab_stat(&sst);
	*us = (struct unwind_stat){ .us_held = __atomic_load_n(&nholds,
					__ATOMIC_RELAXED),
		.us_misses = nmisses,
		.us_pages = ups.ups_ready,
		.us_none = ups.ups_none,
		.us_procs = uqs.uqs_procs,
		.us_maps = uqs.uqs_maps,
		.us_files = unwind_files_count(),
		.us_bytes = sst.sst_used - sst.sst_retired,
		.us_slabbytes = sst.sst_slabs,
		.us_limit = sst.sst_limit,
		.us_built = ups.ups_built,
		.us_failed = ups.ups_failed,
		.us_evicted = ups.ups_evicted,
		.us_full = ups.ups_full,
		.us_read = uqs.uqs_read,
		.us_unread = uqs.uqs_failed,
		.us_buildnsecs = unwind_buildnsecs,
		.us_readnsecs = unwind_readnsecs,
		.us_copies = ucs.ucs_copies,
		.us_copieslost = ucs.ucs_dropped + counted(UNWIND_COUNT_LOST),
		.us_walked = ucs.ucs_walked,
		.us_givenup = ucs.ucs_givenup };
	pthread_mutex_unlock(&unwind_mtx);
	for (i = 0; i < UNWIND_NENDS; i++)
		us->us_ends[i] = ucs.ucs_ends[i] + counted(i);
}
