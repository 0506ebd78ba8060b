/* SPDX-License-Identifier: ISC */
/*
 * Begins and ends following processes and the kernel's functions for a
 * session's symbols, and reports the resources used for that.
 */
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/sym/resolve_user.h"
#include "daemon/sym/symbolizer.h"

/* Follows processes for this session from now on. */
int
dt_sym_follow(struct dt_symuse *dsu)
{
	int error = 0;

	if (!dsu->dsu_held && (error = proc_watch_hold()) == 0)
		dsu->dsu_held = 1;
	return error;
}

void
dt_sym_kernel(struct dt_symuse *dsu)
{
	if (!dsu->dsu_kheld)
		kallsyms_hold();
	dsu->dsu_kheld = 1;
}

/* Reads what all sessions share; no client waits for it. */
static void
dt_sym_read_run(struct work *w)
{
	kallsyms_read();
	free(w);
}

void
dt_sym_used(struct dt_symuse *dsu)
{
	dsu->dsu_used = clock_monotonic();
	dt_sym_trim_start();
}

void
dt_sym_enable(struct dt_symuse *dsu, const struct dt_pcb *dp)
{
	if (dp->dp_req.rq_evtflags & DT_EVT_USTACK)
		(void)dt_sym_follow(dsu); /* symbol requests report the error */
}

void
dt_sym_kernel_ahead(struct dt_symuse *dsu, uid_t person)
{
	struct work *w;

	if (dsu->dsu_kheld)
		return;
	dt_sym_kernel(dsu);
	if ((w = calloc(1, sizeof(*w))) == NULL)
		return;
	w->w_run = dt_sym_read_run;
	w->w_person = person;
	workers_submit(w);
}

void
dt_sym_start(struct dt_symuse *dsu, const struct dt_enabled *en)
{
	uint8_t flags = dt_enabled_evtflags(en);

	if (flags & DT_EVT_USTACK)
		(void)dt_sym_follow(dsu); /* ENABLE may have failed to */
	if (flags & DT_EVT_KSTACK)
		dt_sym_kernel_ahead(dsu, en->den_client->dcl_peer.peer_person);
}

/* A CPU that changed, for a worker: following it may wait for the kernel. */
struct cpu_work {
	struct work cw_work; /* first: work is cpu_work */
	unsigned int cw_cpu;
};

static void
dt_sym_cpu_run(struct work *w)
{
	struct cpu_work *cw = (struct cpu_work *)w;
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		if (cw->cw_cpu == cpu || cw->cw_cpu == DEV_CPU_ALL)
			proc_watch_cpu(cpu);
	free(cw);
}

void
dt_sym_cpu(unsigned int cpu)
{
	struct cpu_work *cw;

	if ((cw = calloc(1, sizeof(*cw))) == NULL)
		return;
	cw->cw_work.w_run = dt_sym_cpu_run;
	cw->cw_cpu = cpu;
	workers_submit(&cw->cw_work);
}

void
dt_sym_close(struct dt_symuse *dsu)
{
	proc_watch_view_free(dsu->dsu_view);
	dsu->dsu_view = NULL;
	if (dsu->dsu_held)
		proc_watch_release();
	if (dsu->dsu_kheld)
		kallsyms_release();
	dsu->dsu_held = dsu->dsu_kheld = 0;
}

void
dt_sym_stat(struct dtioc_symstat *st)
{
	struct symbolizer_stat ss;
	struct kallsyms_stat kl;
	struct proc_watch_stat ps;

	proc_watch_stat(&ps);
	symbolizer_stat(&ss);
	kallsyms_stat(&kl);
	*st = (struct dtioc_symstat){
		.dtss_nprocs = ps.pws_procs,
		.dtss_nended = ps.pws_ended,
		.dtss_nmaps = ps.pws_maps,
		.dtss_nfiles = ps.pws_files,
		.dtss_nopen = ps.pws_open,
		.dtss_followbytes = ps.pws_bytes,
		.dtss_followcpu = ps.pws_cpunsecs,
		.dtss_nevents = ps.pws_records,
		.dtss_nlost = ps.pws_lost,
		.dtss_cachebytes = ss.ss_bytes,
		.dtss_cachefiles = ss.ss_files,
		.dtss_asked = ss.ss_addrs,
		.dtss_hits = ss.ss_hits,
		.dtss_evicts = ss.ss_evicted,
		.dtss_requests = ss.ss_asked,
		.dtss_starts = ss.ss_starts,
		.dtss_deaths = ss.ss_deaths,
		.dtss_timeouts = ss.ss_timeouts,
		.dtss_badfiles = ss.ss_badfiles,
		.dtss_pid = ss.ss_npids > 0 ? ss.ss_pids[0] : 0,
		.dtss_ksyms = kl.kas_nsyms,
		.dtss_kreads = kl.kas_nreads,
		.dtss_kgone = kl.kas_ngone,
	};
}
