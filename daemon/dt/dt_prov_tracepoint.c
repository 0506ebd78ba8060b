/* SPDX-License-Identifier: ISC */
/*
 * The provider tracepoint, after the seed's static one: all tracepoints of the
 * kernel that have a record, SUBSYSTEM:NAME in the kernel's order.  One program
 * serves all of them and all opens; what a tracepoint's record consists of is
 * read when somebody asks for it or enables it, and told to the program by a
 * line of its table when it is attached (dt_tplink.c).
 *
 * Who may enable them may see addresses of the kernel, so fields that are
 * pointers are not hidden from anybody.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "dt_softc.h"
#include "dt_tp.h"
#include "tracefs.h"

#define TRACEPOINT_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

extern const struct dt_provider dt_prov_tracepoint;

static struct dt_tp *tracepoints; /* at their dtp_sysnum */
static int tp_progfd = -1;

static int tracepoint_attach(struct dt_tp *, const struct dt_probe *);

/*
 * What there is
 */

/* EACCES or EPERM: perf events are not for us. */
static int
perf_check(void)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (fd == -1)
		return errno == EACCES || errno == EPERM ? errno : 0;
	close(fd);
	return 0;
}

/* A line SUBSYSTEM:NAME; its parts are used as they stand there. */
static int
tracepoint_add(const struct dt_provider *prov, char *line, unsigned int n)
{
	char *name = strchr(line, ':');

	if (name == NULL)
		return 0;
	*name++ = '\0';
	dt_tplink_init(&tracepoints[n].tp_link);
	tracepoints[n].tp_attach = tracepoint_attach;
	return dt_probe_add(prov, line, name, n, 0) == NULL ? ENOMEM : 0;
}

/* The text stays: probes' names are in it. */
static int
tracepoints_add(const struct dt_provider *prov, char *text)
{
	unsigned int n = 0, max = 0;
	char *p, *line;
	int error;

	for (p = text; *p != '\0'; p++)
		max += *p == '\n';
	tracepoints = calloc(max + 1, sizeof(*tracepoints));
	if (tracepoints == NULL)
		return ENOMEM;
	while ((line = strsep(&text, "\n")) != NULL && n < max)
		if ((error = tracepoint_add(prov, line, n++)) != 0)
			return error;
	return 0;
}

static int
dt_prov_tracepoint_init(const struct dt_provider *prov, char *reason,
    size_t size)
{
	char *text;
	size_t len;
	int error;

	if ((error = tracefs_read("available_events", &text, &len)) != 0) {
		snprintf(reason, size,
		    "tracefs cannot be read: %s; rawtracepoint has the same "
		    "hooks",
		    strerror(error));
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
	return tracepoints_add(prov, text);
}

/*
 * Fields
 */

static int
dt_prov_tracepoint_learn(struct dt_probe *dtp, char *text)
{
	char path[2 * DTNAMESIZE + 32], *format;
	struct tpformat tp;
	size_t len;
	int error;

	snprintf(path, sizeof(path), "events/%s/%s/format", dtp->dtp_func,
	    dtp->dtp_name);
	if ((error = tracefs_read(path, &format, &len)) != 0) {
		snprintf(text, IOCTL_TEXT, "its fields cannot be read: %s",
		    strerror(error));
		return error;
	}
	error = tpformat_parse(format, strcmp(dtp->dtp_func, "syscalls") == 0,
	    &tp);
	free(format);
	if (error != 0) {
		snprintf(text, IOCTL_TEXT,
		    "the kernel's description of its fields is none that is "
		    "known");
		return error;
	}
	dtp->dtp_nargs = tp.tp_n;
	return dt_tp_keep(&tracepoints[dtp->dtp_sysnum], &tp);
}

static void
dt_prov_tracepoint_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, unsigned int *flags)
{
	dt_tp_args(tracepoints[dtp->dtp_sysnum].tp_format, n, type, name,
	    flags);
}

