/* SPDX-License-Identifier: ISC */
/*
 * Runs queued work on a fixed set of threads.  The control thread takes no lock
 * here: a worker that holds one may wait for a CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"

#define WORKERS_N    4
#define WORKERS_ROOT 4 /* more, while users occupy all of them */
/* Separate threads that wait for more work, and for how many seconds. */
#define ALONE_IDLE 2
#define ALONE_SECS 5

/* Work in any order, to which any thread adds without waiting for another. */
typedef _Atomic(struct work *) work_stack;

static work_stack workers_new;	 /* not in the queue yet */
static work_stack workers_ready; /* has run, w_done is due */
static sem_t workers_sem;	 /* counts work in workers_new and the queue */
static pthread_mutex_t workers_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct work *workers_queue;  /* by workers_mtx: in order of turns */
static uint64_t workers_turn;	    /* by workers_mtx: after the last
					* begun */
static atomic_int workers_isending; /* dtd is exiting */
static atomic_int workers_nqueued;  /* submitted, and has not run yet */
static atomic_int workers_nroot;    /* root's, on separate threads */
static work_stack alone_new;	    /* for separate threads that wait */
static sem_t alone_sem;		    /* counts work in alone_new and alone */
static pthread_mutex_t alone_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct work *alone;	       /* by alone_mtx: taken from alone_new */
static atomic_int alone_nidle;	       /* threads that wait, without those for
					* which there is work */
static struct event_source workers_ev; /* wakes the control thread for
				        * workers_ready */

static void
stack_push(work_stack *ws, struct work *w)
{
	w->w_next = atomic_load(ws);
	while (!atomic_compare_exchange_weak(ws, &w->w_next, w))
		continue;
}

/* Empties a stack.  Returns its work in the order in which it was added. */
static struct work *
stack_take(work_stack *ws)
{
	struct work *last = atomic_exchange(ws, NULL), *first = NULL, *w;

	while ((w = last) != NULL) {
		last = w->w_next;
		w->w_next = first;
		first = w;
	}
	return first;
}

/*
 * Queues work as the last of a turn: the next one, or, if work of the same user
 * is queued, the turn after it.
 */
static void
queue_put(struct work *w)
{
	struct work **at, *other;

	w->w_turn = workers_turn;
	for (other = workers_queue; other != NULL; other = other->w_next)
		if (other->w_person == w->w_person)
			w->w_turn = other->w_turn + 1;
	for (at = &workers_queue; *at != NULL && (*at)->w_turn <= w->w_turn;)
		at = &(*at)->w_next;
	w->w_next = *at;
	*at = w;
}

/* Waits for work and removes it from the queue. */
static struct work *
queue_get(void)
{
	struct work *w, *next;

	while (sem_wait(&workers_sem) == -1)
		continue;
	pthread_mutex_lock(&workers_mtx);
	for (w = stack_take(&workers_new); w != NULL; w = next) {
		next = w->w_next;
		queue_put(w);
	}
	w = workers_queue;
	workers_queue = w->w_next;
	if (w->w_turn >= workers_turn)
		workers_turn = w->w_turn + 1;
	pthread_mutex_unlock(&workers_mtx);
	return w;
}

/* Adds work that has run for its w_done, and wakes the control thread. */
static void
workers_ended(struct work *w)
{
	uint64_t one = 1;

	stack_push(&workers_ready, w);
	if (write(workers_ev.es_fd, &one, sizeof(one)) == -1)
		log_warn("work: eventfd");
}

static void *
workers_thread(void *arg __attribute__((unused)))
{
	struct work *w;
	int hasdone;

	for (;;) {
		w = queue_get();
		hasdone = w->w_done != NULL; /* else w_run frees it */
		w->w_run(w);
		atomic_fetch_sub(&workers_nqueued, 1);
		if (hasdone)
			workers_ended(w);
	}
	return NULL;
}

