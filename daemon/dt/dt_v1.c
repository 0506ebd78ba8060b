/* SPDX-License-Identifier: ISC */
/*
 * The older interface: a request with a filter and a rate, and statistics of
 * two counters.  All that is to be known about it is here; behind it stand the
 * functions of the newer one.
 */
#include <errno.h>
#include <string.h>

#include "dt_softc.h"

/* The seed's clock was the system's own, of 100 Hz, and its rates a part of
 * that. */
#define V1_MAXRATE 100U

/*
 * A filter of which one half is missing lets all pass, as it did there.
 * Numbers that mean nothing are EINVAL, before anything else is looked at.
 */
static int
v1_filter(const struct dt_filter *dtf, struct dt_req *filter)
{
	_Static_assert((int)DT_OP_EQ == DT_REQ_EQ &&
		(int)DT_OP_NE == DT_REQ_NE && (int)DT_FV_PID == DT_REQ_PID &&
		(int)DT_FV_TID == DT_REQ_TID,
	    "BPF knows the seed's numbers");

	if (dtf->dtf_operand > DT_OP_NE || dtf->dtf_variable > DT_FV_TID)
		return EINVAL;
	memset(filter, 0, sizeof(*filter));
	if (dtf->dtf_operand == DT_OP_NONE || dtf->dtf_variable == DT_FV_NONE)
		return 0;
	filter->dr_op = dtf->dtf_operand;
	filter->dr_var = dtf->dtf_variable;
	filter->dr_value = dtf->dtf_value;
	if (dtf->dtf_operand == DT_OP_EQ && dtf->dtf_variable == DT_FV_PID)
		filter->dr_bits = DT_REQ_NAMES;
	return 0;
}

/* Period of a rate; 0, which no clock accepts, if there is none. */
static uint64_t
v1_period(uint32_t rate)
{
	return rate == 0 || rate > V1_MAXRATE ? 0 : 1000000000U / rate;
}

int
dt_ioctl_probe_enable_v1(void *arg, struct ioctl_call *ic)
{
	const struct dtioc_req_v1 *old = ic->ic_in;
	struct dtioc_req rq = {
		.dtrq_pbn = old->dtrq_pbn,
		.dtrq_evtflags = old->dtrq_evtflags,
		.dtrq_nsecs = v1_period(old->dtrq_rate),
	};
	struct dt_req filter;
	int error;

	if ((error = v1_filter(&old->dtrq_filter, &filter)) != 0)
		return error;
	error = dt_pcb_enable(arg, ic, &rq, &filter);
	/* a clock whose rate it was: the others do not look at the period */
	return error == EINVAL && rq.dtrq_nsecs == 0 ? EOPNOTSUPP : error;
}

int
dt_ioctl_probe_disable_v1(void *arg, struct ioctl_call *ic)
{
	const struct dtioc_req_v1 *old = ic->ic_in;
	struct dt_req filter;
	int error;

	if ((error = v1_filter(&old->dtrq_filter, &filter)) != 0)
		return error;
	return dt_pcb_disable(arg, ic, old->dtrq_pbn);
}

int
dt_ioctl_get_stats_v1(void *arg, struct ioctl_call *ic)
{
	struct dtioc_stat_v1 *dtst = ic->ic_out;
	struct dt_ledger dl;

	dt_ledger_sum(arg, &dl);
	dtst->dtst_readevt = dl.dl_read;
	dtst->dtst_dropevt = dl.dl_dropped;
	ic->ic_outlen = sizeof(*dtst);
	return 0;
}
