/* SPDX-License-Identifier: ISC */
/*
 * The rawtracepoint provider: the hooks of the kernel's tracepoints, with the
 * arguments of their prototypes instead of the fields of a record.  The
 * kernel's types describe them.  They need neither tracefs nor perf events, and
 * cost less, since the kernel makes no record.  Each has a program, loaded when
 * it is first attached, and an entry of the table, whose number the program
 * contains. Both stay.
 *
 * RIGHT_TRACE_ALL permits kernel addresses, so pointers are not hidden.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/clock.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/dt/prov/dt_prov_tracepoint_common.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/rawtp_proto.h"

#define RAW_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

extern const struct dt_provider dt_prov_rawtracepoint;

/* Without and with unwind tables. */
struct rawtp {
	struct dt_tp rt_tp[2];
	char *rt_name;
	int rt_prog[2];	   /* -1: not loaded */
	int rt_isfp;	   /* the second is without them, too */
	uint64_t rt_retry; /* time from which it is loaded again */
};

static struct rawtp *rawtps; /* at their dtp_sysnum */
static unsigned int nrawtps;

/*
 * List of hooks
 */

static int raw_attach(struct dt_tp *tp, const struct dt_probe *dtp);

/* A btf_rawtps() function. */
static int
raw_add(const char *name, void *arg)
{
	struct rawtp *rt, **list = arg;
	int tables;

	if ((nrawtps & (nrawtps - 1)) == 0) { /* double its size */
		rt = realloc(*list, (2 * nrawtps + 1) * sizeof(*rt));
		if (rt == NULL)
			return ENOMEM;
		*list = rt;
	}
	rt = &(*list)[nrawtps];
	memset(rt, 0, sizeof(*rt));
	dt_tp_init(rt->rt_tp, raw_attach);
	for (tables = 0; tables < 2; tables++) {
		rt->rt_tp[tables].tp_link.tpl_keeps = 1;
		rt->rt_tp[tables].tp_israw = 1;
		rt->rt_prog[tables] = -1;
	}
	if ((rt->rt_name = strdup(name)) == NULL)
		return ENOMEM;
	nrawtps++;
	return 0;
}

static int
dt_prov_rawtracepoint_init(const struct dt_provider *prov, char *reason,
    size_t size)
{
	unsigned int i;
	int error;

	if (dt_is_locked_down()) {
		snprintf(reason, size,
		    "the kernel is locked down (confidentiality)");
		return 0;
	}
	error = btf_rawtps(raw_add, &rawtps);
	if (error == ENOMEM)
		return error;
	if (error != 0) {
		snprintf(reason, size, "the kernel's types cannot be read: %s",
		    strerror(error));
		return 0;
	}
	for (i = 0; i < nrawtps; i++)
		if (dt_probe_add(prov, rawtps[i].rt_name, "hit", i, 0) == NULL)
			return ENOMEM;
	snprintf(reason, size,
	    "the hooks of tracepoints, with the arguments of their prototypes; "
	    "they cost less");
	return 0;
}

/*
 * Arguments
 */

/* A rawtp_proto_each() function. Both lists have nearly the same order. */
static void
raw_keep(const char *name, const struct tp_format *tf, void *arg)
{
	unsigned int *next = arg, i, n;

	for (i = 0; i < nrawtps; i++) {
		n = (*next + i) % nrawtps;
		if (strcmp(rawtps[n].rt_name, name) != 0)
			continue;
		if (rawtps[n].rt_tp[0].tp_format == NULL)
			(void)dt_tp_keep(rawtps[n].rt_tp, tf);
		*next = n + 1;
		return;
	}
}

/* dt_probe_learn() calls it once at a time. */
static int
dt_prov_rawtracepoint_learn(struct dt_probe *dtp, struct reason *rs)
{
	static const struct tp_format none = { 0 };
	static int isread;
	struct dt_tp *tp = rawtps[dtp->dtp_sysnum].rt_tp;
	unsigned int next = 0;
	int error;

	if (!isread && (error = rawtp_proto_each(raw_keep, &next)) != 0)
		return reason_fail(rs, error,
		    "the kernel's types cannot be read: %s", strerror(error));
	isread = 1;
	if (tp->tp_format == NULL && (error = dt_tp_keep(tp, &none)) != 0)
		return error;
	dtp->dtp_nargs = tp->tp_format->tfm_n;
	return 0;
}

static void
dt_prov_rawtracepoint_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, unsigned int *flags)
{
	dt_tp_args(rawtps[dtp->dtp_sysnum].rt_tp[0].tp_format, n, type, name,
	    flags);
}

static int
dt_prov_rawtracepoint_operand(const struct dt_probe *dtp,
    const struct dt_opd *op, struct dt_look *lo)
{
	return dt_tp_operand(rawtps[dtp->dtp_sysnum].rt_tp[0].tp_format, op,
	    lo);
}

