/* SPDX-License-Identifier: ISC */
/* Selects events of a recording: -p and -d of dt report. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/recording/report.h"

/* A number, or the name of a thread, of which 15 bytes count. */
static const char *
report_add_process(struct opts *o, const char *word, size_t n)
{
	struct report_select *rs = &((struct report_opts *)o)->rpo_select;
	char text[32];
	uint64_t pid;

	if (n == 0)
		return "should be processes, for example 812,nginx";
	snprintf(text, sizeof(text), "%.*s", (int)n, word);
	if (isdigit((unsigned char)*word)) {
		if (n >= sizeof(text) ||
		    opts_number(text, 0, UINT32_MAX, &pid) == -1)
			return "has a number that no process can have";
		if (rs->rps_npids == REPORT_NPIDS)
			return "has too many numbers (32 at most)";
		rs->rps_pids[rs->rps_npids++] = pid;
		return NULL;
	}
	if (rs->rps_nnames == REPORT_NNAMES)
		return "has too many names (16 at most)";
	memcpy(rs->rps_names[rs->rps_nnames++], text,
	    strnlen(text, DT_REC_COMMLEN - 1));
	return NULL;
}

const char *
report_set_processes(struct opts *o, const char *arg)
{
	return opts_each_word(o, arg, report_add_process);
}

static int
report_isofprocess(const struct report_select *rs, const struct dt_event *ev)
{
	unsigned int i;

	if (rs->rps_npids == 0 && rs->rps_nnames == 0)
		return 1;
	for (i = 0; i < rs->rps_npids; i++)
		if (rs->rps_pids[i] == ev->ev_rec->dr_pid)
			return 1;
	for (i = 0; i < rs->rps_nnames && ev->ev_comm != NULL; i++)
		if (strncmp(rs->rps_names[i], ev->ev_comm, DT_REC_COMMLEN) == 0)
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
	return report_isofprocess(&ro->rpo_select, ev);
}
