/* SPDX-License-Identifier: ISC */
/*
 * LD_PRELOADed into a daemon: makes a call of its inspectors hang, as requested
 * in memory (hang.h) that the program which started the daemon has mapped, too:
 * the first call of a call site in the program's text.  A call site is known
 * after its first call, so a first run without a hang finds all of them.  Also
 * counts dtd's own requests to /proc about other processes, of which there must
 * be none.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/hang.h"

static struct hang *hang;

#define NEXT(name) \
	static __typeof__(name) *next; \
	if (next == NULL) \
	next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void
hang_init(void)
{
	const char *path = getenv("DT_HANG");
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	hang = mmap(NULL, sizeof(*hang), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	if (hang == MAP_FAILED)
		abort();
	close(fd);
}

static int
is_inspector(void)
{
	char name[16] = "";

	(void)prctl(PR_GET_NAME, name, 0, 0, 0);
	return strcmp(name, "dtd-inspector") == 0;
}

/*
 * Under the lock: returns the number of a call site, from 1; 0: the table is
 * full.
 */
static uint32_t
site_find(const char *call, uint64_t offset)
{
	struct hang_site *hs;
	uint32_t i;

	for (i = 0; i < hang->ha_nsites; i++)
		if (hang->ha_sites[i].hs_offset == offset)
			return i + 1;
	if (i == HANG_NSITES)
		return 0;
	hs = &hang->ha_sites[hang->ha_nsites++];
	strncpy(hs->hs_call, call, sizeof(hs->hs_call) - 1);
	hs->hs_offset = offset;
	return i + 1;
}

/* Returns whether this call is the one that hangs. */
static int
is_hit(const char *call, const void *caller)
{
	Dl_info info;
	uint32_t site;
	int hit;

	if (dladdr(caller, &info) == 0)
		return 0;
	while (__atomic_exchange_n(&hang->ha_lock, 1, __ATOMIC_ACQUIRE))
		;
	site = site_find(call, (uintptr_t)caller - (uintptr_t)info.dli_fbase);
	if (site != 0)
		hang->ha_sites[site - 1].hs_ncalls++;
	hit = site != 0 && site == hang->ha_site && !hang->ha_hung;
	if (hit)
		hang->ha_hung = 1;
	__atomic_store_n(&hang->ha_lock, 0, __ATOMIC_RELEASE);
	return hit;
}

/* All signals are blocked in an inspector; only its end ends this. */
static void
maybe(const char *call, const void *caller)
{
	if (hang != NULL && is_inspector() && is_hit(call, caller))
		for (;;)
			pause();
}

/*
 * Returns whether the path is below /proc and of another process than dtd.  dtd
 * reads the states of its inspectors, and how long its symbolizers waited for a
 * CPU.
 */
static int
is_foreign(const char *path)
{
	const char *end = path != NULL ? strrchr(path, '/') : NULL;

	return end != NULL && strcmp(end, "/stat") != 0 &&
	    strcmp(end, "/schedstat") != 0 && strncmp(path, "/proc/", 6) == 0 &&
	    isdigit((unsigned char)path[6]) && atoi(path + 6) != getpid();
}

static void
watch(const char *path)
{
	if (hang == NULL || !is_foreign(path) || is_inspector())
		return;
	if (__atomic_fetch_add(&hang->ha_nforeign, 1, __ATOMIC_SEQ_CST) == 0)
		strncpy(hang->ha_foreign, path, sizeof(hang->ha_foreign) - 1);
}

#define MAYBE(name) maybe(#name, __builtin_return_address(0))

static mode_t
mode_of(int flags, va_list ap)
{
	return flags & O_CREAT ? va_arg(ap, mode_t) : 0;
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	NEXT(open);

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	watch(path);
	MAYBE(open);
	return next(path, flags, mode);
}

int
openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	NEXT(openat);

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	watch(path);
	MAYBE(openat);
	return next(dir, path, flags, mode);
}

long
syscall(long nr, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list ap;
	int i;

	if (next == NULL)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_openat2) {
		watch((const char *)a[1]);
		maybe("openat2", __builtin_return_address(0));
	}
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int
close(int fd)
{
	NEXT(close);
	MAYBE(close);
	return next(fd);
}

ssize_t
read(int fd, void *buf, size_t n)
{
	NEXT(read);
	MAYBE(read);
	return next(fd, buf, n);
}

ssize_t
pread(int fd, void *buf, size_t n, off_t off)
{
	NEXT(pread);
	MAYBE(pread);
	return next(fd, buf, n, off);
}

ssize_t
readlink(const char *path, char *buf, size_t n)
{
	NEXT(readlink);
	watch(path);
	MAYBE(readlink);
	return next(path, buf, n);
}

int
access(const char *path, int mode)
{
	NEXT(access);
	watch(path);
	MAYBE(access);
	return next(path, mode);
}

int
stat(const char *path, struct stat *st)
{
	NEXT(stat);
	watch(path);
	MAYBE(stat);
	return next(path, st);
}

int
fstat(int fd, struct stat *st)
{
	NEXT(fstat);
	MAYBE(fstat);
	return next(fd, st);
}

int
statx(int dir, const char *path, int flags, unsigned int mask, struct statx *sx)
{
	NEXT(statx);
	MAYBE(statx);
	return next(dir, path, flags, mask, sx);
}

int
fstatfs(int fd, struct statfs *sf)
{
	NEXT(fstatfs);
	MAYBE(fstatfs);
	return next(fd, sf);
}

int
ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	NEXT(ioctl);

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	MAYBE(ioctl);
	return next(fd, request, arg);
}

ssize_t
getxattr(const char *path, const char *name, void *value, size_t n)
{
	NEXT(getxattr);
	watch(path);
	MAYBE(getxattr);
	return next(path, name, value, n);
}

ssize_t
fgetxattr(int fd, const char *name, void *value, size_t n)
{
	NEXT(fgetxattr);
	MAYBE(fgetxattr);
	return next(fd, name, value, n);
}

DIR *
opendir(const char *path)
{
	NEXT(opendir);
	watch(path);
	MAYBE(opendir);
	return next(path);
}

struct dirent *
readdir(DIR *dir)
{
	NEXT(readdir);
	MAYBE(readdir);
	return next(dir);
}
