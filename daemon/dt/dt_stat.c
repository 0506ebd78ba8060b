/* SPDX-License-Identifier: ISC */
/* Statistics of a session and of the daemon, as ioctls. */
#include <string.h>

#include "daemon/base/latency.h"
#include "daemon/device/ring_grow.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_session_sums.h"
#include "daemon/dt/dt_softc.h"

#define STAT_SYMWAIT 200000000 /* ns to wait for the statistics of symbols */

int
dt_ioctl_get_stats(struct op *op)
{
	struct dtioc_stat *dtst = op->op_out;
	struct dt_ledger dl;

	dt_ledger_sum(op->op_sc, &dl);
	dtst->dtst_readevt = dl.dl_read;
	dtst->dtst_dropevt = dl.dl_dropped;
	dtst->dtst_skiptick = dl.dl_skiptick;
	dtst->dtst_recurevt = dl.dl_recursed;
	op->op_outlen = sizeof(*dtst);
	return 0;
}

int
dt_ioctl_get_stall(struct op *op)
{
	struct dtioc_stall *sl = op->op_out;
	struct latency_max control, data;

	latency_get(LATENCY_CONTROL, &control);
	latency_get(LATENCY_DATA, &data);
	*sl = (struct dtioc_stall){
		.dtsl_control = control.lx_nsecs,
		.dtsl_controlcpu = control.lx_cpunsecs,
		.dtsl_data = data.lx_nsecs,
		.dtsl_datacpu = data.lx_cpunsecs,
		.dtsl_datagap = data.lx_gap,
	};
	op->op_outlen = sizeof(*sl);
	return 0;
}

/* The statistics of symbols are earlier ones while files of users are read. */
static int
dt_stat_sym(struct op *op)
{
	struct dtioc_fullstat *fs = op->op_out;
	uint64_t hung;

	dt_sums_sym(&fs->dtfs_sym, &hung, STAT_SYMWAIT);
	return 0;
}

int
dt_ioctl_get_fullstat(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_fullstat *fs = op->op_out;
	const struct dt_pcb *dp;
	struct ring_usage ru;
	struct dt_ledger dl;

	_Static_assert(offsetof(struct dtioc_fullstat, dtfs_ringbytes) ==
		sizeof(struct dt_ledger),
	    "the ledger is its first part");
	dt_ledger_sum(sc, &dl);
	memset(fs, 0, sizeof(*fs));
	memcpy(fs, &dl, sizeof(dl));
	if (sc->ds_rings.drg_rings.ri_rings != NULL) {
		rings_usage(&sc->ds_rings.drg_rings, &ru);
		fs->dtfs_ringbytes = ru.ru_most;
		fs->dtfs_nrings = dt_ncpu;
	}
	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		fs->dtfs_nenabled++;
	fs->dtfs_recording = sc->ds_recording;
	fs->dtfs_nopen = dt_nopen;
	dt_cost_report(&sc->ds_cost, fs);
	op->op_outlen = sizeof(*fs);
	if ((sc->ds_client.dcl_peer.peer_rights & RIGHT_STATS) == 0) {
		fs->dtfs_nopen = dt_sessions_of(
		    sc->ds_client.dcl_peer.peer_person);
		fs->dtfs_cost = UINT64_MAX;
		return 0;
	}
	return op_later(op, dt_stat_sym, NULL, 1);
}
