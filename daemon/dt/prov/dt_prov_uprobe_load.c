/* SPDX-License-Identifier: ISC */
/*
 * Loads the programs of the providers uprobe and usdt, each on first use, and
 * creates the tables that they share.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/kernel/attach_user.h"
#include "daemon/kernel/btf.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_uprobe.skel.h"
#include "dt_prov_uprobe_fast.skel.h"
#include "dt_prov_uprobe_session.skel.h"

/* All by load_mtx until they are there, then constant. */
static pthread_mutex_t load_mtx = PTHREAD_MUTEX_INITIALIZER;
static int progfds[UPROBE_NPROG] = { [0 ... UPROBE_NPROG - 1] = -1 };
static int placesfd = -1;
struct dt_uplaces *uprobe_places;

static uint64_t
load_missed(enum attach_kind prog)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(progfds[prog], &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/* Rows of uprobe_places in use; row 0 stands for no row. */
static uint8_t places_used[DT_NUPLACES] = { 1 }; /* by load_mtx */

static void
places_free(struct kprobe_run *ks)
{
	size_t i;

	pthread_mutex_lock(&load_mtx);
	for (i = 0; i < ks->kpr_nplaces; i++)
		places_used[ks->kpr_places[i]] = 0;
	pthread_mutex_unlock(&load_mtx);
	free(ks->kpr_places);
}

/* Returns a free row; 0: there is none. */
static uint16_t
places_alloc(void)
{
	static unsigned int next; /* by load_mtx */
	unsigned int i, n = 0;

	pthread_mutex_lock(&load_mtx);
	for (i = 0; i < DT_NUPLACES; i++) {
		n = (next + i) & (DT_NUPLACES - 1);
		if (!places_used[n])
			break;
	}
	if (i < DT_NUPLACES) {
		places_used[n] = 1;
		next = n + 1;
	} else
		n = 0;
	pthread_mutex_unlock(&load_mtx);
	return n;
}

int
uprobe_places_get(struct kprobe_run *ks, const struct dt_uplaces *ups,
    uint16_t *row)
{
	uint16_t *rows;
	size_t i;

	for (i = 0; i < ks->kpr_nplaces; i++)
		if (memcmp(&uprobe_places[ks->kpr_places[i]], ups,
			sizeof(*ups)) == 0) {
			*row = ks->kpr_places[i];
			return 0;
		}
	rows = realloc(ks->kpr_places, (ks->kpr_nplaces + 1) * sizeof(*rows));
	if (rows == NULL)
		return ENOMEM;
	ks->kpr_places = rows;
	if ((*row = places_alloc()) == 0)
		return ENOSPC;
	uprobe_places[*row] = *ups;
	rows[ks->kpr_nplaces++] = *row;
	return 0;
}

struct run_table uprobe_table = { .fut_name = "uprobe",
	.fut_tally = DT_TALLY_UPROBE,
	.fut_tablefd = -1,
	.fut_holesfd = -1,
	.fut_free = places_free,
	.fut_missed = load_missed };

/* Under the lock. */
static int
places_make(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *p;

	if (uprobe_places != NULL)
		return 0;
	if (placesfd < 0)
		placesfd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dt_uplaces", 4,
		    sizeof(*uprobe_places), DT_NUPLACES, &opts);
	if (placesfd < 0)
		return -placesfd;
	p = mmap(NULL, DT_NUPLACES * sizeof(*uprobe_places),
	    PROT_READ | PROT_WRITE, MAP_SHARED, placesfd, 0);
	if (p == MAP_FAILED)
		return errno;
	uprobe_places = p;
	return 0;
}

int
uprobe_load_init(void)
{
	int error;

	pthread_mutex_lock(&load_mtx);
	if ((error = run_table_make(&uprobe_table)) == 0)
		error = places_make();
	pthread_mutex_unlock(&load_mtx);
	return error;
}

/* The .bss of the objects consists of the table. */
static int
share(const struct bpf_object_skeleton *skel, struct bpf_map *bss,
    struct bpf_map *holes)
{
	if (bpf_map__value_size(bss) != sizeof(*uprobe_table.fut_table))
		return EINVAL;
	dt_maps_unseen(skel, bss);
	if (bpf_map__reuse_fd(bss, uprobe_table.fut_tablefd) != 0 ||
	    bpf_map__reuse_fd(holes, uprobe_table.fut_holesfd) != 0)
		return errno;
	return dt_maps_share(*skel->obj, DT_TALLY_UPROBE);
}

static void
choose(struct bpf_program *prog, unsigned int which)
{
	const char *why;

	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog,
	    UPROBE_WHERE(which) == ATTACH_SESSION ? attach_user_session()
						  : attach_user_type(&why));
}

/* The same for complete programs, which also have the places of arguments. */
static int
share_all(const struct bpf_object_skeleton *skel, struct bpf_map *bss,
    struct bpf_map *holes, struct bpf_map *places, unsigned int which)
{
	int error = share(skel, bss, holes);

