/* SPDX-License-Identifier: ISC */
/*
 * The tracepoint provider, after the static one of the BSD original: all
 * tracepoints of the kernel that have a record, SUBSYSTEM:NAME in the kernel's
 * order.  One program serves all tracepoints and sessions.  The format of a
 * record is read when a client requests or enables the probe, and stored in an
 * entry of the program's table when it is attached
 * (dt_prov_tracepoint_attach.c).
 *
 * RIGHT_TRACE_ALL permits kernel addresses, so pointers are not hidden.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/prov/dt_prov_tracepoint_common.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/tracefs.h"
#include "daemon/perf/perf_event.h"

#define TRACEPOINT_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

#define PERF_CHECK_PERIOD 1000000000 /* ns, of a clock that never runs */

extern const struct dt_provider dt_prov_tracepoint;

static int tracepoint_attach(struct dt_tp *, const struct dt_probe *);

/*
 * List of tracepoints
 */

/* EACCES or EPERM: perf events are not for us. */
static int
perf_check(void)
{
	int fd = perf_event_clock(0, PERF_CHECK_PERIOD);

	if (fd < 0)
		return fd == -EACCES || fd == -EPERM ? -fd : 0;
	close(fd);
	return 0;
}

static int
dt_prov_tracepoint_init(const struct dt_provider *prov, char *reason,
    size_t size)
{
	char *text;
	size_t len;
	int error;

	if ((error = tracefs_read(TPLIST_FILE, &text, &len)) != 0) {
		snprintf(reason, size,
		    "tracefs cannot be read: %s; rawtracepoint has the same "
		    "hooks",
		    dt_is_locked_down() ? "the kernel is locked down "
					  "(confidentiality)"
					: strerror(error));
		return 0;
	}
	if ((error = perf_check()) != 0) {
		snprintf(reason, size,
		    "no perf event may be opened: %s (it needs CAP_PERFMON, or "
		    "CAP_SYS_ADMIN where perf_event_paranoid is 3); "
		    "rawtracepoint has the same hooks",
		    strerror(error));
		free(text);
		return 0;
	}
	return dt_tplist_add(prov, text, tracepoint_attach);
}

static void
dt_prov_tracepoint_merge(const struct dt_provider *prov, void *list)
{
	dt_tplist_merge(prov, list, tracepoint_attach);
}

/*
 * Fields
 */

/* Both of a probe. */
static struct dt_tp *
tp_of(const struct dt_probe *dtp)
{
	return dtp->dtp_own;
}

/* Reads a file of a tracepoint into memory that the caller frees. */
static int
tracepoint_read(const struct dt_probe *dtp, const char *file, char **textp)
{
	char path[2 * DTNAMESIZE + 32];
	size_t len;

	snprintf(path, sizeof(path), "events/%s/%s/%s", dtp->dtp_func,
	    dtp->dtp_name, file);
	return tracefs_read(path, textp, &len);
}

/* Reads the format of the record. EINVAL: unknown syntax. */
static int
tracepoint_format(const struct dt_probe *dtp, struct tp_format *tf)
{
	char *text;
	int error;

	if ((error = tracepoint_read(dtp, "format", &text)) != 0)
		return error;
	error = tp_format_parse(text, strcmp(dtp->dtp_func, "syscalls") == 0,
	    tf);
	free(text);
	return error;
}

/* Reads the format, or sets the reason. */
static int
tracepoint_fields(const struct dt_probe *dtp, struct tp_format *tf,
    struct reason *rs)
{
	int error = tracepoint_format(dtp, tf);

	if (error == EINVAL)
		reason_set(rs,
		    "the kernel's description of its fields has an unknown "
		    "format");
	else if (error != 0)
		reason_set(rs, "its fields cannot be read: %s",
		    strerror(error));
	return error;
}

static int
dt_prov_tracepoint_count(struct dt_probe *dtp, struct reason *rs)
{
	struct tp_format tf;
	int error = tracepoint_fields(dtp, &tf, rs);

	if (error == 0)
		dtp->dtp_nargs = tf.tfm_n;
	return error;
}

