/* SPDX-License-Identifier: ISC */
/* Memory that is read at hits of an enabled probe. */
#ifndef DAEMON_DT_DT_READS_H
#define DAEMON_DT_DT_READS_H

#include "daemon/dt/dt_pcb.h"

/*
 * c: replaces the probe's reads: EINVAL with a text, ENOSPC. Only while it does
 * not record.
 */
int dt_reads_set(struct dt_pcb *, const struct dtioc_reads *, struct reason *);
/* c: removes the probe's reads, if it has any; no program reads them. */
void dt_reads_drop(struct dt_pcb *);

/* c: returns whether the probe has reads. */
static inline int
dt_reads_has(const struct dt_pcb *dp)
{
	return dp->dp_hasreads && dp->dp_req.rq_reads != 0;
}

#endif /* DAEMON_DT_DT_READS_H */
