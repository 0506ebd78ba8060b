/* SPDX-License-Identifier: ISC */
/*
 * Implements dt/compat.h: opens the device as a descriptor, for programs that
 * use system calls and not handles.  The descriptor is the handle's data
 * socket; a table maps it to the handle.
 *
 * Every read(2) and close(2) of such a program passes through here, also in
 * signal handlers.  Other descriptors are therefore recognized without a lock:
 * an entry has its descriptor and its number of users in one word.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <dt/compat.h>
#include "lib/compat_ksyms.h"
#include "lib/compat_list.h"
#include "lib/device.h"
#include "lib/handle.h"
#include "lib/read.h"

/* This file calls the C library's functions. */
#undef open
#undef ioctl
#undef mmap
#undef read
#undef close

#define COMPAT_MAX	  128 /* the daemon's limit of sessions */

#define WORD(fd, nusers)  ((uint64_t)((uint32_t)(fd) + 1) << 32 | (nusers))
#define WORD_FD(word)	  ((int)((uint32_t)((word) >> 32) - 1)) /* or -1 */
#define WORD_NUSERS(word) ((uint32_t)(word))

struct compat {
	/*
	 * Atomic.  Upper half: descriptor + 1, or 0 after removal from the
	 * table.  Lower half: number of users; the table is one of them until
	 * removal.  The last user closes the handle.
	 */
	_Atomic uint64_t cmp_word;
	struct dt *cmp_dt; /* constant while there are users */
	struct compat_list cmp_list;
	_Atomic uint64_t cmp_nread; /* events that read() has returned */
	pthread_mutex_t cmp_reader; /* serializes dt_read() */
	atomic_bool cmp_closed;	    /* close() was called; users may remain */
	bool cmp_taken;		    /* [compat_lock] the entry is in use */
	bool cmp_forking; /* [compat_lock] the child will have it, too */
};

static struct compat compats[COMPAT_MAX];
static atomic_uint compat_ntaken; /* entries above were never used */
static pthread_mutex_t compat_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t compat_once = PTHREAD_ONCE_INIT;

/*
 * fork(2): two processes cannot share a stream that each has partly read into
 * its memory, so the child closes its descriptors.  It does not shut the
 * sockets down, which the parent still uses.  The child leaks its handles,
 * since a thread that does not exist there may hold their locks.
 *
 * kcov has no data to read, so the child keeps its descriptors, and may enable
 * a session for itself.  An exception is a session with a request in progress,
 * whose reply belongs to a thread of the parent.
 */

static bool
compat_is_kcov(const struct compat *co)
{
	return co->cmp_dt->h_device->de_read == dt_kcov_read;
}

static void
compat_before_fork(void)
{
	struct compat *co;

	pthread_mutex_lock(&compat_lock);
	for (co = compats; co < &compats[COMPAT_MAX]; co++)
		co->cmp_forking = atomic_load(&co->cmp_word) != 0 &&
		    compat_is_kcov(co) && dt_ctl_fork(&co->cmp_dt->h_ctl);
}

static void
compat_in_parent(void)
{
	struct compat *co;

	for (co = compats; co < &compats[COMPAT_MAX]; co++)
		if (co->cmp_forking)
			dt_ctl_forked(&co->cmp_dt->h_ctl, false);
	pthread_mutex_unlock(&compat_lock);
}

/* Closes this process's descriptors of a handle, which stay open in another. */
static void
compat_close_copies(struct dt *dt)
{
	int *fds[] = { &dt->h_stream.stm_fd, &dt->h_ctl.ct_fd,
		&dt->h_private.ch_pidfd };
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] != -1)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* Only the thread that called fork(2) exists, and uses no entry. */
static void
compat_inherit(struct compat *co)
{
	struct dt *dt = co->cmp_dt;

	dt_ctl_forked(&dt->h_ctl, true);
	dt_kcov_init(&dt->h_kcov);
	dt_errtext_init(&dt->h_err);
	pthread_mutex_init(&co->cmp_reader, NULL);
	atomic_store(&co->cmp_word, WORD(dt_fd(dt), 1));
}

