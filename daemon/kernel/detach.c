/* SPDX-License-Identifier: ISC */
/*
 * Detaches links on a separate thread, since the kernel takes 75 ms and more
 * for a single kprobe (6.1).
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/kernel/attach.h"

#define RELEASE_LOOK 100000000 /* ns between checks of cancel */

int
attach_links_add(struct attach_links *kl, int fd)
{
	size_t max = kl->al_max == 0 ? 8 : 2 * kl->al_max;
	int *fds;

	if (kl->al_n == kl->al_max) {
		if ((fds = realloc(kl->al_fds, max * sizeof(*fds))) == NULL) {
			close(fd);
			return ENOMEM;
		}
		kl->al_fds = fds;
		kl->al_max = max;
	}
	kl->al_fds[kl->al_n++] = fd;
	return 0;
}

static pthread_mutex_t release_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t release_cond = PTHREAD_COND_INITIALIZER;
static struct attach_links released; /* by release_mtx: what waits */
static int releasing;		     /* by release_mtx: the thread is there */
static int leaving;		     /* by release_mtx: the process exits */

static void *
release_run(void *arg __attribute__((unused)))
{
	int fd;

	pthread_mutex_lock(&release_mtx);
	while (released.al_n > 0 && !leaving) {
		fd = released.al_fds[--released.al_n];
		pthread_mutex_unlock(&release_mtx);
		close(fd);
		pthread_mutex_lock(&release_mtx);
	}
	if (!leaving) {
		free(released.al_fds);
		memset(&released, 0, sizeof(released));
	}
	releasing = 0;
	pthread_cond_broadcast(&release_cond);
	pthread_mutex_unlock(&release_mtx);
	return NULL;
}

/* Under release_mtx. */
static int
release_start(void)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	if (releasing || leaving)
		return 0;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, release_run, NULL);
	pthread_attr_destroy(&attr);
	releasing = error == 0;
	return error;
}

void
attach_release(struct attach_links *kl)
{
	size_t i;

	pthread_mutex_lock(&release_mtx);
	for (i = 0; i < kl->al_n; i++)
		(void)attach_links_add(&released, kl->al_fds[i]);
	i = released.al_n > 0 && release_start() != 0;
	pthread_mutex_unlock(&release_mtx);
	if (i && !leaving) /* no thread: here, then */
		(void)release_run(NULL);
	attach_unload(kl->al_slots);
	free(kl->al_fds);
	memset(kl, 0, sizeof(*kl));
}

int
attach_settle(const atomic_int *cancel)
{
	struct timespec ts;

	pthread_mutex_lock(&release_mtx);
	while (releasing && !atomic_load(cancel)) {
		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_nsec += RELEASE_LOOK;
		ts.tv_sec += ts.tv_nsec / 1000000000;
		ts.tv_nsec %= 1000000000;
		(void)pthread_cond_timedwait(&release_cond, &release_mtx, &ts);
	}
	pthread_mutex_unlock(&release_mtx);
	return atomic_load(cancel) ? ECANCELED : 0;
}

void
attach_leave(void)
{
	pthread_mutex_lock(&release_mtx);
	leaving = 1;
	while (releasing)
		pthread_cond_wait(&release_cond, &release_mtx);
	pthread_mutex_unlock(&release_mtx);
}

void
attach_fini(void)
{
	pthread_mutex_lock(&release_mtx);
	while (releasing)
		pthread_cond_wait(&release_cond, &release_mtx);
	pthread_mutex_unlock(&release_mtx);
}
