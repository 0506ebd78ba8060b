/* SPDX-License-Identifier: ISC */
/*
 * Creates, writes and rotates the files of file_sink.h.
 *
 * A disk may fill up during a write: then the file is truncated to its previous
 * size, so that it never contains a part of a block.
 */
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/file_sink.h"

#define FILE_SINK_SHARE	  10	    /* default limit: 1/10 of the free space */
#define FILE_SINK_LEAST	  (1 << 20) /* but at least this */
#define FILE_SINK_RESERVE 4096	    /* bytes reserved for the end of the file */

/* Returns FILE, FILE.1, FILE.2 and so on, which the caller frees. */
static char *
file_sink_path(const struct file_sink *sk, unsigned int n)
{
	char *path;

	if (n == 0)
		path = strdup(sk->sk_name);
	else if (asprintf(&path, "%s.%u", sk->sk_name, n) == -1)
		path = NULL;
	if (path == NULL)
		err(1, NULL);
	return path;
}

static char *
file_sink_nextpath(const struct file_sink *sk)
{
	char *path;

	if (asprintf(&path, "%s.next", sk->sk_name) == -1)
		err(1, NULL);
	return path;
}

/*
 * Renames all files to the next number and deletes the oldest.  Returns 0 or
 * -1.
 */
static int
file_sink_shift(const struct file_sink *sk)
{
	char *from, *to = file_sink_path(sk, sk->sk_keep - 1);
	unsigned int n;
	int r = 0;

	for (n = sk->sk_keep - 1; n > 0; n--) {
		from = file_sink_path(sk, n - 1);
		if (rename(from, to) == -1 && errno != ENOENT)
			r = -1;
		free(to);
		to = from;
	}
	free(to);
	return r;
}

