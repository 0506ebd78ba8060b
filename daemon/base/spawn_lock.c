/* SPDX-License-Identifier: ISC */
/* Processes that are being started, see spawn_lock.h. */
#include <pthread.h>
#include <unistd.h>

#include "daemon/base/spawn_lock.h"

static pthread_mutex_t starting_mtx = PTHREAD_MUTEX_INITIALIZER;

void
starting_lock(void)
{
	pthread_mutex_lock(&starting_mtx);
}

void
starting_unlock(void)
{
	pthread_mutex_unlock(&starting_mtx);
}

void
starting_close(int fd)
{
	starting_lock();
	close(fd);
	starting_unlock();
}
