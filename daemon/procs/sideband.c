/* SPDX-License-Identifier: ISC */
/*
 * Rings of perf's side-band, see sideband.h.
 *
 * Order.  A fork is told on one CPU, what the child does on another.  Records
 * are taken up to a time T that was read before the rings' heads: what led to
 * one of them was told before it, so it is in its ring, and comes before.  A
 * record has its time a moment before it is in the ring, so T is a little in
 * the past.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/perf/perf_event.h"
#include "daemon/procs/sideband.h"
#include "daemon/procs/sideband_impl.h"

/* All rings together, and the bounds of each. */
#define SYMRING_BYTES (16UL << 20)
#define SYMRING_MIN   (64UL << 10)
#define SYMRING_MAX   (512UL << 10)

size_t symring_bytes;
static struct symring *rings;
static unsigned int nrings;
static int epfd = -1, wakefd = -1;
static struct symring **heap; /* those that have records, by time */
static unsigned int nheap;
static struct symring_stat sum;

static void
symring_shut(struct symring *sr)
{
	if (sr->sr_page != NULL)
		munmap(sr->sr_page, symring_bytes + getpagesize());
	if (sr->sr_fd >= 0)
		close(sr->sr_fd);
	sr->sr_page = NULL;
	sr->sr_fd = -1;
}

static void
symring_shutall(void)
{
	unsigned int i;

	for (i = 0; i < nrings; i++)
		symring_shut(&rings[i]);
}

static int
symring_map(struct symring *sr)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET,
		.data.fd = sr->sr_fd };
	void *p;

	p = mmap(NULL, symring_bytes + getpagesize(), PROT_READ | PROT_WRITE,
	    MAP_SHARED, sr->sr_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	sr->sr_page = p;
	return epoll_ctl(epfd, EPOLL_CTL_ADD, sr->sr_fd, &ev) == -1 ? errno : 0;
}

static int
symring_start(struct symring *sr, unsigned int cpu)
{
	int error;

	if ((sr->sr_fd = perf_event_sideband(cpu)) < 0)
		error = -sr->sr_fd;
	else
		error = symring_map(sr);
	if (error != 0)
		symring_shut(sr);
	return error;
}

static int
symring_init(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	unsigned int i;

	nrings = sysconf(_SC_NPROCESSORS_CONF);
	for (symring_bytes = SYMRING_MAX; symring_bytes > SYMRING_MIN &&
	     symring_bytes * nrings > SYMRING_BYTES;)
		symring_bytes /= 2;
	rings = calloc(nrings, sizeof(*rings));
	heap = calloc(nrings, sizeof(struct symring *));
	if (rings == NULL || heap == NULL)
		return ENOMEM;
	for (i = 0; i < nrings; i++)
		rings[i].sr_fd = -1;
	if ((epfd = epoll_create1(EPOLL_CLOEXEC)) == -1 ||
	    (wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) == -1)
		return errno;
	ev.data.fd = wakefd;
	return epoll_ctl(epfd, EPOLL_CTL_ADD, wakefd, &ev) == -1 ? errno : 0;
}

static int
symring_startall(void)
{
	unsigned int i, n = 0;
	int error;

	for (i = 0; i < nrings; i++) {
		if ((error = symring_start(&rings[i], i)) == 0)
			n++;
		else if (error != ENODEV) /* it is offline */
			return error;
	}
	return n > 0 ? 0 : ENODEV;
}

int
symring_open(void)
{
	int error;

	error = symring_init();
	/* without CAP_IPC_LOCK there is less room (perf_event_mlock_kb) */
	while (error == 0 && (error = symring_startall()) == EPERM &&
	    symring_bytes > SYMRING_MIN) {
		symring_bytes /= 2;
		symring_shutall();
		error = 0;
	}
	if (error != 0)
		symring_close();
	return error;
}

void
symring_close(void)
{
	if (rings != NULL)
		symring_shutall();
	free(rings);
	free(heap);
	rings = NULL;
	heap = NULL;
	nrings = nheap = 0;
	if (epfd != -1)
		close(epfd);
	if (wakefd != -1)
		close(wakefd);
	epfd = wakefd = -1;
}

/*
 * The event of a CPU that went does not come back with it.  That it cannot be
 * opened tells that the CPU went; the old ring may still have something.
 */
void
symring_cpu(unsigned int cpu)
{
	struct symring sr = { .sr_fd = -1 };

	if (cpu >= nrings || symring_start(&sr, cpu) != 0)
		return;
	symring_shut(&rings[cpu]);
	rings[cpu] = sr;
}

static void
heap_down(unsigned int i)
{
	struct symring *sr = heap[i];
	unsigned int child;

	for (; (child = 2 * i + 1) < nheap; i = child) {
		if (child + 1 < nheap &&
		    heap[child + 1]->sr_time < heap[child]->sr_time)
			child++;
		if (sr->sr_time <= heap[child]->sr_time)
			break;
		heap[i] = heap[child];
	}
	heap[i] = sr;
}

static void
heap_fill(uint64_t until)
{
	struct symring *sr;
	unsigned int i;

	nheap = 0;
	for (i = 0; i < nrings; i++) {
		sr = &rings[i];
		if (sr->sr_page == NULL)
			continue;
		sr->sr_head = __atomic_load_n(&sr->sr_page->data_head,
		    __ATOMIC_ACQUIRE);
		sr->sr_tail = sr->sr_page->data_tail;
		if (symring_peek(sr, until, &sum))
			heap[nheap++] = sr;
	}
	for (i = nheap / 2; i-- > 0;)
		heap_down(i);
}

uint64_t
symring_read(void (*fn)(const struct symevent *), size_t *np)
{
	uint64_t until = clock_monotonic() - SYMRING_LAG;
	struct symevent se;
	struct symring *sr;

	*np = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	heap_fill(until);
	while (nheap > 0) {
		sr = heap[0];
		if (symring_take(sr, &se, &sum)) {
			fn(&se);
			++*np;
		}
		__atomic_store_n(&sr->sr_page->data_tail, sr->sr_tail,
		    __ATOMIC_RELEASE);
		if (!symring_peek(sr, until, &sum))
			heap[0] = heap[--nheap];
		if (nheap > 0)
			heap_down(0);
	}
	return until;
}

void
symring_wait(int msecs)
{
	struct epoll_event ev[8];
	uint64_t v;
	ssize_t n = 0;
	int i;

	for (i = epoll_wait(epfd, ev, 8, msecs); i-- > 0;)
		if (ev[i].data.fd == wakefd)
			n = read(wakefd, &v, sizeof(v));
	(void)n;
}

void
symring_wake(void)
{
	uint64_t one = 1;
	ssize_t n;

	n = write(wakefd, &one, sizeof(one));
	(void)n;
}

void
symring_stat(struct symring_stat *rs)
{
	*rs = sum;
}
