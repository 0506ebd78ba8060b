/* SPDX-License-Identifier: ISC */
/*
 * Handles CPUs that come online or go offline while sessions record. This waits
 * for the kernel, so it is a job of each session, between its client's
 * requests. The change is remembered until the job handles it; a CPU that
 * changes again meanwhile is handled again.
 */
#include "daemon/dt/dt_softc.h"

static void
dt_cpu_one(struct dt_softc *sc, unsigned int cpu)
{
	struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		if (dp->dp_started &&
		    dp->dp_dtp->dtp_prov->prov_rec->pvr_cpu != NULL)
			dp->dp_dtp->dtp_prov->prov_rec->pvr_cpu(&sc->ds_enabled,
			    dp, cpu);
}

static int
dt_cpu_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		if (atomic_exchange(&sc->ds_cpudue[cpu], 0))
			dt_cpu_one(sc, cpu);
	return 0;
}

/* No command is in progress: any that started this session has ended. */
static int
dt_cpu_job(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	const struct dt_pcb *dp;

	if (!sc->ds_recording)
		return 0;
	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		if (dp->dp_dtp->dtp_prov->prov_rec->pvr_cpu != NULL)
			return op_later(op, dt_cpu_run, NULL,
			    dt_enabled_isslow(&sc->ds_enabled));
	return 0;
}

void
dt_cpu_changed(struct dt_softc *sc, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < dt_ncpu; i++)
		if (cpu == i || cpu == DEV_CPU_ALL)
			atomic_store(&sc->ds_cpudue[i], 1);
	op_request(sc->ds_queue, dt_cpu_job);
}
