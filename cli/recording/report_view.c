/* SPDX-License-Identifier: ISC */
/*
 * Views: what becomes of the events of a recording.  The one without an option
 * is that of record.
 */
#include <err.h>
#include <stdlib.h>

#include "cli/calls/kernel_pair.h"
#include "cli/recording/report.h"

static void
report_record_begin(struct report *rp, const struct opts *opts)
{
	(void)opts;
	rp->rp_trace = out_trace(&rp->rp_out);
}

static int
report_record_event(struct report *rp, const struct dt_event *ev)
{
	return calls_event(rp->rp_trace, ev) == -1 ? -1 : 0;
}

static void
report_record_end(struct report *rp, const struct opts *opts)
{
	(void)opts;
	calls_end(rp->rp_trace);
}

/* An entry whose path its return has read. */
static void
report_stat_late(void *arg, const struct dt_event *ev)
{
	struct report *rp = arg;

	count_event(rp->rp_tally, ev);
}

static void
report_stat_begin(struct report *rp, const struct opts *opts)
{
	char why[1024];
	struct keys *by;

	by = keys_alloc(opts->o_by, opts->o_sum, &rp->rp_names, why,
	    sizeof(why));
	if (by == NULL)
		errx(1, "%s", why);
	if ((rp->rp_tally = calloc(1, sizeof(*rp->rp_tally))) == NULL)
		err(1, NULL);
	count_init(rp->rp_tally, by, opts->o_maxkeys, opts->o_hist);
	if (opts->o_path == NULL)
		return;
	rp->rp_trace = calls_open(opts, &rp->rp_names, NULL);
	calls_late(rp->rp_trace, report_stat_late, rp);
}

static void
report_stat_probe(struct report *rp, const struct probe *pr)
{
	key_learn(rp->rp_tally->cnt_by, pr);
}

/* Whether a key is ambiguous only the events of a recording show; the hits of a
 * call are of one thread. */
static void
report_check_pair(struct report *rp, const struct dt_event *ev)
{
	struct key_call bc = { .kc_ev = ev };
	const struct probe *first, *second;
	struct kernel_pair pd;
	char why[256];

	if (!kernel_pair_split(&pd, ev))
		return;
	first = names_probe(&rp->rp_names, ev->ev_first);
	second = names_probe(&rp->rp_names, ev->ev_rec->dr_pbn);
	bc.kc_entry = &pd.kpr_first;
	if ((first == NULL || second == NULL ||
		!kernel_pair_iscall(first, second)) &&
	    key_check_call(rp->rp_tally->cnt_by, &bc, why, sizeof(why)) == -1)
		errx(2, "%s", why);
}

/* Which arguments there are is known when the first event comes. */
static int
report_stat_event(struct report *rp, const struct dt_event *ev)
{
	char why[1024];

	if (rp->rp_nevents == 1 &&
	    key_check(rp->rp_tally->cnt_by, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	report_check_pair(rp, ev);
	if (rp->rp_trace == NULL || calls_event(rp->rp_trace, ev) != 0)
		count_event(rp->rp_tally, ev);
	return 0;
}

static void
report_stat_end(struct report *rp, const struct opts *opts)
{
	struct out_counts ot;

	(void)opts;
	if (rp->rp_trace != NULL)
		calls_end(rp->rp_trace);
	count_end(rp->rp_tally);
	count_result(rp->rp_tally, &ot, rp->rp_youngest - rp->rp_oldest, 0);
	out_counts(&rp->rp_out, &ot);
	count_next(rp->rp_tally, &ot);
	count_free(rp->rp_tally);
	free(rp->rp_tally);
}

static void
report_profile_begin(struct report *rp, const struct opts *opts)
{
	profile_begin(&rp->rp_profile, &rp->rp_names,
	    rp->rp_out.out_format->f_isexact, opts->o_idle);
}

static int
report_profile_event(struct report *rp, const struct dt_event *ev)
{
	profile_event(&rp->rp_profile, ev);
	return 0;
}

static void
report_profile_end(struct report *rp, const struct opts *opts)
{
	struct out_profile *op = &rp->rp_profile.pf_out;

	op->op_start = rp->rp_start;
	op->op_nsecs = rp->rp_youngest - rp->rp_oldest;
	out_profile(&rp->rp_out, profile_result(&rp->rp_profile, opts->o_top));
	profile_end(&rp->rp_profile);
}

const struct report_view report_views[] = {
	[VIEW_RECORD] = { report_record_begin, NULL, report_record_event,
	    report_record_end },
	[VIEW_STAT] = { report_stat_begin, report_stat_probe, report_stat_event,
	    report_stat_end },
	[VIEW_PROFILE] = { report_profile_begin, NULL, report_profile_event,
	    report_profile_end },
};
