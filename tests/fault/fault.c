/* SPDX-License-Identifier: ISC */
/*
 * LD_PRELOADed into a daemon: makes the n-th call of a kind fail, as requested
 * in memory (fault.h) that the program which started the daemon has mapped,
 * too.  Calls are counted over all threads.  Other calls go to the original
 * functions.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <linux/bpf.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/fault.h"

static struct fault *fault;	       /* NULL: never */
static uintptr_t text_start, text_end; /* of the program itself */

/* Returns the function that ours replaces. */
#define NEXT(name) \
	static __typeof__(name) *next; \
	if (next == NULL) \
	next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* Returns whether this call must fail, with errno set. */
static int
fails(enum fault_kind kind)
{
	struct fault *fa = fault;
	int64_t n;

	if (fa == NULL ||
	    __atomic_load_n(&fa->fa_kind, __ATOMIC_ACQUIRE) != (uint32_t)kind)
		return 0;
	n = __atomic_sub_fetch(&fa->fa_countdown, 1, __ATOMIC_SEQ_CST);
	if (n > 0 || -n >= fa->fa_width)
		return 0;
	__atomic_add_fetch(&fa->fa_hits, 1, __ATOMIC_SEQ_CST);
	while (fa->fa_errno == FAULT_HANG)
		pause();
	errno = fa->fa_errno;
	return 1;
}

/* Finds the program's own text, by the first executable line of its maps. */
static void
find_text(void)
{
	char line[512], mode[8], path[256], self[256];
	unsigned long start, end;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *f = fopen("/proc/self/maps", "re");

	if (f == NULL || n == -1)
		abort();
	self[n] = '\0';
	while (text_start == 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &start, &end,
			mode, path) == 4 &&
		    mode[2] == 'x' && strcmp(path, self) == 0) {
			text_start = start;
			text_end = end;
		}
	fclose(f);
}

__attribute__((constructor)) static void
fault_init(void)
{
	const char *path = getenv("DT_FAULT");
	void *p;
	int fd;

	if (path == NULL)
		return;
	find_text();
	fd = open(path, O_RDWR | O_CLOEXEC);
	p = fd == -1 ? MAP_FAILED
		     : mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		abort();
	close(fd);
	fault = p;
}

/* Returns whether a call loads a program that is not one of libbpf's tests. */
static int
is_load(const long a[6])
{
	const union bpf_attr *attr = (const void *)a[1];

	return a[0] == BPF_PROG_LOAD && attr->insn_cnt > 100;
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
	if ((nr == SYS_bpf && fails(FAULT_BPF)) ||
	    (nr == SYS_bpf && is_load(a) && fails(FAULT_PROG)) ||
	    (nr == SYS_perf_event_open && fails(FAULT_PERF)))
		return -1;
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	NEXT(mmap);
	if (fails(FAULT_MMAP))
		return MAP_FAILED;
	return next(addr, len, prot, flags, fd, off);
}

int
epoll_ctl(int epfd, int op, int fd, struct epoll_event *ee)
{
	NEXT(epoll_ctl);
	/* only EPOLL_CTL_ADD needs memory */
	if (op == EPOLL_CTL_ADD && fails(FAULT_EPOLL_CTL))
		return -1;
	return next(epfd, op, fd, ee);
}

int
socketpair(int domain, int type, int protocol, int sv[2])
{
	NEXT(socketpair);
	if (fails(FAULT_SOCKETPAIR))
		return -1;
	return next(domain, type, protocol, sv);
}

int
accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	NEXT(accept4);
	if (fails(FAULT_ACCEPT))
		return -1;
	return next(fd, addr, len, flags);
}

ssize_t
sendmsg(int fd, const struct msghdr *msg, int flags)
{
	NEXT(sendmsg);
	if (fails(FAULT_SENDMSG))
		return -1;
	return next(fd, msg, flags);
}

int
pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *),
    void *arg)
{
	NEXT(pthread_create);
	if (fails(FAULT_THREAD))
		return errno;
	return next(t, attr, fn, arg);
}

static int
is_program(const void *caller)
{
	return (uintptr_t)caller >= text_start && (uintptr_t)caller < text_end;
}

/* The C library's own functions, without a lookup. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);

void *
malloc(size_t size)
{
	if (is_program(__builtin_return_address(0)) && fails(FAULT_ALLOC))
		return NULL;
	return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	if (is_program(__builtin_return_address(0)) && fails(FAULT_ALLOC))
		return NULL;
	return __libc_calloc(n, size);
}

FILE *
fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	if (fails(FAULT_FOPEN))
		return NULL;
	return next(path, mode);
}

int
eventfd(unsigned int n, int flags)
{
	NEXT(eventfd);
	if (fails(FAULT_FD))
		return -1;
	return next(n, flags);
}

int
timerfd_create(clockid_t clock, int flags)
{
	NEXT(timerfd_create);
	if (fails(FAULT_FD))
		return -1;
	return next(clock, flags);
}

int
signalfd(int fd, const sigset_t *set, int flags)
{
	NEXT(signalfd);
	if (fails(FAULT_FD))
		return -1;
	return next(fd, set, flags);
}

int
epoll_create1(int flags)
{
	NEXT(epoll_create1);
	if (fails(FAULT_FD))
		return -1;
	return next(flags);
}
