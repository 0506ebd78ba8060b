/* SPDX-License-Identifier: ISC */
/* Runs queued work on a fixed set of threads. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"

#define WORKERS_N 4

struct queue {
	struct work *q_head;
	struct work **q_tail;
};

static pthread_mutex_t workers_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t workers_cond = PTHREAD_COND_INITIALIZER;
static struct queue workers_todo;      /* by workers_mtx */
static struct queue workers_ready;     /* by workers_mtx: has run, w_done is
				        * due */
static struct event_source workers_ev; /* wakes the control thread for
				        * workers_ready */

static void
queue_put(struct queue *q, struct work *w)
{
	w->w_next = NULL;
	*q->q_tail = w;
	q->q_tail = &w->w_next;
}

static struct work *
queue_get(struct queue *q)
{
	struct work *w = q->q_head;

	if (w != NULL && (q->q_head = w->w_next) == NULL)
		q->q_tail = &q->q_head;
	return w;
}

/*
 * Queues work that has run for its w_done.  The control thread is woken after
 * the lock is released: it may run at once and must not block on it.
 */
static void
workers_ended(struct work *w)
{
	uint64_t one = 1;

	pthread_mutex_lock(&workers_mtx);
	queue_put(&workers_ready, w);
	pthread_mutex_unlock(&workers_mtx);
	if (write(workers_ev.es_fd, &one, sizeof(one)) == -1)
		log_warn("work: eventfd");
}

static void *
workers_thread(void *arg __attribute__((unused)))
{
	struct work *w;
	int isasked;

	for (;;) {
		pthread_mutex_lock(&workers_mtx);
		while ((w = queue_get(&workers_todo)) == NULL)
			pthread_cond_wait(&workers_cond, &workers_mtx);
		pthread_mutex_unlock(&workers_mtx);
		isasked = w->w_done != NULL; /* else w_run frees it */
		w->w_run(w);
		if (isasked)
			workers_ended(w);
	}
	return NULL;
}

static void *
workers_thread_alone(void *arg)
{
	struct work *w = arg;

	w->w_run(w);
	workers_ended(w);
	return NULL;
}

static void
workers_deliver(struct event_source *ev,
    uint32_t events __attribute__((unused)))
{
	struct work *w;
	uint64_t n;

	if (read(ev->es_fd, &n, sizeof(n)) == -1)
		return;
	for (;;) {
		pthread_mutex_lock(&workers_mtx);
		w = queue_get(&workers_ready);
		pthread_mutex_unlock(&workers_mtx);
		if (w == NULL)
			return;
		w->w_done(w);
	}
}

int
workers_init(void)
{
	pthread_t t;
	int i, error;

	workers_todo.q_tail = &workers_todo.q_head;
	workers_ready.q_tail = &workers_ready.q_head;
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

void
workers_submit(struct work *w)
{
	pthread_mutex_lock(&workers_mtx);
	queue_put(&workers_todo, w);
	pthread_mutex_unlock(&workers_mtx);
	pthread_cond_signal(&workers_cond);
}

void
workers_alone(struct work *w)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, workers_thread_alone, w);
	pthread_attr_destroy(&attr);
	if (error != 0)
		workers_submit(w);
}
