/* SPDX-License-Identifier: ISC */
/*
 * Adds samples to the sums of all sessions (session_sums.h) and fills the audit
 * message.  A sample that did not fit, or whose reader has disconnected, is
 * dropped.
 */
#include "daemon/device/session_sums.h"
#include "daemon/tprof/tprof_softc.h"

static int sums_index = -1; /* row of tprof */

/* Adds the new counts of the session to the row.  Under tprof_mtx. */
static void
sums_settle(struct tprof_softc *sc, int isend)
{
	const struct tprof_stat *st = &sc->tps_stat;
	const struct tprof_count *c;
	uint64_t now[NSUM] = { 0 };
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu && atomic_load(&sc->tps_hasrings);
	     cpu++) {
		c = tprof_count(cpu);
		now[SUM_FIRED] += __atomic_load_n(&c->tc_taken,
		    __ATOMIC_RELAXED);
		now[SUM_EXCLUDED] += __atomic_load_n(&c->tc_excluded,
		    __ATOMIC_RELAXED);
	}
	now[SUM_READ] = sc->tps_read;
	now[SUM_DROPPED] = isend ? now[SUM_FIRED] - now[SUM_READ]
				 : st->ts_overflow + st->ts_dropbuf_sample;
	sums_add(sums_index, sc->tps_summed, now);
}

void
tprof_sums_init(void)
{
	sums_index = sums_row(tprof_cdevsw.d_name, "sample");
}

void
tprof_sums(struct sums *sm)
{
	pthread_mutex_lock(&tprof_mtx);
	sums_settle(&tprof_softc, 0);
	pthread_mutex_unlock(&tprof_mtx);
	sums_put(sm, DTSM_BRAKED, tprof_cdevsw.d_name, NULL,
	    tprof_cost_limit_stops());
}

void
tprof_sums_close(void)
{
	struct tprof_softc *sc = &tprof_softc;

	pthread_mutex_lock(&tprof_mtx);
	sums_settle(sc, 1);
	sc->tps_sums = (struct audit_sums){
		.aus_fired = sc->tps_summed[SUM_FIRED],
		.aus_read = sc->tps_summed[SUM_READ],
		.aus_dropped = sc->tps_summed[SUM_DROPPED],
	};
	pthread_mutex_unlock(&tprof_mtx);
}
