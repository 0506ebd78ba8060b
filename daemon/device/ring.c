/* SPDX-License-Identifier: ISC */
/*
 * Creates, inserts and maps rings.  The kernel inserts a ring into the map at
 * once, but returns only after a grace period (newer kernels: one per batch).
 * Where no program used the old entry, the caller need not wait: threads make
 * the update, and the caller reads the map to see that it is done.
 *
 * libbpf's own reader delivers single records; here the data thread sends ring
 * memory unchanged, so this file maps the pages itself: the consumer's page for
 * writing, then the producer's page and the data, twice in succession, so that
 * each record is contiguous.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include <dt/evt.h>
#include "daemon/device/ring.h"
#include "daemon/device/ring_grow.h"
#include "daemon/device/stream.h"

#define RING_MIN      (64UL << 10) /* bytes of one ring */
#define RING_MAX      (4UL << 20)
#define RING_NTHREADS 16    /* threads that create and insert rings */
#define RING_PAUSE    50000 /* ns between two reads of the map */

size_t
ring_size(uint64_t budget, unsigned int ncpu)
{
	uint64_t share = budget / ncpu;
	size_t size = RING_MIN;

	while (size < RING_MAX && 2 * size <= share)
		size *= 2;
	return size;
}

static void
ring_close(struct cpuring *r)
{
	if (r->cr_fd >= 0)
		close(r->cr_fd);
	r->cr_fd = -1;
}

void
ring_unmap(struct cpuring *r)
{
	size_t page = getpagesize();

	if (r->cr_cons != NULL)
		munmap((void *)r->cr_cons, page);
	if (r->cr_prod != NULL)
		munmap((void *)r->cr_prod, page + 2 * r->cr_size);
	r->cr_cons = NULL;
	r->cr_prod = NULL;
	ring_close(r);
}

int
ring_map(struct cpuring *r, size_t size)
{
	size_t page = getpagesize();
	void *p;

	r->cr_size = size;
	r->cr_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dt_ring", 0, 0, size,
	    NULL);
	if (r->cr_fd < 0)
		return -r->cr_fd;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, r->cr_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	r->cr_cons = p;
	p = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, r->cr_fd, page);
	if (p == MAP_FAILED)
		return errno;
	r->cr_prod = p;
	r->cr_data = (const uint8_t *)p + page;
	r->cr_pos = 0;
	return 0;
}

/* The rings of some CPUs being inserted by a thread. */
struct ring_part {
	const struct rings *rp_rings;
	struct stream *rp_stream; /* new rings wake this; NULL: they exist */
	sem_t *rp_made;		  /* posted when they exist, or failed */
	uint32_t rp_cpu;	  /* the first */
	uint32_t rp_n;
	int *rp_fds; /* of the first */
	pthread_t rp_thread;
	int rp_started; /* the thread */
	int rp_error;	/* valid after rp_done */
	atomic_int rp_done;
};

/*
 * The insertion of all rings, and later their removal, which must succeed
 * without allocating memory.
 */
struct ring_insert {
	struct ring_part di_parts[RING_NTHREADS];
	int di_n;
	sem_t di_made;
	int di_fds[]; /* by CPU */
};

static int
part_make(struct ring_part *rp)
{
	const struct rings *ri = rp->rp_rings;
	struct cpuring *r;
	uint32_t i;
	int error = 0;

	for (i = 0; i < rp->rp_n && error == 0; i++) {
		r = ri->ri_rings[rp->rp_cpu + i];
		error = ring_map(r, ri->ri_size);
		rp->rp_fds[i] = r->cr_fd;
		if (error == 0)
			error = stream_watch(rp->rp_stream, rp->rp_fds[i]);
	}
	return error;
}

static int
part_insert(struct ring_part *rp)
{
	const struct rings *ri = rp->rp_rings;
	uint32_t keys[rp->rp_n], n = rp->rp_n, i;
	int error = 0, r;

	for (i = 0; i < n; i++)
		keys[i] = ri->ri_key + rp->rp_cpu + i;
	r = bpf_map_update_batch(ri->ri_map, keys, rp->rp_fds, &n, NULL);
	/* this kernel has no batches for such maps */
	for (i = 0; r != 0 && i < rp->rp_n && error == 0; i++)
		error = -bpf_map_update_elem(ri->ri_map, &keys[i],
		    &rp->rp_fds[i], BPF_ANY);
	return error;
}

static void *
part_run(void *arg)
{
	struct ring_part *rp = arg;

	if (rp->rp_stream != NULL) {
		rp->rp_error = part_make(rp);
		atomic_store(&rp->rp_done, rp->rp_error != 0);
		sem_post(rp->rp_made);
	}
	if (rp->rp_error == 0)
		rp->rp_error = part_insert(rp);
	atomic_store(&rp->rp_done, 1);
	return NULL;
}

/*
 * Inserts rings into the map: those in di_fds, or new ones of the stream.
 * Newer kernels wait for one grace period per batch, older ones for one per
 * ring; concurrent calls share a grace period.
 */
static void
insert_start(const struct rings *ri, struct stream *st)
{
	const uint32_t size = ri->ri_ncpu / RING_NTHREADS + 1;
	struct ring_insert *di = ri->ri_insert;
	struct ring_part *rp;
	uint32_t cpu;

	memset(di->di_parts, 0, sizeof(di->di_parts));
	for (cpu = 0; cpu < ri->ri_ncpu; cpu += rp->rp_n) {
		rp = &di->di_parts[di->di_n++];
		rp->rp_rings = ri;
		rp->rp_stream = st;
		rp->rp_made = &di->di_made;
		rp->rp_cpu = cpu;
		rp->rp_fds = di->di_fds + cpu;
		rp->rp_n = cpu + size < ri->ri_ncpu ? size : ri->ri_ncpu - cpu;
		rp->rp_started = pthread_create(&rp->rp_thread, NULL, part_run,
				     rp) == 0;
		if (!rp->rp_started)
			part_run(rp);
	}
}

