/* SPDX-License-Identifier: ISC */
/*
 * Loads the program of tprof and its maps at the first START that takes
 * samples, and keeps them.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/reason.h"
#include "daemon/device/grace_period.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/tprof/tprof_softc.h"
#include "tprof.skel.h"

/* Used by the current operation. */
static struct tprof_bpf *tprof_skel;
static struct tprof_count *tprof_counts; /* mapped */
static int tprof_noring = -1;

static int
load_object(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct tprof_bpf *skel = tprof_bpf__open_opts(&opts);
	int error;

	if (skel == NULL)
		return errno;
	if ((error = -bpf_map__set_max_entries(skel->maps.tprof_counts,
		 tprof_ncpu)) != 0 ||
	    (error = -bpf_map__set_max_entries(skel->maps.tprof_rings,
		 tprof_ncpu)) != 0 ||
	    (error = -tprof_bpf__load(skel)) != 0) {
		tprof_bpf__destroy(skel);
		return error;
	}
	if (skel->bss == NULL) { /* as in dt_maps_seen() */
		tprof_bpf__destroy(skel);
		return EOPNOTSUPP;
	}
	tprof_skel = skel;
	return 0;
}

static int
load_all(void)
{
	void *p;
	int error;

	if (tprof_skel == NULL && (error = load_object()) != 0)
		return error;
	if (tprof_noring < 0)
		tprof_noring = bpf_map_create(BPF_MAP_TYPE_RINGBUF,
		    "tprof_noring", 0, 0, getpagesize(), NULL);
	if (tprof_noring < 0)
		return -tprof_noring;
	if (tprof_counts == NULL) {
		p = mmap(NULL, tprof_ncpu * sizeof(*tprof_counts),
		    PROT_READ | PROT_WRITE, MAP_SHARED,
		    bpf_map__fd(tprof_skel->maps.tprof_counts), 0);
		if (p == MAP_FAILED)
			return errno;
		tprof_counts = p;
	}
	return grace_period_init();
}

int
tprof_load(struct reason *rs)
{
	int error = load_all();

	if (error != 0)
		reason_set(rs, "this kernel refuses the program of tprof: %s",
		    dt_refused(error));
	return error;
}

int
tprof_progfd(void)
{
	return bpf_program__fd(tprof_skel->progs.tprof);
}

int
tprof_ringsfd(void)
{
	return bpf_map__fd(tprof_skel->maps.tprof_rings);
}

int
tprof_noringfd(void)
{
	return tprof_noring;
}

struct tprof_count *
tprof_count(unsigned int cpu)
{
	return tprof_counts != NULL ? &tprof_counts[cpu] : NULL;
}

void
tprof_program_set(uint32_t gen, uint32_t nsinum, uint32_t nslevel,
    uint32_t half)
{
	if (tprof_skel == NULL)
		return;
	tprof_skel->bss->tprof_nsinum = nsinum;
	tprof_skel->bss->tprof_nslevel = nslevel;
	tprof_skel->bss->tprof_half = half;
	__atomic_store_n(&tprof_skel->bss->tprof_gen, gen, __ATOMIC_SEQ_CST);
}
