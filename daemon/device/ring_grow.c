/* SPDX-License-Identifier: ISC */
/*
 * Replaces rings by larger ones while programs and the data thread use them.
 *
 * One thread makes larger rings for all sessions, since each growth waits for a
 * grace period.  It links a new ring to the previous one of the CPU, then
 * inserts it into the map of rings.  When the update returns, no program uses
 * the previous ring, which is retired.  The data thread may find records in the
 * new ring before that.  These are younger than the records of the previous
 * ring, except for nested hits, whose order a single ring does not keep either.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/sched.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/ring_grow.h"
#include "daemon/device/stream.h"

#define GROW_STEP  4		 /* times as large as the ring before */
#define GROW_FILL  4		 /* fraction of a ring that triggers growth */
#define GROW_LEFT  8		 /* fraction left when the next is no larger */
#define GROW_LEAST 16		 /* fraction of the maximum that one has then */
#define GROW_RETRY 1000000000ULL /* ns after a refusal */
#define GROW_NICE  (-10)	 /* as the data thread: rings fill meanwhile */
#define GROW_TRIES 100		 /* attempts if memory is short */
#define GROW_PAUSE 2000000	 /* ns between two attempts */

/* A CPU of a session.  a: atomic; g: growth thread. */
struct grow_cpu {
	atomic_int gc_wanted;	 /* [a] a larger ring is requested */
	struct cpuring *gc_last; /* [g] the ring that programs use, or will */
	struct cpuring *gc_new;	 /* [g] not yet in the map */
};

/*
 * m: by grow_mtx; I: constant; g: growth thread; a: atomic.
 */
struct ring_grow {
	TAILQ_ENTRY(ring_grow) rg_entry;
	struct rings *rg_rings;	  /* [I] */
	struct stream *rg_stream; /* [I] */
	uid_t rg_person;	  /* [I] user whose limit applies */
	uint64_t rg_max;	  /* [I] bytes of all rings */
	uint64_t rg_bytes;	  /* [m] current bytes of all rings */
	uint64_t rg_charged;	  /* [m] by growth, taken from the limit */
	int rg_queued, rg_busy;	  /* [m] */
	struct cpuring *rg_old;	  /* [m] popped, to be released */
	atomic_uint_fast64_t rg_resume; /* [a] no growth before, ns */
	struct grow_cpu rg_cpus[];	/* by CPU */
};

TAILQ_HEAD(grows, ring_grow);

static pthread_mutex_t grow_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t grow_work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t grow_idle = PTHREAD_COND_INITIALIZER;
static struct grows grows = TAILQ_HEAD_INITIALIZER(grows); /* by grow_mtx */
static int grow_started;				   /* by grow_mtx */

/*
 * The growth thread
 */

/*
 * Returns the size of the ring after one of this size, 0: none.  A ring takes
 * at most half of the rest of the maximum, so that one CPU leaves space to the
 * others.  Locked.
 */
static uint64_t
grow_size(const struct ring_grow *rg, uint64_t size)
{
	uint64_t n;

	for (n = GROW_STEP * size; n > size || n >= rg->rg_max / GROW_LEAST;
	     n /= 2)
		if (n <= (rg->rg_max - rg->rg_bytes) / 2)
			return n;
	return 0;
}

/*
 * Charges a larger ring to the limits if as much remains for the user's other
 * sessions.  Returns its size; 0: refused.
 */
static uint64_t
grow_take(struct ring_grow *rg, uint64_t size)
{
	uint64_t n;

	pthread_mutex_lock(&grow_mtx);
	n = grow_size(rg, size);
	if (n != 0 &&
	    (!limit_room(rg->rg_person, LIMIT_RINGBYTES, 2 * n) ||
		limit_take(rg->rg_person, LIMIT_RINGBYTES, n, NULL) != 0))
		n = 0;
	rg->rg_bytes += n;
	rg->rg_charged += n;
	pthread_mutex_unlock(&grow_mtx);
	return n;
}