	if (error == 0 && bpf_map__reuse_fd(places, placesfd) != 0)
		error = errno;
	if (error == 0 && which >= UPROBE_PROG(UPROBE_TABLES, 0))
		error = unwind_share(*skel->obj);
	return error;
}

/* The program stays, its object does not. */
static int
load_full(unsigned int which)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_uprobe_bpf *skel;
	struct bpf_program *progs[UPROBE_NPROG];
	int error;

	if ((skel = dt_prov_uprobe_bpf__open_opts(&opts)) == NULL)
		return errno;
	progs[UPROBE_PROG(UPROBE_FULL, ATTACH_ENTRY)] = skel->progs
							    .dt_uprobe_entry;
	progs[UPROBE_PROG(UPROBE_FULL, ATTACH_RETURN)] = skel->progs
							     .dt_uprobe_return;
	progs[UPROBE_PROG(UPROBE_TABLES, ATTACH_ENTRY)] =
	    skel->progs.dt_uprobe_entry_tables;
	progs[UPROBE_PROG(UPROBE_TABLES, ATTACH_RETURN)] =
	    skel->progs.dt_uprobe_return_tables;
	choose(progs[which], which);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = share_all(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes, skel->maps.dt_uplaces, which)) == 0)
		error = -dt_prov_uprobe_bpf__load(skel);
	if (error == 0 && (progfds[which] = dt_prog_keep(progs[which])) == -1)
		error = errno;
	dt_prov_uprobe_bpf__destroy(skel);
	return error;
}

static int
load_fast(unsigned int which)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_uprobe_fast_bpf *skel;
	struct bpf_program *progs[UPROBE_NPROG];
	int error;

	if ((skel = dt_prov_uprobe_fast_bpf__open_opts(&opts)) == NULL)
		return errno;
	progs[UPROBE_PROG(UPROBE_FAST, ATTACH_ENTRY)] = skel->progs
							    .dt_uquick_entry;
	progs[UPROBE_PROG(UPROBE_FAST, ATTACH_RETURN)] = skel->progs
							     .dt_uquick_return;
	progs[UPROBE_PROG(UPROBE_COUNT, ATTACH_ENTRY)] = skel->progs
							     .dt_ucount_entry;
	progs[UPROBE_PROG(UPROBE_COUNT, ATTACH_RETURN)] = skel->progs
							      .dt_ucount_return;
	choose(progs[which], which);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = share(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes)) == 0)
		error = -dt_prov_uprobe_fast_bpf__load(skel);
	if (error == 0 && (progfds[which] = dt_prog_keep(progs[which])) == -1)
		error = errno;
	dt_prov_uprobe_fast_bpf__destroy(skel);
	return error;
}

static int
load_session(unsigned int which)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_uprobe_session_bpf *skel;
	struct bpf_program *progs[UPROBE_NPROG];
	int error;

	if ((skel = dt_prov_uprobe_session_bpf__open_opts(&opts)) == NULL)
		return errno;
	progs[UPROBE_PROG(UPROBE_FULL, ATTACH_SESSION)] =
	    skel->progs.dt_uprobe_session;
	progs[UPROBE_PROG(UPROBE_TABLES, ATTACH_SESSION)] =
	    skel->progs.dt_uprobe_session_tables;
	choose(progs[which], which);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = share_all(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes, skel->maps.dt_uplaces, which)) == 0)
		error = -dt_prov_uprobe_session_bpf__load(skel);
	if (error == 0 && (progfds[which] = dt_prog_keep(progs[which])) == -1)
		error = errno;
	dt_prov_uprobe_session_bpf__destroy(skel);
	return error;
}

static int
load(unsigned int prog)
{
	if (UPROBE_WHERE(prog) == ATTACH_SESSION)
		return load_session(prog);
	return prog < UPROBE_PROG(UPROBE_FULL, 0) ? load_fast(prog)
						  : load_full(prog);
}

int
uprobe_load_get(unsigned int prog)
{
	int error = 0;

	pthread_mutex_lock(&load_mtx);
	if (progfds[prog] == -1) {
		error = load(prog);
		if (error == 0)
			dt_cost_watch(progfds[prog], &dt_prov_uprobe, 0);
	}
	pthread_mutex_unlock(&load_mtx);
	return error;
}

static void *
warm_run(void *arg __attribute__((unused)))
{
	if (dt_maps_init() == 0 && uprobe_load_init() == 0)
		(void)uprobe_load_get(UPROBE_PROG(UPROBE_FAST, ATTACH_ENTRY));
	return NULL;
}

int
uprobe_warm_start(pthread_t *thread)
{
	int isloaded;

	pthread_mutex_lock(&load_mtx);
	isloaded = progfds[UPROBE_PROG(UPROBE_FAST, ATTACH_ENTRY)] != -1;
	pthread_mutex_unlock(&load_mtx);
	return !isloaded && pthread_create(thread, NULL, warm_run, NULL) == 0;
}

int
uprobe_load_fd(unsigned int prog)
{
	return progfds[prog];
}
