/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSCONDITION: sets the condition that hits of an enabled probe must
 * fulfil.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
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
	    (error = dt_cond_table_get(dp->dp_person, &cl, &line, rs)) != 0)
		return error;
	dt_cond_table_put(dp->dp_req.rq_cond);
	dp->dp_req.rq_cond = line;
	return 0;
}

/* ENOENT, EBUSY, EINVAL, ENOSPC. */
int
dt_ioctl_set_condition(void *arg, struct ioctl_call *ic)
{
	struct dt_softc *sc = arg;
	struct dtioc_condition cn;
	struct dt_pcb *dp;

	memcpy(&cn, ic->ic_in, sizeof(cn));
	if ((dp = dt_pcb_find(sc, cn.dtcn_pbn)) == NULL)
		return reason_fail(&ic->ic_reason, ENOENT,
		    "probe %u is not enabled", cn.dtcn_pbn);
	if (sc->ds_recording)
		return EBUSY;
	if (cn.dtcn_reserved != 0)
		return reason_fail(&ic->ic_reason, EINVAL,
		    "dtcn_reserved is not 0");
	if (dp->dp_dtp->dtp_prov->prov_args == NULL)
		return reason_fail(&ic->ic_reason, EINVAL,
		    "probes of provider %s take no condition",
		    dp->dp_dtp->dtp_prov->prov_name);
	return dt_cond_set(dp, &cn.dtcn_cond, &ic->ic_reason);
}