static int
dt_prov_rawtracepoint_alloc(struct dt_enabled *en, struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	en->den_ntp++;
	dp->dp_req.rq_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & RAW_EVTFLAGS);
	return 0;
}

/*
 * Attaching
 */

/* Programs are loaded when their entries are known. */
static int
dt_prov_rawtracepoint_load(unsigned int part __attribute__((unused)),
    struct reason *rs)
{
	return dt_tp_load_table(rs);
}

/* Loads the program; if it is refused with unwind tables, then without. */
static int
raw_load(const struct dt_tp *tp, struct rawtp *rt, int *fdp)
{
	int error = dt_tp_load_raw(tp->tp_link.tpl_entry, tp->tp_format,
	    tp->tp_tables, fdp);

	if (error != 0 && tp->tp_tables) {
		rt->rt_isfp = 1;
		rt->rt_retry = clock_monotonic() + DT_TABLES_RETRY;
		error = dt_tp_load_raw(tp->tp_link.tpl_entry, tp->tp_format, 0,
		    fdp);
	}
	if (error == 0)
		dt_cost_watch(*fdp, &dt_prov_rawtracepoint, 0);
	return error;
}

/*
 * Loads the program that was refused with unwind tables.  No session uses the
 * other one, whose descriptor it gets.
 */
static void
raw_retry(const struct dt_tp *tp, struct rawtp *rt, int progfd)
{
	int fd = -1;

	rt->rt_retry = clock_monotonic() + DT_TABLES_RETRY;
	if (dt_tp_load_raw(tp->tp_link.tpl_entry, tp->tp_format, 1, &fd) != 0)
		return;
	if (dup3(fd, progfd, O_CLOEXEC) != -1)
		rt->rt_isfp = 0;
	close(fd);
}

static int
raw_attach(struct dt_tp *tp, const struct dt_probe *dtp)
{
	struct rawtp *rt = &rawtps[dtp->dtp_sysnum];
	int *fdp = &rt->rt_prog[tp->tp_tables];
	int link, error;

	if (*fdp == -1 && (error = raw_load(tp, rt, fdp)) != 0)
		return error;
	if (tp->tp_tables && rt->rt_isfp &&
	    (uint64_t)clock_monotonic() >= rt->rt_retry)
		raw_retry(tp, rt, *fdp);
	link = bpf_raw_tracepoint_open(dtp->dtp_func, *fdp);
	if (link < 0)
		return -link;
	tp->tp_link.tpl_link = link;
	return 0;
}

/* Returns the hits skipped because the program was running on that CPU. */
static uint64_t
raw_missed(const struct dt_pcb *dp)
{
	const struct rawtp *rt = &rawtps[dp->dp_dtp->dtp_sysnum];
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(rt->rt_prog[dp->dp_walks], &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

static int
dt_prov_rawtracepoint_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	struct rawtp *rt = &rawtps[dp->dp_dtp->dtp_sysnum];
	int error = dt_tp_start(en, dp, rt->rt_tp);

	if (error != 0)
		return error;
	dp->dp_missed0 = raw_missed(dp);
	if (dp->dp_walks && rt->rt_isfp && dp->dp_hasreads) {
		dt_tp_stop(en, dp, rt->rt_tp);
		return EOPNOTSUPP;
	}
	if (dp->dp_walks && rt->rt_isfp)
		dt_tables_failed(en);
	return 0;
}

static void
dt_prov_rawtracepoint_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	struct rawtp *rt = &rawtps[dp->dp_dtp->dtp_sysnum];

	en->den_counted->dcn_missed[DT_TALLY_RAWTRACEPOINT] += raw_missed(dp) -
	    dp->dp_missed0;
	dt_tp_stop(en, dp, rt->rt_tp);
}

static const struct dt_provlist rawtracepoint_list = {
	.pvl_init = dt_prov_rawtracepoint_init,
};

static const struct dt_provargs rawtracepoint_args = {
	.pva_learn = dt_prov_rawtracepoint_learn,
	.pva_get = dt_prov_rawtracepoint_args,
	.pva_operand = dt_prov_rawtracepoint_operand,
};

static const struct dt_provrec rawtracepoint_rec = {
	.pvr_tally = DT_TALLY_RAWTRACEPOINT,
	.pvr_max = DT_TP_ENTRIES,
	.pvr_alloc = dt_prov_rawtracepoint_alloc,
	.pvr_load = dt_prov_rawtracepoint_load,
	.pvr_tables = 1,
	.pvr_israre = 1,
	.pvr_start = dt_prov_rawtracepoint_start,
	.pvr_stop = dt_prov_rawtracepoint_stop,
};

const struct dt_provider dt_prov_rawtracepoint = {
	.prov_name = "rawtracepoint",
	.prov_flags = DTPI_FIELDS,
	.prov_rights = RIGHT_TRACE_ALL,
	.prov_list = &rawtracepoint_list,
	.prov_args = &rawtracepoint_args,
	.prov_rec = &rawtracepoint_rec,
};
