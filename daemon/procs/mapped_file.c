/* SPDX-License-Identifier: ISC */
/*
 * The table of files that code was mapped from.
 *
 * A file is identified by device, inode and name as the kernel reports them,
 * and by generation where reported: users choose names and build ids. While it
 * is open, its inode number is not reused.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/base/close_queue.h"
#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/kernel/vdso.h"
#include "daemon/procs/mapped_file_search.h"
#include "daemon/procs/mapped_file.h"

#define MAPPED_FILE_BUCKETS 16384 /* of the hash; a power of two */
#define MAPPED_FILE_OPEN \
	4096 /* descriptors, or a quarter of what we may have */
#define MAPPED_FILE_FAILS \
	16 /* processes whose failures are remembered, of a file */

/*
 * Replaces the inode number for the vdso of 32-bit programs, a separate file.
 */
#define FILE_ID_VDSO32 1

/* Identity of a file, in the form used for comparison. */
struct file_id {
	struct inode_id fid_id;
	uint64_t fid_hash;
	enum mapped_file_kind fid_kind;
	int fid_deleted;
};

LIST_HEAD(mapped_file_bucket, mapped_file);
TAILQ_HEAD(mapped_file_queue, mapped_file);

static pthread_mutex_t mapped_file_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct mapped_file_bucket buckets[MAPPED_FILE_BUCKETS];
/* Open files, the one mapped longest ago first. */
static struct mapped_file_queue lru = TAILQ_HEAD_INITIALIZER(lru);
static struct mapped_file_stat sum;
static uint64_t lastid;

/*
 * Identity
 */

/* Prefixes of names of anonymous memory, besides "//anon". */
static const char *const anons[] = { "/dev/zero", "/SYSV", "/anon_hugepage",
	"[anon" };

static const char DELETED[] = " (deleted)";

static int
has_prefix(const struct inode_id *ii, const char *prefix)
{
	size_t len = strlen(prefix);

	return ii->ii_pathlen >= len && memcmp(ii->ii_path, prefix, len) == 0;
}

static int
is_anon(const struct inode_id *ii)
{
	size_t i;

	if (ii->ii_pathlen == 0 || has_prefix(ii, "//anon"))
		return 1;
	for (i = 0; i < sizeof(anons) / sizeof(anons[0]); i++)
		if (has_prefix(ii, anons[i]))
			return 1;
	return 0;
}

static void
key_name(struct file_id *fid, const char *name)
{
	fid->fid_id = (struct inode_id){ .ii_path = name,
		.ii_pathlen = strlen(name) };
}

static uint64_t hash_seed; /* by seed_once: users choose names */
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

static void
seed_make(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), 0) != sizeof(hash_seed))
		hash_seed = (uintptr_t)&hash_seed;
}

