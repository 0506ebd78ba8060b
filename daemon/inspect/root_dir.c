/* SPDX-License-Identifier: ISC */
/* Root directories of processes, see root_dir.h. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/inspect/root_dir.h"

#define SYMROOT_MAX 512 /* each is a descriptor */

struct symroot {
	LIST_ENTRY(symroot) sr_entry; /* under the lock, as sr_refs */
	unsigned int sr_refs;
	int sr_fd; /* constant, as all below */
	uint64_t sr_serial;
	struct symrootid sr_id;
};

static pthread_mutex_t symroot_mtx = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, symroot) symroots = LIST_HEAD_INITIALIZER(symroots);
static unsigned int nsymroots;
static uint64_t lastserial;

static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static struct symroot own = { .sr_refs = 1, .sr_fd = -1 };

/* Under the lock. */
static struct symroot *
symroot_known(const struct symrootid *id)
{
	struct symroot *sr;

	LIST_FOREACH(sr, &symroots, sr_entry)
		if (symrootid_same(&sr->sr_id, id)) {
			sr->sr_refs++;
			return sr;
		}
	return NULL;
}

/* Under the lock. */
static struct symroot *
symroot_add(const struct symrootid *id, int fd)
{
	struct symroot *sr;

	if (nsymroots >= SYMROOT_MAX || (sr = malloc(sizeof(*sr))) == NULL)
		return NULL;
	*sr = (struct symroot){ .sr_refs = 1,
		.sr_fd = fd,
		.sr_serial = ++lastserial,
		.sr_id = *id };
	LIST_INSERT_HEAD(&symroots, sr, sr_entry);
	nsymroots++;
	return sr;
}

/* What cannot be found out is like nothing else. */
static void
own_make(void)
{
	struct stat sb;

	own.sr_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (own.sr_fd != -1 && fstat(own.sr_fd, &sb) == 0) {
		own.sr_id.ri_dev = sb.st_dev;
		own.sr_id.ri_ino = sb.st_ino;
	}
	own.sr_id.ri_mntns = stat("/proc/self/ns/mnt", &sb) == 0 ? sb.st_ino
								 : 1;
	pthread_mutex_lock(&symroot_mtx);
	own.sr_serial = ++lastserial;
	LIST_INSERT_HEAD(&symroots, &own, sr_entry);
	pthread_mutex_unlock(&symroot_mtx);
}

struct symroot *
symroot_own(void)
{
	(void)pthread_once(&own_once, own_make);
	return &own;
}

struct symroot *
symroot_find(const struct symrootid *id)
{
	struct symroot *sr;

	(void)symroot_own();
	pthread_mutex_lock(&symroot_mtx);
	sr = symroot_known(id);
	pthread_mutex_unlock(&symroot_mtx);
	return sr;
}

struct symroot *
symroot_enter(const struct symrootid *id, int fd)
{
	struct symroot *sr;

	(void)symroot_own();
	pthread_mutex_lock(&symroot_mtx);
	if ((sr = symroot_known(id)) == NULL && fd != -1 &&
	    (sr = symroot_add(id, fd)) != NULL)
		fd = -1;
	pthread_mutex_unlock(&symroot_mtx);
	if (fd != -1)
		close(fd);
	return sr;
}

struct symroot *
symroot_get(struct symroot *sr)
{
	if (sr == NULL)
		return NULL;
	pthread_mutex_lock(&symroot_mtx);
	sr->sr_refs++;
	pthread_mutex_unlock(&symroot_mtx);
	return sr;
}

void
symroot_put(struct symroot *sr)
{
	int fd = -1;

	if (sr == NULL)
		return;
	pthread_mutex_lock(&symroot_mtx);
	if (--sr->sr_refs == 0) { /* never our own */
		LIST_REMOVE(sr, sr_entry);
		nsymroots--;
		fd = sr->sr_fd;
		free(sr);
	}
	pthread_mutex_unlock(&symroot_mtx);
	if (fd != -1)
		close(fd);
}

int
symroot_fd(const struct symroot *sr)
{
	return sr->sr_fd;
}

const struct symrootid *
symroot_id(const struct symroot *sr)
{
	return &sr->sr_id;
}

uint64_t
symroot_serial(const struct symroot *sr)
{
	return sr->sr_serial;
}

int
symroot_isown(const struct symroot *sr)
{
	return sr == &own;
}
