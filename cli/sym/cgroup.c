/* SPDX-License-Identifier: ISC */
/*
 * Resolves ids of cgroups to paths.
 *
 * An id is the inode number of a directory, and its file handle: a process that
 * may open handles (root) resolves exactly this id at once.  Other processes
 * search the tree for the directory with this inode number, which resolves all
 * other ids of the tree as well; at most once per second, since a machine may
 * have thousands.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sym/cgroup.h"
#include "common/clock.h"

#define CGROUP_HANDLE 0xfe	 /* FILEID_KERNFS of the kernel */
#define CGROUP_MAX    16384	 /* paths that cgroups_trim() keeps */
#define CGROUP_WALK   1000000000 /* ns between two searches */

/*
 * Paths by id
 */

void
cgroups_init(struct cgroups *cg, int islive)
{
	memset(cg, 0, sizeof(*cg));
	cg->cg_fd = -1;
	cg->cg_islive = islive;
}

void
cgroups_free(struct cgroups *cg)
{
	hash_free(&cg->cg_paths);
	free(cg->cg_mount);
	if (cg->cg_fd != -1)
		close(cg->cg_fd);
	cgroups_init(cg, 0);
}

void
cgroups_trim(struct cgroups *cg)
{
	if (cg->cg_islive && cg->cg_paths.ha_n > CGROUP_MAX)
		hash_free(&cg->cg_paths);
}

void
cgroups_add(struct cgroups *cg, uint64_t id, const char *path)
{
	struct hash_entry *e = hash_get(&cg->cg_paths, &id, sizeof(id));

	if (e->he_ptr != NULL)
		return;
	if ((e->he_ptr = strdup(path)) == NULL)
		err(1, "cgroups");
}

/* Finds the mount, once.  Returns 0 or -1. */
static int
cgroups_open(struct cgroups *cg)
{
	struct mntent *m;
	FILE *fp;

	if (cg->cg_fd != -1)
		return 0;
	if (!cg->cg_islive ||
	    (fp = setmntent("/proc/self/mounts", "re")) == NULL)
		return -1;
	while ((m = getmntent(fp)) != NULL) {
		if (strcmp(m->mnt_type, "cgroup2") != 0)
			continue;
		cg->cg_fd = open(m->mnt_dir,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cg->cg_fd == -1)
			continue;
		if ((cg->cg_mount = strdup(m->mnt_dir)) == NULL)
			err(1, "cgroups");
		break;
	}
	endmntent(fp);
	if (cg->cg_fd == -1)
		cg->cg_islive = 0; /* it will not appear later */
	return cg->cg_fd == -1 ? -1 : 0;
}

/* Returns the path of a directory below the mount. */
static const char *
cgroups_below(const struct cgroups *cg, const char *full)
{
	size_t n = strlen(cg->cg_mount);

	if (strncmp(full, cg->cg_mount, n) != 0)
		return NULL;
	if (full[n] == '\0')
		return "/";
	return full[n] == '/' ? full + n : NULL;
}

/* Looks up the path by its handle.  Returns -1 if handles cannot be opened. */
static int
cgroups_handle(struct cgroups *cg, uint64_t id)
{
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} h = { .fh = { .handle_bytes = sizeof(id),
		    .handle_type = CGROUP_HANDLE } };
	char link[64], full[PATH_MAX];
	const char *path;
	ssize_t n;
	int fd;

	memcpy(h.fh.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(cg->cg_fd, &h.fh, O_PATH | O_CLOEXEC);
	if (fd == -1) /* ESTALE: it was removed */
		return errno == ESTALE ? 0 : -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, full, sizeof(full) - 1);
	close(fd);
	if (n == -1)
		return -1;
	full[n] = '\0';
	if ((path = cgroups_below(cg, full)) != NULL)
		cgroups_add(cg, id, path);
	return 0;
}

static void
cgroups_walk(struct cgroups *cg)
{
	char *const roots[] = { cg->cg_mount, NULL };
	const char *path;
	uint64_t now = clock_monotonic();
	FTSENT *e;
	FTS *fts;

	if (cg->cg_walked != 0 && now - cg->cg_walked < CGROUP_WALK)
		return;
	cg->cg_walked = now;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (fts == NULL)
		return;
	while ((e = fts_read(fts)) != NULL) {
		if (e->fts_info == FTS_D &&
		    (path = cgroups_below(cg, e->fts_path)) != NULL)
			cgroups_add(cg, e->fts_statp->st_ino, path);
	}
	fts_close(fts);
}

const char *
cgroups_path(struct cgroups *cg, uint64_t id)
{
	struct hash_entry *e = hash_find(&cg->cg_paths, &id, sizeof(id));

	if (e != NULL && e->he_ptr != NULL)
		return e->he_ptr;
	if (cgroups_open(cg) == -1)
		return NULL;
	if (!cg->cg_nohandles) {
		if (e != NULL)
			return NULL; /* it was removed before */
		cg->cg_nohandles = cgroups_handle(cg, id) == -1;
	}
	if (cg->cg_nohandles)
		cgroups_walk(cg);
	e = hash_get(&cg->cg_paths, &id, sizeof(id));
	return e->he_ptr;
}
