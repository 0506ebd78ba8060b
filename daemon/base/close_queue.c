/* SPDX-License-Identifier: ISC */
/* Closes queued descriptors.  The thread ends when there are no more. */
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/base/close_queue.h"

#define QUEUE_MAX   4096
#define QUEUE_STACK (128UL << 10) /* bytes: the minimum of arm64 */

/* All by queue_mtx. */
static pthread_mutex_t queue_mtx = PTHREAD_MUTEX_INITIALIZER;
static int queue_fds[QUEUE_MAX];
static unsigned int queue_n;
static int queue_hasthread;

static void *
queue_thread(void *arg __attribute__((unused)))
{
	int fd;

	prctl(PR_SET_NAME, "dtd-close");
	pthread_mutex_lock(&queue_mtx);
	while (queue_n > 0) {
		fd = queue_fds[--queue_n];
		pthread_mutex_unlock(&queue_mtx);
		close(fd);
		pthread_mutex_lock(&queue_mtx);
	}
	queue_hasthread = 0;
	pthread_mutex_unlock(&queue_mtx);
	return NULL;
}

/* Under the lock: returns whether there is a thread now. */
static int
queue_start(void)
{
	pthread_attr_t attr;
	pthread_t t;

	if (queue_hasthread)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, QUEUE_STACK);
	queue_hasthread = pthread_create(&t, &attr, queue_thread, NULL) == 0;
	pthread_attr_destroy(&attr);
	return queue_hasthread;
}

void
close_queue(int fd)
{
	int isqueued = 0;

	pthread_mutex_lock(&queue_mtx);
	if (queue_n < QUEUE_MAX && queue_start()) {
		queue_fds[queue_n++] = fd;
		isqueued = 1;
	}
	pthread_mutex_unlock(&queue_mtx);
	if (!isqueued)
		close(fd);
}
