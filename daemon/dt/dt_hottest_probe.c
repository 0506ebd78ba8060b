/* SPDX-License-Identifier: ISC */
/* Counts votes for the probe that is hit most. */
#include "daemon/dt/dt_hottest_probe.h"

#define VOTES(c) ((uint32_t)(c))
#define PBN(c)	 ((uint32_t)((c) >> 32))

static uint64_t
dt_hottest_probe_load(const struct dt_hottest_probe *dv, unsigned int i)
{
	return atomic_load_explicit(&dv->dh_cand[i], memory_order_relaxed);
}

static void
dt_hottest_probe_store(struct dt_hottest_probe *dv, unsigned int i,
    uint32_t pbn, uint32_t n)
{
	atomic_store_explicit(&dv->dh_cand[i], (uint64_t)pbn << 32 | n,
	    memory_order_relaxed);
}

void
dt_hottest_probe_clear(struct dt_hottest_probe *dv)
{
	unsigned int i;

	for (i = 0; i < DT_NVOTES; i++)
		dt_hottest_probe_store(dv, i, 0, 0);
}

static void
dt_hottest_halve(struct dt_hottest_probe *dv)
{
	unsigned int i;
	uint64_t c;

	for (i = 0; i < DT_NVOTES; i++) {
		c = dt_hottest_probe_load(dv, i);
		dt_hottest_probe_store(dv, i, PBN(c), VOTES(c) / 2);
	}
}

/* A vote for no candidate: removes one vote of each. */
static void
dt_hottest_against(struct dt_hottest_probe *dv)
{
	unsigned int i;
	uint64_t c;

	for (i = 0; i < DT_NVOTES; i++) {
		c = dt_hottest_probe_load(dv, i);
		dt_hottest_probe_store(dv, i, PBN(c), VOTES(c) - 1);
	}
}

void
dt_hottest_probe_add(struct dt_hottest_probe *dv, uint32_t pbn)
{
	unsigned int i, at = DT_NVOTES;
	uint64_t c = 0;

	for (i = 0; i < DT_NVOTES; i++) {
		c = dt_hottest_probe_load(dv, i);
		if (VOTES(c) != 0 && PBN(c) == pbn)
			break;
		if (VOTES(c) == 0)
			at = i;
	}
	if (i < DT_NVOTES) {
		dt_hottest_probe_store(dv, i, pbn, VOTES(c) + 1);
		if (VOTES(c) + 1 >= DT_VOTEMAX)
			dt_hottest_halve(dv);
	} else if (at < DT_NVOTES)
		dt_hottest_probe_store(dv, at, pbn, 1);
	else
		dt_hottest_against(dv);
}

int
dt_hottest_probe_top(const struct dt_hottest_probe *dv, uint32_t *pbn)
{
	unsigned int i;
	uint32_t most = 0;
	uint64_t c;

	for (i = 0; i < DT_NVOTES; i++) {
		c = dt_hottest_probe_load(dv, i);
		if (VOTES(c) > most) {
			most = VOTES(c);
			*pbn = PBN(c);
		}
	}
	return most != 0;
}
