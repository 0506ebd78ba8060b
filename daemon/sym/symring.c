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
<<<<<<< HEAD
=======
#include "sym/symring_impl.h"
>>>>>>> s-procs

/* All rings together, and the bounds of each. */
#define SYMRING_BYTES (16UL << 20)
#define SYMRING_MIN   (64UL << 10)
#define SYMRING_MAX   (512UL << 10)
<<<<<<< HEAD
#define SYMRING_HALF  10000000 /* ns, between the two records of a mapping */
#define SYMRING_REC   65536    /* bytes of a record: its length has 16 bits */

struct symring {
	int sr_fd;     /* -1: none */
	int sr_filefd; /* its output goes to the other's ring */
	struct perf_event_mmap_page *sr_page;
	uint64_t sr_tail, sr_head; /* what is read in this pass */
	uint64_t sr_time;	   /* of the record at the tail */
};

static struct symring *rings;
static unsigned int nrings;
static size_t ringsize;
static int epfd = -1, wakefd = -1;
static struct symring **heap; /* those that have records, by time */
static unsigned int nheap;
static struct symring_stat stat;
=======

size_t symring_bytes;
static struct symring *rings;
static unsigned int nrings;
static int epfd = -1, wakefd = -1;
static struct symring **heap; /* those that have records, by time */
static unsigned int nheap;
static struct symring_stat sum;
>>>>>>> s-procs

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
<<<<<<< HEAD
		.wakeup_watermark = ringsize / 2,
=======
		.wakeup_watermark = symring_bytes / 2,
>>>>>>> s-procs
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
<<<<<<< HEAD
		munmap(sr->sr_page, ringsize + getpagesize());
=======
		munmap(sr->sr_page, symring_bytes + getpagesize());
>>>>>>> s-procs
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

<<<<<<< HEAD
	p = mmap(NULL, ringsize + getpagesize(), PROT_READ | PROT_WRITE,
=======
	p = mmap(NULL, symring_bytes + getpagesize(), PROT_READ | PROT_WRITE,
>>>>>>> s-procs
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
<<<<<<< HEAD
	for (ringsize = SYMRING_MAX;
	     ringsize > SYMRING_MIN && ringsize * nrings > SYMRING_BYTES;)
		ringsize /= 2;
=======
	for (symring_bytes = SYMRING_MAX; symring_bytes > SYMRING_MIN &&
	     symring_bytes * nrings > SYMRING_BYTES;)
		symring_bytes /= 2;
>>>>>>> s-procs
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
<<<<<<< HEAD
	    ringsize > SYMRING_MIN) {
		ringsize /= 2;
=======
	    symring_bytes > SYMRING_MIN) {
		symring_bytes /= 2;
>>>>>>> s-procs
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

<<<<<<< HEAD
static inline char *
symring_at(const struct symring *sr, uint64_t pos)
{
	return (char *)sr->sr_page + getpagesize() + (pos & (ringsize - 1));
}

/* Bytes of the record at the tail; 0: there is none.  Records begin at a
 * multiple of eight bytes, so neither their header nor their last word is in
 * two pieces. */
static size_t
symring_size(struct symring *sr)
{
	const struct perf_event_header *hdr;

	if (sr->sr_head - sr->sr_tail < sizeof(*hdr))
		return 0;
	hdr = (void *)symring_at(sr, sr->sr_tail);
	if (hdr->size >= sizeof(*hdr) + SYMEVENT_TRAILER &&
	    hdr->size % 8 == 0 && hdr->size <= sr->sr_head - sr->sr_tail)
		return hdr->size;
	/* cannot be: what follows is not found any more */
	stat.rs_bad++;
	sr->sr_tail = sr->sr_head;
	__atomic_store_n(&sr->sr_page->data_tail, sr->sr_tail,
	    __ATOMIC_RELEASE);
	return 0;
}

/* Whether there is a record up to a time. */
static int
symring_peek(struct symring *sr, uint64_t until)
{
	size_t nbytes = symring_size(sr);

	if (nbytes == 0)
		return 0;
	memcpy(&sr->sr_time, symring_at(sr, sr->sr_tail + nbytes - 8), 8);
	return sr->sr_time <= until;
}

/* The record at the tail; its path stays until two more have been read. */
static int
symring_next(struct symring *sr, struct symevent *se)
{
	static char copies[2][SYMRING_REC];
	static unsigned int turn;
	size_t nbytes = symring_size(sr);
	size_t tail = sr->sr_tail & (ringsize - 1), first = ringsize - tail;
	const char *rec = symring_at(sr, sr->sr_tail);
	char *copy;

	if (first < nbytes) {
		copy = copies[turn++ % 2];
		memcpy(copy, rec, first);
		memcpy(copy + first, symring_at(sr, 0), nbytes - first);
		rec = copy;
	}
	sr->sr_tail += nbytes;
	stat.rs_records++;
	if (symevent_parse(rec, nbytes, se) == 0)
		return 1;
	stat.rs_bad++;
	return 0;
}

/* Puts what the two records of one mapping tell into the first. */
static int
symring_join(struct symevent *a, const struct symevent *b)
{
	if (b->se_type != SYMEVENT_MMAP || a->se_pid != b->se_pid ||
	    a->se_tid != b->se_tid || a->se_start != b->se_start ||
	    a->se_end != b->se_end || a->se_off != b->se_off)
		return 0;
	if (a->se_id.si_buildidlen == 0) {
		a->se_id.si_buildidlen = b->se_id.si_buildidlen;
		memcpy(a->se_id.si_buildid, b->se_id.si_buildid,
		    sizeof(a->se_id.si_buildid));
	}
	if (b->se_id.si_buildidlen == 0) {
		a->se_id.si_dev = b->se_id.si_dev;
		a->se_id.si_ino = b->se_id.si_ino;
		a->se_id.si_gen = b->se_id.si_gen;
	}
	return 1;
}

/* The next event: 0, it is not one; -1: its other half is not there yet. */
static int
symring_take(struct symring *sr, uint64_t until, struct symevent *se)
{
	struct symevent other;
	uint64_t tail = sr->sr_tail;

	if (!symring_next(sr, se))
		return 0;
	if (se->se_type != SYMEVENT_MMAP)
		return 1;
	if (symring_size(sr) == 0) {
		if (se->se_time + SYMRING_HALF < until)
			return 1; /* it was lost */
		sr->sr_tail = tail;
		stat.rs_records--;
		return -1;
	}
	tail = sr->sr_tail;
	if (!symring_next(sr, &other) || !symring_join(se, &other)) {
		sr->sr_tail = tail;
		stat.rs_records--;
	}
	return 1;
}

=======
>>>>>>> s-procs
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
<<<<<<< HEAD
		if (symring_peek(sr, until))
=======
		if (symring_peek(sr, until, &sum))
>>>>>>> s-procs
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
<<<<<<< HEAD
		taken = symring_take(sr, until, &se);
=======
		taken = symring_take(sr, until, &se, &sum);
>>>>>>> s-procs
		if (taken == -1) /* nor is there anything behind it */
			return sr->sr_time - 1;
		if (taken) {
			fn(&se);
			++*np;
		}
		__atomic_store_n(&sr->sr_page->data_tail, sr->sr_tail,
		    __ATOMIC_RELEASE);
<<<<<<< HEAD
		if (!symring_peek(sr, until))
=======
		if (!symring_peek(sr, until, &sum))
>>>>>>> s-procs
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
<<<<<<< HEAD
	*rs = stat;
=======
	*rs = sum;
>>>>>>> s-procs
}