/* ESTALE: since a client listed it, its module was loaded with other fields. */
static int
dt_prov_tracepoint_learn(struct dt_probe *dtp, struct reason *rs)
{
	struct tp_format tf;
	int error = tracepoint_fields(dtp, &tf, rs);

	if (error != 0)
		return error;
	if (atomic_load(&dtp->dtp_counted) && dtp->dtp_nargs != tf.tfm_n)
		return reason_fail(rs, ESTALE,
		    "its module was loaded again with other fields");
	dtp->dtp_nargs = tf.tfm_n;
	return dt_tp_keep(tp_of(dtp), &tf);
}

static void
dt_prov_tracepoint_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, unsigned int *flags)
{
	dt_tp_args(tp_of(dtp)->tp_format, n, type, name, flags);
}

/*
 * Returns whether a field is the address of a complete socket.  Other tracepoints
 * may have one of a short-lived substitute, without a cgroup.
 */
static int
tracepoint_issocket(const struct dt_probe *dtp, const struct dt_opd *op)
{
	static const struct {
		const char *group, *name;
	} tps[] = {
		{ "sock", "inet_sk_error_report" },
		{ "sock", "inet_sock_set_state" },
		{ "tcp", "tcp_destroy_sock" },
		{ "tcp", "tcp_rcv_space_adjust" },
		{ "tcp", "tcp_retransmit_skb" },
	};
	const struct tp_format *tf = tp_of(dtp)->tp_format;
	size_t i;

	for (i = 0; i < sizeof(tps) / sizeof(tps[0]); i++)
		if (strcmp(tps[i].group, dtp->dtp_func) == 0 &&
		    strcmp(tps[i].name, dtp->dtp_name) == 0)
			return op->op_argn < tf->tfm_n &&
			    strcmp(tf->tfm_fields[op->op_argn].tf_name,
				"skaddr") == 0;
	return 0;
}

static int
dt_prov_tracepoint_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	struct dt_opd address = *op;

	if (op->op_kind == DT_OPD_SOCKET) {
		if (!tracepoint_issocket(dtp, op))
			return EINVAL;
		address.op_kind = DT_OPD_ARG;
		if (dt_tp_operand(tp_of(dtp)->tp_format, &address, lo) != 0 ||
		    lo->lo_how != DT_LOOK_RAW)
			return EINVAL;
		lo->lo_how = DT_LOOK_SOCKET;
		return 0;
	}
	return dt_tp_operand(tp_of(dtp)->tp_format, op, lo);
}

static int
dt_prov_tracepoint_alloc(struct dt_enabled *en, struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	en->den_ntp++;
	dp->dp_req.rq_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & TRACEPOINT_EVTFLAGS);
	return 0;
}

/*
 * Attaching
 */

static int
dt_prov_tracepoint_load(unsigned int part, struct reason *rs)
{
	return dt_tp_load((part & DT_PART_TABLES) != 0, rs);
}

/*
 * Opens a perf event of the first online CPU.  A program attached to it runs on
 * all CPUs, even if the event is not enabled, so one event suffices.
 */
static int
perf_open(uint32_t id, int *fdp)
{
	unsigned int cpu;
	int fd = -ENODEV;

	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		fd = perf_event_tracepoint(cpu, id);
		if (fd != -ENODEV && fd != -ENXIO)
			break;
	}
	if (fd < 0)
		return -fd;
	*fdp = fd;
	return 0;
}

/*
 * Returns whether the kernel counts hits that it skips because a program was
 * running on that CPU.  Kernels that count them also report them for kprobes,
 * in new members of struct bpf_link_info; older kernels refuse nonzero bytes
 * there.
 */
static int
counts_skipped(int link)
{
	/* size of the struct in older kernels */
	const size_t before = offsetof(struct bpf_link_info, raw_tracepoint) +
	    32;
	char info[256] = { 0 };
	uint32_t len = before + 8;

	memset(info + before, 1, 8);
	return bpf_obj_get_info_by_fd(link, info, &len) != -E2BIG;
}

