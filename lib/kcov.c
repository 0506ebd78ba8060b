/* SPDX-License-Identifier: ISC */
/*
 * The client side of kcov: sends the calling thread's number to the daemon,
 * maps the memory, and starts recording in the runtime of an instrumented
 * program (libdtkcov.a).
 */
#include <sys/mman.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dt/kcov_runtime.h>
#include <sys/kcov.h>
#include "lib/device.h"
#include "lib/handle.h"
#include "wire/kcov.h"

/* Runtime of this process; NULL: not instrumented. */
static _Atomic(const struct dt_kcov_runtime *) kcov_runtime;

void
dt_kcov_runtime(const struct dt_kcov_runtime *runtime, int there)
{
	const struct dt_kcov_runtime *old = there ? NULL : runtime;

	atomic_compare_exchange_strong(&kcov_runtime, &old,
	    there ? runtime : NULL);
}

void
dt_kcov_init(struct dt_kcov *k)
{
	pthread_mutex_init(&k->k_lock, NULL);
	k->k_runtime = NULL;
}

/* Stops recording by the runtime for this handle.  Preserves errno. */
static void
kcov_end(struct dt_kcov *k)
{
	int error = errno;

	pthread_mutex_lock(&k->k_lock);
	if (k->k_runtime != NULL && k->k_runtime == atomic_load(&kcov_runtime))
		k->k_runtime->kr_end(k->k_record);
	k->k_runtime = NULL;
	pthread_mutex_unlock(&k->k_lock);
	errno = error;
}

void
dt_kcov_free(struct dt_kcov *k)
{
	kcov_end(k);
	pthread_mutex_destroy(&k->k_lock);
}

/* Memory */

static int
kcov_memory(struct dt *dt, uint64_t *nbytes)
{
	struct wire_mmapped wm;
	int fd;

	if (strcmp(dt->h_device->de_name, "kcov") != 0)
		return dt_fail(dt, ENODEV, "this device has no memory");
	if ((fd = dt_ctl_call_fd(dt, WIRE_MMAP, NULL, 0, &wm, sizeof(wm))) ==
	    -1)
		return -1;
	if (wm.wm_nbytes < KCOV_ENTRY_SIZE ||
	    wm.wm_nbytes > KCOV_BUF_MAX * KCOV_ENTRY_SIZE) {
		close(fd);
		return dt_ctl_nonsense(dt, "memory of an invalid size");
	}
	*nbytes = wm.wm_nbytes;
	return fd;
}

int
dt_mmap_fd(struct dt *dt, size_t *nentries)
{
	uint64_t nbytes;
	int fd = kcov_memory(dt, &nbytes);

	if (fd != -1 && nentries != NULL)
		*nentries = nbytes / KCOV_ENTRY_SIZE;
	return fd;
}

/*
 * The BSD original has pages up to the one that begins before the last entry.
 */
static int
kcov_bounds(uint64_t nbytes, size_t len, off_t offset)
{
	uint64_t page = getpagesize(), limit = nbytes - KCOV_ENTRY_SIZE, last;

	if (len == 0 || offset < 0 || offset % page != 0 || len > SIZE_MAX / 2)
		return 0;
	last = offset + (len - 1) / page * page;
	return last < limit;
}

void *
dt_kcov_map(struct dt *dt, void *addr, size_t len, int prot, int flags,
    off_t offset)
{
	uint64_t nbytes;
	int fd = kcov_memory(dt, &nbytes), error;
	void *p = MAP_FAILED;

	if (fd == -1)
		return p;
	if (!kcov_bounds(nbytes, len, offset))
		(void)dt_fail(dt, EINVAL, "outside of the memory");
	else if ((p = mmap(addr, len, prot, flags, fd, offset)) == MAP_FAILED)
		(void)dt_fail(dt, errno, "mmap: %s", strerror(errno));
	error = errno;
	close(fd);
	errno = error;
	return p;
}

void *
dt_mmap(struct dt *dt, size_t len, int prot, off_t offset)
{
	void *p = dt_kcov_map(dt, NULL, len, prot, MAP_SHARED, offset);

	return p != MAP_FAILED ? p : NULL;
}

