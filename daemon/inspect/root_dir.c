/* SPDX-License-Identifier: ISC */
/* Shares root directories by reference counts. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/close_queue.h"
#include "daemon/inspect/root_dir.h"

#define ROOT_DIR_MAX 512 /* each is a descriptor */

struct root_dir {
	LIST_ENTRY(root_dir) rd_entry; /* under the lock, as rd_refs */
	unsigned int rd_refs;
	int rd_fd; /* constant, as all below */
	uint64_t rd_serial;
	struct root_dir_id rd_id;
};

static pthread_mutex_t root_dir_mtx = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, root_dir) roots = LIST_HEAD_INITIALIZER(roots);
static unsigned int nroots;
static uint64_t lastserial;

static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static struct root_dir own = { .rd_refs = 1, .rd_fd = -1 };

/* Under the lock. */
static struct root_dir *
root_dir_known(const struct root_dir_id *id)
{
	struct root_dir *rd;

	LIST_FOREACH(rd, &roots, rd_entry)
		if (root_dir_id_same(&rd->rd_id, id)) {
			rd->rd_refs++;
			return rd;
		}
	return NULL;
}

/* Under the lock. */
static struct root_dir *
root_dir_add(const struct root_dir_id *id, int fd)
{
	struct root_dir *rd;

	if (nroots >= ROOT_DIR_MAX || (rd = malloc(sizeof(*rd))) == NULL)
		return NULL;
	*rd = (struct root_dir){ .rd_refs = 1,
		.rd_fd = fd,
		.rd_serial = ++lastserial,
		.rd_id = *id };
	LIST_INSERT_HEAD(&roots, rd, rd_entry);
	nroots++;
	return rd;
}

/* Makes the entry of dtd's own root; unknown parts equal no other root's. */
static void
own_make(void)
{
	struct stat sb;

	own.rd_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (own.rd_fd != -1 && fstat(own.rd_fd, &sb) == 0) {
		own.rd_id.rdi_dev = sb.st_dev;
		own.rd_id.rdi_ino = sb.st_ino;
	}
	own.rd_id.rdi_mntns = stat("/proc/self/ns/mnt", &sb) == 0 ? sb.st_ino
								  : 1;
	pthread_mutex_lock(&root_dir_mtx);
	own.rd_serial = ++lastserial;
	LIST_INSERT_HEAD(&roots, &own, rd_entry);
	pthread_mutex_unlock(&root_dir_mtx);
}

struct root_dir *
root_dir_own(void)
{
	(void)pthread_once(&own_once, own_make);
	return &own;
}

struct root_dir *
root_dir_enter(const struct root_dir_id *id, int fd)
{
	struct root_dir *rd;

	(void)root_dir_own();
	pthread_mutex_lock(&root_dir_mtx);
	if ((rd = root_dir_known(id)) == NULL && fd != -1 &&
	    (rd = root_dir_add(id, fd)) != NULL)
		fd = -1;
	pthread_mutex_unlock(&root_dir_mtx);
	if (fd != -1)
		close(fd);
	return rd;
}

struct root_dir *
root_dir_get(struct root_dir *rd)
{
	if (rd == NULL)
		return NULL;
	pthread_mutex_lock(&root_dir_mtx);
	rd->rd_refs++;
	pthread_mutex_unlock(&root_dir_mtx);
	return rd;
}

void
root_dir_put(struct root_dir *rd)
{
	int fd = -1;

	if (rd == NULL)
		return;
	pthread_mutex_lock(&root_dir_mtx);
	if (--rd->rd_refs == 0) { /* never our own */
		LIST_REMOVE(rd, rd_entry);
		nroots--;
		fd = rd->rd_fd;
		free(rd);
	}
	pthread_mutex_unlock(&root_dir_mtx);
	if (fd != -1)
		close_queue(fd);
}

int
root_dir_fd(const struct root_dir *rd)
{
	return rd->rd_fd;
}

const struct root_dir_id *
root_dir_id(const struct root_dir *rd)
{
	return &rd->rd_id;
}

uint64_t
root_dir_serial(const struct root_dir *rd)
{
	return rd->rd_serial;
}

int
root_dir_isown(const struct root_dir *rd)
{
	return rd == &own;
}
