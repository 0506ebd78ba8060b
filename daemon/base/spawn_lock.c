/* SPDX-License-Identifier: ISC */
/* Protects the start of processes, and close(2), with a mutex. */
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
