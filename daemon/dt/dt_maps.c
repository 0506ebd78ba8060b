/* SPDX-License-Identifier: ISC */
/*
 * Creates the shared maps, see dt_maps.h, when the first session enables a
 * probe, so that a client without permission to use BPF can still list. From
 * then on the daemon itself is excluded.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/device/grace_period.h"
#include "daemon/dt/dt_exclude.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/kernel/btf_cast.h"
#include "daemon/kernel/pidns.h"
#include "daemon/unwind/unwind.h"

enum {
	MAP_TABLE,
	MAP_RINGS,
	MAP_SCRATCH,
	MAP_EXCLUDED,
	MAP_FOLLOWED,
	MAP_OWNED,
	MAP_CONDS,
	MAP_READS,
	MAP_PAIRS,
	MAP_KEEPS,
	MAP_PAIRDESCS,
	MAP_AGGS,
	MAP_AGGDESCS,
	MAP_INSIDE,
	NMAP
};

/* Names as in the objects, where a section's map is named after it. */
static const char *const map_names[NMAP] = {
	[MAP_TABLE] = ".data.dt_table",
	[MAP_RINGS] = "dt_rings",
	[MAP_SCRATCH] = "dt_scratch",
	[MAP_EXCLUDED] = "dt_excluded",
	[MAP_FOLLOWED] = "dt_followed",
	[MAP_OWNED] = "dt_owned",
	[MAP_CONDS] = "dt_conds",
	[MAP_READS] = "dt_reads",
	[MAP_PAIRS] = "dt_pairs",
	[MAP_KEEPS] = "dt_keeps",
	[MAP_PAIRDESCS] = "dt_pairdescs",
	[MAP_AGGS] = "dt_aggs",
	[MAP_AGGDESCS] = "dt_aggdescs",
	[MAP_INSIDE] = "dt_inside",
};

struct dt_maps dt_maps;

static pthread_mutex_t maps_mtx = PTHREAD_MUTEX_INITIALIZER;
static int maps_made; /* by maps_mtx */
static int map_fds[NMAP];

/* Counters, made when the first object that counts there is loaded. */
static struct tally {
	int fd;			 /* by maps_mtx; 0: there are none */
	struct dt_count *counts; /* atomic: mapped */
} tallies[DT_NTALLY];

static int
map_array(int *fdp, const char *name, size_t size, unsigned int n, int mmapable)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts,
	    .map_flags = mmapable ? BPF_F_MMAPABLE : 0);

	*fdp = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, size, n, &opts);
	return *fdp < 0 ? -*fdp : 0;
}

/*
 * Hashes of first hits or arrays of counts, a session's at its slot, of any
 * length.
 */
static int
map_tables(int *fdp, const char *name, enum bpf_map_type type, size_t keysize,
    size_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner;

	if (type == BPF_MAP_TYPE_ARRAY)
		opts.map_flags = BPF_F_INNER_MAP;
	inner = bpf_map_create(type, "dt_example", keysize, size, 1, &opts);
	if (inner < 0)
		return -inner;
	opts.map_flags = 0;
	opts.inner_map_fd = inner;
	*fdp = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, 4, 4,
	    DT_MAXSESS, &opts);
	close(inner);
	return *fdp < 0 ? -*fdp : 0;
}

static int
map_rings(int *fdp)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner;

	/*
	 * Template for the inner maps (sizes may differ), later the placeholder
	 * for a retired ring.
	 */
	inner = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dt_noring", 0, 0,
	    getpagesize(), NULL);
	if (inner < 0)
		return -inner;
	opts.inner_map_fd = inner;
	*fdp = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "dt_rings", 4, 4,
	    DT_MAXSESS * dt_ncpu, &opts);
	dt_maps.dtm_noring = inner;
	return *fdp < 0 ? -*fdp : 0;
}

static int
map_hash(int *fdp, enum bpf_map_type type, const char *name, size_t keysize,
    size_t size, unsigned int n, unsigned int flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);

	*fdp = bpf_map_create(type, name, keysize, size, n, &opts);
	return *fdp < 0 ? -*fdp : 0;
}

