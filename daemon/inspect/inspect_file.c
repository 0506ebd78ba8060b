/* SPDX-License-Identifier: ISC */
/*
 * Finds mapped files in an inspector.
 *
 * Names are looked up in the root directory of the process, or, after its exit,
 * of a process that may share it; a deleted file is found by the mapping
 * itself.  Names and file systems are untrusted: the result is compared by
 * device and inode with the kernel's report; where device numbers differ
 * between interfaces (btrfs; overlayfs before Linux 6.18), by inode, of which
 * overlayfs may set the upper bits.  A file that overlayfs has copied up keeps
 * its old inode by name: it is found by its mapping only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "daemon/base/fdmsg.h"
#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/inspect_root.h"
#include "daemon/inspect/inspector.h"

#define JITMAP_MAX (256L << 20) /* bytes of the file */
#define SECOND	   1000000000LL

/* A search. */
struct find {
	const struct find_request *fi_rq;
	struct find_reply *fi_an;
	int fi_fd;
	int fi_error; /* while nothing is found */
};

static int64_t
statx_nsecs(const struct statx_timestamp *ts)
{
	return ts->tv_sec * SECOND + ts->tv_nsec;
}

static uint64_t
statx_dev(const struct statx *sx)
{
	return makedev(sx->stx_dev_major, sx->stx_dev_minor);
}

/*
 * Returns whether this file system's device numbers differ from those that the
 * kernel reports.
 */
static int
hides_dev(int fd)
{
	struct statfs sf;

	return fstatfs(fd, &sf) == 0 &&
	    (sf.f_type == (typeof(sf.f_type))BTRFS_SUPER_MAGIC ||
		sf.f_type == (typeof(sf.f_type))OVERLAYFS_SUPER_MAGIC);
}

/*
 * Returns whether this is the requested file.  A file found by its mapping is,
 * unless another file was mapped there since.
 */
static int
find_check(struct find *fi, int fd, enum find_where where)
{
	const struct find_request *fq = fi->fi_rq;
	struct find_reply *fn = fi->fi_an;
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_TYPE | STATX_BTIME,
		&sx) == -1)
		return errno;
	if (!S_ISREG(sx.stx_mode))
		return EINVAL;
	fn->fn_btime = sx.stx_mask & STATX_BTIME ? statx_nsecs(&sx.stx_btime)
						 : 0;
	fn->fn_isexact = fq->fnr_ino == sx.stx_ino && fq->fnr_ino != 0 &&
	    fq->fnr_dev == statx_dev(&sx);
	if (fn->fn_isexact)
		/* an inode number may be reused, with a later time of birth */
		return fq->fnr_btime == 0 || fq->fnr_btime == fn->fn_btime
		    ? 0
		    : ESTALE;
	return hides_dev(fd) &&
		(where == FIND_MAPPED ||
		    (uint32_t)fq->fnr_ino == (uint32_t)sx.stx_ino)
	    ? 0
	    : ESTALE;
}

/* Takes ownership of the descriptor; fd may be a negative errno. */
static void
find_try(struct find *fi, int fd, enum find_where where)
{
	int error = fd < 0 ? -fd : find_check(fi, fd, where);

	if (error == 0) {
		fi->fi_fd = fd;
		fi->fi_an->fn_where = where;
	} else if (fd >= 0)
		close(fd);
	/* ESTALE, for another file, is more precise than ENOENT */
	if (fi->fi_error != ESTALE || error == 0)
		fi->fi_error = error;
}

static void
find_name(struct find *fi, int rootfd, enum find_where where)
{
	if (rootfd != -1 && fi->fi_rq->fnr_path[0] == '/')
		find_try(fi,
		    inspect_root_open(rootfd, fi->fi_rq->fnr_path, O_PATH),
		    where);
}

