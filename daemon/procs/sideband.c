/* SPDX-License-Identifier: ISC */
/*
 * Reads the rings of perf's side-band in order of time.
 *
 * A fork is recorded on one CPU, the child's first actions on another.  Records
 * are read up to a time T that was taken before the rings' heads: the record of
 * a cause is older than its effect, so it is in its ring and read first.  A
 * record enters the ring shortly after its time, so T is slightly in the past.
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
#include "daemon/base/cpus.h"
#include "daemon/perf/perf_event.h"
#include "daemon/procs/sideband.h"

/* All rings together, and the bounds of each. */
#define SIDEBAND_BYTES	(16UL << 20)
#define SIDEBAND_MIN	(64UL << 10)
#define SIDEBAND_MAX	(512UL << 10)

#define SIDEBAND_RECMAX 65536 /* bytes of a record: its length has 16 bits */
/* Space that is enough for any record of the kernel, whose paths are shorter. */
#define SIDEBAND_ROOM 8192

struct sideband_ring {
	int sbr_fd; /* -1: none */
	struct perf_event_mmap_page *sbr_page;
	uint64_t sbr_tail, sbr_head; /* range read in this pass */
	uint64_t sbr_time;	     /* of the record at the tail */
};

static size_t sideband_bytes; /* of the data of each, a power of two */
static struct sideband_ring *rings;
static unsigned int nrings;
static int epfd = -1, wakefd = -1;
static struct sideband_ring **heap; /* rings with records, by time */
static unsigned int nheap;
static uint64_t nrecords, nbad;

static void
sideband_shut(struct sideband_ring *sbr)
{
	if (sbr->sbr_page != NULL)
		munmap(sbr->sbr_page, sideband_bytes + getpagesize());
	if (sbr->sbr_fd >= 0)
		close(sbr->sbr_fd);
	sbr->sbr_page = NULL;
	sbr->sbr_fd = -1;
}

static void
sideband_shutall(void)
{
	unsigned int i;

	for (i = 0; i < nrings; i++)
		sideband_shut(&rings[i]);
}

static int
sideband_map(struct sideband_ring *sbr)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET,
		.data.fd = sbr->sbr_fd };
	void *p;

	p = mmap(NULL, sideband_bytes + getpagesize(), PROT_READ | PROT_WRITE,
	    MAP_SHARED, sbr->sbr_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	sbr->sbr_page = p;
	return epoll_ctl(epfd, EPOLL_CTL_ADD, sbr->sbr_fd, &ev) == -1 ? errno
								      : 0;
}

static int
sideband_start(struct sideband_ring *sbr, unsigned int cpu)
{
	int error;

	if ((sbr->sbr_fd = perf_event_sideband(cpu)) < 0)
		error = -sbr->sbr_fd;
	else
		error = sideband_map(sbr);
	if (error != 0)
		sideband_shut(sbr);
	return error;
}

static int
sideband_init(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	unsigned int i;

	nrings = cpus_end();
	for (sideband_bytes = SIDEBAND_MAX; sideband_bytes > SIDEBAND_MIN &&
	     sideband_bytes * nrings > SIDEBAND_BYTES;)
		sideband_bytes /= 2;
	rings = calloc(nrings, sizeof(*rings));
	heap = calloc(nrings, sizeof(struct sideband_ring *));
	if (rings == NULL || heap == NULL)
		return ENOMEM;
	for (i = 0; i < nrings; i++)
		rings[i].sbr_fd = -1;
	if ((epfd = epoll_create1(EPOLL_CLOEXEC)) == -1 ||
	    (wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) == -1)
		return errno;
	ev.data.fd = wakefd;
	return epoll_ctl(epfd, EPOLL_CTL_ADD, wakefd, &ev) == -1 ? errno : 0;
}

static int
sideband_startall(void)
{
	unsigned int i, n = 0;
	int error;

	for (i = 0; i < nrings; i++) {
		if ((error = sideband_start(&rings[i], i)) == 0)
			n++;
		else if (error != ENODEV) /* it is offline */
			return error;
	}
	return n > 0 ? 0 : ENODEV;
}

int
sideband_open(void)
{
	int error;

	error = sideband_init();
	/* without CAP_IPC_LOCK, memory is limited (perf_event_mlock_kb) */
	while (error == 0 && (error = sideband_startall()) == EPERM &&
	    sideband_bytes > SIDEBAND_MIN) {
		sideband_bytes /= 2;
		sideband_shutall();
		error = 0;
	}
	if (error != 0)
		sideband_close();
	return error;
}

