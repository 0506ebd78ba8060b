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
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "dt_btf.h"
#include "dt_maps.h"
#include "dt_prov_tracepoint.skel.h"
#include "dt_softc.h"
#include "dt_tplink.h"
#include "log.h"
#include "tpformat.h"
#include "tracefs.h"

#define TRACEPOINT_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

_Static_assert(DT_TP_FIELDS == DT_REC_NARGS, "fields of a record");
_Static_assert(TPFORMAT_NAME == DTNAMESIZE, "names of fields");

extern const struct dt_provider dt_prov_tracepoint;

/* One of the kernel's, at its dtp_sysnum. */
struct tracepoint {
	struct dt_tplink tr_link;
	struct tpformat *tr_format; /* once dtp_learnt, then constant */
	unsigned int tr_nread;	    /* opens that want fields; by tr_mtx */
};

static struct tracepoint *tracepoints;
static pthread_mutex_t tr_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dt_tptable *tptable; /* mapped; NULL before load */
static int tp_progfd = -1;

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
	dt_tplink_init(&tracepoints[n].tr_link);
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
		snprintf(reason, size, "tracefs cannot be read: %s",
		    strerror(error));
		return 0;
	}
	if ((error = perf_check()) != 0) {
		snprintf(reason, size,
		    "no perf event may be opened: %s (it needs CAP_PERFMON, or "
		    "CAP_SYS_ADMIN where perf_event_paranoid is 3)",
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
	struct tracepoint *tr = &tracepoints[dtp->dtp_sysnum];
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
	len = offsetof(struct tpformat, tp_fields) +
	    tp.tp_n * sizeof(tp.tp_fields[0]);
	if ((tr->tr_format = malloc(len)) == NULL)
		return ENOMEM;
	memcpy(tr->tr_format, &tp, len);
	dtp->dtp_nargs = tp.tp_n;
	return 0;
}

static void
dt_prov_tracepoint_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, unsigned int *flags)
{
	const struct tpformat *tp = tracepoints[dtp->dtp_sysnum].tr_format;
	const struct tpfield *tf = &tp->tp_fields[n];

	*type = tf->tf_type;
	*name = tf->tf_name;
	*flags = 0;
	if (tf->tf_isnumber)
		*flags = tf->tf_field.fi_signed ? DTAN_SIGNED : DTAN_UNSIGNED;
	if (n + 1 == tp->tp_n && tp->tp_cut > 0)
		*flags |= DTAN_MORE;
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
dt_prov_tracepoint_load(unsigned int part __attribute__((unused)), char *text)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct dt_prov_tracepoint_bpf *skel; /* stays loaded */
	int error;

	if ((skel = dt_prov_tracepoint_bpf__open_opts(&opts)) == NULL) {
		snprintf(text, IOCTL_TEXT, "its BPF object does not open");
		return errno;
	}
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj)) != 0 ||
	    (error = -dt_prov_tracepoint_bpf__load(skel)) != 0) {
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the program: %s", strerror(error));
		dt_prov_tracepoint_bpf__destroy(skel);
		return error;
	}
	if ((error = dt_maps_seen(skel->bss, text)) != 0) {
		dt_prov_tracepoint_bpf__destroy(skel);
		return error;
	}
	tptable = &skel->bss->dt_tptable;
	tp_progfd = bpf_program__fd(skel->progs.dt_tracepoint);
	dt_hook_set_prog(DT_HOOK_TRACEPOINT, skel->progs.dt_tracepoint);
	return 0;
}

/*
 * The program's table
 */

/* How the program cuts a value out of a word; 0: it does not lie in one. */
static int
fast_make(const struct dt_field *f, struct dt_tpfast *ft)
{
	unsigned int in = f->fi_off % 8;

	memset(ft, 0, sizeof(*ft));
	if (f->fi_how != DT_FIELD_NUMBER && f->fi_how != DT_FIELD_KERNTEXT &&
	    f->fi_how != DT_FIELD_USERTEXT)
		return 1;
	if (in + f->fi_size > 8 || f->fi_off + f->fi_size > 8 * DT_TP_WORDS)
		return 0;
	ft->ft_word = f->fi_off / 8;
	ft->ft_up = 64 - 8 * (in + f->fi_size);
	ft->ft_down = 64 - 8 * f->fi_size;
	ft->ft_bits = DT_TP_VALUE | (f->fi_signed ? DT_TP_SIGNED : 0);
	return 1;
}