ssize_t
dt_kcov_read(struct dt *dt, void *buf, size_t nbytes, int timeout)
{
	(void)buf;
	(void)nbytes;
	(void)timeout;
	return dt_fail(dt, ENODEV, "kcov has no data to read");
}

/*
 * The calling thread's number, kept so that KIODISABLE makes no system call that
 * would be recorded; 0: unknown.
 */

static _Thread_local pid_t kcov_self;
static pthread_once_t kcov_once = PTHREAD_ONCE_INIT;

static void
kcov_in_child(void)
{
	kcov_self = 0;
}

static void
kcov_watch_fork(void)
{
	pthread_atfork(NULL, NULL, kcov_in_child);
}

static pid_t
kcov_tid(void)
{
	pthread_once(&kcov_once, kcov_watch_fork);
	if (kcov_self == 0)
		kcov_self = gettid();
	return kcov_self;
}

/* Commands */

static int
kcov_call(struct dt *dt, unsigned long cmd, const void *req, size_t nbytes)
{
	size_t len;

	return dt_ctl_call(dt, cmd, req, nbytes, NULL, 0, &len);
}

static int
kcov_off(struct dt *dt)
{
	const struct wire_kcov_disable wd = { .wd_tid = kcov_tid() };

	return kcov_call(dt, KIODISABLE, &wd, sizeof(wd));
}

/* Starts recording of this thread by the runtime. */
static int
kcov_begin(struct dt *dt, int mode)
{
	const struct dt_kcov_runtime *runtime = atomic_load(&kcov_runtime);
	struct dt_kcov *k = &dt->h_kcov;
	int fd, record = -1, error;
	size_t nentries;

	if (runtime == NULL)
		return dt_fail(dt, EOPNOTSUPP,
		    "this program is not linked with libdtkcov.a");
	if ((fd = dt_mmap_fd(dt, &nentries)) == -1)
		return -1;
	record = runtime->kr_begin(fd, nentries, mode & ~KCOV_MODE_USER);
	error = errno;
	close(fd);
	if (record == -1)
		return dt_fail(dt, error, "libdtkcov: %s", strerror(error));
	pthread_mutex_lock(&k->k_lock);
	k->k_runtime = runtime;
	k->k_record = record;
	pthread_mutex_unlock(&k->k_lock);
	return 0;
}

/* Completes an enable that the daemon has accepted for the calling thread. */
static int
kcov_enabled(struct dt *dt, int mode)
{
	int error;

	kcov_end(&dt->h_kcov); /* of a thread that has exited */
	if ((mode & KCOV_MODE_USER) == 0 || kcov_begin(dt, mode) == 0)
		return 0;
	error = errno;
	(void)kcov_off(dt);
	errno = error;
	return -1;
}

int
dt_kcov_enable(struct dt *dt, void *arg)
{
	const struct wire_kcov_enable we = {
		.wke_mode = *(const int *)arg,
		.wke_tid = kcov_tid(),
		.wke_sock = dt->h_ctl.ct_fd + 1,
	};

	if (kcov_call(dt, KIOENABLE, &we, sizeof(we)) == -1)
		return -1;
	return kcov_enabled(dt, we.wke_mode);
}

/* Returns whether tid is a thread of this process. */
static int
is_own(int32_t tid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	return access(path, F_OK) == 0;
}

/*
 * For another thread of this process, recording in user mode is refused: only
 * that thread can reach its own records.
 */
int
dt_kcov_enablethread(struct dt *dt, void *arg)
{
	struct kio_thread *kt = arg;

	if (kt->kt_tid == kcov_tid())
		return dt_kcov_enable(dt, &kt->kt_mode);
	if (kcov_call(dt, KIOENABLETHREAD, kt, sizeof(*kt)) == -1)
		return -1;
	kcov_end(&dt->h_kcov);
	if ((kt->kt_mode & KCOV_MODE_USER) == 0 || !is_own(kt->kt_tid))
		return 0;
	(void)kcov_off(dt);
	return dt_fail(dt, EOPNOTSUPP,
	    "only the thread itself can enable this mode: use KIOENABLE");
}

int
dt_kcov_disable(struct dt *dt, void *arg)
{
	(void)arg;
	if (kcov_off(dt) == -1)
		return -1;
	kcov_end(&dt->h_kcov);
	return 0;
}