/* Opens the file by the mapping itself, while that exists. */
static void
find_mapping(struct find *fi)
{
	const struct find_request *fq = fi->fi_rq;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx",
	    fq->fnr_pid, (unsigned long long)fq->fnr_start,
	    (unsigned long long)fq->fnr_end);
	fd = open(path, O_PATH | O_CLOEXEC);
	find_try(fi, fd == -1 ? -errno : fd, FIND_MAPPED);
}

/*
 * Returns whether dtd's own root directory has the same file by the same name.
 */
static int
find_isours(const struct find *fi, int ownfd)
{
	struct statx found, ours;
	int fd, isours;

	if (fi->fi_an->fn_where == FIND_OWN)
		return 1;
	if (ownfd == -1 || fi->fi_rq->fnr_path[0] != '/' ||
	    (fd = inspect_root_open(ownfd, fi->fi_rq->fnr_path, O_PATH)) < 0)
		return 0;
	isours = statx(fd, "", AT_EMPTY_PATH, STATX_INO, &ours) == 0 &&
	    statx(fi->fi_fd, "", AT_EMPTY_PATH, STATX_INO, &found) == 0 &&
	    ours.stx_ino == found.stx_ino &&
	    statx_dev(&ours) == statx_dev(&found);
	close(fd);
	return isours;
}

static void
find_all(struct find *fi, int livefd, int givenfd, int ownfd)
{
	const struct find_request *fq = fi->fi_rq;
	const struct root_dir_id *live = &fi->fi_an->fn_live;
	int isown = root_dir_id_same(inspect_root_own(), live);

	if (!fq->fnr_deleted)
		find_name(fi, isown ? ownfd : livefd, FIND_LIVE);
	if (fi->fi_error != 0 && fq->fnr_end != 0)
		find_mapping(fi);
	if (fi->fi_error != 0 && !root_dir_id_same(&fq->fnr_root, live))
		find_name(fi, givenfd, FIND_GIVEN);
	if (fi->fi_error != 0 && !isown)
		find_name(fi, ownfd, FIND_OWN);
	if (fi->fi_error == 0)
		fi->fi_an->fn_isours = find_isours(fi, ownfd);
}

/* Adds the descriptors of the reply: the file, then the root directory. */
static int
find_reply(struct inspect_call *ic, struct find *fi, int *livefd)
{
	const struct root_dir_id *live = &fi->fi_an->fn_live;

	if (fi->fi_error != 0)
		return fi->fi_error;
	ic->icc_outfds[ic->icc_noutfds++] = fi->fi_fd;
	if (*livefd != -1 && !root_dir_id_same(live, inspect_root_own()) &&
	    !root_dir_id_same(live, &fi->fi_rq->fnr_root)) {
		ic->icc_outfds[ic->icc_noutfds++] = *livefd;
		*livefd = -1;
	}
	return 0;
}

int
inspect_find(struct inspect_call *ic)
{
	struct find fi = { .fi_rq = ic->icc_in,
		.fi_an = (struct find_reply *)ic->icc_out,
		.fi_fd = -1,
		.fi_error = ENOENT };
	int livefd = -1, ownfd, error;

	if (ic->icc_inlen != sizeof(*fi.fi_rq) ||
	    memchr(fi.fi_rq->fnr_path, '\0', FIND_PATH) == NULL)
		return EINVAL;
	memset(fi.fi_an, 0, sizeof(*fi.fi_an));
	ic->icc_outlen = sizeof(*fi.fi_an);
	if (fi.fi_rq->fnr_pid != 0)
		(void)inspect_root(fi.fi_rq->fnr_pid, &fi.fi_an->fn_live,
		    &livefd);
	ownfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	find_all(&fi, livefd, ic->icc_nfds > 0 ? ic->icc_fds[0] : -1, ownfd);
	error = find_reply(ic, &fi, &livefd);
	if (livefd != -1)
		close(livefd);
	if (ownfd != -1)
		close(ownfd);
	return error;
}

/* Returns whether the file has an access control list besides its mode. */
static int
has_acl(int fd)
{
	char path[32];

	/* by a descriptor with O_PATH there is no fgetxattr(2) */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) != -1 ||
	    (errno != ENODATA && errno != EOPNOTSUPP);
}