static void
grow_give(struct ring_grow *rg, uint64_t n)
{
	limit_give(rg->rg_person, LIMIT_RINGBYTES, n);
	pthread_mutex_lock(&grow_mtx);
	rg->rg_bytes -= n;
	rg->rg_charged -= n;
	pthread_mutex_unlock(&grow_mtx);
}

/* Makes the next ring of a CPU; gc_new stays NULL if there is none. */
static void
grow_make(struct ring_grow *rg, unsigned int cpu)
{
	struct grow_cpu *gc = &rg->rg_cpus[cpu];
	struct cpuring *r;
	uint64_t n;

	if ((n = grow_take(rg, gc->gc_last->cr_size)) == 0)
		return;
	if ((r = calloc(1, sizeof(*r))) != NULL) {
		r->cr_fd = -1;
		if (ring_map(r, n) == 0 &&
		    stream_watch(rg->rg_stream, r->cr_fd) == 0) {
			gc->gc_new = r;
			return;
		}
		ring_unmap(r);
		free(r);
	}
	grow_give(rg, n);
}

/*
 * Inserts a new ring into the map.  An update needs a little memory, which may
 * be unavailable for a moment.  If all attempts fail, the new ring stays empty
 * and the old one in use.
 */
static int
grow_insert(const struct rings *ri, uint32_t cpu, int fd)
{
	const struct timespec pause = { 0, GROW_PAUSE };
	uint32_t key = ri->ri_key + cpu;
	int error = 0, try;

	for (try = 0; try < GROW_TRIES; try++) {
		error = -bpf_map_update_elem(ri->ri_map, &key, &fd, BPF_ANY);
		if (error == 0)
			break;
		nanosleep(&pause, NULL);
	}
	return error;
}

/* Inserts rings of n CPUs, in one grace period where the kernel supports it. */
static int
grow_insert_all(const struct rings *ri, const uint32_t *cpus, const int *fds,
    uint32_t n)
{
	uint32_t keys[n], i, done = n;
	int error = 0;

	for (i = 0; i < n; i++)
		keys[i] = ri->ri_key + cpus[i];
	if (bpf_map_update_batch(ri->ri_map, keys, fds, &done, NULL) == 0)
		return 0;
	for (i = 0; i < n && error == 0; i++)
		error = grow_insert(ri, cpus[i], fds[i]);
	return error;
}

/* Links new rings before any program can find them. */
static void
grow_publish(struct ring_grow *rg, const uint32_t *cpus, uint32_t n)
{
	const struct rings *ri = rg->rg_rings;
	struct cpuring *last[n];
	struct grow_cpu *gc;
	uint32_t i;
	int fds[n], error;

	for (i = 0; i < n; i++) {
		gc = &rg->rg_cpus[cpus[i]];
		last[i] = gc->gc_last;
		fds[i] = gc->gc_new->cr_fd;
		gc->gc_last = gc->gc_new;
		atomic_store(&last[i]->cr_next, gc->gc_new);
	}
	if ((error = grow_insert_all(ri, cpus, fds, n)) != 0) {
		log_warnx("cannot use a larger ring: %s", strerror(error));
		atomic_store(&rg->rg_resume, UINT64_MAX);
	}
	for (i = 0; i < n; i++) {
		gc = &rg->rg_cpus[cpus[i]];
		gc->gc_new = NULL;
		close(fds[i]); /* the mapping keeps the ring */
		gc->gc_last->cr_fd = -1;
		if (error == 0)
			atomic_store(&last[i]->cr_retired, 1);
	}
	stream_kick(rg->rg_stream);
}

