/* SPDX-License-Identifier: ISC */
/*
 * Reads /proc/PID in an inspector.  A process of another user can keep its
 * mappings locked, and its links while it executes a program, forever.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "daemon/inspect/inspect_proc.h"
#include "daemon/inspect/inspect_root.h"
#include "daemon/inspect/inspector.h"

#define STATUS_TEXT 4096       /* bytes; the values are in the first 500 */
#define MAPS_TEXT   (48 << 10) /* bytes; a line is shorter than 5000 */

/* A piece in the making. */
struct looked {
	struct inspect_proc_piece lk;
	char text[MAPS_TEXT];
};

/* A piece of the reply that has not been sent yet. */
struct pending {
	const struct looked *pnd_piece;
	size_t pnd_len; /* 0: there is none */
};

/* Opens a file of a process.  Returns a descriptor or a negative errno. */
static int
open_of(uint32_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return errno == ENOENT ? -ESRCH : -errno;
	return fd;
}

static void
parse_numbers(struct inspect_proc_piece *lk, const char *p)
{
	unsigned long v;
	char *end;

	while (lk->lk_nnums < INSPECT_PROC_LEVEL) {
		while (*p == '\t' || *p == ' ')
			p++;
		v = strtoul(p, &end, 10);
		if (end == p)
			return;
		lk->lk_nums[lk->lk_nnums++].nu_pid = v;
		p = end;
	}
}

/* User and numbers: never waits. */
static int
read_status(struct inspect_proc_piece *lk)
{
	static const char uid[] = "\nUid:", nspid[] = "\nNSpid:";
	int fd = open_of(lk->lk_pid, "status");
	char text[STATUS_TEXT];
	const char *p;
	ssize_t n;

	if (fd < 0)
		return -fd;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if ((p = strstr(text, uid)) == NULL ||
	    strstr(text, "\nKthread:\t1") != NULL)
		return ESRCH; /* the process has exited, or has no mappings */
	lk->lk_uid = strtoul(p + sizeof(uid) - 1, NULL, 10);
	if ((p = strstr(text, nspid)) != NULL)
		parse_numbers(lk, p + sizeof(nspid) - 1);
	return 0;
}

/* Reads the inodes of the process's pid namespace and of its parents. */
static void
read_nsinums(struct inspect_proc_piece *lk)
{
	int i, up, fd = open_of(lk->lk_pid, "ns/pid");
	struct stat sb;

	for (i = lk->lk_nnums - 1; i >= 0 && fd >= 0; i--) {
		if (fstat(fd, &sb) == 0)
			lk->lk_nums[i].nu_nsinum = sb.st_ino;
		up = i > 0 ? ioctl(fd, NS_GET_PARENT) : -1;
		close(fd);
		fd = up;
	}
	if (fd >= 0)
		close(fd);
}

/*
 * Returns whether a line describes an executable mapping: "START-END rwxp ...".
 */
static int
is_executable(const char *line, const char *end)
{
	const char *p = memchr(line, ' ', end - line);

	return p != NULL && end - p > 3 && p[3] == 'x';
}

/*
 * Keeps the complete lines of executable mappings.  Returns the number of bytes
 * of all complete lines.
 */
static size_t
keep_lines(const char *text, size_t len, char *out, size_t *nout)
{
	const char *p = text, *end = text + len, *nl;

	while ((nl = memchr(p, '\n', end - p)) != NULL) {
		if (is_executable(p, nl)) {
			memcpy(out + *nout, p, nl + 1 - p);
			*nout += nl + 1 - p;
		}
		p = nl + 1;
	}
	return p - text;
}

static int
send_piece(const struct inspect_call *ic, struct looked *lo, size_t *len)
{
	int error = inspect_piece(ic, lo, sizeof(lo->lk) + *len);

	*len = 0;
	return error;
}

/* EFBIG: longer than max.  EPIPE: dtd has closed the socket. */
static int
read_lines(const struct inspect_call *ic, struct looked *lo, int fd,
    uint64_t max, size_t *len)
{
	static char text[MAPS_TEXT / 2];
	size_t have = 0, used;
	uint64_t total = 0;
	ssize_t n;

	while ((n = read(fd, text + have, sizeof(text) - have)) > 0) {
		total += n;
		if (total > max)
			return EFBIG;
		have += n;
		if (*len + have > sizeof(lo->text) &&
		    send_piece(ic, lo, len) != 0)
			return EPIPE;
		used = keep_lines(text, have, lo->text, len);
		have -= used;
		memmove(text, text + used, have);
		if (have == sizeof(text))
			return EINVAL;
	}
	return n == -1 ? errno : 0;
}