/* Takes a waiting thread out of the count; 0: there is none. */
static int
alone_claim(void)
{
	int n = atomic_load(&alone_nidle);

	while (n > 0)
		if (atomic_compare_exchange_weak(&alone_nidle, &n, n - 1))
			return 1;
	return 0;
}

/* Waits for work of a separate thread; NULL: there is none, and it exits. */
static struct work *
alone_get(void)
{
	struct timespec ts;
	struct work *w;

	if (atomic_load(&alone_nidle) >= ALONE_IDLE)
		return NULL;
	atomic_fetch_add(&alone_nidle, 1);
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += ALONE_SECS;
	while (sem_timedwait(&alone_sem, &ts) == -1) {
		if (errno != ETIMEDOUT)
			continue;
		if (alone_claim())
			return NULL;
		ts.tv_sec += ALONE_SECS; /* work for it is about to be added */
	}
	pthread_mutex_lock(&alone_mtx);
	if (alone == NULL)
		alone = stack_take(&alone_new);
	w = alone;
	alone = w->w_next;
	pthread_mutex_unlock(&alone_mtx);
	return w;
}

static void
alone_run(struct work *w)
{
	int isroot = w->w_person == 0;

	w->w_run(w);
	if (isroot)
		atomic_fetch_sub(&workers_nroot, 1);
	workers_ended(w);
}

static void *
workers_thread_alone(void *arg)
{
	struct work *w = arg;

	do
		alone_run(w);
	while ((w = alone_get()) != NULL);
	return NULL;
}

static void
workers_deliver(struct event_source *ev,
    uint32_t events __attribute__((unused)))
{
	struct work *w, *next;
	uint64_t n;

	if (read(ev->es_fd, &n, sizeof(n)) == -1)
		return;
	/* work that ends from now on waits for the next pass */
	for (w = stack_take(&workers_ready); w != NULL; w = next) {
		next = w->w_next;
		w->w_done(w);
	}
}

int
workers_init(void)
{
	pthread_t t;
	int i, error;

	if (sem_init(&workers_sem, 0, 0) == -1 ||
	    sem_init(&alone_sem, 0, 0) == -1)
		return errno;
	workers_ev.es_cb = workers_deliver;
	workers_ev.es_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (workers_ev.es_fd == -1)
		return errno;
	if ((error = event_loop_add(&workers_ev, EPOLLIN)) != 0)
		return error;
	for (i = 0; i < WORKERS_N; i++)
		if ((error = pthread_create(&t, NULL, workers_thread, NULL)) !=
		    0)
			return error;
	return 0;
}

static void
workers_add(struct work *w)
{
	atomic_fetch_add(&workers_nqueued, 1);
	stack_push(&workers_new, w);
	(void)sem_post(&workers_sem);
}

/* Whether w is root's and would wait for the work of others. */
static int
workers_isurgent(const struct work *w)
{
	return w->w_person == 0 && atomic_load(&workers_nqueued) >= WORKERS_N &&
	    atomic_load(&workers_nroot) < WORKERS_ROOT;
}

void
workers_submit(struct work *w)
{
	if (w->w_done != NULL &&
	    (atomic_load(&workers_isending) || workers_isurgent(w)))
		workers_alone(w);
	else
		workers_add(w);
}

void
workers_end(void)
{
	atomic_store(&workers_isending, 1);
}

void
workers_alone(struct work *w)
{
	pthread_attr_t attr;
	pthread_t t;
	int error, isroot = w->w_person == 0;

	if (isroot)
		atomic_fetch_add(&workers_nroot, 1);
	if (alone_claim()) {
		stack_push(&alone_new, w);
		(void)sem_post(&alone_sem);
		return;
	}
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, workers_thread_alone, w);
	pthread_attr_destroy(&attr);
	if (error == 0)
		return;
	if (isroot)
		atomic_fetch_sub(&workers_nroot, 1);
	workers_add(w);
}
