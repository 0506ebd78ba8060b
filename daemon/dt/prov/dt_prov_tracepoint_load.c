/* SPDX-License-Identifier: ISC */
/*
 * Loads the programs of tracepoints and raw tracepoints, which share a table.
 * A tracepoint gets bpf/dt_prov_tracepoint_fast.bpf.c, loaded once for each
 * length of records, which tail-calls the complete program if necessary.
 * Programs of tracepoints stay loaded.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_hook_share.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/prov/dt_prov_tracepoint_common.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/unwind/unwind.h"

/* These need the type of the table. */
#include "dt_prov_tracepoint.skel.h"
#include "dt_prov_tracepoint_fast.skel.h"

#define QUICK_BYTES (8 * DT_TP_QWORDS)

struct dt_tp_table *dt_tptable;

static pthread_mutex_t prog_mtx = PTHREAD_MUTEX_INITIALIZER;
static int table_fd = -1; /* by prog_mtx, as the next three */
/* the program of all tracepoints, without and with unwind tables */
static int all_fds[2] = { -1, -1 };
static int rest_fd = -1; /* map with the first, for the fast programs */
static int quick_fds[QUICK_BYTES / 4 + 1]; /* 0: not loaded, -1: refused */

static int
table_create(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	if (table_fd == -1)
		table_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dt_tptable", 4,
		    sizeof(*dt_tptable), 1, &opts);
	if (table_fd >= 0)
		return 0;
	table_fd = -1;
	return errno;
}

/* All programs have one table.  With the lock held. */
static int
table_make(struct reason *rs)
{
	int error = 0;
	void *p;

	if (dt_tptable != NULL)
		return 0;
	if ((error = table_create()) != 0)
		return reason_fail(rs, error, "cannot make its table: %s",
		    strerror(error));
	p = mmap(NULL, sizeof(*dt_tptable), PROT_READ | PROT_WRITE, MAP_SHARED,
	    table_fd, 0);
	if (p == MAP_FAILED) {
		error = errno;
		return reason_fail(rs, error, "cannot map its table: %s",
		    strerror(error));
	}
	dt_tptable = p;
	return 0;
}

int
dt_tp_load_table(struct reason *rs)
{
	int error;

	pthread_mutex_lock(&prog_mtx);
	error = table_make(rs);
	pthread_mutex_unlock(&prog_mtx);
	return error;
}

static int
table_share(struct dt_prov_tracepoint_bpf *skel)
{
	if (bpf_map__value_size(skel->maps.bss) != sizeof(*dt_tptable))
		return EINVAL; /* cannot be */
	return -bpf_map__reuse_fd(skel->maps.bss, table_fd);
}

/*
 * Loads the program of all entries, or of one raw tracepoint if line is not
 * negative.
 */
/* line: of a raw tracepoint, or -1. */
static struct bpf_program *
skel_prog(const struct dt_prov_tracepoint_bpf *skel, int line, int tables)
{
	if (line < 0)
		return tables ? skel->progs.dt_tracepoint_tables
			      : skel->progs.dt_tracepoint;
	return tables ? skel->progs.dt_rawtracepoint_tables
		      : skel->progs.dt_rawtracepoint;
}

static int
skel_load(int line, unsigned int nargs, int tables,
    struct dt_prov_tracepoint_bpf **skelp, struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_tracepoint_bpf *skel;
	int error;

	if ((error = table_make(rs)) != 0)
		return error;
	if ((skel = dt_prov_tracepoint_bpf__open_opts(&opts)) == NULL)
		return reason_fail(rs, errno, "its BPF object does not open");
	bpf_program__set_autoload(skel_prog(skel, line, tables), true);
	dt_maps_unseen(skel->skeleton, skel->maps.bss); /* the daemon maps it */
	skel->rodata->dt_ncpu = dt_ncpu;
	skel->rodata->dt_isalone = conf.cf_private;
	skel->rodata->dt_line = line < 0 ? 0 : line;
	skel->rodata->dt_nargs = nargs;
	if ((error = dt_maps_share(skel->obj,
		 line < 0 ? DT_TALLY_TRACEPOINT : DT_TALLY_RAWTRACEPOINT)) !=
		0 ||
	    (tables && (error = unwind_share(skel->obj)) != 0) ||
	    (error = table_share(skel)) != 0 ||
	    (error = -dt_prov_tracepoint_bpf__load(skel)) != 0) {
		reason_set(rs, "this kernel refuses the program: %s",
		    dt_refused(error));
		dt_prov_tracepoint_bpf__destroy(skel);
		return error;
	}
	*skelp = skel;
	return 0;
}

