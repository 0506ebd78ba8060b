/* SPDX-License-Identifier: ISC */
/*
 * The interval provider: a clock that ticks on one CPU, also when that is idle.
 * Its threads are in dt_interval_timer.c.
 */
#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_interval_timer.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/load_error.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_interval.skel.h"

extern const struct dt_provider dt_prov_interval;

static int interval_progfds[2] = { -1, -1 }; /* without, with tables */

static int
dt_prov_interval_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	return dt_probe_add(prov, "hz", "1", 0, 0) == NULL ? ENOMEM : 0;
}

static int
dt_prov_interval_alloc(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	return dt_pcb_period(dp, rq, DT_CLOCK_MIN, DT_CLOCK_MAX);
}

/* Tells the program which frames of a kernel stack are its own. */
static void
interval_entries(struct dt_prov_interval_bpf *skel)
{
	struct kallsyms_func kf[] = {
#if defined(__x86_64__)
		{ .kaf_name = "asm_sysvec_call_function_single" },
#else
		{ .kaf_name = "el1h_64_irq" },
#endif
		{ .kaf_name = "flush_smp_call_function_queue" },
	};
	size_t i, n = sizeof(kf) / sizeof(kf[0]);

	_Static_assert(sizeof(kf) / sizeof(kf[0]) ==
		sizeof(skel->rodata->dt_entry_begin) / sizeof(__u64),
	    "the program looks for as many");
	if (kallsyms_find(kf, n) != 0)
		return;
	for (i = 0; i < n; i++) {
		skel->rodata->dt_entry_begin[i] = kf[i].kaf_begin;
		skel->rodata->dt_entry_end[i] = kf[i].kaf_end;
	}
}

static int
dt_prov_interval_load(unsigned int part, struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	const int tables = (part & DT_PART_TABLES) != 0;
	struct dt_prov_interval_bpf *skel;
	struct bpf_program *prog;
	int error, *fdp = &interval_progfds[tables];

	if ((skel = dt_prov_interval_bpf__open_opts(&opts)) == NULL)
		return reason_fail(rs, errno, "its BPF object does not open");
	prog = tables ? skel->progs.dt_interval_tables
		      : skel->progs.dt_interval;
	bpf_program__set_autoload(prog, true);
	skel->rodata->dt_ncpu = dt_ncpu;
	interval_entries(skel);
	if ((error = dt_maps_share(skel->obj, DT_TALLY_INTERVAL)) != 0 ||
	    (tables && (error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_interval_bpf__load(skel)) != 0) {
		reason_set(rs, "this kernel refuses the program: %s",
		    dt_refused(error));
		dt_prov_interval_bpf__destroy(skel);
		return error;
	}
	*fdp = dt_prog_keep(prog);
	error = *fdp == -1 ? errno : 0;
	dt_prov_interval_bpf__destroy(skel);
	if (error != 0)
		return error;
	dt_cost_watch(*fdp, &dt_prov_interval, 0);
	return 0;
}

static int
dt_prov_interval_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	const struct interval_clock ic = {
		.ick_args = { DT_COOKIE(en->den_client->dcl_slot,
				  en->den_client->dcl_gen,
				  dp->dp_req.rq_evtflags, dp->dp_dtp->dtp_pbn),
		    dp->dp_req.rq_reads },
		.ick_counts = dt_counts_of(en->den_client->dcl_slot,
		    DT_TALLY_INTERVAL),
		.ick_period = dp->dp_nsecs,
		.ick_isadmin = (en->den_client->dcl_peer.peer_rights &
				   RIGHT_ADMIN) != 0,
	};

	return interval_start(&ic, interval_progfds[dp->dp_walks],
	    &dp->dp_interval);
}

static void
dt_prov_interval_stop(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp)
{
	interval_stop(dp->dp_interval);
	dp->dp_interval = NULL;
	dp->dp_started = 0;
}

static const struct dt_provlist interval_list = {
	.pvl_init = dt_prov_interval_init,
};

static const struct dt_provrec interval_rec = {
	.pvr_tally = DT_TALLY_INTERVAL,
	.pvr_alloc = dt_prov_interval_alloc,
	.pvr_load = dt_prov_interval_load,
	.pvr_tables = 1,
	.pvr_start = dt_prov_interval_start,
	.pvr_stop = dt_prov_interval_stop,
};

const struct dt_provider dt_prov_interval = {
	.prov_name = "interval",
	.prov_flags = DTPI_CLOCK | DTPI_ANYTASK,
	.prov_rights = RIGHT_TRACE,
	.prov_list = &interval_list,
	.prov_rec = &interval_rec,
};
