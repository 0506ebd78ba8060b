/* SPDX-License-Identifier: ISC */
/*
 * Finding the file that was mapped, see symopen.h.
 *
 * Names are looked up in the root directory of the process, or of who may
 * share it, when the process has gone; a name that is no more, by the mapping
 * itself.  The names are others', and so may be the file systems: what is
 * found is compared by device and inode with what the kernel told; where the
 * device is not the same for everybody (btrfs; overlayfs before Linux 6.18), by
 * inode, of which overlayfs may set the upper bits.  A file that overlayfs has
 * copied up keeps its old inode by name: it is found by its mapping only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sym/symopen.h"
#include "sym/symroot.h"

int
symopen_reopen(int pathfd)
{
	char path[32];
	struct stat sb;
	int fd;

	if (fstat(pathfd, &sb) == -1)
		return -errno;
	if (!S_ISREG(sb.st_mode))
		return -EINVAL;
	/* O_NONBLOCK: a lease on the file must not make us wait */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pathfd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	return fd == -1 ? -errno : fd;
}

/* Whether device numbers of this file are not those that the kernel tells. */
static int
hides_dev(int fd)
{
	struct statfs sf;

	return fstatfs(fd, &sf) == 0 &&
	    (sf.f_type == (typeof(sf.f_type))BTRFS_SUPER_MAGIC ||
		sf.f_type == (typeof(sf.f_type))OVERLAYFS_SUPER_MAGIC);
}

/* Whether it is the file: by its mapping it is, but for one mapped since. */
static int
symopen_check(const struct symfile *sf, int fd, int ismapped,
    struct symopen *op)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_TYPE | STATX_BTIME,
		&sx) == -1)
		return errno;
	if (!S_ISREG(sx.stx_mode))
		return EINVAL;
	op->op_btime = 0;
	if (sx.stx_mask & STATX_BTIME)
		op->op_btime = sx.stx_btime.tv_sec * 1000000000LL +
		    sx.stx_btime.tv_nsec;
	if (sf->sf_ino == sx.stx_ino && sf->sf_ino != 0 &&
	    sf->sf_dev == makedev(sx.stx_dev_major, sx.stx_dev_minor))
		/* an inode's number is used again, its birth is not */
		return sf->sf_btime == 0 || sf->sf_btime == op->op_btime
		    ? 0
		    : ESTALE;
	return hides_dev(fd) &&
		(ismapped || (uint32_t)sf->sf_ino == (uint32_t)sx.stx_ino)
	    ? 0
	    : ESTALE;
}

/* Takes the descriptor (O_PATH, or a negative errno) over. */
static int
symopen_try(const struct symfile *sf, int pathfd, int ismapped,
    struct symopen *op)
{
	int error;

	if (pathfd < 0)
		return -pathfd;
	if ((error = symopen_check(sf, pathfd, ismapped, op)) == 0) {
		op->op_fd = symopen_reopen(pathfd);
		error = op->op_fd < 0 ? -op->op_fd : 0;
	}
	close(pathfd);
	return error;
}

static int
symopen_name(const struct symfile *sf, struct symroot *sr, struct symopen *op)
{
	int error;

	if (sr == NULL || sf->sf_path[0] != '/')
		return ENOENT;
	error = symopen_try(sf, symroot_open(sr, sf->sf_path, O_PATH), 0, op);
	if (error == 0)
		op->op_root = symroot_get(sr);
	return error;
}

/* By the mapping itself, while there is one. */
static int
symopen_mapping(const struct symfile *sf, const struct symsight *ss,
    struct symopen *op)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", ss->ss_pid,
	    (unsigned long long)ss->ss_start, (unsigned long long)ss->ss_end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return symopen_try(sf, fd == -1 ? -errno : fd, 1, op);
}

/* What tells more: that it is another file, than that there is none. */
static int
symopen_worst(int error, int other)
{
	return error == ESTALE ? error : other;
}

int
symopen_find(const struct symfile *sf, const struct symsight *ss,
    struct symopen *op)
{
	struct symroot *live = symroot_of(ss->ss_pid);
	int error = ENOENT, e;

	*op = (struct symopen){ .op_fd = -1 };
	if (!sf->sf_deleted)
		error = symopen_name(sf, live, op);
	if (error != 0 && ss->ss_end != 0) {
		e = symopen_mapping(sf, ss, op);
		error = e == 0 ? 0 : symopen_worst(error, e);
		if (error == 0)
			op->op_root = symroot_get(live);
	}
	if (error != 0 && ss->ss_root != NULL && ss->ss_root != live) {
		e = symopen_name(sf, ss->ss_root, op);
		error = e == 0 ? 0 : symopen_worst(error, e);
	}
	if (error != 0 && live != symroot_own()) {
		e = symopen_name(sf, symroot_own(), op);
		error = e == 0 ? 0 : symopen_worst(error, e);
	}
	symroot_put(live);
	return error;
}