static int
file_sink_create(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/*
 * Returns whether an older file exists.  Refuses anything but a regular file,
 * also a link, whose target another user may have chosen.
 */
static int
file_sink_exists(const char *name)
{
	struct stat st;

	if (lstat(name, &st) == -1)
		return 0;
	if (!S_ISREG(st.st_mode))
		errx(1, "%s: exists and is not a regular file", name);
	return 1;
}

int
file_sink_make(const char *name)
{
	char *old;
	int fd;

	if (file_sink_exists(name)) {
		if (asprintf(&old, "%s.old", name) == -1)
			err(1, NULL);
		if (rename(name, old) == -1)
			err(1, "%s", old);
		free(old);
	}
	if ((fd = file_sink_create(name)) == -1)
		err(1, "%s", name);
	return fd;
}

/* Creates the first of several files; renames older ones. */
static int
file_sink_make_first(const struct file_sink *sk)
{
	int fd;

	if ((file_sink_exists(sk->sk_name) && file_sink_shift(sk) == -1) ||
	    (fd = file_sink_create(sk->sk_name)) == -1)
		err(1, "%s", sk->sk_name);
	return fd;
}

/* A file system that reports no size (0 blocks) sets no limit. */
static uint64_t
file_sink_share(const struct file_sink *sk)
{
	struct statvfs sv;
	uint64_t nbytes;

	if (fstatvfs(sk->sk_fd, &sv) == -1 || sv.f_blocks == 0)
		return 0;
	nbytes = (uint64_t)sv.f_bavail * sv.f_frsize / FILE_SINK_SHARE;
	if (sk->sk_keep > 0)
		nbytes /= sk->sk_keep;
	return nbytes > FILE_SINK_LEAST ? nbytes : FILE_SINK_LEAST;
}

/*
 * Makes a limit of the process (RLIMIT_FSIZE) an errno.  This is a handler,
 * because a command would inherit SIG_IGN.
 */
static void
file_sink_signal(int signo)
{
	(void)signo;
}

void
file_sink_open(struct file_sink *sk, const char *name, unsigned int keep,
    uint64_t max, struct buf *buf)
{
	struct sigaction sa = { .sa_handler = file_sink_signal };

	memset(sk, 0, sizeof(*sk));
	sk->sk_name = name;
	sk->sk_keep = keep;
	sk->sk_buf = buf;
	sk->sk_nextfd = -1;
	sk->sk_isours = strcmp(name, "-") != 0;
	sk->sk_fd = STDOUT_FILENO;
	if (sk->sk_isours) {
		sk->sk_fd = keep > 0 ? file_sink_make_first(sk)
				     : file_sink_make(name);
	} else if (isatty(STDOUT_FILENO))
		errx(1,
		    "a recording cannot be written to a terminal; name a "
		    "file with -o");
	buf_init(buf, sk->sk_fd);
	sk->sk_max = max != 0 || !sk->sk_isours ? max : file_sink_share(sk);
	if (sigaction(SIGXFSZ, &sa, NULL) == -1)
		err(1, "SIGXFSZ");
}

void
file_sink_forget(const struct file_sink *sk)
{
	if (sk->sk_isours)
		(void)unlink(sk->sk_name);
}

int
file_sink_close(struct file_sink *sk)
{
	file_sink_drop(sk);
	if (!sk->sk_isours)
		return 0;
	sk->sk_buf->b_fd = -1;
	return close(sk->sk_fd) == -1 ? errno : 0;
}

int
file_sink_fits(const struct file_sink *sk, uint64_t nbytes)
{
	return sk->sk_max == 0 || sk->sk_size + nbytes <= sk->sk_max;
}

/*
 * Writes to a pipe, or to stdout of any type, in pieces that cannot block.
 * Bytes already written cannot be undone.
 */
static int
file_sink_stream(struct file_sink *sk, const struct iovec *iov, int niov)
{
	int i;

	for (i = 0; i < niov; i++) {
		if (buf_write(sk->sk_buf, iov[i].iov_base, iov[i].iov_len) ==
		    -1) {
			errno = sk->sk_buf->b_error;
			return -1;
		}
	}
	return 0;
}

/* Like writev(2), but writes everything. */
static int
file_sink_writev(int fd, const struct iovec *iov, int niov)
{
	struct iovec v[niov];
	ssize_t n;
	int i = 0;

	memcpy(v, iov, niov * sizeof(*v));
	while (i < niov) {
		n = writev(fd, v + i, niov - i);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		for (; i < niov && (size_t)n >= v[i].iov_len; i++)
			n -= v[i].iov_len;
		if (i < niov) {
			v[i].iov_base = (char *)v[i].iov_base + n;
			v[i].iov_len -= n;
		}
	}
	return 0;
}

static int
file_sink_cut(struct file_sink *sk, uint64_t size)
{
	if (ftruncate(sk->sk_fd, size) == -1 ||
	    lseek(sk->sk_fd, size, SEEK_SET) == -1)
		return -1;
	sk->sk_size = size;
	return 0;
}

int
file_sink_write(struct file_sink *sk, const struct iovec *iov, int niov)
{
	uint64_t nbytes = 0;
	int error, i;

	for (i = 0; i < niov; i++)
		nbytes += iov[i].iov_len;
	if ((sk->sk_isours ? file_sink_writev(sk->sk_fd, iov, niov)
			   : file_sink_stream(sk, iov, niov)) == -1) {
		error = errno;
		if (sk->sk_isours) {
			(void)file_sink_cut(sk, sk->sk_size);
			/* other programs may take the free space first */
			(void)fallocate(sk->sk_fd, FALLOC_FL_KEEP_SIZE,
			    sk->sk_size, FILE_SINK_RESERVE);
		}
		errno = error;
		return -1;
	}
	sk->sk_last = sk->sk_size;
	sk->sk_size += nbytes;
	return 0;
}

int
file_sink_undo(struct file_sink *sk)
{
	if (!sk->sk_isours || sk->sk_last == sk->sk_size)
		return -1;
	return file_sink_cut(sk, sk->sk_last);
}

/*
 * The next file
 */

int
file_sink_next(struct file_sink *sk)
{
	char *path = file_sink_nextpath(sk);

	(void)unlink(path); /* left over from a killed process */
	sk->sk_nextfd = file_sink_create(path);
	free(path);
	if (sk->sk_nextfd == -1)
		return -1;
	sk->sk_nextsize = 0;
	file_sink_swap(sk);
	return 0;
}

void
file_sink_swap(struct file_sink *sk)
{
	uint64_t size = sk->sk_size;
	int fd = sk->sk_fd;

	sk->sk_fd = sk->sk_buf->b_fd = sk->sk_nextfd;
	sk->sk_size = sk->sk_last = sk->sk_nextsize;
	sk->sk_nextfd = fd;
	sk->sk_nextsize = size;
}

int
file_sink_turn(struct file_sink *sk)
{
	char *path = file_sink_nextpath(sk);
	int r = -1;

	if (file_sink_shift(sk) == 0 && rename(path, sk->sk_name) == 0)
		r = close(sk->sk_nextfd);
	free(path);
	sk->sk_nextfd = -1;
	return r;
}

void
file_sink_drop(struct file_sink *sk)
{
	char *path;

	if (sk->sk_nextfd == -1)
		return;
	path = file_sink_nextpath(sk);
	(void)unlink(path);
	free(path);
	close(sk->sk_nextfd);
	sk->sk_nextfd = -1;
}
