/* SPDX-License-Identifier: ISC */
/*
 * The rings of an open: one BPF ring buffer a CPU.  The kernel puts a ring into
 * the map of rings at once, but lets go of who asked for it only after a grace
 * period (newer kernels: one a batch).  Where no program uses what was there
 * before nobody needs that: threads wait for it, who asked looks into the map.
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
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "conf.h"
#include "dt_maps.h"
#include "dt_softc.h"
#include "log.h"
#include "stream.h"

#define DT_RING_MIN	 (64UL << 10) /* bytes of one ring */
#define DT_RING_MAX	 (4UL << 20)
#define DT_RING_NTHREADS 16    /* that insert rings at the same time */
#define DT_RING_PAUSE	 50000 /* ns between two looks into the map */

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
	int rp_error;	/* once rp_done */
	atomic_int rp_done;
};

/* All rings of an open on their way, into the map and later out of it: for
 * that, too, it has to be there, whether there is memory then or not. */
struct dt_insert {
	struct ring_part di_parts[DT_RING_NTHREADS];
	int di_n;
	int di_fds[]; /* by CPU */
};

static void *
insert_part(void *arg)
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
	atomic_store(&rp->rp_done, 1);
	return NULL;
}

/*
 * Puts fds[cpu] into the open's part of the map of rings.  Newer kernels wait
 * for one grace period a batch, older ones for one a ring; those that wait at
 * the same time wait for the same.
 */
static void
insert_start(const struct dt_softc *sc, struct dt_insert *di, const int *fds)
{
	const uint32_t size = dt_ncpu / DT_RING_NTHREADS + 1;
	struct ring_part *rp;
	uint32_t cpu;

	memset(di, 0, sizeof(*di));
	memcpy(di->di_fds, fds, dt_ncpu * sizeof(di->di_fds[0]));
	for (cpu = 0; cpu < dt_ncpu; cpu += rp->rp_n) {
		rp = &di->di_parts[di->di_n++];
		rp->rp_key = sc->ds_slot * dt_ncpu + cpu;
		rp->rp_fds = di->di_fds + cpu;
		rp->rp_n = cpu + size < dt_ncpu ? size : dt_ncpu - cpu;
		rp->rp_started = pthread_create(&rp->rp_thread, NULL,
				     insert_part, rp) == 0;
		if (!rp->rp_started)
			insert_part(rp);
	}
}

/* Waits for the kernel. */
static int
insert_end(struct dt_insert *di)
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

/* Whether the map has the ring of this descriptor at key. */
static int
insert_isthere(uint32_t key, int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info), id;

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
	    bpf_map_lookup_elem(dt_maps.dm_rings, &key, &id) == 0 &&
	    id == info.id;
}

/* Returns when programs find the rings, or it is known why they do not. */
static int
insert_await(struct dt_insert *di)
{
	const struct timespec pause = { 0, DT_RING_PAUSE };
	struct ring_part *rp;
	uint32_t n;
	int i;

	for (i = 0; i < di->di_n; i++) {
		rp = &di->di_parts[i];
		for (n = 0; n < rp->rp_n && !atomic_load(&rp->rp_done);)
			if (insert_isthere(rp->rp_key + n, rp->rp_fds[n]))
				n++;
			else
				nanosleep(&pause, NULL);
		if (n < rp->rp_n && rp->rp_error != 0)
			return rp->rp_error;
	}
	return 0;
}

int
dt_rings_alloc(struct dt_softc *sc)
{
	int fds[dt_ncpu];
	unsigned int cpu;
	int error = 0;

	sc->ds_ringsize = dt_ring_size(sc->ds_budget);
	sc->ds_insert = calloc(1, sizeof(*sc->ds_insert) + sizeof(fds));
	sc->ds_rings = calloc(dt_ncpu, sizeof(*sc->ds_rings));
	if (sc->ds_insert == NULL || sc->ds_rings == NULL) {
		free(sc->ds_insert);
		free(sc->ds_rings);
		sc->ds_insert = NULL;
		sc->ds_rings = NULL;
		return ENOMEM;
	}
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		sc->ds_rings[cpu].dr_fd = -1;
	for (cpu = 0; cpu < dt_ncpu && error == 0; cpu++) {
		error = dt_ring_map(&sc->ds_rings[cpu], sc->ds_ringsize);
		fds[cpu] = sc->ds_rings[cpu].dr_fd;
		if (error == 0)
			error = stream_watch(sc->ds_stream, fds[cpu]);
	}
	if (error == 0) {
		insert_start(sc, sc->ds_insert, fds);
		error = insert_await(sc->ds_insert);
	}
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
 * ring that all slots share takes the place of each.  Programs may be at work
 * in those: here the grace period is what is waited for.
 */
static void
dt_rings_replace(struct dt_softc *sc)
{
	int fds[dt_ncpu];
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		fds[cpu] = dt_maps.dm_noring;
	insert_start(sc, sc->ds_insert, fds);
	if (insert_end(sc->ds_insert) != 0)
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
	(void)insert_end(sc->ds_insert);
	if (!conf.cf_private) /* whose map ends with it, right away */
		dt_rings_replace(sc);
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		dt_ring_unmap(&sc->ds_rings[cpu], sc->ds_ringsize);
	free(sc->ds_insert);
	free(sc->ds_rings);
	sc->ds_insert = NULL;
	sc->ds_rings = NULL;
	sc->ds_ringsize = 0;
	atomic_store(&sc->ds_hasrings, 0);
}
