/* SPDX-License-Identifier: ISC */
/*
 * The uprobe provider: entry and return of functions of user programs.  A
 * session announces files, whose probes exist for it, so there is no list.
 *
 * The programs drop hits of other users' processes, unless the client has
 * TRACE_ALL.  No memory of the kernel is read for an argument,
 * since a traced program can pass any address.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/kernel/attach_user.h"
#include "daemon/kernel/load_error.h"
#include "daemon/perf/perf_event.h"

static int unavailable; /* by init, then constant */

static int
dt_prov_uprobe_init(const struct dt_provider *prov __attribute__((unused)),
    char *reason, size_t size)
{
	const char *missing = attach_user_missing();

	if (missing != NULL)
		snprintf(reason, size, "%s", missing);
	else if (dt_is_locked_down())
		snprintf(reason, size,
		    "the kernel is locked down (confidentiality)");
	unavailable = reason[0] != '\0';
	return 0;
}

/* Without uprobe.multi, each place is a perf event. */
static const char *
dt_prov_uprobe_lacks(void)
{
	const char *why;

	return attach_user_type(&why) == 0 ? perf_event_broken() : NULL;
}

static unsigned int
dt_prov_uprobe_remark(char *remark, size_t size)
{
	const char *why;

	if (attach_user_type(&why) != 0)
		snprintf(remark, size,
		    "by uprobe.multi; name a file: uprobe:PATH:FUNCTION");
	else
		snprintf(remark, size,
		    "by a perf event for each place: %s; name a file: "
		    "uprobe:PATH:FUNCTION",
		    why);
	return 0;
}

static int
dt_prov_uprobe_match(struct dt_enabled *en, const char *pattern,
    uint32_t **listp, size_t *np, struct reason *rs)
{
	struct dt_file *df;
	pthread_t thread;
	const char *rest;
	int error, iswarming;

	*listp = NULL;
	*np = 0;
	if (unavailable)
		return 0;
	error = user_probes_file(en, pattern, &df, &rest, rs);
	if (error == ENOENT) /* a pattern for probes of any provider */
		return 0;
	if (error != 0)
		return error;
	iswarming = uprobe_warm_start(&thread);
	error = uprobe_find(en, df, rest, listp, np, rs);
	if (iswarming)
		pthread_join(thread, NULL);
	return error;
}

static int
user_probes_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	const struct user_probe *up = (const struct user_probe *)dtp;

	if ((op->op_kind == DT_OPD_ARG || op->op_kind == DT_OPD_STRING) &&
	    op->op_argn >= DT_UPLACE_HARGS && op->op_argn < dtp->dtp_nargs) {
		lo->lo_how = op->op_kind == DT_OPD_ARG ? DT_LOOK_MORE
						       : DT_LOOK_RAWUSER;
		lo->lo_off = sizeof(uint64_t) * (op->op_argn - DT_UPLACE_HARGS);
		return 0;
	}
	return dt_look_call(op, up->usp_isreturn ? 0 : DT_UPLACE_HARGS,
	    up->usp_isreturn, DT_LOOK_USERTEXT, lo);
}

static const char *
user_probes_why(const struct dt_probe *dtp, const struct dt_opd *op)
{
	const struct user_probe *up = (const struct user_probe *)dtp;
	unsigned int n = op->op_argn;
	int isfound = up->usp_isreturn
	    ? op->op_kind == DT_OPD_RETVAL || op->op_kind == DT_OPD_RETTEXT
	    : op->op_kind == DT_OPD_ARG || op->op_kind == DT_OPD_STRING;

	return isfound && n < up->usp_nargs ? up->usp_args[n].ua_why : NULL;
}

static int
user_probes_alloc(struct dt_enabled *en, struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	en->den_nusers++;
	dt_pcb_func(dp, rq);
	return 0;
}

/* The programs of a session are loaded when it records. */
static int
user_probes_load(unsigned int part __attribute__((unused)), struct reason *rs)
{
	int error;

	if ((error = uprobe_load_init()) != 0)
		reason_set(rs, "cannot make its tables: %s", strerror(error));
	return error;
}

/* Nothing to do: user_probes_attach() attaches all places together. */
static int
user_probes_start(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp __attribute__((unused)))
{
	return 0;
}

static void
user_probes_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	dp->dp_started = 0;
	kprobe_run_disable(en, en->den_uprobes, dp);
}

static void
user_probes_halt(struct dt_enabled *en)
{
	kprobe_run_halt(en, en->den_uprobes);
}

static void
user_probes_detach(struct dt_enabled *en)
{
	kprobe_run_end(en, &en->den_uprobes);
}

static const struct dt_provlist uprobe_list = {
	.pvl_init = dt_prov_uprobe_init,
	.pvl_broken = dt_prov_uprobe_lacks,
	.pvl_remark = dt_prov_uprobe_remark,
};

const struct dt_provargs user_probes_args = {
	.pva_operand = user_probes_operand,
	.pva_why = user_probes_why,
	.pva_symbol = user_probe_symbol,
};

const struct dt_provrec user_probes_rec = {
	.pvr_tally = DT_TALLY_UPROBE,
	.pvr_alloc = user_probes_alloc,
	.pvr_load = user_probes_load,
	.pvr_tables = 1,
	.pvr_israre = 1,
	.pvr_drains = 1,
	.pvr_start = user_probes_start,
	.pvr_stop = user_probes_stop,
};

static const struct dt_provset uprobe_set = {
	.pvs_attach = user_probes_attach,
	.pvs_halt = user_probes_halt,
	.pvs_detach = user_probes_detach,
	.pvs_check = user_probes_check,
	.pvs_fini = attach_fini,
};

static const struct dt_dynprobes uprobe_dyn = {
	.dyn_find = user_probes_find,
	.dyn_match = dt_prov_uprobe_match,
	.dyn_info = user_probes_info,
	.dyn_describe = user_probes_describe,
	.dyn_refuse = user_probes_refuse,
	.dyn_close = user_probes_close,
};

const struct dt_provider dt_prov_uprobe = {
	.prov_name = "uprobe",
	.prov_flags = DTPI_FUNC,
	.prov_regs = DT_REGS_ALL,
	.prov_rights = RIGHT_TRACE_OWN | RIGHT_TRACE_ALL,
	.prov_list = &uprobe_list,
	.prov_args = &user_probes_args,
	.prov_rec = &user_probes_rec,
	.prov_set = &uprobe_set,
	.prov_dyn = &uprobe_dyn,
};