static int
read_maps(const struct inspect_call *ic, struct looked *lo, uint64_t max,
    size_t *len)
{
	int error, fd = open_of(lo->lk.lk_pid, "maps");
	char byte;

	if (fd < 0)
		return -fd;
	error = read_lines(ic, lo, fd, max, len);
	/* the list of an exiting process may be cut off */
	if (error == 0 && pread(fd, &byte, 1, 0) != 1)
		error = ESRCH;
	close(fd);
	return error;
}

/*
 * Announces the process, and sends the last piece of the previous one along,
 * since the next operations may block.  For a single process, its root
 * directory is added to the reply.
 */
static int
inspect_proc_begin(struct inspect_call *ic, struct inspect_proc_piece *lk,
    struct pending *pe, int isonly)
{
	int fd = -1, error;

	if ((error = read_status(lk)) != 0 ||
	    (error = inspect_next(ic, lk->lk_pid, lk->lk_uid, pe->pnd_piece,
		 pe->pnd_len)) != 0)
		return error;
	pe->pnd_len = 0;
	if (lk->lk_nnums > 1)
		read_nsinums(lk);
	(void)inspect_root(lk->lk_pid, &lk->lk_root, isonly ? &fd : NULL);
	if (fd != -1)
		ic->icc_outfds[ic->icc_noutfds++] = fd;
	return 0;
}

static int
pending_send(const struct inspect_call *ic, struct pending *pe)
{
	size_t len = pe->pnd_len;

	pe->pnd_len = 0;
	return len > 0 ? inspect_piece(ic, pe->pnd_piece, len) : 0;
}

/*
 * Inspects one process, whose last piece becomes the pending one.  If there are
 * several processes, an ended one has no piece.
 */
static int
look_one(struct inspect_call *ic, struct looked *lo, uint64_t max, int isonly,
    struct pending *pe)
{
	struct inspect_proc_piece *lk = &lo->lk;
	size_t len = 0;
	int error;

	lk->lk_begun = clock_monotonic();
	error = inspect_proc_begin(ic, lk, pe, isonly);
	if (error == 0 && max > 0)
		error = read_maps(ic, lo, max, &len);
	if (error == EPIPE)
		return error;
	if (error == ESRCH && !isonly)
		return 0;
	lk->lk_done = clock_monotonic();
	lk->lk_error = error;
	lk->lk_islast = 1;
	error = pending_send(ic, pe);
	*pe = (struct pending){ lo, sizeof(*lk) + len };
	return error;
}

int
inspect_proc(struct inspect_call *ic)
{
	static struct looked looked[2]; /* one is pending */
	const struct inspect_proc_request *lq = ic->icc_in;
	struct pending pe = { NULL, 0 };
	struct looked *lo;
	uint32_t i;
	int error = 0;

	if (ic->icc_inlen != sizeof(*lq) || lq->lq_npids > INSPECT_PROC_PIDS)
		return EINVAL;
	for (i = 0; i < lq->lq_npids && error == 0; i++) {
		lo = &looked[pe.pnd_piece == &looked[0]];
		memset(&lo->lk, 0, sizeof(lo->lk));
		lo->lk.lk_pid = lq->lq_pids[i];
		error = look_one(ic, lo, lq->lq_maxtext, lq->lq_npids == 1,
		    &pe);
	}
	return error != 0 ? error : pending_send(ic, &pe);
}

/*
 * dtd's side
 */

struct look_request {
	void (*lka_fn)(void *, const struct inspect_proc_piece *, const char *,
	    size_t);
	void *lka_arg;
};

static void
look_piece(void *arg, const void *piece, size_t len)
{
	const struct look_request *as = arg;
	const struct inspect_proc_piece *lk = piece;

	if (len >= sizeof(*lk) && lk->lk_nnums <= INSPECT_PROC_LEVEL)
		as->lka_fn(as->lka_arg, lk, (const char *)(lk + 1),
		    len - sizeof(*lk));
}

int
inspect_proc_request(struct inspect_proc_request *lq, unsigned int msecs,
    int *rootfd,
    void (*fn)(void *, const struct inspect_proc_piece *, const char *, size_t),
    void *arg)
{
	struct look_request as = { fn, arg };
	struct inspect_query ia = { .ia_op = INSPECT_PROC,
		.ia_uid = INSPECT_NOUSER, /* inspect_next() reports it */
		.ia_key = lq->lq_npids == 1 ? lq->lq_pids[0] : 0,
		.ia_msecs = msecs,
		.ia_in = lq,
		.ia_inlen = sizeof(*lq),
		.ia_piece = look_piece,
		.ia_arg = &as };
	int error = inspect(&ia);

	if (rootfd != NULL && ia.ia_noutfds == 1)
		*rootfd = ia.ia_outfds[--ia.ia_noutfds];
	while (ia.ia_noutfds > 0)
		close(ia.ia_outfds[--ia.ia_noutfds]);
	return error;
}