/* Releases what maps_make() created. */
static void
maps_unmake(void)
{
	int i;

	dt_exclude_forget();
	if (dt_maps.dtm_table != NULL)
		munmap(dt_maps.dtm_table, sizeof(struct dt_table));
	if (dt_maps.dtm_pairdescs != NULL)
		munmap(dt_maps.dtm_pairdescs,
		    DT_MAXSESS * DT_PAIR_NDESCS * sizeof(struct dt_pairdesc));
	if (dt_maps.dtm_conds != NULL)
		munmap(dt_maps.dtm_conds,
		    DT_NCOND * sizeof(struct dt_cond_entry));
	if (dt_maps.dtm_reads != NULL)
		munmap(dt_maps.dtm_reads,
		    DT_NREADROWS * sizeof(struct dt_readrow));
	if (dt_maps.dtm_aggdescs != NULL)
		munmap(dt_maps.dtm_aggdescs,
		    DT_MAXSESS * DT_AGG_NDESCS * sizeof(struct dt_aggdesc));
	if (dt_maps.dtm_inside != NULL)
		munmap((void *)dt_maps.dtm_inside,
		    dt_ncpu * sizeof(struct dt_inside));
	dt_maps.dtm_inside = NULL;
	dt_maps.dtm_table = NULL;
	dt_maps.dtm_aggdescs = NULL;
	dt_maps.dtm_conds = NULL;
	dt_maps.dtm_reads = NULL;
	dt_maps.dtm_pairdescs = NULL;
	if (dt_maps.dtm_noring >= 0)
		close(dt_maps.dtm_noring);
	dt_maps.dtm_noring = -1;
	for (i = 0; i < NMAP; i++) {
		if (map_fds[i] >= 0)
			close(map_fds[i]);
		map_fds[i] = -1;
	}
}

/* Maps a map into memory. Returns NULL with errno. */
static void *
map_shared(int fd, size_t nbytes)
{
	void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int
maps_make(void)
{
	int error;

	if ((error = map_array(&map_fds[MAP_TABLE], "dt_table",
		 sizeof(struct dt_table), 1, 1)) != 0 ||
	    (error = map_rings(&map_fds[MAP_RINGS])) != 0 ||
	    (error = map_array(&map_fds[MAP_SCRATCH], "dt_scratch",
		 sizeof(struct dt_scratch), dt_ncpu, 0)) != 0 ||
	    (error = map_hash(&map_fds[MAP_EXCLUDED], BPF_MAP_TYPE_HASH,
		 "dt_excluded", 4, 4, EXCLUDE_MAX, 0)) != 0 ||
	    (error = map_hash(&map_fds[MAP_FOLLOWED], BPF_MAP_TYPE_HASH,
		 "dt_followed", 8, sizeof(struct dt_follow), conf.cf_followmax,
		 BPF_F_NO_PREALLOC)) != 0 ||
	    (error = map_hash(&map_fds[MAP_OWNED], BPF_MAP_TYPE_LRU_HASH,
		 "dt_owned", sizeof(struct dt_ownedkey),
		 sizeof(struct dt_owned), DT_NOWNED, 0)) != 0 ||
	    (error = map_array(&map_fds[MAP_CONDS], "dt_conds",
		 sizeof(struct dt_cond_entry), DT_NCOND, 1)) != 0 ||
	    (error = map_array(&map_fds[MAP_READS], "dt_reads",
		 sizeof(struct dt_readrow), DT_NREADROWS, 1)) != 0 ||
	    (error = map_tables(&map_fds[MAP_PAIRS], "dt_pairs",
		 BPF_MAP_TYPE_HASH, sizeof(struct dt_pairkey),
		 sizeof(struct dt_first))) != 0 ||
	    (error = map_tables(&map_fds[MAP_KEEPS], "dt_keeps",
		 BPF_MAP_TYPE_HASH, sizeof(struct dt_pairkey),
		 sizeof(struct dt_keep))) != 0 ||
	    (error = map_tables(&map_fds[MAP_AGGS], "dt_aggs",
		 BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dt_aggelem))) != 0 ||
	    (error = map_array(&map_fds[MAP_AGGDESCS], "dt_aggdescs",
		 sizeof(struct dt_aggdesc), DT_MAXSESS * DT_AGG_NDESCS, 1)) !=
		0 ||
	    (error = map_array(&map_fds[MAP_PAIRDESCS], "dt_pairdescs",
		 sizeof(struct dt_pairdesc), DT_MAXSESS * DT_PAIR_NDESCS, 1)) !=
		0 ||
	    (error = map_array(&map_fds[MAP_INSIDE], "dt_inside",
		 sizeof(struct dt_inside), dt_ncpu, 1)) != 0)
		return error;
	dt_maps.dtm_rings = map_fds[MAP_RINGS];
	dt_maps.dtm_excluded = map_fds[MAP_EXCLUDED];
	dt_maps.dtm_followed = map_fds[MAP_FOLLOWED];
	dt_maps.dtm_owned = map_fds[MAP_OWNED];
	dt_maps.dtm_pairs = map_fds[MAP_PAIRS];
	dt_maps.dtm_keeps = map_fds[MAP_KEEPS];
	dt_maps.dtm_aggs = map_fds[MAP_AGGS];
	if ((dt_maps.dtm_table = map_shared(map_fds[MAP_TABLE],
		 sizeof(struct dt_table))) == NULL ||
	    (dt_maps.dtm_conds = map_shared(map_fds[MAP_CONDS],
		 DT_NCOND * sizeof(struct dt_cond_entry))) == NULL ||
	    (dt_maps.dtm_reads = map_shared(map_fds[MAP_READS],
		 DT_NREADROWS * sizeof(struct dt_readrow))) == NULL ||
	    (dt_maps.dtm_pairdescs = map_shared(map_fds[MAP_PAIRDESCS],
		 DT_MAXSESS * DT_PAIR_NDESCS * sizeof(struct dt_pairdesc))) ==
		NULL ||
	    (dt_maps.dtm_aggdescs = map_shared(map_fds[MAP_AGGDESCS],
		 DT_MAXSESS * DT_AGG_NDESCS * sizeof(struct dt_aggdesc))) ==
		NULL ||
	    (dt_maps.dtm_inside = map_shared(map_fds[MAP_INSIDE],
		 dt_ncpu * sizeof(struct dt_inside))) == NULL)
		return errno;
	if ((error = grace_period_init()) != 0 ||
	    (error = pidns_own(&dt_maps.dtm_table->t_nsinum,
		 &dt_maps.dtm_table->t_nslevel)) != 0)
		return error;
	if (getrandom(&dt_maps.dtm_table->t_seed,
		sizeof(dt_maps.dtm_table->t_seed), 0) == -1)
		return errno;
	return dt_exclude_daemon();
}

