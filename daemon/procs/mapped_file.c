/* SPDX-License-Identifier: ISC */
/*
 * Files that code was mapped from, see mapped_file.h.
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
#include <unistd.h>

#include "daemon/inspect/inspect_find.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/kernel/vdso.h"
#include "daemon/procs/file_id.h"
#include "daemon/procs/file_open.h"
#include "daemon/procs/mapped_file.h"

#define SYMFILE_LINES 4096 /* of the hash; a power of two */
#define SYMFILE_OPEN  4096 /* descriptors, or a quarter of what we may have */
#define SYMFILE_FAILS \
	16 /* processes whose failures are remembered, of a file */

LIST_HEAD(symfile_line, symfile);
TAILQ_HEAD(symfile_queue, symfile);

static pthread_mutex_t symfile_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct symfile_line lines[SYMFILE_LINES];
/* Those that are open, the one that was mapped longest ago first. */
static struct symfile_queue lru = TAILQ_HEAD_INITIALIZER(lru);
static struct symfile_stat sum;
static uint64_t lastid;

uint64_t
symfile_key(const struct symfile *sf)
{
	return FIND_KEY(sf->sf_dev, sf->sf_ino);
}

/* Of a root each file may have others. */
uint64_t
symfile_debugkey(const struct symfile *sf)
{
	return FIND_KEY(sf->sf_id, ~sf->sf_ino);
}

static size_t
symfile_bytes(const struct symfile *sf)
{
	return sizeof(*sf) + strlen(sf->sf_path) + 1;
}

