/* SPDX-License-Identifier: ISC */
/* Selects events of a recording: -p and -d of dt report. */
#include <string.h>

#include "cli/recording/report.h"

static const char *
report_add_process(struct opts *o, const char *word, size_t n)
{
	return opts_processes_add(&((struct report_opts *)o)->rpo_processes,
	    word, n, 0);
}

const char *
report_set_processes(struct opts *o, const char *arg)
{
	return opts_each_word(o, arg, report_add_process);
}

static int
report_isofprocess(const struct opts_processes *opc, const struct dt_event *ev)
{
	unsigned int i;

	if (opc->opc_npids == 0 && opc->opc_nnames == 0)
		return 1;
	for (i = 0; i < opc->opc_npids; i++)
		if (opc->opc_pids[i] == ev->ev_rec->dr_pid)
			return 1;
	for (i = 0; i < opc->opc_nnames && ev->ev_comm != NULL; i++)
		if (strncmp(opc->opc_names[i], ev->ev_comm, DT_REC_COMMLEN) ==
		    0)
			return 1;
	return 0;
}

int
report_isselected(const struct report *rp, const struct dt_event *ev)
{
	const struct report_opts *ro = rp->rpt_opts;
	uint64_t nsecs;

	if (ro == NULL)
		return 1;
	nsecs = ro->rpo_common.o_duration;
	/* a late event may be older than the first */
	if (nsecs != 0 && ev->ev_rec->dr_time > rp->rpt_first &&
	    ev->ev_rec->dr_time - rp->rpt_first > nsecs)
		return 0;
	return report_isofprocess(&ro->rpo_processes, ev);
}