static void
compat_in_child(void)
{
	struct compat *co;

	for (co = compats; co < &compats[COMPAT_MAX]; co++) {
		if (co->cmp_forking) {
			compat_inherit(co);
			continue;
		}
		if (atomic_exchange(&co->cmp_word, 0) != 0)
			compat_close_copies(co->cmp_dt);
		co->cmp_taken = false;
	}
	pthread_mutex_unlock(&compat_lock);
}

static void
compat_init(void)
{
	pthread_atfork(compat_before_fork, compat_in_parent, compat_in_child);
}

/* Entries */

/* Returns a free entry, which the caller then owns, or NULL. */
static struct compat *
compat_take(void)
{
	unsigned int i;

	pthread_mutex_lock(&compat_lock);
	for (i = 0; i < COMPAT_MAX && compats[i].cmp_taken; i++)
		continue;
	if (i < COMPAT_MAX) {
		compats[i].cmp_taken = true;
		if (i >= atomic_load(&compat_ntaken))
			atomic_store(&compat_ntaken, i + 1);
	}
	pthread_mutex_unlock(&compat_lock);
	return i < COMPAT_MAX ? &compats[i] : NULL;
}

static void
compat_giveback(struct compat *co)
{
	pthread_mutex_lock(&compat_lock);
	co->cmp_taken = false;
	pthread_mutex_unlock(&compat_lock);
}

/*
 * Adds a user to the entry of a descriptor and returns it; NULL: not a device.
 */
static struct compat *
compat_get(int fd)
{
	struct compat *co, *end = &compats[atomic_load(&compat_ntaken)];
	uint64_t word;

	for (co = compats; fd >= 0 && co < end; co++) {
		word = atomic_load(&co->cmp_word);
		while (WORD_FD(word) == fd)
			if (atomic_compare_exchange_weak(&co->cmp_word, &word,
				word + 1))
				return co;
	}
	return NULL;
}

/* Removes n users.  Preserves errno. */
static void
compat_put(struct compat *co, uint32_t n)
{
	int error = errno;

	if (WORD_NUSERS(atomic_fetch_sub(&co->cmp_word, n)) != n)
		return;
	if (co->cmp_dt->h_ctl.ct_shared)
		compat_close_copies(co->cmp_dt);
	dt_close(co->cmp_dt);
	dt_compat_list_free(&co->cmp_list);
	pthread_mutex_destroy(&co->cmp_reader);
	compat_giveback(co);
	errno = error;
}

/*
 * Replaces the socket by a descriptor that every system call refuses with
 * EBADF, for threads that still use it after close().  If no descriptor is
 * available, such threads read end of file.
 */
static void
compat_numb(int fd)
{
	int path = open("/", O_PATH | O_CLOEXEC);

	if (path == -1)
		return;
	dup3(path, fd, O_CLOEXEC);
	close(path);
}

/* Removes the descriptor from the table; the caller is a user of the entry. */
static void
compat_forget(struct compat *co)
{
	atomic_fetch_and(&co->cmp_word, UINT32_MAX);
	compat_put(co, 1);
}

/* Replacements of the C library's functions */

static int
compat_device(const struct dt_device *de, int flags)
{
	struct compat *co;
	struct dt *dt;
	int fd;

	pthread_once(&compat_once, compat_init);
	if ((co = compat_take()) == NULL) {
		errno = EMFILE;
		return -1;
	}
	if ((dt = dt_open(de->de_path, 0)) == NULL) {
		compat_giveback(co);
		return -1;
	}
	fd = dt_fd(dt);
	if (flags & O_NONBLOCK)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	co->cmp_dt = dt;
	atomic_store(&co->cmp_closed, false);
	atomic_store(&co->cmp_nread, 0);
	dt_compat_list_init(&co->cmp_list);
	pthread_mutex_init(&co->cmp_reader, NULL);
	atomic_store(&co->cmp_word, WORD(fd, 1));
	return fd;
}