/* A file that is in no table. */
static struct symfile *
symfile_alloc(const struct file_id *sk)
{
	const struct symid *si = &sk->sk_id;
	struct symfile *sf = calloc(1, sizeof(*sf));

	if (sf == NULL ||
	    (sf->sf_path = strndup(si->si_path, si->si_pathlen)) == NULL) {
		free(sf);
		return NULL;
	}
	sf->sf_fd = sf->sf_rootfd = -1;
	sf->sf_uid = -1;
	sf->sf_kind = sk->sk_kind;
	sf->sf_deleted = sk->sk_deleted;
	sf->sf_hash = sk->sk_hash;
	sf->sf_dev = si->si_dev;
	sf->sf_ino = si->si_ino;
	sf->sf_gen = si->si_gen;
	sf->sf_refs = 1;
	LIST_INIT(&sf->sf_variants);
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

static void
symfile_close(struct symfile *sf)
{
	if (sf->sf_fd == -1)
		return;
	TAILQ_REMOVE(&lru, sf, sf_lru);
	sum.fs_open--;
	close(sf->sf_fd);
	sf->sf_fd = -1;
}

/* Under the lock; nobody holds it. */
static void
variant_free(struct symfile *sf)
{
	if (sf->sf_islisted)
		LIST_REMOVE(sf, sf_variant);
	symfile_close(sf);
	symroot_put(sf->sf_root);
	free(sf);
}

/* Under the lock; the one count was the last. */
static void
symfile_free(struct symfile *sf)
{
	while (!LIST_EMPTY(&sf->sf_variants))
		variant_free(LIST_FIRST(&sf->sf_variants));
	LIST_REMOVE(sf, sf_entry);
	sum.fs_files--;
	sum.fs_bytes -= symfile_bytes(sf);
	symfile_close(sf);
	free(sf->sf_path);
	free(sf);
}

struct symfile *
symfile_map(const struct symid *si, int is32, int *isnew)
{
	struct file_id sk;
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

/* Under the lock.  A variant that is held holds the one that is mapped. */
static void
symfile_ref(struct symfile *sf)
{
	if (sf->sf_refs++ == 0 && sf->sf_base != NULL)
		sf->sf_base->sf_refs++;
}

static void
symfile_unref(struct symfile *sf)
{
	struct symfile *base = sf->sf_base;

	if (--sf->sf_refs > 0)
		return;
	if (base == NULL) {
		symfile_free(sf);
		return;
	}
	if (!sf->sf_islisted)
		variant_free(sf);
	symfile_unref(base);
}

static struct symfile *
symfile_count(struct symfile *sf, unsigned int maps)
{
	pthread_mutex_lock(&symfile_mtx);
	symfile_ref(sf);
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
	symfile_unref(sf);
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
	symfile_close(sf);
	sum.fs_closed++;
}

/* Under the lock: it is open now. */
static void
symfile_opened(struct symfile *sf, const struct symopen *op)
{
	sf->sf_fd = op->op_fd;
	sf->sf_error = 0;
	sf->sf_btime = op->op_btime;
	sf->sf_isours = op->op_isours;
	sf->sf_uid = op->op_uid;
	sf->sf_rootfd = op->op_isours || symroot_isown(sf->sf_root)
	    ? -1
	    : symroot_fd(sf->sf_root);
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
	op->op_isours = 1;
	op->op_uid = -1;
	return op->op_fd == -1 ? errno : 0;
}

/* Under the lock: the variant for a root and a process, an open one if there
 * is one. */
static struct symfile *
variant_find(struct symfile *base, const struct symroot *root, uint32_t pid)
{
	struct symfile *sf, *found = NULL;

	LIST_FOREACH(sf, &base->sf_variants, sf_variant)
		if (sf->sf_root == root &&
		    (sf->sf_pid == 0 || sf->sf_pid == pid) &&
		    (found == NULL || found->sf_fd == -1))
			found = sf;
	return found;
}

/* Takes the root over. */
static struct symfile *
variant_alloc(struct symfile *base, struct symroot *root, uint32_t pid)
{
	struct symfile *sf = malloc(sizeof(*sf));

	if (sf == NULL) {
		symroot_put(root);
		return NULL;
	}
	*sf = (struct symfile){ .sf_id = base->sf_id,
		.sf_fd = -1,
		.sf_rootfd = -1,
		.sf_kind = base->sf_kind,
		.sf_path = base->sf_path,
		.sf_uid = -1,
		.sf_dev = base->sf_dev,
		.sf_ino = base->sf_ino,
		.sf_deleted = base->sf_deleted,
		.sf_base = base,
		.sf_root = root,
		.sf_pid = pid };
	LIST_INIT(&sf->sf_variants);
	return sf;
}

/* The oldest failure goes when there are many. */
static void
variant_trim(struct symfile *base)
{
	struct symfile *sf, *last = NULL;
	unsigned int n = 0;

	LIST_FOREACH(sf, &base->sf_variants, sf_variant)
		if (sf->sf_error != 0 && sf->sf_refs == 0) {
			last = sf;
			n++;
		}
	if (n > SYMFILE_FAILS)
		variant_free(last);
}

static void
variant_list(struct symfile *sf)
{
	sf->sf_id = ++lastid;
	sf->sf_islisted = 1;
	LIST_INSERT_HEAD(&sf->sf_base->sf_variants, sf, sf_variant);
	variant_trim(sf->sf_base);
}

/* Under the lock: what is known already for a process, maybe not open. */
static struct symfile *
symfile_known(struct symfile *base, const struct symsight *ss)
{
	struct symfile *sf = NULL;

	if (base->sf_fd == -1 && ss->ss_root != NULL)
		sf = variant_find(base, ss->ss_root, ss->ss_pid);
	return sf != NULL ? sf : base;
}

/* Under the lock: enters an answer; descriptor and root are taken over. */
static struct symfile *
symfile_found(struct symfile *base, struct symopen *op)
{
	struct symfile *sf = base;

	if (op->op_root != NULL) {
		sf = variant_find(base, op->op_root, op->op_pid);
		if (sf != NULL && sf->sf_pid == op->op_pid)
			symroot_put(op->op_root);
		else if ((sf = variant_alloc(base, op->op_root, op->op_pid)) !=
		    NULL)
			variant_list(sf);
	}
	if (sf == NULL || sf->sf_fd != -1) /* somebody else was faster */
		close(op->op_fd);
	else
		symfile_opened(sf, op);
	return sf;
}

int
symfile_ispassing(int error)
{
	return error == ETIMEDOUT || error == EBUSY || error == ECANCELED ||
	    error == EAGAIN || error == ENOMEM || error == EMFILE ||
	    error == ENFILE;
}

/* Under the lock: a failure, which is remembered for this process only. */
static struct symfile *
symfile_failed(struct symfile *base, const struct symsight *ss, int error)
{
	struct symfile *sf;

	sum.fs_failed++;
	sf = variant_alloc(base, symroot_get(ss->ss_root), ss->ss_pid);
	if (sf == NULL)
		return NULL;
	sf->sf_error = error;
	if (!symfile_ispassing(error) && ss->ss_root != NULL)
		variant_list(sf);
	return sf;
}

/* Asks for it, without the lock, which is taken then. */
static struct symfile *
symfile_ask(struct symfile *base, const struct symfile *known,
    const struct symsight *ss, unsigned int msecs)
{
	struct symopen op = { .op_fd = -1 };
	int error = base->sf_kind == SYMFILE_VDSO
	    ? symfile_vdso(base, &op)
	    : symopen_find(known, ss, msecs, &op);

	pthread_mutex_lock(&symfile_mtx);
	return error == 0 ? symfile_found(base, &op)
			  : symfile_failed(base, ss, error);
}

struct symfile *
symfile_find(struct symfile *base, const struct symsight *ss,
    unsigned int msecs)
{
	struct symfile *known, *sf;

	pthread_mutex_lock(&symfile_mtx);
	sf = known = symfile_known(base, ss);
	symfile_ref(known);
	if (known->sf_fd == -1 && known->sf_error == 0 &&
	    known->sf_kind != SYMFILE_ANON) {
		pthread_mutex_unlock(&symfile_mtx);
		sf = symfile_ask(base, known, ss, msecs);
	}
	if (sf != NULL)
		symfile_ref(sf);
	symfile_unref(known);
	pthread_mutex_unlock(&symfile_mtx);
	return sf;
}

int
symfile_open(const char *path, const uint8_t *buildid, size_t len, uid_t uid,
    struct symfile **sfp)
{
	struct symid si = { .si_path = path, .si_pathlen = strlen(path) };
	struct symopen op = { .op_fd = -1, .op_isours = 1, .op_uid = uid };
	struct file_id sk = { .sk_id = si };
	struct symfile *sf;
	int error;

	if (len > SYMFILE_BUILDID)
		return EINVAL;
	if ((error = inspect_open_ask(path, uid, &op.op_fd)) != 0)
		return error;
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
	symfile_opened(sf, &op);
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
