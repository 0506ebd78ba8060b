/* SPDX-License-Identifier: ISC */
/*
 * Version 1 of the interface: a request with a filter and a rate, and
 * statistics of two counters. Converts its structs and calls the functions of
 * the current version.
 */
#include <errno.h>
#include <string.h>

#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_ledger.h"
#include "daemon/dt/dt_pcb.h"

/*
 * The BSD original used the system's clock of 100 Hz; rates were fractions of
 * that.
 */
#define V1_MAXRATE 100U

/* Checks the numbers first: EINVAL for undefined ones. */
static int
v1_check(const struct dt_filter *dtf)
{
	return dtf->dtf_operand > DT_OP_NE || dtf->dtf_variable > DT_FV_TID
	    ? EINVAL
	    : 0;
}

/*
 * Converts the filter to a condition; NULL: an incomplete filter passes all, as
 * in version 1.
 */
static const struct dt_cond *
v1_condition(const struct dt_filter *dtf, struct dt_cond *co)
{
	if (dtf->dtf_operand == DT_OP_NONE || dtf->dtf_variable == DT_FV_NONE)
		return NULL;
	memset(co, 0, sizeof(*co));
	co->co_ninsn = 1;
	co->co_insn[0] = (struct dt_insn){
		.in_left = {
			.op_kind = dtf->dtf_variable == DT_FV_PID ? DT_OPD_PID
								  : DT_OPD_TID,
			.op_size = 4,
		},
		.in_op = dtf->dtf_operand == DT_OP_EQ ? DT_CMP_EQ : DT_CMP_NE,
		.in_true = DT_COND_PASS,
		.in_false = DT_COND_FAIL,
		.in_mask = UINT64_MAX,
		.in_value = dtf->dtf_value,
	};
	return co;
}

/* Returns the period of a rate; 0, which no clock accepts, if there is none. */
static uint64_t
v1_period(uint32_t rate)
{
	return rate == 0 || rate > V1_MAXRATE ? 0 : 1000000000U / rate;
}

int
dt_ioctl_probe_enable_v1(struct op *op)
{
	const struct dtioc_req_v1 *old = op->op_arg;
	struct dtioc_req rq = {
		.dtrq_pbn = old->dtrq_pbn,
		.dtrq_evtflags = old->dtrq_evtflags,
		.dtrq_nsecs = v1_period(old->dtrq_rate),
	};
	const struct dt_filter *dtf = &old->dtrq_filter;
	struct dt_cond co;
	int error;

	if ((error = v1_check(dtf)) != 0)
		return error;
	/* processes named by a filter are not excluded */
	error = dt_pcb_enable(op, &rq, v1_condition(dtf, &co),
	    dtf->dtf_operand == DT_OP_EQ && dtf->dtf_variable == DT_FV_PID
		? DT_REQ_NAMES
		: 0);
	/* the rate of a clock was invalid: other probes ignore the period */
	return error == EINVAL && rq.dtrq_nsecs == 0 ? EOPNOTSUPP : error;
}

int
dt_ioctl_probe_disable_v1(struct op *op)
{
	const struct dtioc_req_v1 *old = op->op_arg;
	int error;

	if ((error = v1_check(&old->dtrq_filter)) != 0)
		return error;
	return dt_pcb_disable(op, old->dtrq_pbn);
}

int
dt_ioctl_get_stats_v1(struct op *op)
{
	struct dtioc_stat_v1 *dtst = op->op_out;
	struct dt_ledger dl;

	dt_ledger_sum(op->op_sc, &dl);
	dtst->dtst_readevt = dl.dl_read;
	dtst->dtst_dropevt = dl.dl_dropped;
	op->op_outlen = sizeof(*dtst);
	return 0;
}
