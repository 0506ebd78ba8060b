/* SPDX-License-Identifier: ISC */
/*
 * The first hit of paired.h.
 */
#include <string.h>

#include "paired.h"

/* The time before, in both clocks. */
static void
paired_time(struct paired *pd, uint64_t nsecs)
{
	struct timespec *ts = &pd->pd_first.ev_realtime;
	long left = nsecs % 1000000000;

	pd->pd_rec.dr_time -= nsecs;
	ts->tv_sec -= nsecs / 1000000000;
	ts->tv_nsec -= left;
	if (ts->tv_nsec < 0) {
		ts->tv_nsec += 1000000000;
		ts->tv_sec--;
	}
}

int
paired_first(struct paired *pd, const struct dt_event *ev)
{
	if (ev->ev_duration == NULL)
		return 0;
	pd->pd_rec = *ev->ev_rec;
	pd->pd_rec.dr_length = sizeof(pd->pd_rec);
	pd->pd_rec.dr_flags &= DT_REC_ARGS | DT_REC_COMM | DT_REC_WHO;
	pd->pd_rec.dr_pbn = ev->ev_first;
	pd->pd_first = *ev;
	pd->pd_first.ev_rec = &pd->pd_rec;
	pd->pd_first.ev_ret = NULL;
	pd->pd_first.ev_strings = NULL;
	pd->pd_first.ev_duration = NULL;
	paired_time(pd, *ev->ev_duration);
	return 1;
}

int
paired_iscall(const struct probe *first, const struct probe *second)
{
	const struct dtioc_probe_info *a = &first->pr_desc.pd_info;
	const struct dtioc_probe_info *b = &second->pr_desc.pd_info;

	return strcmp(a->dtpi_name, "entry") == 0 &&
	    strcmp(b->dtpi_name, "return") == 0 &&
	    strcmp(a->dtpi_func, b->dtpi_func) == 0 &&
	    strcmp(a->dtpi_prov, b->dtpi_prov) == 0;
}
