/* SPDX-License-Identifier: ISC */
/*
 * Finding the file that was mapped, see symopen.h.
 *
 * Names are looked up in the root directory of the process, or of who may
 * share it, when the process has gone; a name that is no more, by the mapping
 * itself.  The names are others', and so may be the file systems: what is
 * found is compared by device and inode with what the kernel told, where
 * these are not the same for everybody (btrfs; overlayfs before Linux 6.18)
 * it is op_unsure, and its build id has to tell.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sym/symmaps.h"
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

/* Whether it is the file. */
static int
symopen_check(const struct symfile *sf, int fd, struct symopen *op)
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
	op->op_unsure = 0;
	if (sf->sf_ino == sx.stx_ino && sf->sf_ino != 0 &&
	    sf->sf_dev == makedev(sx.stx_dev_major, sx.stx_dev_minor))
		/* an inode's number is used again, its birth is not */
		return sf->sf_btime == 0 || sf->sf_btime == op->op_btime
		    ? 0
		    : ESTALE;
	op->op_unsure = 1;
	if (sf->sf_ino == 0)
		return sf->sf_buildidlen > 0 ? 0 : ESTALE;
	return hides_dev(fd) ? 0 : ESTALE;
}

/* Takes the descriptor (O_PATH, or a negative errno) over. */
static int
symopen_try(const struct symfile *sf, int pathfd, struct symopen *op)
{
	int error;

	if (pathfd < 0)
		return -pathfd;
	if ((error = symopen_check(sf, pathfd, op)) == 0) {
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
	error = symopen_try(sf, symroot_open(sr, sf->sf_path, O_PATH), op);
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
	return symopen_try(sf, fd == -1 ? -errno : fd, op);
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

/* Where our own is; its bytes, or 0. */
static size_t
vdso_find(uint64_t *start)
{
	static char text[65536];
	struct symevent se;
	size_t nbytes, pos = 0, n;
	FILE *f = fopen("/proc/self/maps", "re");

	if (f == NULL)
		return 0;
	nbytes = fread(text, 1, sizeof(text), f);
	fclose(f);
	while ((n = symmaps_line(text + pos, nbytes - pos, &se)) != 0) {
		pos += n;
		if (se.se_type != SYMEVENT_MMAP || se.se_id.si_pathlen != 6 ||
		    memcmp(se.se_id.si_path, "[vdso]", 6) != 0)
			continue;
		*start = se.se_start;
		return se.se_end - se.se_start;
	}
	return 0;
}

int
symopen_vdso(void)
{
	uint64_t start;
	size_t nbytes = vdso_find(&start);
	int fd;

	if (nbytes == 0)
		return -ENOENT;
	if ((fd = memfd_create("vdso", MFD_CLOEXEC)) == -1)
		return -errno;
	if (write(fd, (void *)(uintptr_t)start, nbytes) == (ssize_t)nbytes)
		return fd;
	close(fd);
	return -EIO;
}
