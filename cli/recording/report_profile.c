/* SPDX-License-Identifier: ISC */
/*
 * Profiles of the events of a recording.  Outputs that show threads and times
 * get a profile for each kind of events: samples of a clock, waits, calls by
 * their duration, and other hits.
 */
#include <err.h>

#include "cli/base/probe_match.h"
#include "cli/calls/kernel_pair.h"
#include "cli/recording/report.h"

/* Kinds in which a recording with several begins. */
static const enum profile_unit profile_values[REPORT_NVALUES] = {
	[REPORT_SAMPLES] = PROFILE_SAMPLES,
	[REPORT_WAITS] = PROFILE_WAITS,
	[REPORT_CALLS] = PROFILE_NSECS,
	[REPORT_HITS] = PROFILE_HITS,
};

/* Several values */

/* Appends the arguments of a call, and its result. */
static void
profile_text(struct buf *b, const struct call *cl)
{
	const struct probe *pr = cl->cal_entry != NULL ? cl->cal_eprobe
						       : cl->cal_probe;
	const struct dt_rec_ret *ret = cl->cal_ev->ev_ret;
	const struct call_text *ct = cl->cal_args;
	const char *error, *sep = "";
	unsigned int i;

	for (i = 0; cl->cal_hasargs >> i != 0; i++) {
		if ((cl->cal_hasargs & cl->cal_inuse & UINT32_C(1) << i) == 0)
			continue;
		buf_printf(b, "%s%s=", sep, pr->pr_desc.pd_names[i].dtan_name);
		buf_mem(b, cl->cal_text + ct[i].clt_from, ct[i].clt_len);
		sep = ", ";
	}
	if (ret == NULL || cl->cal_probe->pr_isvoid)
		return;
	buf_str(b, " = ");
	if (cl->cal_hasret)
		buf_mem(b, cl->cal_text + cl->cal_ret.clt_from,
		    cl->cal_ret.clt_len);
	else
		buf_s64(b, ret->drr_retval);
	if (!cl->cal_hasret && (error = val_errname(ret->drr_error)) != NULL)
		buf_printf(b, " %s", error);
}

/* Returns the kind of an event or a call, and stores its weight. */
static enum report_value
profile_value(struct report *rp, const struct call *cl, struct profile_hits *ph)
{
	const struct dt_event *ev = cl->cal_ev;

	*ph = (struct profile_hits){ .phi_count = 1, .phi_weight = 1 };
	if (cl->cal_probe->pr_desc.pd_info.dtpi_flags & DTPI_CLOCK)
		return REPORT_SAMPLES;
	if (waits_weigh(&rp->rpt_waits, ev, ph) == 0)
		return REPORT_WAITS;
	if (cl->cal_entry == NULL)
		return REPORT_HITS;
	ph->phi_weight = ev->ev_duration != NULL
	    ? *ev->ev_duration
	    : ev->ev_rec->dr_time - cl->cal_entry->ev_rec->dr_time;
	return REPORT_CALLS;
}

/*
 * Adds a call with the time and the stacks of its entry, of which the symbols
 * may be others at its return.  A call that has not returned has no duration.
 */
static int
profile_call(void *arg, const struct call *cl)
{
	struct report *rp = arg;
	struct profile_hits ph;
	enum report_value value;
	const struct dt_event *ev = cl->cal_ev;
	struct buf *b = &rp->rpt_text;

	if (cl->cal_flags & (CALL_UNFINISHED | CALL_NORETURN))
		return 0;
	value = profile_value(rp, cl, &ph);
	b->b_len = 0;
	if (value == REPORT_CALLS || value == REPORT_HITS) {
		profile_text(b, cl);
		ph.phi_name = cl->cal_flags & CALL_PAIRED
		    ? cl->cal_eprobe->pr_call
		    : cl->cal_probe->pr_call;
		weigh_call(&rp->rpt_names, ev, &ph);
	}
	buf_c(b, '\0');
	ph.phi_text = b->b_len > 1 ? b->b_data : NULL;
	if (value == REPORT_CALLS && ev->ev_duration == NULL)
		ev = cl->cal_entry;
	profile_add(&rp->rpt_values[value], ev, &ph);
	return 0;
}

static void
profile_begin_values(struct report *rp, const struct report_opts *ro)
{
	const struct consumer consumer = { profile_call, NULL, rp,
		CONSUMER_JOINS };
	struct profile *pf;
	unsigned int i;

	for (i = 0; i < REPORT_NVALUES; i++) {
		pf = &rp->rpt_values[i];
		profile_begin(pf, &rp->rpt_names,
		    rp->rpt_out.out_format->f_isexact,
		    ro->rpo_idle || i == REPORT_HITS);
		profile_unit(pf, profile_values[i], NULL);
		profile_keep(pf);
	}
	waits_begin(&rp->rpt_waits, &rp->rpt_names,
	    &rp->rpt_values[REPORT_WAITS]);
	buf_init(&rp->rpt_text, -1);
	rp->rpt_trace = calls_open(&ro->rpo_common, &rp->rpt_names, &consumer);
}