static int
dt_prov_tracepoint_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	return dt_tp_operand(tracepoints[dtp->dtp_sysnum].tp_format, op, lo);
}

static int
dt_prov_tracepoint_alloc(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	dp->dp_req.dr_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & TRACEPOINT_EVTFLAGS);
	return 0;
}

/*
 * Attaching
 */

static int
dt_prov_tracepoint_load(unsigned int part __attribute__((unused)), char *text)
{
	struct bpf_program *prog;
	int error;

	if ((error = dt_tp_load(&prog, text)) != 0)
		return error;
	tp_progfd = bpf_program__fd(prog);
	dt_hook_set_prog(DT_HOOK_TRACEPOINT, prog);
	return 0;
}

/*
 * A program attached to a tracepoint's perf event runs on all CPUs, whichever
 * CPU the event is of, and whether that counts or not; so one event suffices,
 * and it is never enabled.  It is one of the first CPU that is online.
 */
static int
perf_open(uint32_t id, int *fdp)
{
	struct perf_event_attr attr;
	unsigned int cpu;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.disabled = 1;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		*fdp = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
		    PERF_FLAG_FD_CLOEXEC);
		if (*fdp >= 0 || (errno != ENODEV && errno != ENXIO))
			break;
	}
	return *fdp < 0 ? errno : 0;
}

/*
 * Whether the kernel counts hits that it skips as a program was running on
 * that CPU.  It does since it tells the same of kprobes: by then its struct of
 * a link had grown, and no byte of what it knows is refused.
 */
static int
counts_skipped(int link)
{
	/* up to the end of what was told before */
	const size_t before = offsetof(struct bpf_link_info, raw_tracepoint) +
	    32;
	char info[256] = { 0 };
	uint32_t len = before + 8;

	memset(info + before, 1, 8);
	return bpf_obj_get_info_by_fd(link, info, &len) != -E2BIG;
}

static int
tracepoint_attach(struct dt_tp *tp, const struct dt_probe *dtp)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = tp->tp_link.tl_line);
	static atomic_int asked;
	int link, error;

	(void)dtp;
	if (tp->tp_link.tl_slow == -1 &&
	    (error = perf_open(tp->tp_format->tp_id, &tp->tp_link.tl_slow)) !=
		0)
		return error;
	link = bpf_link_create(tp_progfd, tp->tp_link.tl_slow, BPF_PERF_EVENT,
	    &opts);
	if (link < 0)
		return -link;
	tp->tp_link.tl_link = link;
	if (!atomic_exchange(&asked, 1) && !counts_skipped(link))
		dt_hook_set_uncounted(DT_HOOK_TRACEPOINT);
	return 0;
}

static int
dt_prov_tracepoint_start(struct dt_softc *sc, struct dt_pcb *dp)
{
	int error = dt_hook_get(sc, DT_HOOK_TRACEPOINT);

	return error != 0
	    ? error
	    : dt_tp_start(sc, dp, &tracepoints[dp->dp_dtp->dtp_sysnum]);
}

static void
dt_prov_tracepoint_stop(struct dt_softc *sc, struct dt_pcb *dp)
{
	dt_tp_stop(sc, dp, &tracepoints[dp->dp_dtp->dtp_sysnum]);
}

const struct dt_provider dt_prov_tracepoint = {
	.dtpv_name = "tracepoint",
	.dtpv_rights = RIGHT_TRACE_ALL,
	.dtpv_init = dt_prov_tracepoint_init,
	.dtpv_learn = dt_prov_tracepoint_learn,
	.dtpv_args = dt_prov_tracepoint_args,
	.dtpv_operand = dt_prov_tracepoint_operand,
	.dtpv_alloc = dt_prov_tracepoint_alloc,
	.dtpv_load = dt_prov_tracepoint_load,
	.dtpv_israre = 1,
	.dtpv_start = dt_prov_tracepoint_start,
	.dtpv_stop = dt_prov_tracepoint_stop,
};