static void
grow_run(struct ring_grow *rg)
{
	uint32_t ncpu = rg->rg_rings->ri_ncpu, cpus[ncpu], cpu, n = 0;
	int isrefused = 0;

	for (cpu = 0; cpu < ncpu; cpu++) {
		if (!atomic_load(&rg->rg_cpus[cpu].gc_wanted))
			continue;
		grow_make(rg, cpu);
		if (rg->rg_cpus[cpu].gc_new != NULL)
			cpus[n++] = cpu;
		else
			isrefused = 1;
	}
	if (isrefused)
		atomic_store(&rg->rg_resume, clock_monotonic() + GROW_RETRY);
	if (n != 0)
		grow_publish(rg, cpus, n);
	for (cpu = 0; cpu < ncpu; cpu++)
		atomic_store(&rg->rg_cpus[cpu].gc_wanted, 0);
}

static void
grow_release(struct ring_grow *rg, struct cpuring *old)
{
	struct cpuring *next;

	for (; old != NULL; old = next) {
		next = atomic_load(&old->cr_next);
		grow_give(rg, old->cr_size);
		ring_unmap(old);
		free(old);
	}
}

static void *
grow_thread(void *arg __attribute__((unused)))
{
	struct sched_realtime realtime = { 0 };
	struct ring_grow *rg;
	struct cpuring *old;

	(void)setpriority(PRIO_PROCESS, gettid(), GROW_NICE);
	(void)prctl(PR_SET_NAME, "dtd-rings", 0, 0, 0);
	pthread_mutex_lock(&grow_mtx);
	for (;;) {
		sched_realtime(&realtime);
		while ((rg = TAILQ_FIRST(&grows)) == NULL)
			pthread_cond_wait(&grow_work, &grow_mtx);
		TAILQ_REMOVE(&grows, rg, rg_entry);
		rg->rg_queued = 0;
		rg->rg_busy = 1;
		old = rg->rg_old;
		rg->rg_old = NULL;
		pthread_mutex_unlock(&grow_mtx);
		grow_release(rg, old);
		grow_run(rg);
		pthread_mutex_lock(&grow_mtx);
		rg->rg_busy = 0;
		pthread_cond_broadcast(&grow_idle);
	}
	return NULL;
}

/* Under the lock. */
static void
grow_queue(struct ring_grow *rg)
{
	if (rg->rg_queued)
		return;
	TAILQ_INSERT_TAIL(&grows, rg, rg_entry);
	rg->rg_queued = 1;
	pthread_cond_signal(&grow_work);
}

/*
 * The data thread
 */

/*
 * Returns whether a CPU needs its next ring now.  Programs stop using the rest
 * of the newest ring then, so one that is no larger has to wait.
 */
static int
grow_isdue(const struct ring_grow *rg, const struct cpuring *newest)
{
	uint64_t size = newest->cr_size, next, used;

	used = __atomic_load_n(newest->cr_prod, __ATOMIC_ACQUIRE) -
	    newest->cr_pos;
	if (used <= size / GROW_FILL)
		return 0;
	pthread_mutex_lock(&grow_mtx);
	next = grow_size(rg, size);
	pthread_mutex_unlock(&grow_mtx);
	return next == 0 || next > size || used > size - size / GROW_LEFT;
}

int
ring_grow_check(struct rings *ri, unsigned int cpu)
{
	struct ring_grow *rg = ri->ri_grow;
	const struct cpuring *r = ri->ri_rings[cpu], *next;

	if (rg == NULL)
		return 0;
	if (atomic_load(&rg->rg_cpus[cpu].gc_wanted))
		return 1;
	while ((next = atomic_load(&r->cr_next)) != NULL)
		r = next;
	if (!grow_isdue(rg, r))
		return 1;
	if ((uint64_t)clock_monotonic() < atomic_load(&rg->rg_resume))
		return 0;
	atomic_store(&rg->rg_cpus[cpu].gc_wanted, 1);
	pthread_mutex_lock(&grow_mtx);
	grow_queue(rg);
	pthread_mutex_unlock(&grow_mtx);
	return 1;
}

