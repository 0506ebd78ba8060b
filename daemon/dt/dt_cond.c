/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSCONDITION: sets the condition that hits of an enabled probe must
 * fulfil.
 */
#include <errno.h>
#include <stddef.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_row_table.h"

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

int
dt_cond_request(struct dt_pcb *dp, const struct dtioc_condition *cn,
    struct reason *rs)
{
	const struct dt_provider *prov = dp->dp_dtp->dtp_prov;

	if (cn->dtcn_reserved != 0)
		return reason_fail(rs, EINVAL, "dtcn_reserved is not 0");
	if (prov->prov_args == NULL)
		return reason_fail(rs, EINVAL,
		    "probes of provider %s take no condition", prov->prov_name);
	return dt_cond_set(dp, &cn->dtcn_cond, rs);
}
