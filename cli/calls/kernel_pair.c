/* SPDX-License-Identifier: ISC */
/* Extracts the first hit from the event of a pair. */
#include <string.h>

#include "cli/calls/kernel_pair.h"

/* Computes the time of the first hit, in both clocks. */
static void
kernel_pair_time(struct kernel_pair *pd, uint64_t nsecs)
{
	struct timespec *ts = &pd->kpr_first.ev_realtime;
	long left = nsecs % 1000000000;

	pd->kpr_rec.dr_time -= nsecs;
	ts->tv_sec -= nsecs / 1000000000;
	ts->tv_nsec -= left;
	if (ts->tv_nsec < 0) {
		ts->tv_nsec += 1000000000;
		ts->tv_sec--;
	}
}

/* Copies the strings that were read at the return, or the others. */
static const struct dt_rec_strings *
kernel_pair_strings(const struct dt_event *ev, unsigned int isreturn,
    uint64_t *room)
{
	struct dt_rec_strings *sz = (struct dt_rec_strings *)room;
	const struct dt_rec_string *s = NULL;
	char *p = (char *)(sz + 1);
	size_t n;

	if (ev->ev_strings == NULL ||
	    ev->ev_strings->drz_nbytes > DT_REC_STRBYTES - sizeof(*sz))
		return NULL;
	sz->drz_count = sz->drz_nbytes = 0;
	while ((s = dt_string(ev, s)) != NULL) {
		if ((s->drt_flags & DT_STR_RETURN) != isreturn)
			continue;
		n = sizeof(*s) + ((s->drt_length + 7U) & ~7U);
		memcpy(p + sz->drz_nbytes, s, n);
		sz->drz_nbytes += n;
		sz->drz_count++;
	}
	return sz->drz_count > 0 ? sz : NULL;
}

/* Sets the thread of the first hit, if the event has it. */
static void
kernel_pair_thread(struct kernel_pair *pd, const struct dt_rec_first *rf)
{
	if (rf == NULL)
		return;
	pd->kpr_rec.dr_pid = rf->drf_pid;
	pd->kpr_rec.dr_tid = rf->drf_tid;
	pd->kpr_rec.dr_flags |= DT_REC_COMM | DT_REC_WHO;
	pd->kpr_first.ev_cpu = rf->drf_cpu;
	pd->kpr_first.ev_comm = rf->drf_comm;
	pd->kpr_first.ev_who = &rf->drf_who;
}

void
kernel_pair_split(struct kernel_pair *pd, const struct dt_event *ev)
{
	pd->kpr_second = *ev;
	pd->kpr_second.ev_args = NULL;
	pd->kpr_second.ev_nargs = 0;
	pd->kpr_second.ev_strings = kernel_pair_strings(ev, DT_STR_RETURN,
	    pd->kpr_strings[1]);
	pd->kpr_rec = *ev->ev_rec;
	pd->kpr_rec.dr_length = sizeof(pd->kpr_rec);
	pd->kpr_rec.dr_flags &= DT_REC_ARGS | DT_REC_COMM | DT_REC_WHO;
	pd->kpr_rec.dr_pbn = ev->ev_first;
	pd->kpr_first = *ev;
	pd->kpr_first.ev_rec = &pd->kpr_rec;
	pd->kpr_first.ev_ret = NULL;
	pd->kpr_first.ev_strings = kernel_pair_strings(ev, 0,
	    pd->kpr_strings[0]);
	pd->kpr_first.ev_duration = NULL;
	kernel_pair_thread(pd, dt_first(ev));
	kernel_pair_time(pd, *ev->ev_duration);
}

int
kernel_pair_iscall(const struct probe *first, const struct probe *second)
{
	const struct dtioc_probe_info *a = &first->pr_desc.pd_info;
	const struct dtioc_probe_info *b = &second->pr_desc.pd_info;

	return strcmp(a->dtpi_name, "entry") == 0 &&
	    strcmp(b->dtpi_name, "return") == 0 &&
	    strcmp(a->dtpi_func, b->dtpi_func) == 0 &&
	    strcmp(a->dtpi_prov, b->dtpi_prov) == 0;
}