/* The upper bits depend on everything. */
static struct mapped_file_bucket *
bucket_of(uint64_t hash)
{
	return &buckets[(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
	    MAPPED_FILE_BUCKETS];
}

static uint64_t
key_hash(const struct inode_id *ii)
{
	uint64_t h;
	size_t i;

	pthread_once(&seed_once, seed_make);
	h = hash_seed ^ ii->ii_ino;
	for (i = 0; i < ii->ii_pathlen; i++)
		h = (h ^ (uint8_t)ii->ii_path[i]) * 1099511628211ULL;
	return h;
}

/* Fills the identity; its text is not copied. */
static void
file_id_make(struct file_id *fid, const struct inode_id *ii, int is32)
{
	const size_t len = sizeof(DELETED) - 1;

	*fid = (struct file_id){ .fid_id = *ii };
	if (has_prefix(ii, "[vdso]")) {
		fid->fid_kind = MAPPED_FILE_VDSO;
		key_name(fid, "[vdso]");
		fid->fid_id.ii_ino = is32 ? FILE_ID_VDSO32 : 0;
	} else if (is_anon(ii)) {
		fid->fid_kind = MAPPED_FILE_ANON;
		key_name(fid, "//anon");
	} else if (ii->ii_path[0] == '[') { /* [heap], [stack], [vsyscall] */
		fid->fid_kind = MAPPED_FILE_ANON;
		fid->fid_id.ii_dev = fid->fid_id.ii_ino = 0;
	} else if (ii->ii_pathlen > len &&
	    memcmp(ii->ii_path + ii->ii_pathlen - len, DELETED, len) == 0) {
		fid->fid_deleted = 1;
		fid->fid_id.ii_pathlen -= len;
	}
	fid->fid_hash = key_hash(&fid->fid_id);
}

/*
 * Returns whether the file has this identity; unreported parts match anything.
 */
static int
file_id_is(const struct mapped_file *mf, const struct file_id *fid)
{
	const struct inode_id *ii = &fid->fid_id;

	return mf->mf_hash == fid->fid_hash && mf->mf_dev == ii->ii_dev &&
	    mf->mf_ino == ii->ii_ino &&
	    (mf->mf_gen == 0 || ii->ii_gen == 0 || mf->mf_gen == ii->ii_gen) &&
	    strncmp(mf->mf_path, ii->ii_path, ii->ii_pathlen) == 0 &&
	    mf->mf_path[ii->ii_pathlen] == '\0';
}

/*
 * Files
 */

uint64_t
mapped_file_key(const struct mapped_file *mf)
{
	return FIND_KEY(mf->mf_dev, mf->mf_ino);
}

/*
 * Debug files depend on the root directory, so each variant has a separate key.
 */
uint64_t
mapped_file_debugkey(const struct mapped_file *mf)
{
	return FIND_KEY(mf->mf_id, ~mf->mf_ino);
}

static size_t
mapped_file_bytes(const struct mapped_file *mf)
{
	return sizeof(*mf) + strlen(mf->mf_path) + 1;
}

/* Allocates a file, without adding it to a table. */
static struct mapped_file *
mapped_file_alloc(const struct file_id *fid)
{
	const struct inode_id *ii = &fid->fid_id;
	struct mapped_file *mf = calloc(1, sizeof(*mf));

	if (mf == NULL ||
	    (mf->mf_path = strndup(ii->ii_path, ii->ii_pathlen)) == NULL) {
		free(mf);
		return NULL;
	}
	mf->mf_fd = mf->mf_rootfd = -1;
	mf->mf_uid = -1;
	mf->mf_kind = fid->fid_kind;
	mf->mf_deleted = fid->fid_deleted;
	mf->mf_hash = fid->fid_hash;
	mf->mf_dev = ii->ii_dev;
	mf->mf_ino = ii->ii_ino;
	mf->mf_gen = ii->ii_gen;
	mf->mf_refs = 1;
	LIST_INIT(&mf->mf_variants);
	return mf;
}

static void
mapped_file_enter(struct mapped_file *mf)
{
	mf->mf_id = ++lastid;
	LIST_INSERT_HEAD(bucket_of(mf->mf_hash), mf, mf_entry);
	sum.mfs_files++;
	sum.mfs_bytes += mapped_file_bytes(mf);
}

static void
mapped_file_close(struct mapped_file *mf)
{
	if (mf->mf_fd == -1)
		return;
	TAILQ_REMOVE(&lru, mf, mf_lru);
	sum.mfs_open--;
	close_queue(mf->mf_fd);
	mf->mf_fd = -1;
}

/* Frees a variant without references.  Under the lock. */
static void
variant_free(struct mapped_file *mf)
{
	if (mf->mf_islisted)
		LIST_REMOVE(mf, mf_variant);
	mapped_file_close(mf);
	root_dir_put(mf->mf_root);
	free(mf);
}

/* Frees a file whose last mapping was removed.  Under the lock. */
static void
mapped_file_free(struct mapped_file *mf)
{
	while (!LIST_EMPTY(&mf->mf_variants))
		variant_free(LIST_FIRST(&mf->mf_variants));
	LIST_REMOVE(mf, mf_entry);
	sum.mfs_files--;
	sum.mfs_bytes -= mapped_file_bytes(mf);
	mapped_file_close(mf);
	free(mf->mf_path);
	free(mf);
}

struct mapped_file *
mapped_file_map(const struct inode_id *ii, int is32, int *isnew)
{
	struct file_id fid;
	struct mapped_file *mf;

	file_id_make(&fid, ii, is32);
	pthread_mutex_lock(&mapped_file_mtx);
	LIST_FOREACH(mf, bucket_of(fid.fid_hash), mf_entry)
		if (file_id_is(mf, &fid))
			break;
	*isnew = mf == NULL;
	if (mf == NULL) {
		if ((mf = mapped_file_alloc(&fid)) != NULL) {
			mapped_file_enter(mf);
			mf->mf_maps = 1;
		}
	} else {
		mf->mf_refs++;
		mf->mf_maps++;
		if (mf->mf_fd != -1) {
			TAILQ_REMOVE(&lru, mf, mf_lru);
			TAILQ_INSERT_TAIL(&lru, mf, mf_lru);
		}
	}
	pthread_mutex_unlock(&mapped_file_mtx);
	return mf;
}

/*
 * Adds a reference; a referenced variant holds one on the mapped file.  Under
 * the lock.
 */
static void
mapped_file_ref(struct mapped_file *mf)
{
	if (mf->mf_refs++ == 0 && mf->mf_base != NULL)
		mf->mf_base->mf_refs++;
}

static void
mapped_file_unref(struct mapped_file *mf)
{
	struct mapped_file *base = mf->mf_base;

	if (--mf->mf_refs > 0)
		return;
	if (base == NULL) {
		mapped_file_free(mf);
		return;
	}
	if (!mf->mf_islisted)
		variant_free(mf);
	mapped_file_unref(base);
}

static struct mapped_file *
mapped_file_count(struct mapped_file *mf, unsigned int maps)
{
	pthread_mutex_lock(&mapped_file_mtx);
	mapped_file_ref(mf);
	mf->mf_maps += maps;
	pthread_mutex_unlock(&mapped_file_mtx);
	return mf;
}

static void
mapped_file_uncount(struct mapped_file *mf, unsigned int maps)
{
	if (mf == NULL)
		return;
	pthread_mutex_lock(&mapped_file_mtx);
	mf->mf_maps -= maps;
	mapped_file_unref(mf);
	pthread_mutex_unlock(&mapped_file_mtx);
}

struct mapped_file *
mapped_file_mapped(struct mapped_file *mf)
{
	return mapped_file_count(mf, 1);
}

void
mapped_file_unmap(struct mapped_file *mf)
{
	mapped_file_uncount(mf, 1);
}

struct mapped_file *
mapped_file_hold(struct mapped_file *mf)
{
	return mapped_file_count(mf, 0);
}

void
mapped_file_release(struct mapped_file *mf)
{
	mapped_file_uncount(mf, 0);
}

/* Returns how many descriptors this process may have. */
static uint64_t
mapped_file_limit(void)
{
	static uint64_t limit; /* under the lock */
	struct rlimit rl;

	if (limit == 0)
		limit = getrlimit(RLIMIT_NOFILE, &rl) == 0 ? rl.rlim_cur : 1024;
	return limit;
}

/* Closes the unused file that was mapped longest ago. */
static void
mapped_file_shut(void)
{
	struct mapped_file *mf;

	TAILQ_FOREACH(mf, &lru, mf_lru)
		if (mf->mf_refs == mf->mf_maps)
			break;
	if (mf == NULL)
		return;
	mapped_file_close(mf);
	sum.mfs_closed++;
}

/*
 * Closes an unused file if many are open.  Returns whether another one may be
 * opened: those in use take at most half of the descriptors.
 */
static int
mapped_file_room(void)
{
	uint64_t max = mapped_file_limit() / 4;

	if (sum.mfs_open >= (max < MAPPED_FILE_OPEN ? max : MAPPED_FILE_OPEN))
		mapped_file_shut();
	return sum.mfs_open < mapped_file_limit() / 2;
}

/* Under the lock: notes that the file is open. */
static void
mapped_file_opened(struct mapped_file *mf, const struct opened_file *of)
{
	mf->mf_fd = of->of_fd;
	mf->mf_error = 0;
	mf->mf_btime = of->of_btime;
	mf->mf_isours = of->of_isours;
	mf->mf_uid = of->of_uid;
	mf->mf_rootfd = of->of_isours || root_dir_isown(mf->mf_root)
	    ? -1
	    : root_dir_fd(mf->mf_root);
	TAILQ_INSERT_TAIL(&lru, mf, mf_lru);
	sum.mfs_opened++;
	sum.mfs_open++;
}

/* Opens the vdso. 64-bit programs have the same one as dtd. */
static int
mapped_file_vdso(const struct mapped_file *mf, struct opened_file *of)
{
	if (mf->mf_ino == FILE_ID_VDSO32)
		return ESTALE;
	if (vdso_fd() == -1)
		return ENOENT;
	of->of_fd = fcntl(vdso_fd(), F_DUPFD_CLOEXEC, 0);
	of->of_isours = 1;
	return of->of_fd == -1 ? errno : 0;
}

/*
 * Under the lock: returns the variant for a root and a process, preferably an
 * open one.
 */
static struct mapped_file *
variant_find(struct mapped_file *base, const struct root_dir *root,
    uint32_t pid)
{
	struct mapped_file *mf, *found = NULL;

	LIST_FOREACH(mf, &base->mf_variants, mf_variant)
		if (mf->mf_root == root &&
		    (mf->mf_pid == 0 || mf->mf_pid == pid) &&
		    (found == NULL || found->mf_fd == -1))
			found = mf;
	return found;
}

/* Takes ownership of the root. */
static struct mapped_file *
variant_alloc(struct mapped_file *base, struct root_dir *root, uint32_t pid)
{
	struct mapped_file *mf = malloc(sizeof(*mf));

	if (mf == NULL) {
		root_dir_put(root);
		return NULL;
	}
	*mf = (struct mapped_file){ .mf_id = base->mf_id,
		.mf_fd = -1,
		.mf_rootfd = -1,
		.mf_kind = base->mf_kind,
		.mf_path = base->mf_path,
		.mf_uid = -1,
		.mf_dev = base->mf_dev,
		.mf_ino = base->mf_ino,
		.mf_deleted = base->mf_deleted,
		.mf_base = base,
		.mf_root = root,
		.mf_pid = pid };
	LIST_INIT(&mf->mf_variants);
	return mf;
}

/* Frees the oldest failure if there are too many. */
static void
variant_trim(struct mapped_file *base)
{
	struct mapped_file *mf, *last = NULL;
	unsigned int n = 0;

	LIST_FOREACH(mf, &base->mf_variants, mf_variant)
		if (mf->mf_error != 0 && mf->mf_refs == 0) {
			last = mf;
			n++;
		}
	if (n > MAPPED_FILE_FAILS)
		variant_free(last);
}

static void
variant_list(struct mapped_file *mf)
{
	mf->mf_id = ++lastid;
	mf->mf_islisted = 1;
	LIST_INSERT_HEAD(&mf->mf_base->mf_variants, mf, mf_variant);
	variant_trim(mf->mf_base);
}

/*
 * Returns the file already known for a process, which may be closed.  Under the
 * lock.
 */
static struct mapped_file *
mapped_file_known(struct mapped_file *base, const struct sighting *sg)
{
	struct mapped_file *mf = NULL;

	if (base->mf_fd == -1 && sg->sg_root != NULL)
		mf = variant_find(base, sg->sg_root, sg->sg_pid);
	return mf != NULL ? mf : base;
}

/*
 * Stores the file that was found, and takes ownership of its descriptor and
 * root.  Under the lock.
 */
static struct mapped_file *
mapped_file_found(struct mapped_file *base, struct opened_file *of)
{
	struct mapped_file *mf = base;

	if (of->of_root != NULL) {
		mf = variant_find(base, of->of_root, of->of_pid);
		if (mf != NULL && mf->mf_pid == of->of_pid)
			root_dir_put(of->of_root);
		else if ((mf = variant_alloc(base, of->of_root, of->of_pid)) !=
		    NULL)
			variant_list(mf);
	}
	if (mf == NULL || mf->mf_fd != -1) /* another thread was faster */
		close(of->of_fd);
	else
		mapped_file_opened(mf, of);
	return mf;
}

int
mapped_file_ispassing(int error)
{
	return error == ETIMEDOUT || error == EBUSY || error == ECANCELED ||
	    error == EAGAIN || error == ENOMEM || error == EMFILE ||
	    error == ENFILE;
}

/* Remembers a failure, for this process only.  Under the lock. */
static struct mapped_file *
mapped_file_failed(struct mapped_file *base, const struct sighting *sg,
    int error)
{
	struct mapped_file *mf;

	sum.mfs_failed++;
	mf = variant_alloc(base, root_dir_get(sg->sg_root), sg->sg_pid);
	if (mf == NULL)
		return NULL;
	mf->mf_error = error;
	if (!mapped_file_ispassing(error) && sg->sg_root != NULL)
		variant_list(mf);
	return mf;
}

/* Searches the file.  Called without the lock; returns with it held. */
static struct mapped_file *
mapped_file_locate(struct mapped_file *base, const struct mapped_file *known,
    const struct sighting *sg, unsigned int msecs)
{
	struct opened_file of = { .of_fd = -1 };
	int error = base->mf_kind == MAPPED_FILE_VDSO
	    ? mapped_file_vdso(base, &of)
	    : mapped_file_search(known, sg, msecs, &of);

	pthread_mutex_lock(&mapped_file_mtx);
	if (error == 0 && !mapped_file_room()) {
		close_queue(of.of_fd);
		root_dir_put(of.of_root);
		error = EMFILE;
	}
	return error == 0 ? mapped_file_found(base, &of)
			  : mapped_file_failed(base, sg, error);
}

struct mapped_file *
mapped_file_find(struct mapped_file *base, const struct sighting *sg,
    unsigned int msecs)
{
	struct mapped_file *known, *mf;

	pthread_mutex_lock(&mapped_file_mtx);
	mf = known = mapped_file_known(base, sg);
	mapped_file_ref(known);
	if (known->mf_fd == -1 && known->mf_error == 0 &&
	    known->mf_kind != MAPPED_FILE_ANON) {
		pthread_mutex_unlock(&mapped_file_mtx);
		mf = mapped_file_locate(base, known, sg, msecs);
	}
	if (mf != NULL)
		mapped_file_ref(mf);
	mapped_file_unref(known);
	pthread_mutex_unlock(&mapped_file_mtx);
	return mf;
}

/*
 * Stores a file that no process is known to have mapped, for its caller alone.
 */
static int
mapped_file_single(const char *path, const uint8_t *buildid, size_t len,
    const struct opened_file *of, struct mapped_file **sfp)
{
	struct inode_id ii = { .ii_path = path, .ii_pathlen = strlen(path) };
	struct file_id fid = { .fid_id = ii };
	struct mapped_file *mf;

	if ((mf = mapped_file_alloc(&fid)) == NULL) {
		close(of->of_fd);
		return ENOMEM;
	}
	if (len > 0)
		memcpy(mf->mf_want, buildid, len);
	mf->mf_wantlen = len;
	pthread_mutex_lock(&mapped_file_mtx);
	/* no mapping has this hash: lookups never return it */
	mf->mf_hash = ~lastid;
	mapped_file_enter(mf);
	(void)mapped_file_room();
	mapped_file_opened(mf, of);
	pthread_mutex_unlock(&mapped_file_mtx);
	*sfp = mf;
	return 0;
}

int
mapped_file_open(const char *path, const uint8_t *buildid, size_t len,
    uid_t uid, struct mapped_file **sfp)
{
	struct opened_file of = { .of_fd = -1, .of_isours = 1, .of_uid = uid };
	int error;

	if (len > MAPPED_FILE_BUILDID)
		return EINVAL;
	if ((error = inspect_open_request(path, uid, &of.of_fd)) != 0)
		return error;
	return mapped_file_single(path, buildid, len, &of, sfp);
}

int
mapped_file_given(int fd, const char *path, uid_t uid, struct mapped_file **sfp)
{
	struct opened_file of = { .of_fd = fd, .of_isours = 1, .of_uid = uid };

	return mapped_file_single(path, NULL, 0, &of, sfp);
}

void
mapped_file_setid(struct mapped_file *mf, const uint8_t *buildid, size_t len)
{
	if (len > MAPPED_FILE_BUILDID)
		len = 0;
	pthread_mutex_lock(&mapped_file_mtx);
	if (!mf->mf_isread) {
		if (len > 0)
			memcpy(mf->mf_buildid, buildid, len);
		mf->mf_buildidlen = len;
		mf->mf_isread = 1;
	}
	pthread_mutex_unlock(&mapped_file_mtx);
}

int
mapped_file_getid(const struct mapped_file *mf,
    uint8_t buildid[MAPPED_FILE_BUILDID], uint32_t *len)
{
	int isread;

	pthread_mutex_lock(&mapped_file_mtx);
	isread = mf->mf_isread;
	*len = mf->mf_buildidlen;
	memcpy(buildid, mf->mf_buildid, MAPPED_FILE_BUILDID);
	pthread_mutex_unlock(&mapped_file_mtx);
	return isread;
}

void
mapped_file_stat(struct mapped_file_stat *fs)
{
	pthread_mutex_lock(&mapped_file_mtx);
	*fs = sum;
	pthread_mutex_unlock(&mapped_file_mtx);
}
