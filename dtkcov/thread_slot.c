/* SPDX-License-Identifier: ISC */
/* Starts and ends recording of threads, and manages their slots. */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "dtkcov/thread_slot.h"

#define NSLOTS 256 /* recording threads at a time: twice dtd's sessions */

/* All zeros after fork(2): no thread records or holds the lock. */
struct slots {
	pthread_mutex_t sl_lock;
	struct dtkcov_slot sl_slot[NSLOTS];
};

__thread struct dtkcov_slot *volatile dtkcov_mine
    __attribute__((tls_model("initial-exec")));

static struct slots *_Atomic slots;
static atomic_uint nbegun; /* a child continues to count */
static pthread_key_t at_exit;
static int has_at_exit;

/* Allocates the slots at first use, by whichever thread is first. */
static struct slots *
slots_get(void)
{
	struct slots *made, *there = atomic_load(&slots);

	if (there != NULL)
		return there;
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return NULL;
	if (madvise(made, sizeof(*made), MADV_WIPEONFORK) == 0 &&
	    atomic_compare_exchange_strong(&slots, &there, made))
		return made;
	munmap(made, sizeof(*made));
	return there;
}

/* Blocks signals, so that no handler runs while its thread holds the lock. */
static void
lock(struct slots *sl, sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	pthread_mutex_lock(&sl->sl_lock);
}

