/* SPDX-License-Identifier: ISC */
/* Makes the maps of unwind tables. */
#include <pthread.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf/unwind_shared.h"
#include "daemon/base/conf.h"
#include "daemon/unwind/unwind_maps.h"

struct unwind_map_row unwind_maps[UNWIND_NMAPS] = {
	[UNWIND_SLABS] = { "unwind_slabs", -1 },
	[UNWIND_PAGES] = { "unwind_pages", -1 },
	[UNWIND_PROCS] = { "unwind_procs", -1 },
	[UNWIND_MISSES] = { "unwind_misses", -1 },
	[UNWIND_COPIES] = { "unwind_copies", -1 },
	[UNWIND_COUNTS] = { "unwind_counts", -1 },
};

/* Sizes of keys and values; entries are allocated when they are added. */
static const struct {
	enum bpf_map_type type;
	uint32_t key, value, n, flags;
} sizes[UNWIND_NMAPS] = {
	[UNWIND_SLABS] = { BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, UNWIND_MAXSLABS,
	    0 },
	[UNWIND_PAGES] = { BPF_MAP_TYPE_HASH, sizeof(struct unwind_pagekey),
	    sizeof(struct unwind_page), 0, BPF_F_NO_PREALLOC },
	[UNWIND_PROCS] = { BPF_MAP_TYPE_HASH, 4, sizeof(struct unwind_proc),
	    UNWIND_PROCS_MAX, BPF_F_NO_PREALLOC },
	[UNWIND_MISSES] = { BPF_MAP_TYPE_RINGBUF, 0, 0, UNWIND_MISSES_BYTES,
	    0 },
	[UNWIND_COPIES] = { BPF_MAP_TYPE_RINGBUF, 0, 0, UNWIND_COPIES_RING, 0 },
	[UNWIND_COUNTS] = { BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, UNWIND_NCOUNTS,
	    0 },
};

uint32_t unwind_pages_max;
static pthread_mutex_t init_mtx = PTHREAD_MUTEX_INITIALIZER;

/* Makes a map; slab: an example of those in UNWIND_SLABS. */
static int
map_make(int i, int slab)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = sizes[i].flags);
	uint32_t n = i == UNWIND_PAGES ? unwind_pages_max : sizes[i].n;
	int fd;

	if (sizes[i].type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		opts.inner_map_fd = slab;
	fd = bpf_map_create(sizes[i].type, unwind_maps[i].umr_name,
	    sizes[i].key, sizes[i].value, n, &opts);
	if (fd < 0)
		return -fd;
	unwind_maps[i].umr_fd = fd;
	return 0;
}

static uint32_t
pages_max(void)
{
	uint64_t n = conf.cf_unwindbytes / UNWIND_PAGES_EACH;

	return n < UNWIND_PAGES_LEAST ? UNWIND_PAGES_LEAST
	    : n > UNWIND_PAGES_MOST   ? UNWIND_PAGES_MOST
				      : n;
}

int
unwind_maps_init(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int i, slab, error = 0;

	pthread_mutex_lock(&init_mtx);
	if (unwind_maps[UNWIND_NMAPS - 1].umr_fd == -1) {
		unwind_pages_max = pages_max();
		slab = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_slab", 4,
		    UNWIND_SLAB, 1, &opts);
		error = slab < 0 ? -slab : 0;
		for (i = 0; i < UNWIND_NMAPS && error == 0; i++)
			error = map_make(i, slab);
		for (i = 0; i < UNWIND_NMAPS && error != 0; i++) {
			if (unwind_maps[i].umr_fd != -1)
				close(unwind_maps[i].umr_fd);
			unwind_maps[i].umr_fd = -1;
		}
		if (slab >= 0)
			close(slab);
	}
	pthread_mutex_unlock(&init_mtx);
	return error;
}
