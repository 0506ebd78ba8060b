/* SPDX-License-Identifier: ISC */
/*
 * Loads the programs of the kprobe provider for entries, returns and sessions
 * (kprobe.session), and fast ones, each on first use.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/dt_kprobe_table.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/prov/dt_prov_kprobe_load.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"
#include "daemon/kernel/btf.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_kprobe.skel.h"
#include "dt_prov_kprobe_session.skel.h"

/* All by load_mtx until they are there, then constant. */
static pthread_mutex_t load_mtx = PTHREAD_MUTEX_INITIALIZER;
static int progfds[ATTACH_NPROG] = { [0 ... ATTACH_NPROG - 1] = -1 };

struct run_table kprobe_table = { .fut_name = "kprobe",
	.fut_tally = DT_TALLY_KPROBE,
	.fut_tablefd = -1,
	.fut_holesfd = -1,
	.fut_linksmiss = 1,
	.fut_missed = kprobe_load_missed };

void
kprobe_load_lock(void)
{
	pthread_mutex_lock(&load_mtx);
}

void
kprobe_load_unlock(void)
{
	pthread_mutex_unlock(&load_mtx);
}

int
kprobe_load_init(void)
{
	int error;

	attach_set_loader(&kfentry_loader);
	kprobe_load_lock();
	error = run_table_make(&kprobe_table);
	kprobe_load_unlock();
	return error;
}

/* The .bss of the objects consists of the table. */
int
kprobe_load_share(const struct bpf_object_skeleton *skel, struct bpf_map *bss,
    struct bpf_map *holes)
{
	if (bpf_map__value_size(bss) != sizeof(*kprobe_table.fut_table))
		return EINVAL;
	dt_maps_unseen(skel, bss);
	if (bpf_map__reuse_fd(bss, kprobe_table.fut_tablefd) != 0 ||
	    bpf_map__reuse_fd(holes, kprobe_table.fut_holesfd) != 0)
		return errno;
	return dt_maps_share(*skel->obj, DT_TALLY_KPROBE);
}

/* Loads entry or return. The program stays, its object does not. */
static int
load_single(enum attach_kind which, const struct attach_method *am)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct bpf_program *prog, *progs[ATTACH_NPROG];
	struct dt_prov_kprobe_bpf *skel;
	int error;

	if ((skel = dt_prov_kprobe_bpf__open_opts(&opts)) == NULL)
		return errno;
	progs[ATTACH_ENTRY] = skel->progs.dt_kprobe_entry;
	progs[ATTACH_RETURN] = skel->progs.dt_kprobe_return;
	progs[ATTACH_QUICK + ATTACH_ENTRY] = skel->progs.dt_kquick_entry;
	progs[ATTACH_QUICK + ATTACH_RETURN] = skel->progs.dt_kquick_return;
	progs[ATTACH_TABLES + ATTACH_ENTRY] = skel->progs
						  .dt_kprobe_entry_tables;
	progs[ATTACH_TABLES + ATTACH_RETURN] = skel->progs
						   .dt_kprobe_return_tables;
	prog = progs[which];
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, am->am_type);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = kprobe_load_share(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes)) != 0 ||
	    (ATTACH_ISTABLES(which) &&
		(error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_kprobe_bpf__load(skel)) != 0) {
		dt_prov_kprobe_bpf__destroy(skel);
		return error;
	}
	if ((progfds[which] = dt_prog_keep(prog)) == -1)
		error = errno;
	dt_prov_kprobe_bpf__destroy(skel);
	return error;
}

/* Loads the program for both. */
static int
load_session(enum attach_kind which, const struct attach_method *am)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_kprobe_session_bpf *skel;
	struct bpf_program *prog;
	int error;

	if ((skel = dt_prov_kprobe_session_bpf__open_opts(&opts)) == NULL)
		return errno;
	prog = ATTACH_ISQUICK(which) ? skel->progs.dt_kquick_session
	    : ATTACH_ISTABLES(which) ? skel->progs.dt_kprobe_session_tables
				     : skel->progs.dt_kprobe_session;
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, am->am_session);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = kprobe_load_share(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes)) != 0 ||
	    (ATTACH_ISTABLES(which) &&
		(error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_kprobe_session_bpf__load(skel)) != 0) {
		dt_prov_kprobe_session_bpf__destroy(skel);
		return error;
	}
	if ((progfds[which] = dt_prog_keep(prog)) == -1)
		error = errno;
	dt_prov_kprobe_session_bpf__destroy(skel);
	return error;
}

int
kprobe_load_get(const struct attach_method *am, enum attach_kind which)
{
	int error = 0;

	kprobe_load_lock();
	if (progfds[which] == -1) {
		error = ATTACH_WHERE(which) == ATTACH_SESSION
		    ? load_session(which, am)
		    : load_single(which, am);
		if (error == 0)
			dt_cost_watch(progfds[which], &dt_prov_kprobe, 0);
	}
	kprobe_load_unlock();
	return error;
}

int
kprobe_load_fd(enum attach_kind which)
{
	return progfds[which];
}

uint64_t
kprobe_load_missed(enum attach_kind which)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(progfds[which], &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}
