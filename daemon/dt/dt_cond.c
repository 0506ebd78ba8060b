/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSCONDITION: sets the condition that hits of an enabled probe must
 * fulfil.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_row_table.h"
#include "daemon/dt/dt_softc.h"

int
dt_cond_set(struct dt_pcb *dp, const struct dt_cond *co, struct reason *rs)
{
	struct dt_cond_entry cl;
	uint16_t line = 0;
	int error;

	if ((error = dt_cond_check(dp->dp_dtp, co, &cl, rs)) != 0)
		return error;
	if (co->co_ninsn != 0 &&
	    (error = dt_row_get(DT_ROW_COND, dp->dp_person, &cl, &line, rs)) !=
		0)
		return error;
	dt_row_put(DT_ROW_COND, dp->dp_req.rq_cond);
	dp->dp_req.rq_cond = line;
	return 0;
}

/* ENOENT, EBUSY, EINVAL, ENOSPC. */
int
dt_ioctl_set_condition(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_condition cn;
	struct dt_pcb *dp;

	memcpy(&cn, op->op_arg, sizeof(cn));
	if ((dp = dt_pcb_find(&sc->ds_enabled, cn.dtcn_pbn)) == NULL)
		return op_fail(op, ENOENT, "probe %u is not enabled",
		    cn.dtcn_pbn);
	if (sc->ds_recording)
		return EBUSY;
	if (cn.dtcn_reserved != 0)
		return op_fail(op, EINVAL, "dtcn_reserved is not 0");
	if (dp->dp_dtp->dtp_prov->prov_args == NULL)
		return op_fail(op, EINVAL,
		    "probes of provider %s take no condition",
		    dp->dp_dtp->dtp_prov->prov_name);
	return dt_cond_set(dp, &cn.dtcn_cond, &op->op_reason);
}