int
dt_compat_open(const char *path, int flags, ...)
{
	const struct dt_device *de = path != NULL ? dt_device_named(path)
						  : NULL;
	mode_t mode = 0;
	va_list ap;

	if (de != NULL)
		return compat_device(de, flags);
	if (path != NULL && strcmp(path, COMPAT_KSYMS_PATH) == 0)
		return dt_compat_ksyms_open(flags);
	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return open(path, flags, mode);
}

/*
 * The daemon counts an event as read when the socket has taken it, the program
 * when read() has returned it.  Both structs begin with this counter.
 */
static int
compat_ioctl(struct compat *co, unsigned long cmd, void *arg)
{
	int r = dt_compat_list_ioctl(co->cmp_dt, &co->cmp_list, cmd, arg);

	if (r == 0 && cmd == DTIOCGSTATS)
		((struct dtioc_stat *)arg)->dtst_readevt = atomic_load(
		    &co->cmp_nread);
	else if (r == 0 && cmd == DTIOCGSTATS_V1)
		((struct dtioc_stat_v1 *)arg)->dtst_readevt = atomic_load(
		    &co->cmp_nread);
	return r;
}

int
dt_compat_ioctl(int fd, unsigned long cmd, ...)
{
	struct compat *co = compat_get(fd);
	va_list ap;
	void *arg;
	int r;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (co == NULL)
		return ioctl(fd, cmd, arg);
	/* an int argument is sign-extended */
	r = compat_ioctl(co, cmd & UINT32_MAX, arg);
	compat_put(co, 1);
	return r;
}

void *
dt_compat_mmap(void *addr, size_t nbytes, int prot, int flags, int fd,
    off_t offset)
{
	struct compat *co = flags & MAP_ANONYMOUS ? NULL : compat_get(fd);
	void *p;

	if (co == NULL)
		return mmap(addr, nbytes, prot, flags, fd, offset);
	p = dt_kcov_map(co->cmp_dt, addr, nbytes, prot, flags, offset);
	compat_put(co, 1);
	return p;
}

/* Counts the events that a read returned, and gives them the list's numbers. */
static void
compat_events(struct compat *co, struct dt_evt *evt, size_t n)
{
	atomic_fetch_add(&co->cmp_nread, n);
	dt_compat_list_events(&co->cmp_list, evt, n);
}

ssize_t
dt_compat_read(int fd, void *buf, size_t nbytes)
{
	struct compat *co = compat_get(fd);
	ssize_t n;

	if (co == NULL)
		return read(fd, buf, nbytes);
	pthread_mutex_lock(&co->cmp_reader);
	n = dt_read(co->cmp_dt, buf, nbytes,
	    fcntl(dt_fd(co->cmp_dt), F_GETFL) & O_NONBLOCK ? 0 : -1);
	if (n > 0 && co->cmp_dt->h_device->de_read == dt_evt_read)
		compat_events(co, buf, (size_t)n / sizeof(struct dt_evt));
	if (n == -1 && atomic_load(&co->cmp_closed))
		errno = EBADF;
	else if (n == -1 && errno == ETIMEDOUT)
		errno = EAGAIN;
	pthread_mutex_unlock(&co->cmp_reader);
	compat_put(co, 1);
	return n;
}

int
dt_compat_close(int fd)
{
	struct compat *co = compat_get(fd);

	if (co == NULL)
		return close(fd);
	if (atomic_exchange(&co->cmp_closed, true)) {
		compat_put(co, 1);
		errno = EBADF;
		return -1;
	}
	/* wakes a waiting read(); the last user closes */
	if (!compat_is_kcov(co))
		shutdown(fd, SHUT_RDWR);
	compat_numb(fd);
	compat_forget(co);
	compat_put(co, 1);
	return 0;
}
