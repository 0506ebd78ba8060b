/* SPDX-License-Identifier: ISC */
/*
 * Waits for grace periods with an update of a map of maps, from which the
 * kernel returns only after one; the map has no other purpose.  (membarrier(2)
 * takes as long, and does not work on kernels with nohz_full.)  Callers that
 * arrive during a grace period share the next one.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/log.h"
#include "daemon/device/grace_period.h"

#define GRACE_TRIES 100
#define GRACE_PAUSE 2 /* ms */

static pthread_mutex_t grace_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t grace_cond = PTHREAD_COND_INITIALIZER;
static uint64_t grace_begun, grace_ended;      /* by grace_mtx */
static int grace_outer = -1, grace_inner = -1; /* [I] once made */

static void
grace_unmake(void)
{
	if (grace_outer >= 0)
		close(grace_outer);
	if (grace_inner >= 0)
		close(grace_inner);
	grace_outer = grace_inner = -1;
}

static int
grace_make(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	grace_inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dt_grace", 4, 4, 1,
	    NULL);
	if (grace_inner < 0)
		return -grace_inner;
	opts.inner_map_fd = grace_inner;
	grace_outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "dt_grace", 4,
	    4, 1, &opts);
	return grace_outer < 0 ? -grace_outer : 0;
}

int
grace_period_init(void)
{
	int error = 0;

	pthread_mutex_lock(&grace_mtx);
	if (grace_outer < 0 && (error = grace_make()) != 0)
		grace_unmake();
	pthread_mutex_unlock(&grace_mtx);
	return error;
}

/*
 * The update needs some memory, which may be unavailable for a moment.  To
 * continue without it would free memory that programs still use.
 */
static void
grace_wait(void)
{
	const struct timespec pause = { 0, GRACE_PAUSE * 1000000L };
	uint32_t zero = 0;
	int try;

	for (try = 0; try < GRACE_TRIES; try++) {
		if (bpf_map_update_elem(grace_outer, &zero, &grace_inner,
			BPF_ANY) == 0)
			return;
		nanosleep(&pause, NULL);
	}
	log_warn("grace period");
}

void
grace_period(void)
{
	uint64_t mine;

	pthread_mutex_lock(&grace_mtx);
	/* One that has begun already may have missed a program. */
	mine = grace_begun + 1;
	while (grace_ended < mine) {
		if (grace_begun != grace_ended) {
			pthread_cond_wait(&grace_cond, &grace_mtx);
			continue;
		}
		grace_begun++;
		pthread_mutex_unlock(&grace_mtx);
		grace_wait();
		pthread_mutex_lock(&grace_mtx);
		grace_ended = grace_begun;
		pthread_cond_broadcast(&grace_cond);
	}
	pthread_mutex_unlock(&grace_mtx);
}
