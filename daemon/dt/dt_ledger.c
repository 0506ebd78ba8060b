/* SPDX-License-Identifier: ISC */
/*
 * Computes the ledger of a session from the counters of BPF, of the data thread
 * and of the kernel.
 */
#include <string.h>

#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

static uint64_t
load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/*
 * The BSD original returns skiptick and recurevt of the last CPU; here all
 * counters are sums.
 */
void
dt_ledger_add(const struct dt_softc *sc, enum dt_tally tally,
    struct dt_ledger *dl)
{
	const struct dt_count *c = dt_counts_of(sc->ds_client.dcl_slot, tally);
	unsigned int cpu;
	uint64_t counted;

	dl->dl_read += atomic_load(&sc->ds_counted.dcn_read[tally]);
	dl->dl_dropped += atomic_load(&sc->ds_counted.dcn_discarded[tally]);
	dl->dl_missed += sc->ds_counted.dcn_missed[tally];
	if (c == NULL || !atomic_load(&sc->ds_rings.drg_isready))
		return;
	for (cpu = 0; cpu < dt_ncpu; cpu++, c++) {
		counted = load(&c->dc_counted);
		dl->dl_fired += load(&c->dc_fired) + counted;
		dl->dl_counted += counted;
		dl->dl_dropped += load(&c->dc_dropped);
		dl->dl_recursed += load(&c->dc_recursed);
		dl->dl_excluded += load(&c->dc_excluded);
		dl->dl_compat += load(&c->dc_compat);
		dl->dl_unfollowed += load(&c->dc_unfollowed);
		dl->dl_unpaired += load(&c->dc_unpaired);
		dl->dl_mapfull += load(&c->dc_mapfull);
		dl->dl_skiptick += load(&c->dc_skiptick);
		dl->dl_idle += load(&c->dc_idle);
	}
}

void
dt_ledger_sum(const struct dt_softc *sc, struct dt_ledger *dl)
{
	unsigned int t, tallies = atomic_load(&sc->ds_counted.dcn_tallies);

	memset(dl, 0, sizeof(*dl));
	tallies |= 1U << DT_TALLY_SYSCALL; /* unfollowed is counted there */
	for (t = 0; t < DT_NTALLY; t++)
		if (tallies >> t & 1)
			dt_ledger_add(sc, t, dl);
	dl->dl_unfollowed += sc->ds_counted.dcn_unfollowed;
	dl->dl_runs = atomic_load(&sc->ds_counted.dcn_runs);
	dl->dl_mode = atomic_load(&sc->ds_counted.dcn_aggregates)
	    ? DT_MODE_AGGREGATE
	    : sc->ds_mode;
	if (sc->ds_counted.dcn_missed_unknown)
		dl->dl_flags |= DT_LEDGER_MISSED_UNKNOWN;
	if (sc->ds_counted.dcn_returns_unknown)
		dl->dl_flags |= DT_LEDGER_RETURNS_UNKNOWN;
	if (atomic_load(&sc->ds_cost.dco_limited) == DT_COST_CHANGED)
		dl->dl_flags |= DT_LEDGER_CHANGED;
	if (atomic_load(&sc->ds_cost.dco_limited))
		dl->dl_flags |= DT_LEDGER_STOPPED;
	if (atomic_load(&sc->ds_enabled.den_notables))
		dl->dl_flags |= DT_LEDGER_NOTABLES;
	if (atomic_load(&sc->ds_counted.dcn_ended))
		dl->dl_flags |= DT_LEDGER_ENDED;
}

void
dt_ledger_start(struct dt_softc *sc)
{
	int64_t n;
	int h;

	/* missed hits of a hook include all processes */
	if (dt_client_islimited(&sc->ds_client)) {
		sc->ds_counted.dcn_missed_unknown |= sc->ds_enabled.den_hooks !=
		    0;
		return;
	}
	for (h = 0; h < DT_NHOOK; h++)
		if (sc->ds_enabled.den_hooks & (1U << h)) {
			n = dt_hook_missed(h);
			sc->ds_counted.dcn_missed0[h] = n;
			if (n < 0)
				sc->ds_counted.dcn_missed_unknown = 1;
		}
}

void
dt_ledger_stop(struct dt_softc *sc)
{
	int64_t n;
	int h;

	if (dt_client_islimited(&sc->ds_client))
		return;
	for (h = 0; h < DT_NHOOK; h++)
		if (sc->ds_enabled.den_hooks & (1U << h)) {
			n = dt_hook_missed(h);
			if (n < 0)
				continue;
			/*
			 * If the kernel skipped the program at a fork, the
			 * child was not added to dt_followed.  The same may be
			 * true of a skipped exec.
			 */
			if (h == DT_HOOK_FORK || h == DT_HOOK_EXEC)
				sc->ds_counted.dcn_unfollowed += n -
				    sc->ds_counted.dcn_missed0[h];
			else if (h != DT_HOOK_FREE)
				sc->ds_counted
				    .dcn_missed[h == DT_HOOK_TRACEPOINT
					    ? DT_TALLY_TRACEPOINT
					    : DT_TALLY_SYSCALL] += n -
				    sc->ds_counted.dcn_missed0[h];
		}
}