/*
 * Updates the kernel's number of the tracepoint, which changes if its module
 * was loaded again since its fields were read.  ESTALE: it has other fields
 * now.
 */
static int
tracepoint_number(struct dt_tp *tp, const struct dt_probe *dtp)
{
	struct tp_format *known = tp->tp_format, now;
	uint32_t id;
	char *text;
	int error;

	if ((error = tracepoint_read(dtp, "id", &text)) != 0)
		return error;
	id = strtoul(text, NULL, 10);
	free(text);
	if (id == known->tfm_id)
		return 0;
	if ((error = tracepoint_format(dtp, &now)) != 0)
		return error;
	if (now.tfm_n != known->tfm_n || now.tfm_bytes != known->tfm_bytes ||
	    memcmp(now.tfm_fields, known->tfm_fields,
		known->tfm_n * sizeof(known->tfm_fields[0])) != 0)
		return ESTALE;
	known->tfm_id = now.tfm_id;
	return 0;
}

static int
tracepoint_attach(struct dt_tp *tp, const struct dt_probe *dtp)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = tp->tp_link.tpl_entry);
	static atomic_int isknown;
	int link, error;

	if (tp->tp_link.tpl_slow == -1 &&
	    ((error = tracepoint_number(tp, dtp)) != 0 ||
		(error = perf_open(tp->tp_format->tfm_id,
		     &tp->tp_link.tpl_slow)) != 0))
		return error;
	link = bpf_link_create(tp->tp_tables ? dt_tp_prog_all(1)
					     : dt_tp_prog(tp->tp_format),
	    tp->tp_link.tpl_slow, BPF_PERF_EVENT, &opts);
	if (link == -EACCES) /* the record is shorter than its format */
		link = bpf_link_create(dt_tp_prog_all(tp->tp_tables),
		    tp->tp_link.tpl_slow, BPF_PERF_EVENT, &opts);
	if (link == -EINVAL)
		return EOPNOTSUPP; /* a dynamic event of a user */
	if (link < 0)
		return -link;
	tp->tp_link.tpl_link = link;
	if (!atomic_exchange(&isknown, 1) && !counts_skipped(link))
		dt_hook_set_uncounted(DT_HOOK_TRACEPOINT);
	return 0;
}

static int
dt_prov_tracepoint_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	int error = dt_hook_get(&en->den_hooks, DT_HOOK_TRACEPOINT);

	return error != 0 ? error : dt_tp_start(en, dp, tp_of(dp->dp_dtp));
}

static void
dt_prov_tracepoint_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	dt_tp_stop(en, dp, tp_of(dp->dp_dtp));
}

static const struct dt_provlist tracepoint_list = {
	.pvl_init = dt_prov_tracepoint_init,
	.pvl_broken = perf_event_broken,
	.pvl_reread = dt_tplist_reread,
	.pvl_merge = dt_prov_tracepoint_merge,
};

static const struct dt_provargs tracepoint_args = {
	.pva_learn = dt_prov_tracepoint_learn,
	.pva_count = dt_prov_tracepoint_count,
	.pva_get = dt_prov_tracepoint_args,
	.pva_operand = dt_prov_tracepoint_operand,
};

static const struct dt_provrec tracepoint_rec = {
	.pvr_tally = DT_TALLY_TRACEPOINT,
	.pvr_max = DT_TP_ENTRIES,
	.pvr_alloc = dt_prov_tracepoint_alloc,
	.pvr_load = dt_prov_tracepoint_load,
	.pvr_tables = 1,
	.pvr_israre = 1,
	.pvr_start = dt_prov_tracepoint_start,
	.pvr_stop = dt_prov_tracepoint_stop,
};

const struct dt_provider dt_prov_tracepoint = {
	.prov_name = "tracepoint",
	.prov_flags = DTPI_FIELDS | DTPI_RECORD,
	.prov_rights = RIGHT_TRACE_ALL,
	.prov_list = &tracepoint_list,
	.prov_args = &tracepoint_args,
	.prov_rec = &tracepoint_rec,
};
