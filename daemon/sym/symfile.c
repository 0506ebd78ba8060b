/* SPDX-License-Identifier: ISC */
/*
 * Files that code was mapped from, see symfile.h.
 *
 * One is known by device, inode and name as the kernel tells them, with
 * generation where it does: a name alone, or a build id, is what somebody
 * wrote.  While it is open nobody else can get its inode's number.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "sym/symfile.h"
#include "sym/symkey.h"
#include "sym/symopen.h"
#include "sym/symroot.h"
#include "sym/vdso.h"

#define SYMFILE_LINES 4096 /* of the hash; a power of two */
#define SYMFILE_OPEN  4096 /* descriptors, or a quarter of what we may have */
#define SYMFILE_WAIT  2	   /* seconds, for who opens it already */

LIST_HEAD(symfile_line, symfile);
TAILQ_HEAD(symfile_queue, symfile);

static pthread_mutex_t symfile_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t symfile_cond = PTHREAD_COND_INITIALIZER;
static struct symfile_line lines[SYMFILE_LINES];
/* Those that are open, the one that was mapped longest ago first. */
static struct symfile_queue lru = TAILQ_HEAD_INITIALIZER(lru);
static struct symfile_stat sum;
static uint64_t lastid;

static size_t
symfile_bytes(const struct symfile *sf)
{
	return sizeof(*sf) + strlen(sf->sf_path) + 1;
}

/* A file that is in no table. */
static struct symfile *
symfile_alloc(const struct symkey *sk)
{
	const struct symid *si = &sk->sk_id;
	struct symfile *sf = calloc(1, sizeof(*sf));

	if (sf == NULL ||
	    (sf->sf_path = strndup(si->si_path, si->si_pathlen)) == NULL) {
		free(sf);
		return NULL;
	}
	sf->sf_fd = sf->sf_rootfd = -1;
	sf->sf_kind = sk->sk_kind;
	sf->sf_deleted = sk->sk_deleted;
	sf->sf_hash = sk->sk_hash;
	sf->sf_dev = si->si_dev;
	sf->sf_ino = si->si_ino;
	sf->sf_gen = si->si_gen;
	sf->sf_refs = 1;
	if (sf->sf_kind == SYMFILE_ANON)
		sf->sf_state = SYMFILE_DONE;
	return sf;
}

static void
symfile_enter(struct symfile *sf)
{
	sf->sf_id = ++lastid;
	LIST_INSERT_HEAD(&lines[sf->sf_hash % SYMFILE_LINES], sf, sf_entry);
	sum.fs_files++;
	sum.fs_bytes += symfile_bytes(sf);
}

/* Under the lock; the one count was the last. */
static void
symfile_free(struct symfile *sf)
{
	LIST_REMOVE(sf, sf_entry);
	sum.fs_files--;
	sum.fs_bytes -= symfile_bytes(sf);
	if (sf->sf_fd != -1) {
		TAILQ_REMOVE(&lru, sf, sf_lru);
		sum.fs_open--;
		close(sf->sf_fd);
	}
	symroot_put(sf->sf_root);
	free(sf->sf_path);
	free(sf);
}

struct symfile *
symfile_map(const struct symid *si, int is32, int *isnew)
{
	struct symkey sk;
	struct symfile *sf;

	symkey_make(&sk, si, is32);
	pthread_mutex_lock(&symfile_mtx);
	LIST_FOREACH(sf, &lines[sk.sk_hash % SYMFILE_LINES], sf_entry)
		if (symkey_is(sf, &sk))
			break;
	*isnew = sf == NULL;
	if (sf == NULL) {
		if ((sf = symfile_alloc(&sk)) != NULL) {
			symfile_enter(sf);
			sf->sf_maps = 1;
		}
	} else {
		sf->sf_refs++;
		sf->sf_maps++;
		if (sf->sf_fd != -1) {
			TAILQ_REMOVE(&lru, sf, sf_lru);
			TAILQ_INSERT_TAIL(&lru, sf, sf_lru);
		}
	}
	pthread_mutex_unlock(&symfile_mtx);
	return sf;
}

static struct symfile *
symfile_count(struct symfile *sf, unsigned int maps)
{
	pthread_mutex_lock(&symfile_mtx);
	sf->sf_refs++;
	sf->sf_maps += maps;
	pthread_mutex_unlock(&symfile_mtx);
	return sf;
}

static void
symfile_uncount(struct symfile *sf, unsigned int maps)
{
	if (sf == NULL)
		return;
	pthread_mutex_lock(&symfile_mtx);
	sf->sf_maps -= maps;
	if (--sf->sf_refs == 0)
		symfile_free(sf);
	pthread_mutex_unlock(&symfile_mtx);
}

struct symfile *
symfile_mapped(struct symfile *sf)
{
	return symfile_count(sf, 1);
}

void
symfile_unmap(struct symfile *sf)
{
	symfile_uncount(sf, 1);
}

struct symfile *
symfile_hold(struct symfile *sf)
{
	return symfile_count(sf, 0);
}

void
symfile_release(struct symfile *sf)
{
	symfile_uncount(sf, 0);
}

static unsigned int
symfile_maxopen(void)
{
	static unsigned int max;
	struct rlimit rl;

	if (max == 0) {
		max = SYMFILE_OPEN;
		if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur / 4 < max)
			max = rl.rlim_cur / 4;
	}
	return max;
}