/* Waits for the end of all insertions. */
static int
insert_end(struct ring_insert *di)
{
	int i, error = 0;

	for (i = 0; i < di->di_n; i++) {
		if (di->di_parts[i].rp_started)
			pthread_join(di->di_parts[i].rp_thread, NULL);
		if (error == 0)
			error = di->di_parts[i].rp_error;
	}
	di->di_n = 0;
	return error;
}

/* Returns whether the map has the ring of this descriptor at key. */
static int
insert_isthere(int map, uint32_t key, int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info), id;

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
	    bpf_map_lookup_elem(map, &key, &id) == 0 && id == info.id;
}

/* Returns when programs find new rings, or with the error. */
static int
insert_await(const struct rings *ri)
{
	const struct timespec pause = { 0, RING_PAUSE };
	struct ring_insert *di = ri->ri_insert;
	struct ring_part *rp;
	uint32_t n;
	int i;

	for (i = 0; i < di->di_n; i++)
		while (sem_wait(&di->di_made) == -1)
			; /* interrupted by a signal */
	for (i = 0; i < di->di_n; i++) {
		rp = &di->di_parts[i];
		for (n = 0; n < rp->rp_n && !atomic_load(&rp->rp_done);)
			if (insert_isthere(ri->ri_map,
				ri->ri_key + rp->rp_cpu + n, rp->rp_fds[n]))
				n++;
			else
				nanosleep(&pause, NULL);
		if (n < rp->rp_n && rp->rp_error != 0)
			return rp->rp_error;
	}
	return 0;
}

static void
rings_release(struct rings *ri)
{
	unsigned int cpu;

	for (cpu = 0; ri->ri_rings != NULL && cpu < ri->ri_ncpu; cpu++) {
		if (ri->ri_rings[cpu] == NULL)
			continue;
		ring_unmap(ri->ri_rings[cpu]);
		free(ri->ri_rings[cpu]);
	}
	free(ri->ri_insert);
	free(ri->ri_rings);
	ri->ri_insert = NULL;
	ri->ri_rings = NULL;
	ri->ri_size = 0;
}

/* Allocates the rings, not mapped yet, and what their insertion needs. */
static int
rings_prepare(struct rings *ri)
{
	unsigned int cpu;

	ri->ri_insert = calloc(1,
	    sizeof(*ri->ri_insert) + ri->ri_ncpu * sizeof(int));
	ri->ri_rings = calloc(ri->ri_ncpu, sizeof(*ri->ri_rings));
	if (ri->ri_insert == NULL || ri->ri_rings == NULL)
		return ENOMEM;
	for (cpu = 0; cpu < ri->ri_ncpu; cpu++) {
		ri->ri_rings[cpu] = calloc(1, sizeof(*ri->ri_rings[cpu]));
		if (ri->ri_rings[cpu] == NULL)
			return ENOMEM;
		ri->ri_rings[cpu]->cr_fd = -1;
	}
	return 0;
}

int
rings_alloc(struct rings *ri, struct stream *st)
{
	unsigned int cpu;
	int error;

	if ((error = rings_prepare(ri)) != 0) {
		rings_release(ri);
		return error;
	}
	sem_init(&ri->ri_insert->di_made, 0, 0);
	insert_start(ri, st);
	if ((error = insert_await(ri)) != 0) {
		(void)rings_free(ri);
		return error;
	}
	/*
	 * The mappings keep the rings and epoll's watch over them.  Descriptors
	 * are scarce on machines with many CPUs.
	 */
	for (cpu = 0; cpu < ri->ri_ncpu; cpu++)
		ring_close(ri->ri_rings[cpu]);
	return 0;
}

/*
 * Entries of the map cannot be deleted in a batch, so each is replaced by a
 * small shared ring.  Programs may still use the old rings: the update waits
 * for a grace period.
 */
static int
rings_replace(struct rings *ri)
{
	unsigned int cpu;

	for (cpu = 0; cpu < ri->ri_ncpu; cpu++)
		ri->ri_insert->di_fds[cpu] = ri->ri_noring;
	insert_start(ri, NULL);
	return insert_end(ri->ri_insert);
}

int
rings_free(struct rings *ri)
{
	int error = 0;

	if (ri->ri_rings == NULL)
		return 0;
	(void)insert_end(ri->ri_insert);
	ring_grow_stop(ri);
	if (ri->ri_noring != -1)
		error = rings_replace(ri);
	ring_grow_free(ri);
	rings_release(ri);
	return error;
}

unsigned long
ring_scan(const struct cpuring *r, unsigned long prod, unsigned long max,
    uint64_t *nrec)
{
	unsigned long pos = r->cr_pos;
	const uint32_t *hdr;
	uint32_t len;

	*nrec = 0;
	while (pos < prod && pos - r->cr_pos < max) {
		hdr = (const uint32_t *)(r->cr_data + (pos & (r->cr_size - 1)));
		len = __atomic_load_n(hdr, __ATOMIC_ACQUIRE);
		if (len & DT_RING_BUSY)
			break;
		*nrec += (len & DT_RING_DISCARD) == 0;
		pos += DT_RING_SPAN(len);
	}
	return pos - r->cr_pos;
}