void
ring_grow_pop(struct rings *ri, unsigned int cpu)
{
	struct ring_grow *rg = ri->ri_grow;
	struct cpuring *old = ri->ri_rings[cpu];

	pthread_mutex_lock(&grow_mtx);
	ri->ri_rings[cpu] = atomic_load(&old->cr_next);
	atomic_store(&old->cr_next, rg->rg_old);
	rg->rg_old = old;
	grow_queue(rg);
	pthread_mutex_unlock(&grow_mtx);
}

/*
 * Begin and end
 */

/* Under the lock. */
static int
grow_start_thread(void)
{
	pthread_t t;
	int error;

	if (grow_started)
		return 0;
	if ((error = pthread_create(&t, NULL, grow_thread, NULL)) == 0)
		grow_started = 1;
	return error;
}

int
ring_grow_start(struct rings *ri, struct stream *st, uid_t uid, uint64_t max)
{
	struct ring_grow *rg;
	uint64_t nbytes = (uint64_t)ri->ri_size * ri->ri_ncpu;
	unsigned int cpu;
	int error;

	if (max < nbytes + 2 * ri->ri_size)
		return 0;
	rg = calloc(1, sizeof(*rg) + ri->ri_ncpu * sizeof(rg->rg_cpus[0]));
	if (rg == NULL)
		return ENOMEM;
	rg->rg_rings = ri;
	rg->rg_stream = st;
	rg->rg_person = uid;
	rg->rg_max = max;
	rg->rg_bytes = nbytes;
	for (cpu = 0; cpu < ri->ri_ncpu; cpu++)
		rg->rg_cpus[cpu].gc_last = ri->ri_rings[cpu];
	pthread_mutex_lock(&grow_mtx);
	error = grow_start_thread();
	pthread_mutex_unlock(&grow_mtx);
	if (error == 0)
		ri->ri_grow = rg;
	else
		free(rg);
	return error;
}

void
ring_grow_stop(struct rings *ri)
{
	struct ring_grow *rg = ri->ri_grow;

	if (rg == NULL)
		return;
	pthread_mutex_lock(&grow_mtx);
	if (rg->rg_queued)
		TAILQ_REMOVE(&grows, rg, rg_entry);
	rg->rg_queued = 0;
	while (rg->rg_busy)
		pthread_cond_wait(&grow_idle, &grow_mtx);
	pthread_mutex_unlock(&grow_mtx);
}

void
ring_grow_free(struct rings *ri)
{
	struct ring_grow *rg = ri->ri_grow;
	struct cpuring *r;
	unsigned int cpu;

	if (rg == NULL)
		return;
	grow_release(rg, rg->rg_old);
	for (cpu = 0; cpu < ri->ri_ncpu; cpu++) {
		r = ri->ri_rings[cpu];
		grow_release(rg, atomic_load(&r->cr_next));
		atomic_store(&r->cr_next, NULL);
	}
	/* growth of the first rings, which ring.c releases */
	limit_give(rg->rg_person, LIMIT_RINGBYTES, rg->rg_charged);
	ri->ri_grow = NULL;
	free(rg);
}

/* Adds the rings of a CPU.  Locked. */
static void
usage_add(struct ring_usage *ru, const struct cpuring *r)
{
	uint64_t size = 0, used = 0, n;

	for (; r != NULL; r = atomic_load(&r->cr_next)) {
		n = __atomic_load_n(r->cr_cons, __ATOMIC_ACQUIRE);
		used += __atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE) - n;
		size += r->cr_size;
		if (r->cr_size > ru->ru_most)
			ru->ru_most = r->cr_size;
	}
	ru->ru_bytes += size;
	ru->ru_used += used;
	if (used * 1000000 / size > ru->ru_fill)
		ru->ru_fill = used * 1000000 / size;
}

void
rings_usage(const struct rings *ri, struct ring_usage *ru)
{
	unsigned int cpu;

	memset(ru, 0, sizeof(*ru));
	pthread_mutex_lock(&grow_mtx);
	for (cpu = 0; cpu < ri->ri_ncpu; cpu++)
		usage_add(ru, ri->ri_rings[cpu]);
	pthread_mutex_unlock(&grow_mtx);
}
