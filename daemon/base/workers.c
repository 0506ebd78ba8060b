/* SPDX-License-Identifier: ISC */
/* Workers, see workers.h. */
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

#define WORK_NTHREADS 4

struct queue {
	struct work *q_head;
	struct work **q_tail;
};

static pthread_mutex_t work_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_cond = PTHREAD_COND_INITIALIZER;
static struct queue work_todo;	/* by work_mtx */
static struct queue work_ready; /* by work_mtx: ran, w_done is due */
static struct ev work_ev;	/* tells the control thread of them */

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
 * Ran: its w_done is due, if there is one.  Whoever is woken may run at once,
 * and must not find the lock taken by somebody who then has to wait for a CPU.
 */
static void
work_ended(struct work *w)
{
	uint64_t one = 1;

	pthread_mutex_lock(&work_mtx);
	queue_put(&work_ready, w);
	pthread_mutex_unlock(&work_mtx);
	if (write(work_ev.ev_fd, &one, sizeof(one)) == -1)
		log_warn("work: eventfd");
}

static void *
work_thread(void *arg __attribute__((unused)))
{
	struct work *w;
	int isasked;

	for (;;) {
		pthread_mutex_lock(&work_mtx);
		while ((w = queue_get(&work_todo)) == NULL)
			pthread_cond_wait(&work_cond, &work_mtx);
		pthread_mutex_unlock(&work_mtx);
		isasked = w->w_done != NULL; /* else w_run frees it */
		w->w_run(w);
		if (isasked)
			work_ended(w);
	}
	return NULL;
}

static void *
work_thread_alone(void *arg)
{
	struct work *w = arg;

	w->w_run(w);
	work_ended(w);
	return NULL;
}

static void
work_deliver(struct ev *ev, uint32_t events __attribute__((unused)))
{
	struct work *w;
	uint64_t n;

	if (read(ev->ev_fd, &n, sizeof(n)) == -1)
		return;
	for (;;) {
		pthread_mutex_lock(&work_mtx);
		w = queue_get(&work_ready);
		pthread_mutex_unlock(&work_mtx);
		if (w == NULL)
			return;
		w->w_done(w);
	}
}

int
work_init(void)
{
	pthread_t t;
	int i, error;

	work_todo.q_tail = &work_todo.q_head;
	work_ready.q_tail = &work_ready.q_head;
	work_ev.ev_cb = work_deliver;
	work_ev.ev_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (work_ev.ev_fd == -1)
		return errno;
	if ((error = ev_add(&work_ev, EPOLLIN)) != 0)
		return error;
	for (i = 0; i < WORK_NTHREADS; i++)
		if ((error = pthread_create(&t, NULL, work_thread, NULL)) != 0)
			return error;
	return 0;
}

void
work_submit(struct work *w)
{
	pthread_mutex_lock(&work_mtx);
	queue_put(&work_todo, w);
	pthread_mutex_unlock(&work_mtx);
	pthread_cond_signal(&work_cond);
}

void
work_alone(struct work *w)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, work_thread_alone, w);
	pthread_attr_destroy(&attr);
	if (error != 0)
		work_submit(w);
}
