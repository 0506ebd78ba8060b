/* SPDX-License-Identifier: ISC */
/*
 * Checks a path one name at a time.  A descriptor of O_PATH neither triggers an
 * automount nor waits for a file system, so each folder is checked before a name is
 * looked up in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/sym/local_file.h"

#define SYMFS_LINKS 40 /* as the kernel has it */
#define SYMFS_REST  (2 * PATH_MAX)

/*
 * Types of file systems whose files are provided by another machine or process,
 * and of those without programs; "*" matches any suffix.
 */
static const char *const refused_types[] = { "autofs", "fuse*", "virtiofs",
	"nfs*", "cifs", "smb*", "9p", "afs", "coda", "ceph", "ncp*", "ocfs2*",
	"gfs*", "lustre", "gpfs", "beegfs", "glusterfs", "proc", "sysfs",
	"debugfs", "tracefs", "devpts", "mqueue" };

struct walk {
	int wlk_fd;		   /* the folder, O_PATH */
	uint64_t wlk_mount;	   /* of "/" */
	unsigned int wlk_nlinks;   /* links followed so far */
	char wlk_rest[SYMFS_REST]; /* still to be looked up */
	char *wlk_why;
};

static int
walk_refuse(struct walk *wk, const char *name, const char *what)
{
	snprintf(wk->wlk_why, LOCAL_FILE_WHY, "%.30s %s", name, what);
	return EACCES;
}

static int
type_refused(const char *type)
{
	size_t i, len;

	for (i = 0; i < sizeof(refused_types) / sizeof(refused_types[0]); i++) {
		len = strcspn(refused_types[i], "*");
		if (strncmp(refused_types[i], type, len) == 0 &&
		    (refused_types[i][len] == '*' || type[len] == '\0'))
			return 1;
	}
	return 0;
}

/* Writes the type of a mounted file system.  statfs(2) would query it, and one of
 * FUSE need not reply. */
static int
mount_type(uint64_t id, char *type, size_t size)
{
	FILE *fp = fopen("/proc/self/mountinfo", "re");
	unsigned long long nth;
	char *line = NULL, *sep;
	size_t len = 0;
	int error = ENOENT;

	if (fp == NULL)
		return errno;
	while (error != 0 && getline(&line, &len, fp) != -1)
		if (sscanf(line, "%llu ", &nth) == 1 && nth == id &&
		    (sep = strstr(line, " - ")) != NULL) {
			sep += 3;
			snprintf(type, size, "%.*s", (int)strcspn(sep, " \n"),
			    sep);
			error = 0;
		}
	free(line);
	fclose(fp);
	return error;
}

/* Reads cached attributes only: no file system is queried. */
static int
walk_stat(int fd, struct statx *sx)
{
	return statx(fd, "",
		   AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		   STATX_BASIC_STATS | STATX_MNT_ID, sx) == -1
	    ? errno
	    : 0;
}

static int
walk_check(struct walk *wk, int fd, const char *name, struct statx *sx)
{
	char type[32];
	int error;

	if ((error = walk_stat(fd, sx)) != 0)
		return error;
	if (sx->stx_mnt_id != wk->wlk_mount &&
	    (error = mount_type(sx->stx_mnt_id, type, sizeof(type))) != 0)
		return error;
	if (sx->stx_mnt_id != wk->wlk_mount && type_refused(type))
		return walk_refuse(wk, name, "is not on a local file system");
	if (geteuid() != 0 && sx->stx_uid != 0 && sx->stx_uid != geteuid())
		return walk_refuse(wk, name, "belongs to another user");
	return 0;
}

/* Prepends the target of a link to the rest. */
static int
walk_link(struct walk *wk, int linkfd)
{
	char text[SYMFS_REST];
	ssize_t n = readlinkat(linkfd, "", text, PATH_MAX);
	int fd;

	if (n == -1)
		return errno;
	if (++wk->wlk_nlinks > SYMFS_LINKS || n == PATH_MAX ||
	    (size_t)snprintf(text + n, sizeof(text) - n, "/%s", wk->wlk_rest) >=
		sizeof(text) - n)
		return ELOOP;
	strcpy(wk->wlk_rest, text);
	if (text[0] != '/')
		return 0;
	if ((fd = open("/", O_PATH | O_CLOEXEC)) == -1)
		return errno;
	close(wk->wlk_fd);
	wk->wlk_fd = fd;
	return 0;
}

/* Cuts the next name off the rest; returns whether there is one. */
static int
walk_name(struct walk *wk, char *name, size_t size)
{
	size_t skip = strspn(wk->wlk_rest, "/");
	size_t len = strcspn(wk->wlk_rest + skip, "/");

	if (len == 0 || len >= size)
		return 0;
	memcpy(name, wk->wlk_rest + skip, len);
	name[len] = '\0';
	memmove(wk->wlk_rest, wk->wlk_rest + skip + len,
	    strlen(wk->wlk_rest + skip + len) + 1);
	return 1;
}

static int
walk_next(struct walk *wk, const char *name)
{
	int error,
	    fd = openat(wk->wlk_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx sx;

	if (fd == -1)
		return errno;
	if ((error = walk_check(wk, fd, name, &sx)) == 0 &&
	    S_ISLNK(sx.stx_mode)) {
		error = walk_link(wk, fd);
		close(fd);
		return error;
	}
	close(wk->wlk_fd);
	wk->wlk_fd = fd;
	return error;
}

static int
walk_all(const char *path, char *why)
{
	struct walk wk = { .wlk_why = why };
	char name[NAME_MAX + 1];
	struct statx sx;
	int error;

	if (snprintf(wk.wlk_rest, sizeof(wk.wlk_rest), "%s", path) >= PATH_MAX)
		return ENAMETOOLONG;
	if ((wk.wlk_fd = open("/", O_PATH | O_CLOEXEC)) == -1)
		return errno;
	if ((error = walk_stat(wk.wlk_fd, &sx)) == 0)
		wk.wlk_mount = sx.stx_mnt_id;
	while (error == 0 && walk_name(&wk, name, sizeof(name)))
		error = walk_next(&wk, name);
	if (error == 0 && wk.wlk_rest[strspn(wk.wlk_rest, "/")] != '\0')
		error = ENAMETOOLONG;
	close(wk.wlk_fd);
	return error;
}

static int
below(const char *root, const char *name, char *path, size_t size)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd, error = 0, rootfd = open(root, O_PATH | O_CLOEXEC);
	char self[32];
	ssize_t n;

	if (rootfd == -1)
		return errno;
	fd = (int)syscall(SYS_openat2, rootfd, name, &how, sizeof(how));
	if (fd == -1)
		error = errno;
	close(rootfd);
	if (fd == -1)
		return error;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if ((n = readlink(self, path, size - 1)) == -1)
		error = errno;
	else
		path[n] = '\0';
	close(fd);
	return error;
}

int
local_file_path(const char *root, const char *name, char *path, size_t size,
    char *why)
{
	int error;

	why[0] = '\0';
	if (root != NULL)
		return below(root, name, path, size);
	if ((error = walk_all(name, why)) != 0)
		return error;
	return (size_t)snprintf(path, size, "%s", name) < size ? 0
							       : ENAMETOOLONG;
}