void
sideband_close(void)
{
	if (rings != NULL)
		sideband_shutall();
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
 * The event of a CPU that went offline is not restored with it, so a new one is
 * opened.  If that fails, the CPU is offline; its ring may still have records.
 */
int
sideband_cpu(unsigned int cpu)
{
	struct sideband_ring sbr = { .sbr_fd = -1 };

	if (cpu >= nrings || sideband_start(&sbr, cpu) != 0)
		return 0;
	sideband_shut(&rings[cpu]);
	rings[cpu] = sbr;
	return 1;
}

/*
 * Records
 */

static char *
sideband_at(const struct sideband_ring *sbr, uint64_t pos)
{
	return (char *)sbr->sbr_page + getpagesize() +
	    (pos & (sideband_bytes - 1));
}

/*
 * Returns the bytes of the record at the tail; 0: there is none.  Records begin
 * at a multiple of eight bytes, so their header and their last word are each in
 * one piece.
 */
static size_t
sideband_size(struct sideband_ring *sbr)
{
	const struct perf_event_header *hdr;

	if (sbr->sbr_head - sbr->sbr_tail < sizeof(*hdr))
		return 0;
	hdr = (void *)sideband_at(sbr, sbr->sbr_tail);
	if (hdr->size >= sizeof(*hdr) + SIDEBAND_TRAILER &&
	    hdr->size % 8 == 0 && hdr->size <= sbr->sbr_head - sbr->sbr_tail)
		return hdr->size;
	/* an impossible length: later records cannot be found */
	nbad++;
	sbr->sbr_tail = sbr->sbr_head;
	__atomic_store_n(&sbr->sbr_page->data_tail, sbr->sbr_tail,
	    __ATOMIC_RELEASE);
	return 0;
}

/* Returns whether there is a record up to a time. */
static int
sideband_peek(struct sideband_ring *sbr, uint64_t until)
{
	size_t nbytes = sideband_size(sbr);

	if (nbytes == 0)
		return 0;
	memcpy(&sbr->sbr_time, sideband_at(sbr, sbr->sbr_tail + nbytes - 8), 8);
	return sbr->sbr_time <= until;
}

/* Takes the record at the tail if it is valid; its path stays until the next. */
static int
sideband_take(struct sideband_ring *sbr, struct sideband_event *se)
{
	static char copy[SIDEBAND_RECMAX]; /* of a record in two pieces */
	size_t nbytes = sideband_size(sbr);
	size_t tail = sbr->sbr_tail & (sideband_bytes - 1),
	       first = sideband_bytes - tail;
	const char *rec = sideband_at(sbr, sbr->sbr_tail);

	if (first < nbytes) {
		memcpy(copy, rec, first);
		memcpy(copy + first, sideband_at(sbr, 0), nbytes - first);
		rec = copy;
	}
	sbr->sbr_tail += nbytes;
	nrecords++;
	if (sideband_event_parse(rec, nbytes, se) == 0)
		return 1;
	nbad++;
	return 0;
}

static void
heap_down(unsigned int i)
{
	struct sideband_ring *sbr = heap[i];
	unsigned int child;

	for (; (child = 2 * i + 1) < nheap; i = child) {
		if (child + 1 < nheap &&
		    heap[child + 1]->sbr_time < heap[child]->sbr_time)
			child++;
		if (sbr->sbr_time <= heap[child]->sbr_time)
			break;
		heap[i] = heap[child];
	}
	heap[i] = sbr;
}

/*
 * Prepares the rings to be read.  Returns whether one was full, so that records
 * may have been lost: the kernel reports that only with its next record.
 */
static int
heap_fill(uint64_t until)
{
	struct sideband_ring *sbr;
	unsigned int i;
	int isfull = 0;

	nheap = 0;
	for (i = 0; i < nrings; i++) {
		sbr = &rings[i];
		if (sbr->sbr_page == NULL)
			continue;
		sbr->sbr_head = __atomic_load_n(&sbr->sbr_page->data_head,
		    __ATOMIC_ACQUIRE);
		sbr->sbr_tail = sbr->sbr_page->data_tail;
		isfull |= sbr->sbr_head - sbr->sbr_tail + SIDEBAND_ROOM >
		    sideband_bytes;
		if (sideband_peek(sbr, until))
			heap[nheap++] = sbr;
	}
	for (i = nheap / 2; i-- > 0;)
		heap_down(i);
	return isfull;
}

uint64_t
sideband_read(void (*fn)(const struct sideband_event *), size_t *np)
{
	uint64_t until = clock_monotonic() - SIDEBAND_LAG;
	struct sideband_event se, full = { .se_type = SIDEBAND_LOST };
	struct sideband_ring *sbr;

	*np = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (heap_fill(until)) {
		full.se_time = clock_monotonic();
		fn(&full);
	}
	while (nheap > 0) {
		sbr = heap[0];
		if (sideband_take(sbr, &se)) {
			fn(&se);
			++*np;
		}
		__atomic_store_n(&sbr->sbr_page->data_tail, sbr->sbr_tail,
		    __ATOMIC_RELEASE);
		if (!sideband_peek(sbr, until))
			heap[0] = heap[--nheap];
		if (nheap > 0)
			heap_down(0);
	}
	return until;
}

void
sideband_wait(int msecs)
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
sideband_wake(void)
{
	uint64_t one = 1;
	ssize_t n;

	n = write(wakefd, &one, sizeof(one));
	(void)n;
}

void
sideband_stat(uint64_t *records, uint64_t *bad)
{
	*records = nrecords;
	*bad = nbad;
}