static void
unlock(struct slots *sl, const sigset_t *before)
{
	pthread_mutex_unlock(&sl->sl_lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void
stop(struct dtkcov_slot *ks)
{
	atomic_store(&ks->dks_max[KCOV_MODE_TRACE_PC], 0);
	atomic_store(&ks->dks_max[KCOV_MODE_TRACE_CMP], 0);
}

/* The caller holds the lock and owns the slot, outside of a callback. */
static void
release(struct dtkcov_slot *ks)
{
	stop(ks);
	if (ks->dks_buf != NULL)
		munmap((void *)ks->dks_buf, ks->dks_nbytes);
	ks->dks_buf = NULL;
	atomic_store(&ks->dks_owner, NULL);
	ks->dks_handle = 0;
}

static int
is_recording(const struct dtkcov_slot *ks)
{
	return atomic_load(&ks->dks_max[KCOV_MODE_TRACE_PC]) != 0 ||
	    atomic_load(&ks->dks_max[KCOV_MODE_TRACE_CMP]) != 0;
}

/*
 * Returns the caller's slot, or NULL.  Another thread may have ended its
 * recording, but only the caller releases the slot.  After fork(2) the slot
 * may belong to another thread.
 */
static struct dtkcov_slot *
find_mine(void)
{
	struct dtkcov_slot *ks = dtkcov_mine;

	if (ks == DTKCOV_NEW || ks == DTKCOV_OFF ||
	    atomic_load(&ks->dks_owner) != &dtkcov_mine)
		return NULL;
	return ks;
}

static struct dtkcov_slot *
find_free(struct slots *sl)
{
	int i;

	for (i = 0; i < NSLOTS; i++)
		if (atomic_load(&sl->sl_slot[i].dks_owner) == NULL)
			return &sl->sl_slot[i];
	return NULL;
}

/*
 * Returns whether fd is memory of kcov: a file that cannot be shortened (which
 * would cause SIGBUS in the program), or a BPF map, which cannot be mapped
 * beyond its size.  A descriptor number from the environment may refer to
 * another file by now.
 */
static int
is_memory(int fd, size_t nbytes)
{
	struct stat st;
	int seals;

	if (fstat(fd, &st) != 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return (st.st_mode & S_IFMT) == 0; /* not a file */
	seals = fcntl(fd, F_GET_SEALS);
	return seals != -1 && (seals & F_SEAL_SHRINK) != 0 &&
	    (uint64_t)st.st_size >= nbytes;
}

/* Maps the memory.  Returns MAP_FAILED and errno like mmap(2). */
static void *
map(int fd, size_t nbytes)
{
	void *buf;

	if (!is_memory(fd, nbytes)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	buf = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (buf != MAP_FAILED)
		madvise(buf, nbytes, MADV_DONTFORK);
	return buf;
}

/* Returns a new handle, not 0, for a slot. */
static int
handle_new(ptrdiff_t slot)
{
	unsigned int n = atomic_fetch_add(&nbegun, 1) + 1;

	return (int)((n * NSLOTS + (unsigned int)slot) & INT_MAX);
}

/*
 * Begins recording; with the lock held.  Returns a handle or a negative errno.
 */
static int
begin(struct slots *sl, int fd, size_t nentries, int mode)
{
	size_t nbytes = nentries * KCOV_ENTRY_SIZE;
	struct dtkcov_slot *ks = find_mine();
	void *buf;

	if (ks != NULL && is_recording(ks))
		return -EBUSY;
	if (ks != NULL) {
		dtkcov_mine = DTKCOV_OFF;
		release(ks);
	}
	if ((ks = find_free(sl)) == NULL)
		return -EAGAIN;
	if ((buf = map(fd, nbytes)) == MAP_FAILED)
		return -errno;
	atomic_store(&ks->dks_owner, &dtkcov_mine);
	ks->dks_buf = buf;
	ks->dks_nbytes = nbytes;
	ks->dks_handle = handle_new(ks - sl->sl_slot);
	ks->dks_wait = 0;
	atomic_store(&ks->dks_max[mode],
	    (nentries - 1) / (mode == KCOV_MODE_TRACE_CMP ? 4 : 1));
	dtkcov_mine = ks;
	return ks->dks_handle;
}

int
dtkcov_begin_keeps(int fd, size_t nentries, int mode)
{
	struct slots *sl;
	sigset_t before;
	int handle;

	if ((mode != KCOV_MODE_TRACE_PC && mode != KCOV_MODE_TRACE_CMP) ||
	    nentries == 0 || nentries > KCOV_BUF_MAX) {
		errno = EINVAL;
		return -1;
	}
	if ((sl = slots_get()) == NULL)
		return -1;
	lock(sl, &before);
	handle = begin(sl, fd, nentries, mode);
	unlock(sl, &before);
	if (handle >= 0)
		return handle;
	errno = -handle;
	return -1;
}

int
dtkcov_begin(int fd, size_t nentries, int mode)
{
	int handle = dtkcov_begin_keeps(fd, nentries, mode);

	/* the destructor runs for any value but NULL */
	if (handle >= 0 && has_at_exit &&
	    pthread_setspecific(at_exit, (const void *)&dtkcov_mine) != 0) {
		dtkcov_end(handle);
		errno = ENOMEM;
		return -1;
	}
	return handle;
}

/*
 * The slot of another thread is not released here, because that thread may be
 * writing a record.  It is released at that thread's next begin, or its exit.
 */
void
dtkcov_end(int handle)
{
	struct slots *sl = atomic_load(&slots);
	struct dtkcov_slot *ks;
	sigset_t before;

	if (sl == NULL || handle < 0)
		return;
	lock(sl, &before);
	ks = &sl->sl_slot[handle % NSLOTS];
	if (atomic_load(&ks->dks_owner) != NULL && ks->dks_handle == handle) {
		stop(ks);
		if (ks == find_mine()) {
			dtkcov_mine = DTKCOV_OFF;
			release(ks);
		}
	}
	unlock(sl, &before);
}

/* Releases the slot of an exiting thread. */
static void
thread_exit(void *arg)
{
	struct slots *sl = atomic_load(&slots);
	struct dtkcov_slot *ks = find_mine();
	sigset_t before;

	(void)arg;
	dtkcov_mine = DTKCOV_OFF;
	if (ks == NULL)
		return;
	lock(sl, &before);
	release(ks);
	unlock(sl, &before);
}

void
dtkcov_slot_start(void)
{
	has_at_exit = pthread_key_create(&at_exit, thread_exit) == 0;
}

void
dtkcov_slot_stop(void)
{
	if (has_at_exit)
		pthread_key_delete(at_exit);
	has_at_exit = 0;
}
