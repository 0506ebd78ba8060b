/* SPDX-License-Identifier: ISC */
/* Opens and identifies root directories of processes. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/inspect/inspect_root.h"

static int
root_look(const char *who, struct root_dir_id *si, int *fd)
{
	char path[64];
	struct statx sx;
	struct stat sb;
	int error = 0;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", who);
	if (stat(path, &sb) == -1)
		return errno;
	snprintf(path, sizeof(path), "/proc/%s/root", who);
	*fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd == -1)
		return errno;
	/* without sync: its file system may not reply */
	if (statx(*fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO,
		&sx) == -1) {
		error = errno;
		close(*fd);
		return error;
	}
	*si = (struct root_dir_id){ sb.st_ino,
		makedev(sx.stx_dev_major, sx.stx_dev_minor), sx.stx_ino };
	return 0;
}

const struct root_dir_id *
inspect_root_own(void)
{
	static struct root_dir_id own;
	int fd;

	if (own.rdi_ino == 0 && root_look("self", &own, &fd) == 0)
		close(fd);
	return &own;
}

int
inspect_root(uint32_t pid, struct root_dir_id *si, int *fdp)
{
	char who[16];
	int error, fd;

	snprintf(who, sizeof(who), "%u", pid);
	if ((error = root_look(who, si, &fd)) != 0)
		return error;
	if (fdp != NULL && !root_dir_id_same(si, inspect_root_own()))
		*fdp = fd;
	else
		close(fd);
	return 0;
}

int
inspect_root_open(int rootfd, const char *path, int flags)
{
	/*
	 * the kernel reports names without symbolic links, so a link is another
	 * file
	 */
	struct open_how how = { .flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS };
	int fd;

	fd = syscall(SYS_openat2, rootfd, path, &how, sizeof(how));
	return fd == -1 ? -errno : fd;
}
