/* SPDX-License-Identifier: ISC */
/* Views of the events of a recording.  The default is that of record. */
#include <err.h>
#include <stdlib.h>

#include "cli/calls/kernel_pair.h"
#include "cli/recording/report.h"

static void
report_record_begin(struct report *rp, const struct report_opts *ro)
{
	struct consumer consumer = out_consumer(&rp->rpt_out);

	rp->rpt_trace = calls_open(&ro->rpo_common, &rp->rpt_names, &consumer);
}

static int
report_record_event(struct report *rp, const struct dt_event *ev)
{
	return calls_event(rp->rpt_trace, ev) == -1 ? -1 : 0;
}

static void
report_record_end(struct report *rp, const struct report_opts *ro)
{
	(void)ro;
	calls_end(rp->rpt_trace);
}

/* Handles an entry whose path its return has read. */
static void
report_stat_late(void *arg, const struct dt_event *ev)
{
	struct report *rp = arg;

	count_event(rp->rpt_tally, ev);
}

static void
report_stat_begin(struct report *rp, const struct report_opts *ro)
{
	const struct count_opts *co = &ro->rpo_count;
	char why[1024];
	struct keys *by;

	by = keys_alloc(co->cno_by, co->cno_sum, &rp->rpt_names, why,
	    sizeof(why));
	if (by == NULL)
		errx(2, "%s", why);
	if ((rp->rpt_tally = calloc(1, sizeof(*rp->rpt_tally))) == NULL)
		err(1, NULL);
	count_init(rp->rpt_tally, by, co);
	if (ro->rpo_common.o_select.ose_path == NULL)
		return;
	rp->rpt_trace = calls_open(&ro->rpo_common, &rp->rpt_names, NULL);
	calls_late(rp->rpt_trace, report_stat_late, rp);
}

static void
report_stat_probe(struct report *rp, const struct probe *pr)
{
	key_learn(rp->rpt_tally->cnt_by, pr);
}

/*
 * Only the events of a recording show whether a key is ambiguous; the hits of a
 * call are of one thread.
 */
static void
report_check_pair(struct report *rp, const struct dt_event *ev)
{
	struct key_call bc = { .kc_ev = ev };
	const struct probe *first, *second;
	struct kernel_pair pd;
	char why[256];

	if (ev->ev_duration == NULL)
		return;
	kernel_pair_split(&pd, ev);
	first = name_cache_probe(&rp->rpt_names, ev->ev_first);
	second = name_cache_probe(&rp->rpt_names, ev->ev_rec->dr_pbn);
	bc.kc_entry = &pd.kpr_first;
	if ((first == NULL || second == NULL ||
		!kernel_pair_iscall(first, second)) &&
	    key_check_call(rp->rpt_tally->cnt_by, &bc, why, sizeof(why)) == -1)
		errx(2, "%s", why);
}

/* The arguments of probes are known at the first event. */
static int
report_stat_event(struct report *rp, const struct dt_event *ev)
{
	char why[1024];

	if (rp->rpt_nevents == 1 &&
	    key_check(rp->rpt_tally->cnt_by, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	report_check_pair(rp, ev);
	if (rp->rpt_trace != NULL && calls_event(rp->rpt_trace, ev) == 0)
		return 0;
	if (!half_is_other(&rp->rpt_halves, rp->rpt_tally->cnt_by,
		&rp->rpt_names, ev))
		count_event(rp->rpt_tally, ev);
	return 0;
}

static void
report_stat_end(struct report *rp, const struct report_opts *ro)
{
	struct out_counts ot;

	(void)ro;
	if (rp->rpt_trace != NULL)
		calls_end(rp->rpt_trace);
	count_end(rp->rpt_tally);
	count_result(rp->rpt_tally, &ot, rp->rpt_youngest - rp->rpt_oldest, 0);
	out_counts(&rp->rpt_out, &ot);
	count_next(rp->rpt_tally, &ot);
	count_free(rp->rpt_tally);
	free(rp->rpt_tally);
}

const struct report_view report_views[] = {
	[VIEW_RECORD] = { report_record_begin, NULL, report_record_event,
	    report_record_end },
	[VIEW_STAT] = { report_stat_begin, report_stat_probe, report_stat_event,
	    report_stat_end },
	[VIEW_PROFILE] = { report_profile_begin, report_profile_probe,
	    report_profile_event, report_profile_end },
	[VIEW_OFFCPU] = { report_offcpu_begin, NULL, report_offcpu_event,
	    report_offcpu_end },
};