int
dt_maps_init(void)
{
	int i, error = 0;

	pthread_mutex_lock(&maps_mtx);
	if (!maps_made) {
		for (i = 0; i < NMAP; i++)
			map_fds[i] = -1;
		dt_maps.dtm_noring = -1;
		if ((error = maps_make()) == 0)
			maps_made = 1;
		else
			maps_unmake();
	}
	pthread_mutex_unlock(&maps_mtx);
	return error;
}

int
dt_maps_made(void)
{
	int made;

	pthread_mutex_lock(&maps_mtx);
	made = maps_made;
	pthread_mutex_unlock(&maps_mtx);
	return made;
}

/* Under the lock. */
static int
tally_make(struct tally *ta)
{
	size_t n = (size_t)DT_MAXSESS * dt_ncpu;
	struct dt_count *counts;
	int fd, error;

	error = map_array(&fd, "dt_counts", sizeof(*counts), n, 1);
	if (error != 0)
		return error;
	if ((counts = map_shared(fd, n * sizeof(*counts))) == NULL) {
		error = errno;
		close(fd);
		return error;
	}
	ta->fd = fd;
	__atomic_store_n(&ta->counts, counts, __ATOMIC_RELEASE);
	return 0;
}

static int
tally_share(struct bpf_object *obj, struct tally *ta)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, "dt_counts");
	int error = 0;

	if (map == NULL)
		return 0;
	pthread_mutex_lock(&maps_mtx);
	if (ta->fd == 0)
		error = tally_make(ta);
	pthread_mutex_unlock(&maps_mtx);
	return error != 0 ? error : -bpf_map__reuse_fd(map, ta->fd);
}

struct dt_count *
dt_counts_of(unsigned int slot, enum dt_tally tally)
{
	struct dt_count *counts;

	counts = __atomic_load_n(&tallies[tally].counts, __ATOMIC_ACQUIRE);
	return counts == NULL ? NULL : &counts[(size_t)slot * dt_ncpu];
}

int
dt_maps_share(struct bpf_object *obj, enum dt_tally tally)
{
	struct bpf_map *map;
	int i, error;

	if ((error = btf_cast(obj)) != 0)
		return error;
	for (i = 0; i < NMAP; i++) {
		map = bpf_object__find_map_by_name(obj, map_names[i]);
		if (map == NULL)
			continue; /* this object does not use it */
		if ((error = bpf_map__reuse_fd(map, map_fds[i])) != 0)
			return -error;
	}
	unwind_omit(obj);
	return tally_share(obj, &tallies[tally]);
}

void
dt_maps_unseen(const struct bpf_object_skeleton *skel,
    const struct bpf_map *map)
{
	int i;

	for (i = 0; i < skel->map_cnt; i++)
		if (*skel->maps[i].map == map)
			skel->maps[i].mmaped = NULL;
}

int
dt_maps_seen(const void *bss, struct reason *rs)
{
	if (bss != NULL)
		return 0;
	return reason_fail(rs, EOPNOTSUPP,
	    "this kernel refuses the programs memory to share");
}

/*
 * A call may fail while the kernel is short of memory, so it is repeated. A
 * private daemon soon ends, which frees the table without a grace period.
 */
void
dt_maps_remove(int outer, uint32_t slot)
{
	if (conf.cf_private)
		return;
	if (bpf_map_delete_elem(outer, &slot) == 0 || errno == ENOENT ||
	    bpf_map_delete_elem(outer, &slot) == 0)
		return;
	log_warnx("session %u: its table stays in memory until the slot has "
		  "another: %s",
	    slot, strerror(errno));
}

int
dt_prog_keep(const struct bpf_program *prog)
{
	return fcntl(bpf_program__fd(prog), F_DUPFD_CLOEXEC, 0);
}