/* Closes the one that was mapped longest ago, of those nobody looks at. */
static void
symfile_shut(void)
{
	struct symfile *sf;

	TAILQ_FOREACH(sf, &lru, sf_lru)
		if (sf->sf_refs == sf->sf_maps)
			break;
	if (sf == NULL)
		return;
	TAILQ_REMOVE(&lru, sf, sf_lru);
	close(sf->sf_fd);
	sf->sf_fd = -1;
	sf->sf_state = SYMFILE_SHUT;
	sum.fs_open--;
	sum.fs_closed++;
}

/* Waits while another thread opens it; returns whether it is ours to do. */
static int
symfile_mine(struct symfile *sf)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += SYMFILE_WAIT;
	while (sf->sf_state == SYMFILE_OPENING)
		if (pthread_cond_timedwait(&symfile_cond, &symfile_mtx, &ts) !=
		    0)
			return 0;
	if (sf->sf_state == SYMFILE_DONE)
		return 0;
	sf->sf_state = SYMFILE_OPENING;
	return 1;
}

static void
symfile_found(struct symfile *sf, int error, const struct symopen *op)
{
	sf->sf_state = SYMFILE_DONE;
	sf->sf_error = error;
	pthread_cond_broadcast(&symfile_cond);
	if (error != 0) {
		sum.fs_failed++;
		return;
	}
	sf->sf_fd = op->op_fd;
	sf->sf_btime = op->op_btime;
	symroot_put(sf->sf_root);
	sf->sf_root = op->op_root;
	sf->sf_rootfd = -1;
	if (sf->sf_root != NULL && !symroot_isown(sf->sf_root))
		sf->sf_rootfd = symroot_fd(sf->sf_root);
	TAILQ_INSERT_TAIL(&lru, sf, sf_lru);
	sum.fs_opened++;
	if (++sum.fs_open > symfile_maxopen())
		symfile_shut();
}

/* The vdso of 64-bit programs is ours, too. */
static int
symfile_vdso(const struct symfile *sf, struct symopen *op)
{
	if (sf->sf_ino == SYMKEY_VDSO32)
		return ESTALE;
	if (vdso_fd() == -1)
		return ENOENT;
	op->op_fd = fcntl(vdso_fd(), F_DUPFD_CLOEXEC, 0);
	return op->op_fd == -1 ? errno : 0;
}

void
symfile_find(struct symfile *sf, const struct symsight *ss)
{
	struct symopen op = { .op_fd = -1 };
	int error;

	pthread_mutex_lock(&symfile_mtx);
	if (!symfile_mine(sf)) {
		pthread_mutex_unlock(&symfile_mtx);
		return;
	}
	pthread_mutex_unlock(&symfile_mtx);
	error = sf->sf_kind == SYMFILE_VDSO ? symfile_vdso(sf, &op)
					    : symopen_find(sf, ss, &op);
	pthread_mutex_lock(&symfile_mtx);
	symfile_found(sf, error, &op);
	pthread_mutex_unlock(&symfile_mtx);
}

int
symfile_open(const char *path, const uint8_t *buildid, size_t len,
    struct symfile **sfp)
{
	struct symid si = { .si_path = path, .si_pathlen = strlen(path) };
	struct symopen op = { .op_fd = -1 };
	struct symkey sk = { .sk_id = si };
	struct symfile *sf;
	int pathfd;

	if (len > SYMFILE_BUILDID)
		return EINVAL;
	if ((pathfd = open(path, O_PATH | O_CLOEXEC)) == -1)
		return errno;
	op.op_fd = symopen_reopen(pathfd);
	close(pathfd);
	if (op.op_fd < 0)
		return -op.op_fd;
	if ((sf = symfile_alloc(&sk)) == NULL) {
		close(op.op_fd);
		return ENOMEM;
	}
	if (len > 0)
		memcpy(sf->sf_want, buildid, len);
	sf->sf_wantlen = len;
	pthread_mutex_lock(&symfile_mtx);
	/* no mapping is like it: nobody finds it there */
	sf->sf_hash = ~lastid;
	symfile_enter(sf);
	symfile_found(sf, 0, &op);
	pthread_mutex_unlock(&symfile_mtx);
	*sfp = sf;
	return 0;
}

void
symfile_setid(struct symfile *sf, const uint8_t *buildid, size_t len)
{
	if (len > SYMFILE_BUILDID)
		len = 0;
	pthread_mutex_lock(&symfile_mtx);
	if (!sf->sf_isread) {
		if (len > 0)
			memcpy(sf->sf_buildid, buildid, len);
		sf->sf_buildidlen = len;
		sf->sf_isread = 1;
	}
	pthread_mutex_unlock(&symfile_mtx);
}

int
symfile_getid(const struct symfile *sf, uint8_t buildid[SYMFILE_BUILDID],
    uint32_t *len)
{
	int isread;

	pthread_mutex_lock(&symfile_mtx);
	isread = sf->sf_isread;
	*len = sf->sf_buildidlen;
	memcpy(buildid, sf->sf_buildid, SYMFILE_BUILDID);
	pthread_mutex_unlock(&symfile_mtx);
	return isread;
}

void
symfile_stat(struct symfile_stat *fs)
{
	pthread_mutex_lock(&symfile_mtx);
	*fs = sum;
	pthread_mutex_unlock(&symfile_mtx);
}
