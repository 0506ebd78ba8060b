/* SPDX-License-Identifier: ISC */
/*
 * The rings of an open: one BPF ring buffer a CPU.  The kernel waits for a
 * grace period at each insertion into the map of rings (newer kernels: at each
 * batch), so they are made at the first ENABLE, not at RECORD.
 *
 * libbpf's own reader hands out records one by one; here the data thread
 * sends ring memory as it is, so the pages are mapped by us: the consumer's
 * page for writing, then the producer's page and the data, twice in a row, so
 * that a record never has a gap in it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "conf.h"
#include "dt_maps.h"
#include "dt_softc.h"
#include "log.h"
#include "stream.h"

#define DT_RING_MIN	 (64UL << 10) /* bytes of one ring */
#define DT_RING_MAX	 (4UL << 20)
#define DT_RING_NTHREADS 16 /* that insert rings at the same time */

size_t
dt_ring_size(uint64_t budget)
{
	uint64_t share = budget / dt_ncpu;
	size_t size = DT_RING_MIN;

	while (size < DT_RING_MAX && 2 * size <= share)
		size *= 2;
	return size;
}

static void
dt_ring_close(struct dt_cpuring *r)
{
	if (r->dr_fd >= 0)
		close(r->dr_fd);
	r->dr_fd = -1;
}

static void
dt_ring_unmap(struct dt_cpuring *r, size_t size)
{
	size_t page = getpagesize();

	if (r->dr_cons != NULL)
		munmap((void *)r->dr_cons, page);
	if (r->dr_prod != NULL)
		munmap((void *)r->dr_prod, page + 2 * size);
	r->dr_cons = NULL;
	r->dr_prod = NULL;
	dt_ring_close(r);
}

static int
dt_ring_map(struct dt_cpuring *r, size_t size)
{
	size_t page = getpagesize();
	void *p;

	r->dr_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dt_ring", 0, 0, size,
	    NULL);
	if (r->dr_fd < 0)
		return -r->dr_fd;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, r->dr_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	r->dr_cons = p;
	p = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, r->dr_fd, page);
	if (p == MAP_FAILED)
		return errno;
	r->dr_prod = p;
	r->dr_data = (const uint8_t *)p + page;
	r->dr_pos = 0;
	return 0;
}

/* Some rings on their way into the map, by a thread of their own. */
struct ring_part {
	uint32_t rp_key; /* of the first */
	const int *rp_fds;
	uint32_t rp_n;
	pthread_t rp_thread;
	int rp_started; /* the thread */
	int rp_error;
};

static void *
dt_rings_insert_part(void *arg)
{
	struct ring_part *rp = arg;
	uint32_t keys[rp->rp_n], n = rp->rp_n, i;
	int r;

	for (i = 0; i < n; i++)
		keys[i] = rp->rp_key + i;
	r = bpf_map_update_batch(dt_maps.dm_rings, keys, rp->rp_fds, &n, NULL);
	/* A kernel without batches for this kind of map: one by one. */
	for (i = 0; r != 0 && i < rp->rp_n; i++) {
		rp->rp_error = -bpf_map_update_elem(dt_maps.dm_rings, &keys[i],
		    &rp->rp_fds[i], BPF_ANY);
		if (rp->rp_error != 0)
			break;
	}
	return NULL;
}

/*
 * Puts fds[cpu] into the open's part of the map of rings.  Newer kernels wait
 * for one grace period a batch, older ones for one a ring; those that wait at
 * the same time wait for the same.
 */
static int
dt_rings_insert(struct dt_softc *sc, const int *fds)
{
	const uint32_t size = dt_ncpu / DT_RING_NTHREADS + 1;
	struct ring_part parts[DT_RING_NTHREADS] = { 0 }, *rp;
	uint32_t cpu;
	int i, n = 0, error = 0;

	for (cpu = 0; cpu < dt_ncpu; cpu += rp->rp_n) {
		rp = &parts[n++];
		rp->rp_key = sc->ds_slot * dt_ncpu + cpu;
		rp->rp_fds = fds + cpu;
		rp->rp_n = cpu + size < dt_ncpu ? size : dt_ncpu - cpu;
		/* The last is for the caller, and so is who gets no thread. */
		rp->rp_started = cpu + rp->rp_n < dt_ncpu &&
		    pthread_create(&rp->rp_thread, NULL, dt_rings_insert_part,
			rp) == 0;
		if (!rp->rp_started)
			dt_rings_insert_part(rp);
	}
	for (i = 0; i < n; i++) {
		if (parts[i].rp_started)
			pthread_join(parts[i].rp_thread, NULL);
		if (error == 0)
			error = parts[i].rp_error;
	}
	return error;
}

int
dt_rings_alloc(struct dt_softc *sc)
{
	int fds[dt_ncpu];
	unsigned int cpu;
	int error = 0;

	sc->ds_ringsize = dt_ring_size(sc->ds_budget);
	sc->ds_rings = calloc(dt_ncpu, sizeof(*sc->ds_rings));
	if (sc->ds_rings == NULL)
		return ENOMEM;
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		sc->ds_rings[cpu].dr_fd = -1;
	for (cpu = 0; cpu < dt_ncpu && error == 0; cpu++) {
		error = dt_ring_map(&sc->ds_rings[cpu], sc->ds_ringsize);
		fds[cpu] = sc->ds_rings[cpu].dr_fd;
		if (error == 0)
			error = stream_watch(sc->ds_stream, fds[cpu]);
	}
	if (error == 0)
		error = dt_rings_insert(sc, fds);
	if (error != 0) {
		dt_rings_free(sc);
		return error;
	}
	/* The mappings keep a ring, and epoll's watch over it; descriptors are
	 * scarce where there are many CPUs. */
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		dt_ring_close(&sc->ds_rings[cpu]);
	return 0;
}

/*
 * The slot's entries of the map cannot be taken out in a batch, so a small
 * ring that all slots share takes the place of each.
 */
static void
dt_rings_replace(struct dt_softc *sc)
{
	int fds[dt_ncpu];
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		fds[cpu] = dt_maps.dm_noring;
	if (dt_rings_insert(sc, fds) != 0)
		log_warnx("open %u: its rings stay in the map until the "
			  "slot is used again",
		    sc->ds_slot);
}

void
dt_rings_free(struct dt_softc *sc)
{
	unsigned int cpu;

	if (sc->ds_rings == NULL)
		return;
	if (!conf.cf_private) /* whose map ends with it, right away */
		dt_rings_replace(sc);
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		dt_ring_unmap(&sc->ds_rings[cpu], sc->ds_ringsize);
	free(sc->ds_rings);
	sc->ds_rings = NULL;
	sc->ds_ringsize = 0;
	atomic_store(&sc->ds_hasrings, 0);
}
