/* SPDX-License-Identifier: ISC */
/*
 * Adds records of kcov to the sums of all sessions (session_sums.h).  A record
 * in the memory counts as read; one that did not fit as dropped.
 */
#include "daemon/kcov/kcov_softc.h"

static int sums_index = -1; /* of the row */

void
kcov_sums_settle(struct kcov_dev *kd)
{
	const struct kcov_entry *kl = kcov_row(kd->kd_slot);
	uint64_t now[NSUM] = { 0 };

	if (kl == NULL || !kd->kd_isinserted)
		return;
	now[SUM_READ] = __atomic_load_n(&kl->kcl_recorded, __ATOMIC_RELAXED);
	now[SUM_DROPPED] = __atomic_load_n(&kl->kcl_dropped, __ATOMIC_RELAXED);
	now[SUM_FIRED] = now[SUM_READ] + now[SUM_DROPPED];
	now[SUM_EXCLUDED] = __atomic_load_n(&kl->kcl_interrupt,
	    __ATOMIC_RELAXED);
	sums_add(sums_index, kd->kd_summed, now);
}

void
kcov_sums_init(void)
{
	sums_index = sums_row(kcov_cdevsw.d_name, "entry");
}

void
kcov_sums(struct sums *sm)
{
	struct kcov_dev *kd;

	pthread_mutex_lock(&kcov_mtx);
	TAILQ_FOREACH(kd, &kcov_devs, kd_entry)
		kcov_sums_settle(kd);
	pthread_mutex_unlock(&kcov_mtx);
	sums_put(sm, DTSM_BRAKED, kcov_cdevsw.d_name, NULL,
	    kcov_cost_limit_stops());
}