/*
 * Creates the map through which fast programs call the complete one.  The
 * kernel frees the programs in it when the last descriptor of the map is
 * closed.
 */
static int
rest_make(void)
{
	uint32_t zero = 0;

	if (rest_fd == -1)
		rest_fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "dt_rest", 4,
		    4, 1, NULL);
	if (rest_fd < 0) {
		rest_fd = -1;
		return errno;
	}
	return -bpf_map_update_elem(rest_fd, &zero, &all_fds[0], BPF_ANY);
}

int
dt_tp_load(int tables, struct reason *rs)
{
	struct dt_prov_tracepoint_bpf *skel;
	int error, *fdp = &all_fds[tables];

	pthread_mutex_lock(&prog_mtx);
	if ((error = skel_load(-1, 0, tables, &skel, rs)) == 0) {
		*fdp = dt_prog_keep(skel_prog(skel, -1, tables));
		if (*fdp == -1)
			error = errno;
		dt_prov_tracepoint_bpf__destroy(skel);
	}
	if (error == 0) {
		dt_hook_add_prog(DT_HOOK_TRACEPOINT, *fdp);
		if (!tables && rest_make() != 0)
			quick_fds[0] = -1;
	}
	pthread_mutex_unlock(&prog_mtx);
	return error;
}

/*
 * Fast programs
 */

unsigned int
dt_tp_quicklength(const struct tp_format *tf)
{
	return tf->tfm_bytes < QUICK_BYTES ? tf->tfm_bytes & ~3U : QUICK_BYTES;
}

static int
quick_load(unsigned int length, int *fdp)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_tracepoint_fast_bpf *skel;
	int error;

	skel = dt_prov_tracepoint_fast_bpf__open_opts(&opts);
	if (skel == NULL)
		return errno;
	dt_maps_unseen(skel->skeleton, skel->maps.bss);
	skel->rodata->dt_ncpu = dt_ncpu;
	skel->rodata->dt_length = length;
	if (bpf_map__value_size(skel->maps.bss) != sizeof(*dt_tptable))
		error = EINVAL; /* cannot be */
	else if ((error = dt_maps_share(skel->obj, DT_TALLY_TRACEPOINT)) == 0 &&
	    (error = -bpf_map__reuse_fd(skel->maps.bss, table_fd)) == 0 &&
	    (error = -bpf_map__reuse_fd(skel->maps.dt_rest, rest_fd)) == 0 &&
	    (error = -dt_prov_tracepoint_fast_bpf__load(skel)) == 0) {
		*fdp = dt_prog_keep(skel->progs.dt_quick);
		error = *fdp == -1 ? errno : 0;
	}
	dt_prov_tracepoint_fast_bpf__destroy(skel);
	return error;
}

int
dt_tp_prog(const struct tp_format *tf)
{
	unsigned int length;
	int error, *fdp;

	length = dt_tp_quicklength(tf);
	fdp = &quick_fds[length / 4];
	pthread_mutex_lock(&prog_mtx);
	if (*fdp == 0 && quick_fds[0] != -1) {
		if ((error = quick_load(length, fdp)) == 0)
			dt_hook_add_prog(DT_HOOK_TRACEPOINT, *fdp);
		else {
			*fdp = -1;
			log_debug(
			    "no quick program for records of %u bytes: %s",
			    length, strerror(error));
		}
	}
	pthread_mutex_unlock(&prog_mtx);
	return *fdp > 0 ? *fdp : all_fds[0];
}

int
dt_tp_prog_all(int tables)
{
	return all_fds[tables];
}

int
dt_tp_load_raw(unsigned int line, const struct tp_format *tf, int tables,
    int *fdp)
{
	struct dt_prov_tracepoint_bpf *skel;
	struct reason rs = { "" };
	int error;

	pthread_mutex_lock(&prog_mtx);
	if ((error = skel_load(line, tf->tfm_n, tables, &skel, &rs)) == 0) {
		*fdp = dt_prog_keep(skel_prog(skel, line, tables));
		if (*fdp == -1)
			error = errno;
		dt_prov_tracepoint_bpf__destroy(skel);
	} else
		log_info("raw tracepoint: %s", rs.rsn_text);
	pthread_mutex_unlock(&prog_mtx);
	return error;
}
