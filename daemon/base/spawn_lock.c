/* SPDX-License-Identifier: ISC */
/* Processes that are being started, see spawn_lock.h. */
#include <pthread.h>
#include <unistd.h>

#include "daemon/base/spawn_lock.h"

static pthread_mutex_t spawn_mtx = PTHREAD_MUTEX_INITIALIZER;

void
spawn_lock(void)
{
	pthread_mutex_lock(&spawn_mtx);
}

void
spawn_unlock(void)
{
	pthread_mutex_unlock(&spawn_mtx);
}

void
spawn_lock_close(int fd)
{
	spawn_lock();
	close(fd);
	spawn_unlock();
}