static int
stat_read(int fd, struct find_stat *fs)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &sx) == -1)
		return errno;
	*fs = (struct find_stat){ .fs_dev = statx_dev(&sx),
		.fs_ino = sx.stx_ino,
		.fs_size = sx.stx_size,
		.fs_ctime = statx_nsecs(&sx.stx_ctime),
		.fs_mtime = statx_nsecs(&sx.stx_mtime),
		.fs_nlink = sx.stx_nlink,
		.fs_uid = sx.stx_uid,
		.fs_gid = sx.stx_gid,
		.fs_mode = sx.stx_mode };
	return 0;
}

int
inspect_stat_op(struct inspect_call *ic)
{
	struct find_stat *fs = (struct find_stat *)ic->icc_out;
	int error;

	if (ic->icc_nfds != 1)
		return EINVAL;
	if ((error = stat_read(ic->icc_fds[0], fs)) != 0)
		return error;
	fs->fs_hasacl = has_acl(ic->icc_fds[0]);
	ic->icc_outlen = sizeof(*fs);
	return 0;
}

int
inspect_open_op(struct inspect_call *ic)
{
	struct stat sb;
	int fd;

	/* a NUL byte follows */
	if ((fd = open(ic->icc_in, O_PATH | O_CLOEXEC)) == -1)
		return errno;
	ic->icc_outfds[ic->icc_noutfds++] = fd;
	if (fstat(fd, &sb) == -1)
		return errno;
	return S_ISREG(sb.st_mode) ? 0 : EINVAL;
}

static int
jitmap_check(const struct find_jitmap *fj, int fd)
{
	struct stat sb;

	if (fstat(fd, &sb) == -1)
		return errno;
	if (!S_ISREG(sb.st_mode))
		return EINVAL;
	/* another user may have linked a secret file of root here */
	if ((sb.st_uid != fj->fj_uid &&
		(sb.st_uid != 0 || (sb.st_mode & S_IROTH) == 0)) ||
	    (sb.st_mode & (S_IWGRP | S_IWOTH)))
		return EPERM;
	if (sb.st_size > JITMAP_MAX)
		return EFBIG;
	/* an older file is of an earlier process; file times are in ticks */
	if (fj->fj_from != 0 &&
	    sb.st_mtim.tv_sec * SECOND + sb.st_mtim.tv_nsec + SECOND <
		fj->fj_from)
		return ESTALE;
	return 0;
}

int
inspect_jitmap(struct inspect_call *ic)
{
	const struct find_jitmap *fj = ic->icc_in;
	char path[64];
	int fd;

	if (ic->icc_inlen != sizeof(*fj) || ic->icc_nfds != 1)
		return EINVAL;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", fj->fj_nspid);
	if ((fd = inspect_root_open(ic->icc_fds[0], path, O_PATH)) < 0)
		return -fd;
	ic->icc_outfds[ic->icc_noutfds++] = fd;
	return jitmap_check(fj, fd);
}

/*
 * Opens a file for reading and sends it into a symbolizer's channel.  The
 * descriptor is closed after dtd has received the reply, since close(2) may
 * block.
 */
int
inspect_send(struct inspect_call *ic, int pathfd, int channel, uint64_t serial)
{
	struct iovec iov = { &serial, sizeof(serial) };
	char path[32];
	int fd;

	/* O_NONBLOCK: a lease on the file must not block the open */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pathfd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd == -1)
		return errno;
	ic->icc_fds[ic->icc_nfds++] = fd;
	return fdmsg_send_now(channel, &iov, 1, &fd, 1);
}

int
inspect_read(struct inspect_call *ic)
{
	if (ic->icc_inlen != sizeof(uint64_t) || ic->icc_nfds != 2)
		return EINVAL;
	return inspect_send(ic, ic->icc_fds[0], ic->icc_fds[1],
	    *(const uint64_t *)ic->icc_in);
}
