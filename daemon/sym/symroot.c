/* SPDX-License-Identifier: ISC */
/* Root directories of processes, see symroot.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sym/symroot.h"

#define SYMROOT_MAX 512 /* each is a descriptor */

struct symroot {
	LIST_ENTRY(symroot) sr_entry; /* under the lock, as sr_refs */
	unsigned int sr_refs;
	int sr_fd;	/* constant, as all below */
	ino_t sr_mntns; /* inode of the mount namespace */
	dev_t sr_dev;	/* of the root directory */
	ino_t sr_ino;
};

static pthread_mutex_t symroot_mtx = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, symroot) symroots = LIST_HEAD_INITIALIZER(symroots);
static unsigned int nsymroots;
static struct symroot *own; /* once it was found */

/* Finds out which it is; its descriptor is open then. */
static int
symroot_look(const char *pid, struct symroot *sr)
{
	char path[64];
	struct stat sb;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (stat(path, &sb) == -1)
		return errno;
	sr->sr_mntns = sb.st_ino;
	snprintf(path, sizeof(path), "/proc/%s/root", pid);
	sr->sr_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sr->sr_fd == -1)
		return errno;
	if (fstat(sr->sr_fd, &sb) == -1) {
		close(sr->sr_fd);
		return errno;
	}
	sr->sr_dev = sb.st_dev;
	sr->sr_ino = sb.st_ino;
	return 0;
}

/* The one that is known, else this one becomes it.  Under the lock. */
static struct symroot *
symroot_enter(const struct symroot *new)
{
	struct symroot *sr;

	LIST_FOREACH(sr, &symroots, sr_entry)
		if (sr->sr_mntns == new->sr_mntns &&
		    sr->sr_dev == new->sr_dev && sr->sr_ino == new->sr_ino) {
			sr->sr_refs++;
			close(new->sr_fd);
			return sr;
		}
	if (nsymroots >= SYMROOT_MAX || (sr = malloc(sizeof(*sr))) == NULL) {
		close(new->sr_fd);
		return NULL;
	}
	*sr = *new;
	sr->sr_refs = 1;
	LIST_INSERT_HEAD(&symroots, sr, sr_entry);
	nsymroots++;
	return sr;
}

static struct symroot *
symroot_named(const char *pid)
{
	struct symroot new, *sr;

	if (symroot_look(pid, &new) != 0)
		return NULL;
	pthread_mutex_lock(&symroot_mtx);
	sr = symroot_enter(&new);
	pthread_mutex_unlock(&symroot_mtx);
	return sr;
}

struct symroot *
symroot_of(uint32_t pid)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", pid);
	return symroot_named(name);
}

struct symroot *
symroot_own(void)
{
	struct symroot *sr;

	pthread_mutex_lock(&symroot_mtx);
	sr = own;
	pthread_mutex_unlock(&symroot_mtx);
	if (sr != NULL || (sr = symroot_named("self")) == NULL)
		return sr;
	/* its count is kept for good; a second one is one too many */
	pthread_mutex_lock(&symroot_mtx);
	if (own != NULL)
		sr->sr_refs--;
	own = sr;
	pthread_mutex_unlock(&symroot_mtx);
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
	if (--sr->sr_refs == 0) {
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

int
symroot_isown(const struct symroot *sr)
{
	return sr == symroot_own();
}

int
symroot_open(const struct symroot *sr, const char *path, int flags)
{
	/* The kernel tells names as they are, so that none has a link in it;
	 * what has become one since then is another file. */
	struct open_how how = { .flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS };
	int fd;

	fd = syscall(SYS_openat2, sr->sr_fd, path, &how, sizeof(how));
	return fd == -1 ? -errno : fd;
}
