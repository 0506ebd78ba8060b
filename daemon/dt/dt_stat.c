/* SPDX-License-Identifier: ISC */
/*
 * Computes the ledger of a session from the counters of BPF, of the data thread
 * and of the kernel.
 */
#include <errno.h>
#include <string.h>

#include "daemon/base/latency.h"
#include "daemon/device/ring_grow.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

static uint64_t
load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* The seeds assigned skiptick and recurevt of the last CPU; all are sums. */
void
dt_ledger_add(const struct dt_softc *sc, enum dt_tally tally,
    struct dt_ledger *dl)
{
	const struct dt_count *c = dt_counts_of(sc->ds_slot, tally);
	unsigned int cpu;

	dl->dl_read += atomic_load(&sc->ds_read[tally]);
	dl->dl_dropped += atomic_load(&sc->ds_discarded[tally]);
	dl->dl_missed += sc->ds_missed[tally];
	if (c == NULL || !atomic_load(&sc->ds_hasrings))
		return;
	for (cpu = 0; cpu < dt_ncpu; cpu++, c++) {
		dl->dl_fired += load(&c->dc_fired);
		dl->dl_dropped += load(&c->dc_dropped);
		dl->dl_recursed += load(&c->dc_recursed);
		dl->dl_excluded += load(&c->dc_excluded);
		dl->dl_compat += load(&c->dc_compat);
		dl->dl_unfollowed += load(&c->dc_unfollowed);
		dl->dl_unpaired += load(&c->dc_unpaired);
		dl->dl_skiptick += load(&c->dc_skiptick);
		dl->dl_idle += load(&c->dc_idle);
	}
}

void
dt_ledger_sum(const struct dt_softc *sc, struct dt_ledger *dl)
{
	unsigned int t, tallies = atomic_load(&sc->ds_tallies);

	memset(dl, 0, sizeof(*dl));
	tallies |= 1U << DT_TALLY_SYSCALL; /* unfollowed is counted there */
	for (t = 0; t < DT_NTALLY; t++)
		if (tallies >> t & 1)
			dt_ledger_add(sc, t, dl);
	dl->dl_unfollowed += sc->ds_unfollowed;
	dl->dl_runs = atomic_load(&sc->ds_runs);
	dl->dl_mode = sc->ds_mode;
	if (sc->ds_missed_unknown)
		dl->dl_flags |= DT_LEDGER_MISSED_UNKNOWN;
	if (sc->ds_returns_unknown)
		dl->dl_flags |= DT_LEDGER_RETURNS_UNKNOWN;
	if (atomic_load(&sc->ds_limited))
		dl->dl_flags |= DT_LEDGER_STOPPED;
	if (atomic_load(&sc->ds_ended))
		dl->dl_flags |= DT_LEDGER_ENDED;
}

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

/*
 * Statistics of symbols are protected by locks that are held while files are
 * read.
 */
static int
dt_stat_sym(struct op *op)
{
	struct dtioc_fullstat *fs = op->op_out;

	dt_sym_stat(&fs->dtfs_sym);
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
	if (sc->ds_rings.ri_rings != NULL) {
		rings_usage(&sc->ds_rings, &ru);
		fs->dtfs_ringbytes = ru.ru_most;
		fs->dtfs_nrings = dt_ncpu;
	}
	TAILQ_FOREACH(dp, &sc->ds_pcbs, dp_snext)
		fs->dtfs_nenabled++;
	fs->dtfs_recording = sc->ds_recording;
	fs->dtfs_nopen = dt_nopen;
	dt_cost_tell(sc, fs);
	op->op_outlen = sizeof(*fs);
	if ((sc->ds_peer.pr_rights & RIGHT_STATS) == 0) {
		fs->dtfs_nopen = dt_sessions_of(sc->ds_peer.pr_person);
		fs->dtfs_cost = UINT64_MAX;
		return 0;
	}
	return op_later(op, dt_stat_sym, NULL, 1);
}

void
dt_ledger_start(struct dt_softc *sc)
{
	int64_t n;
	int h;

	/* missed hits of a hook include all processes */
	if (dt_softc_islimited(sc)) {
		sc->ds_missed_unknown |= sc->ds_hooks != 0;
		return;
	}
	for (h = 0; h < DT_NHOOK; h++)
		if (sc->ds_hooks & (1U << h)) {
			n = dt_hook_missed(h);
			sc->ds_missed0[h] = n;
			if (n < 0)
				sc->ds_missed_unknown = 1;
		}
}

void
dt_ledger_stop(struct dt_softc *sc)
{
	int64_t n;
	int h;

	if (dt_softc_islimited(sc))
		return;
	for (h = 0; h < DT_NHOOK; h++)
		if (sc->ds_hooks & (1U << h)) {
			n = dt_hook_missed(h);
			if (n < 0)
				continue;
			/* A fork that the kernel skipped is a child that was
			 * not entered; so may be an exec that it skipped. */
			if (h == DT_HOOK_FORK || h == DT_HOOK_EXEC)
				sc->ds_unfollowed += n - sc->ds_missed0[h];
			else if (h != DT_HOOK_FREE)
				sc->ds_missed[h == DT_HOOK_TRACEPOINT
					? DT_TALLY_TRACEPOINT
					: DT_TALLY_SYSCALL] += n -
				    sc->ds_missed0[h];
		}
}