/* Prints profiles, the first of a list, with what they have in common. */
static void
profile_print(struct report *rp, struct out_profile *op)
{
	struct ledger_run lr = { .lr_isreport = 1,
		.lr_shown = rp->rpt_nevents };

	if (rp->rpt_hasledger) {
		op->opr_ledger = &rp->rpt_ledger;
		op->opr_run = &lr;
	}
	op->opr_start = rp->rpt_start;
	op->opr_nsecs = rp->rpt_youngest - rp->rpt_oldest;
	out_profile(&rp->rpt_out, op);
}

/* Prints the values that the recording has. */
static void
profile_print_values(struct report *rp, const struct report_opts *ro)
{
	struct out_profile *op, *first = NULL;
	unsigned int i;

	calls_end(rp->rpt_trace);
	for (i = REPORT_NVALUES; i-- > 0;) {
		op = &rp->rpt_values[i].pf_out;
		profile_result(&rp->rpt_values[i],
		    ro->rpo_common.o_print.opi_top);
		if (op->opr_hits == 0 && (i > 0 || first != NULL))
			continue;
		op->opr_next = first;
		first = op;
	}
	profile_print(rp, first);
	for (i = 0; i < REPORT_NVALUES; i++)
		profile_end(&rp->rpt_values[i]);
	buf_free(&rp->rpt_text);
}

/* One value */

void
report_profile_begin(struct report *rp, const struct report_opts *ro)
{
	const char *sum = ro->rpo_count.cno_sum;
	char why[256];

	rp->rpt_on = ro->rpo_on;
	rp->rpt_isweighed = sum != NULL || ro->rpo_on != NULL;
	if (rp->rpt_out.out_format->f_time != OUT_NOTIME &&
	    !rp->rpt_isweighed) {
		profile_begin_values(rp, ro);
		return;
	}
	profile_begin(&rp->rpt_profile, &rp->rpt_names,
	    rp->rpt_out.out_format->f_isexact,
	    ro->rpo_idle || rp->rpt_isweighed);
	if (rp->rpt_out.out_format->f_time != OUT_NOTIME)
		profile_keep(&rp->rpt_profile);
	if (rp->rpt_isweighed &&
	    weigh_begin(&rp->rpt_weigh, &rp->rpt_profile, &rp->rpt_names, sum,
		why, sizeof(why)) == -1)
		errx(2, "%s", why);
}

void
report_profile_probe(struct report *rp, const struct probe *pr)
{
	if (rp->rpt_weigh.wgh_keys != NULL)
		key_learn(rp->rpt_weigh.wgh_keys, pr);
}

/* Returns whether --on selects an event. */
static int
profile_ison(struct report *rp, const struct dt_event *ev)
{
	const struct probe *pr;

	if (rp->rpt_on == NULL)
		return 1;
	pr = name_cache_probe(&rp->rpt_names, ev->ev_rec->dr_pbn);
	if (pr != rp->rpt_lastprobe) {
		rp->rpt_lastprobe = pr;
		rp->rpt_ison = probe_match(pr, rp->rpt_on);
	}
	return rp->rpt_ison;
}

int
report_profile_event(struct report *rp, const struct dt_event *ev)
{
	struct profile_hits ph;
	char why[1024];

	if (rp->rpt_trace != NULL)
		return calls_event(rp->rpt_trace, ev) == -1 ? -1 : 0;
	if (!rp->rpt_isweighed) {
		profile_event(&rp->rpt_profile, ev);
		return 0;
	}
	if (rp->rpt_nevents == 1 && rp->rpt_weigh.wgh_keys != NULL &&
	    key_check(rp->rpt_weigh.wgh_keys, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	if (!profile_ison(rp, ev))
		return 0;
	if (weigh_hit(&rp->rpt_weigh, ev, &ph) == 0)
		profile_add(&rp->rpt_profile, ev, &ph);
	else
		rp->rpt_profile.pf_out.opr_novalue++;
	return 0;
}

void
report_profile_end(struct report *rp, const struct report_opts *ro)
{
	if (rp->rpt_trace != NULL) {
		profile_print_values(rp, ro);
		return;
	}
	weigh_unit(&rp->rpt_weigh, &rp->rpt_profile);
	profile_result(&rp->rpt_profile, ro->rpo_common.o_print.opi_top);
	profile_print(rp, &rp->rpt_profile.pf_out);
	profile_end(&rp->rpt_profile);
	weigh_end(&rp->rpt_weigh);
}

void
report_offcpu_begin(struct report *rp, const struct report_opts *ro)
{
	(void)ro;
	profile_begin(&rp->rpt_profile, &rp->rpt_names,
	    rp->rpt_out.out_format->f_isexact, 0);
	if (rp->rpt_out.out_format->f_time != OUT_NOTIME)
		profile_keep(&rp->rpt_profile);
	waits_begin(&rp->rpt_waits, &rp->rpt_names, &rp->rpt_profile);
}

/* Other events may be of --until. */
int
report_offcpu_event(struct report *rp, const struct dt_event *ev)
{
	struct profile_hits ph;

	if (waits_weigh(&rp->rpt_waits, ev, &ph) == 0)
		profile_add(&rp->rpt_profile, ev, &ph);
	return 0;
}

void
report_offcpu_end(struct report *rp, const struct report_opts *ro)
{
	if (rp->rpt_nevents > 0 && rp->rpt_profile.pf_out.opr_hits == 0)
		warnx("the recording has no waits; dt offcpu -o FILE.dt "
		      "records them");
	report_profile_end(rp, ro);
}