/* A dt_tplink_get() function: nobody looks at this line. */
static void
line_fill(unsigned int line, void *arg)
{
	const struct dt_probe *dtp = arg;
	const struct tpformat *tp = tracepoints[dtp->dtp_sysnum].tr_format;
	struct dt_tpline *tl = &tptable->tt_line[line];
	unsigned int i;

	memset(tl, 0, sizeof(*tl));
	tl->tl_pbn = dtp->dtp_pbn;
	tl->tl_nfields = tp->tp_n;
	for (i = 0; i < tp->tp_n; i++) {
		tl->tl_field[i] = tp->tp_fields[i].tf_field;
		if (i < DT_TP_FAST &&
		    !fast_make(&tl->tl_field[i], &tl->tl_fast[i]))
			tl->tl_slow |= 1U << i;
	}
}

/* What the program is told of a request. */
static struct dt_req
tracepoint_req(const struct dt_pcb *dp, const struct tpformat *tp)
{
	struct dt_req r = dp->dp_req;
	unsigned int i, strings = 0;

	for (i = 0; i < tp->tp_n; i++)
		strings |= tp->tp_fields[i].tf_field.fi_how != DT_FIELD_NUMBER;
	if (!strings)
		r.dr_evtflags &= ~DT_EVT_STRINGS;
	if (tp->tp_n > DT_TP_FAST && (r.dr_evtflags & DT_EVT_FUNCARGS))
		r.dr_bits |= DT_REQ_LONG;
	return r;
}

/* One open more, or less, that wants fields. */
static void
tracepoint_read(struct tracepoint *tr, const struct dt_pcb *dp, int change)
{
	struct dt_tpline *tl = &tptable->tt_line[tr->tr_link.tl_line];

	if ((dp->dp_req.dr_evtflags & DT_EVT_FUNCARGS) == 0)
		return;
	pthread_mutex_lock(&tr_mtx);
	tr->tr_nread += change;
	__atomic_store_n(&tl->tl_nwords, tr->tr_nread != 0 ? DT_TP_WORDS : 0,
	    __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&tr_mtx);
}

static int
dt_prov_tracepoint_start(struct dt_softc *sc, struct dt_pcb *dp)
{
	struct tracepoint *tr = &tracepoints[dp->dp_dtp->dtp_sysnum];
	static atomic_int asked;
	int error;

	error = dt_hook_get(sc, DT_HOOK_TRACEPOINT);
	if (error == 0)
		error = dt_tplink_get(&tr->tr_link, tp_progfd,
		    tr->tr_format->tp_id, line_fill, dp->dp_dtp);
	if (error != 0)
		return error;
	if (!atomic_exchange(&asked, 1) && !counts_skipped(tr->tr_link.tl_link))
		dt_hook_set_uncounted(DT_HOOK_TRACEPOINT);
	tracepoint_read(tr, dp, 1);
	tptable->tt_req[sc->ds_slot][tr->tr_link.tl_line] = tracepoint_req(dp,
	    tr->tr_format);
	__atomic_or_fetch(&tptable->tt_line[tr->tr_link.tl_line]
			       .tl_mask[sc->ds_slot / 64],
	    1ULL << (sc->ds_slot % 64), __ATOMIC_SEQ_CST);
	return 0;
}

static void
dt_prov_tracepoint_stop(struct dt_softc *sc, struct dt_pcb *dp)
{
	struct tracepoint *tr = &tracepoints[dp->dp_dtp->dtp_sysnum];

	dp->dp_started = 0;
	__atomic_and_fetch(&tptable->tt_line[tr->tr_link.tl_line]
				.tl_mask[sc->ds_slot / 64],
	    ~(1ULL << (sc->ds_slot % 64)), __ATOMIC_SEQ_CST);
	tracepoint_read(tr, dp, -1);
	dt_tplink_put(&tr->tr_link);
}

const struct dt_provider dt_prov_tracepoint = {
	.dtpv_name = "tracepoint",
	.dtpv_rights = RIGHT_TRACE_ALL,
	.dtpv_init = dt_prov_tracepoint_init,
	.dtpv_learn = dt_prov_tracepoint_learn,
	.dtpv_args = dt_prov_tracepoint_args,
	.dtpv_alloc = dt_prov_tracepoint_alloc,
	.dtpv_load = dt_prov_tracepoint_load,
	.dtpv_start = dt_prov_tracepoint_start,
	.dtpv_stop = dt_prov_tracepoint_stop,
};
