/* SPDX-License-Identifier: ISC */
/*
 * Rings of perf's side-band, see symring.h.
 *
 * Order.  A fork is told on one CPU, what the child does on another.  Records
 * are taken up to a time T that was read before the rings' heads: what led to
 * one of them was told before it, so it is in its ring, and comes before.
 * The two records of one mapping are written one right behind the other; T is
 * a little in the past so that both are there.  If the second is not, reading
 * ends at the first.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "sym/symring.h"
#include "sym/symring_impl.h"

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

static int
sideband_open(unsigned int cpu, int isfile)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = !isfile,
		.comm = !isfile,
		.comm_exec = !isfile,
		.task = !isfile,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, /* as in our records */
		.watermark = 1,
		.wakeup_watermark = symring_bytes / 2,
	};
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
	return fd == -1 ? -errno : fd;
}

static void
symring_shut(struct symring *sr)
{
	if (sr->sr_page != NULL)
		munmap(sr->sr_page, symring_bytes + getpagesize());
	if (sr->sr_filefd >= 0)
		close(sr->sr_filefd);
	if (sr->sr_fd >= 0)
		close(sr->sr_fd);
	sr->sr_page = NULL;
	sr->sr_fd = sr->sr_filefd = -1;
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
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	void *p;

	p = mmap(NULL, symring_bytes + getpagesize(), PROT_READ | PROT_WRITE,
	    MAP_SHARED, sr->sr_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	sr->sr_page = p;
	if (ioctl(sr->sr_filefd, PERF_EVENT_IOC_SET_OUTPUT, sr->sr_fd) == -1 ||
	    epoll_ctl(epfd, EPOLL_CTL_ADD, sr->sr_fd, &ev) == -1)
		return errno;
	return 0;
}

static int
symring_start(struct symring *sr, unsigned int cpu)
{
	int error;

	sr->sr_filefd = -1;
	if ((sr->sr_fd = sideband_open(cpu, 0)) < 0)
		error = -sr->sr_fd;
	else if ((sr->sr_filefd = sideband_open(cpu, 1)) < 0)
		error = -sr->sr_filefd;
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
		rings[i].sr_fd = rings[i].sr_filefd = -1;
	if ((epfd = epoll_create1(EPOLL_CLOEXEC)) == -1 ||
	    (wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) == -1 ||
	    epoll_ctl(epfd, EPOLL_CTL_ADD, wakefd, &ev) == -1)
		return errno;
	return 0;
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
	int taken;

	*np = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	heap_fill(until);
	while (nheap > 0) {
		sr = heap[0];
		taken = symring_take(sr, until, &se, &sum);
		if (taken == -1) /* nor is there anything behind it */
			return sr->sr_time - 1;
		if (taken) {
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
	ssize_t n;

	(void)epoll_wait(epfd, ev, 8, msecs);
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
