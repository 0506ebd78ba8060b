/* SPDX-License-Identifier: ISC */
/*
 * The kprobe provider: entry and return of the kernel's functions.  There are
 * tens of thousands, so their probes are no list: a number is made of the
 * place in the table of dt_kfunc.c, and a struct dt_probe when somebody
 * enables it.
 *
 * Links belong to one open, and all that it enabled is attached together when
 * it records.  Armed they are by the table of the programs: RECORD 0 and close
 * take the run out of it, and need not wait until the kernel has detached.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "conf.h"
#include "dt_btf.h"
#include "dt_kattach.h"
#include "dt_kfunc.h"
#include "dt_kproto.h"
#include "dt_maps.h"
#include "dt_prov_kprobe.skel.h"
#include "dt_prov_kprobe_session.skel.h"
#include "dt_softc.h"
#include "log.h"
#include "perf_event.h"

#define KPROBE_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

/* dtp_sysnum of a probe: which function, and KPROBE_ENTRY or _RETURN. */
#define KPROBE_INDEX(n) ((n) / 2)
#define KPROBE_DIR(n)	((n) % 2)

_Static_assert(KATTACH_ENTRY == 0 && KATTACH_RETURN == 1, "KPROBE_DIR");

#define KPROBE_CHUNK 256 /* probes */

/* A probe that somebody has asked for, with its name. */
struct made {
	struct dt_probe ma_probe; /* first: a probe is made */
	char ma_func[DTNAMESIZE];
};

/* What an open that records has in the programs' table. */
struct dt_kset {
	struct klinks ks_links;
	uint32_t ks_run;	  /* 0: halted */
	unsigned int ks_attached; /* 1 << enum kattach_prog */
	uint64_t *ks_holes;	  /* keys, of probes that were disabled */
	size_t ks_nholes;
	uint16_t *ks_lines; /* of the table */
	size_t ks_nlines, ks_maxlines;
	uint64_t ks_missed0[KATTACH_NPROG]; /* of the programs, at start */
};

static const char *const dir_names[] = { "entry", "return" };

static struct made **chunks[(1U << 23) / KPROBE_CHUNK]; /* control thread */

static int progfds[KATTACH_NPROG] = { -1, -1, -1 }; /* by load's lock */
static struct dt_ktable *ktable; /* mapped; NULL before load */
static int tablefd = -1, holesfd = -1;
static int unavailable; /* by init, then constant */

static pthread_mutex_t lines_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint8_t line_used[DT_NKLINE]; /* by lines_mtx */
static uint32_t last_run;	     /* by lines_mtx */

extern const struct dt_provider dt_prov_kprobe;

/*
 * Probes
 */

/* Under lockdown=confidentiality nobody may read the kernel by a program. */
static int
kprobe_locked(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	return strstr(line, "[confidentiality]") != NULL;
}

static int
dt_prov_kprobe_init(const struct dt_provider *prov __attribute__((unused)),
    char *reason, size_t size)
{
	if (access("/sys/bus/event_source/devices/kprobe/type", F_OK) != 0)
		snprintf(reason, size,
		    "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)");
	else if (kprobe_locked())
		snprintf(reason, size,
		    "the kernel is locked down (confidentiality)");
	unavailable = reason[0] != '\0';
	return 0;
}

/* Only one of the ways of attaching takes perf events, of which each is
 * for one function. */
static const char *
dt_prov_kprobe_lacks(void)
{
	const char *lacks = perf_event_lacks(), *why;
	const struct kmethod *km;

	if (lacks == NULL || (km = kattach_method(&why)) == NULL)
		return NULL;
	return km->km_piece == 1 ? lacks : NULL;
}

/* Which way of attaching is taken, and why. */
static unsigned int
dt_prov_kprobe_remark(char *remark, size_t size)
{
	const struct kmethod *km;
	const char *why;

	if ((km = kattach_method(&why)) == NULL)
		snprintf(remark, size, "cannot be attached: %s", why);
	else
		snprintf(remark, size, "by %s%s%s", km->km_what,
		    why != NULL ? ": " : "", why != NULL ? why : "");
	return 2 * kfunc_count();
}

static struct made *
probe_make(uint32_t n)
{
	struct made *ma;
	struct kfunc kf;

	if (kfunc_get(KPROBE_INDEX(n), &kf) != 0)
		return NULL;
	if ((ma = calloc(1, sizeof(*ma))) == NULL)
		return NULL;
	memcpy(ma->ma_func, kf.kf_name, DTNAMESIZE);
	ma->ma_probe.dtp_prov = &dt_prov_kprobe;
	ma->ma_probe.dtp_pbn = DT_PBN_KPROBE + n;
	ma->ma_probe.dtp_func = ma->ma_func;
	ma->ma_probe.dtp_name = dir_names[KPROBE_DIR(n)];
	ma->ma_probe.dtp_sysnum = n;
	ma->ma_probe.dtp_part = KPROBE_DIR(n);
	return ma;
}

static struct dt_probe *
dt_prov_kprobe_find(uint32_t pbn)
{
	uint32_t n = pbn - DT_PBN_KPROBE;
	struct made ***chunk;

	if (pbn < DT_PBN_KPROBE || KPROBE_INDEX(n) >= kfunc_count())
		return NULL;
	chunk = &chunks[n / KPROBE_CHUNK];
	if (*chunk == NULL &&
	    (*chunk = calloc(KPROBE_CHUNK, sizeof(**chunk))) == NULL)
		return NULL;
	if ((*chunk)[n % KPROBE_CHUNK] == NULL)
		(*chunk)[n % KPROBE_CHUNK] = probe_make(n);
	return (struct dt_probe *)(*chunk)[n % KPROBE_CHUNK];
}

/* The types stay as long as the open: they are asked for again and again. */
static void
kprobe_hold(struct dt_softc *sc)
{
	if (!sc->ds_hastypes)
		kproto_hold();
	sc->ds_hastypes = 1;
}

static void
dt_prov_kprobe_close(struct dt_softc *sc)
{
	if (sc->ds_hastypes)
		kproto_drop();
	sc->ds_hastypes = 0;
}

static int
dt_prov_kprobe_match(struct dt_softc *sc, const char *pattern, uint32_t **listp,
    size_t *np, char *text)
{
	size_t i;
	int error;

	*listp = NULL;
	*np = 0;
	if (unavailable)
		return 0;
	kprobe_hold(sc);
	if ((error = kfunc_refresh(text, IOCTL_TEXT)) != 0)
		return error;
	pattern += strcspn(pattern, ":");
	error = kfunc_match(pattern + (*pattern == ':'), listp, np);
	for (i = 0; error == 0 && i < *np; i++)
		(*listp)[i] += DT_PBN_KPROBE;
	return error;
}

static void
dt_prov_kprobe_info(uint32_t pbn, struct dtioc_probe_info *dtpi)
{
	uint32_t n = pbn - DT_PBN_KPROBE;
	struct kproto kp;
	struct kfunc kf;

	(void)kfunc_get(KPROBE_INDEX(n), &kf);
	dtpi->dtpi_pbn = pbn;
	strcpy(dtpi->dtpi_prov, "kprobe");
	memcpy(dtpi->dtpi_func, kf.kf_name, DTNAMESIZE);
	strcpy(dtpi->dtpi_name, dir_names[KPROBE_DIR(n)]);
	kproto_get(kf.kf_symbol, kf.kf_module, &kp, NULL);
	dtpi->dtpi_nargs = KPROBE_DIR(n) == KATTACH_ENTRY
	    ? kp.kp_nargs
	    : kp.kp_ret != DT_KRET_NONE; /* its type, in place of one */
}

static unsigned int
dt_prov_kprobe_describe(const struct dt_probe *dtp, char (*types)[DTNAMESIZE],
    char (*names)[DTNAMESIZE])
{
	struct kproto_text kt;
	struct kproto kp;
	struct kfunc kf;

	(void)kfunc_get(KPROBE_INDEX(dtp->dtp_sysnum), &kf);
	kproto_get(kf.kf_symbol, kf.kf_module, &kp, &kt);
	if (KPROBE_DIR(dtp->dtp_sysnum) == KATTACH_ENTRY) {
		memcpy(types, kt.kt_type, kp.kp_nargs * DTNAMESIZE);
		memcpy(names, kt.kt_name, kp.kp_nargs * DTNAMESIZE);
		return kp.kp_nargs;
	}
	memcpy(types[0], kt.kt_ret, DTNAMESIZE);
	strcpy(names[0], "retval");
	return kp.kp_ret != DT_KRET_NONE;
}

static const char *
kprobe_denied(const struct dt_probe *dtp)
{
	struct kfunc kf;

	return kfunc_get(KPROBE_INDEX(dtp->dtp_sysnum), &kf) == 0 ? kf.kf_denied
								  : NULL;
}

static int
dt_prov_kprobe_refuse(const struct dt_probe *dtp, char *text)
{
	const char *why = kprobe_denied(dtp);

	if (why == NULL)
		return 0;
	snprintf(text, IOCTL_TEXT, "%s is never probed: it is %s",
	    dtp->dtp_func, why);
	return EINVAL;
}

/* How many arguments there are, the client knows; others are 0. */
static int
dt_prov_kprobe_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	int isreturn = KPROBE_DIR(dtp->dtp_sysnum) == KATTACH_RETURN;

	switch (op->op_kind) {
	case DT_OPD_ARG:
	case DT_OPD_STRING:
		if (isreturn || op->op_argn >= KPROTO_NARGS)
			return EINVAL;
		DT_LOOK_AT(lo,
		    op->op_kind == DT_OPD_ARG ? DT_LOOK_HIT : DT_LOOK_ADDRTEXT,
		    h_args[op->op_argn]);
		return 0;
	case DT_OPD_RETVAL:
		DT_LOOK_AT(lo, DT_LOOK_HIT, h_ret.drr_retval);
		break;
	case DT_OPD_ERRNO:
		DT_LOOK_AT(lo, DT_LOOK_HIT, h_ret.drr_error);
		break;
	}
	return isreturn ? 0 : EINVAL;
}

static int
dt_prov_kprobe_alloc(struct dt_softc *sc, struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	sc->ds_nslow++;
	dp->dp_req.dr_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & KPROBE_EVTFLAGS);
	return 0;
}

/*
 * Loading
 */

/* All programs have one table, and one map of what is disabled. */
static int
kprobe_share(struct bpf_map *table, struct bpf_map *holes)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, sparse,
	    .map_flags = BPF_F_NO_PREALLOC);
	size_t size = bpf_map__value_size(table);

	if (tablefd < 0)
		tablefd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dt_ktable", 4,
		    size, 1, &mmapable);
	if (holesfd < 0)
		holesfd = bpf_map_create(BPF_MAP_TYPE_HASH, "dt_kholes", 8, 1,
		    DT_KHOLES, &sparse);
	if (tablefd < 0 || holesfd < 0)
		return tablefd < 0 ? -tablefd : -holesfd;
	if (bpf_map__reuse_fd(table, tablefd) != 0 ||
	    bpf_map__reuse_fd(holes, holesfd) != 0)
		return errno;
	return 0;
}

/* Entry or return.  The object stays loaded. */
static int
kprobe_load(enum kattach_prog which, unsigned int type)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct dt_prov_kprobe_bpf *skel;
	struct bpf_program *prog;
	int error;

	if ((skel = dt_prov_kprobe_bpf__open_opts(&opts)) == NULL)
		return errno;
	prog = which == KATTACH_ENTRY ? skel->progs.dt_kprobe_entry
				      : skel->progs.dt_kprobe_return;
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, type);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj)) != 0 ||
	    (error = kprobe_share(skel->maps.bss, skel->maps.dt_kholes)) != 0 ||
	    (error = -dt_prov_kprobe_bpf__load(skel)) != 0 ||
	    (error = skel->bss == NULL ? EOPNOTSUPP : 0) != 0) {
		dt_prov_kprobe_bpf__destroy(skel);
		return error;
	}
	progfds[which] = bpf_program__fd(prog);
	ktable = &skel->bss->dt_ktable;
	return 0;
}

/* The same for the third, which is loaded when it is needed. */
static int
kprobe_load_session(unsigned int type)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct dt_prov_kprobe_session_bpf *skel;
	struct bpf_program *prog;
	int error;

	if ((skel = dt_prov_kprobe_session_bpf__open_opts(&opts)) == NULL)
		return errno;
	prog = skel->progs.dt_kprobe_session;
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, type);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj)) != 0 ||
	    (error = kprobe_share(skel->maps.bss, skel->maps.dt_kholes)) != 0 ||
	    (error = -dt_prov_kprobe_session_bpf__load(skel)) != 0 ||
	    (error = skel->bss == NULL ? EOPNOTSUPP : 0) != 0) {
		dt_prov_kprobe_session_bpf__destroy(skel);
		return error;
	}
	progfds[KATTACH_SESSION] = bpf_program__fd(prog);
	ktable = &skel->bss->dt_ktable;
	return 0;
}

static int
kprobe_load_prog(enum kattach_prog which, const struct kmethod *km)
{
	static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
	int error = 0;

	pthread_mutex_lock(&mtx);
	if (progfds[which] == -1) {
		error = which == KATTACH_SESSION
		    ? kprobe_load_session(km->km_session)
		    : kprobe_load(which, km->km_type);
		if (error == 0)
			dt_cost_watch(progfds[which], &dt_prov_kprobe, 0);
	}
	pthread_mutex_unlock(&mtx);
	return error;
}

/*
 * part: enum kattach_prog.  Where there are sessions, it is not known yet which
 * programs a probe will need: a service has all of them in good time, a private
 * daemon loads at RECORD those that its client needs.
 */
static int
dt_prov_kprobe_load(unsigned int part, char *text)
{
	const struct kmethod *km;
	const char *why;
	int error;

	if ((km = kattach_method(&why)) == NULL) {
		snprintf(text, IOCTL_TEXT, "%s", why);
		return EOPNOTSUPP;
	}
	if (part == KATTACH_SESSION ? km->km_session == 0
				    : km->km_session != 0 && conf.cf_private)
		return 0;
	if ((error = kprobe_load_prog(part, km)) != 0)
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the programs: %s", strerror(error));
	return error;
}

/* Hits that the kernel skipped since the program was loaded. */
static uint64_t
kprobe_progmissed(enum kattach_prog which)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(progfds[which], &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/*
 * Lines of the programs' table
 */

static int
line_alloc(uint16_t *line)
{
	static unsigned int next; /* by lines_mtx */
	unsigned int i, n;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < DT_NKLINE; i++) {
		n = (next + i) & (DT_NKLINE - 1);
		if (line_used[n])
			continue;
		line_used[n] = 1;
		next = n + 1;
		*line = n;
		break;
	}
	pthread_mutex_unlock(&lines_mtx);
	return i < DT_NKLINE ? 0 : ENOSPC;
}

/* The line of the set that says this, new or not. */
static int
kset_line(struct dt_kset *ks, const struct dt_kline *kl, uint16_t *line)
{
	size_t i, max = ks->ks_maxlines == 0 ? 16 : 2 * ks->ks_maxlines;
	uint16_t *lines;
	int error;

	for (i = 0; i < ks->ks_nlines; i++)
		if (memcmp(&ktable->kt_line[ks->ks_lines[i]], kl,
			sizeof(*kl)) == 0) {
			*line = ks->ks_lines[i];
			return 0;
		}
	if (ks->ks_nlines == ks->ks_maxlines) {
		lines = realloc(ks->ks_lines, max * sizeof(*lines));
		if (lines == NULL)
			return ENOMEM;
		ks->ks_lines = lines;
		ks->ks_maxlines = max;
	}
	if ((error = line_alloc(line)) != 0)
		return error;
	ktable->kt_line[*line] = *kl;
	ks->ks_lines[ks->ks_nlines++] = *line;
	return 0;
}

/* A new number for a run of the slot: not that of one whose links are still
 * there. */
static uint32_t
run_alloc(void)
{
	uint32_t run;

	pthread_mutex_lock(&lines_mtx);
	if (((run = ++last_run) & DT_KRUN_MASK) == 0)
		run = ++last_run;
	pthread_mutex_unlock(&lines_mtx);
	return run & DT_KRUN_MASK;
}

static void
kset_free(struct dt_kset *ks)
{
	size_t i;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < ks->ks_nlines; i++)
		line_used[ks->ks_lines[i]] = 0;
	pthread_mutex_unlock(&lines_mtx);
	free(ks->ks_lines);
	free(ks->ks_holes);
	free(ks);
}

/*
 * Recording
 */

static void
kprobe_shape(const struct dt_pcb *dp, const struct kproto *kp,
    struct dt_kline *kl)
{
	memset(kl, 0, sizeof(*kl));
	kl->kl_req = dp->dp_req;
	if (KPROBE_DIR(dp->dp_dtp->dtp_sysnum) == KATTACH_RETURN) {
		kl->kl_ret = kp->kp_ret;
		kl->kl_req.dr_evtflags &= ~DT_EVT_STRINGS;
		return;
	}
	kl->kl_nargs = kp->kp_nargs;
	memcpy(kl->kl_arg, kp->kp_args, sizeof(kl->kl_arg));
	if (!kp->kp_hastext)
		kl->kl_req.dr_evtflags &= ~DT_EVT_STRINGS;
}

/* A function that an open wants something of. */
struct want {
	uint32_t wa_index;
	uint64_t wa_addr;
	const struct dt_pcb *wa_pcb[2]; /* NULL: not that */
	uint16_t wa_line[2];
};

static int
want_cmp(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return x->wa_index < y->wa_index ? -1 : x->wa_index > y->wa_index;
}

/* Entry and return of a function become one; returns how many are left. */
static size_t
want_join(struct want *list, size_t n)
{
	size_t i, out = 0;

	qsort(list, n, sizeof(*list), want_cmp);
	for (i = 0; i < n; i++) {
		if (out > 0 && list[out - 1].wa_index == list[i].wa_index) {
			if (list[i].wa_pcb[0] != NULL)
				list[out - 1].wa_pcb[0] = list[i].wa_pcb[0];
			else
				list[out - 1].wa_pcb[1] = list[i].wa_pcb[1];
		} else
			list[out++] = list[i];
	}
	return out;
}

/* All functions of the open.  *np: how many. */
static struct want *
want_all(const struct dt_softc *sc, size_t *np)
{
	struct want *list = calloc(sc->ds_nslow + 1, sizeof(*list));
	const struct dt_pcb *dp;
	uint32_t num;
	size_t n = 0;

	if (list == NULL)
		return NULL;
	TAILQ_FOREACH(dp, &sc->ds_pcbs, dp_snext) {
		if (dp->dp_dtp->dtp_prov != &dt_prov_kprobe)
			continue;
		num = dp->dp_dtp->dtp_sysnum;
		list[n].wa_index = KPROBE_INDEX(num);
		list[n++].wa_pcb[KPROBE_DIR(num)] = dp;
	}
	*np = want_join(list, n);
	return list;
}

/* Finds where the function is, and gives its probes their lines. */
static int
want_prepare(struct dt_softc *sc, struct want *wa, int session, char *text)
{
	struct dt_kline kl;
	struct kproto kp;
	struct kfunc kf;
	int dir, error;

	error = kfunc_get(wa->wa_index, &kf);
	if (error != 0 || kf.kf_addr == 0) {
		snprintf(text, IOCTL_TEXT, "%s has gone, with its module",
		    kf.kf_name);
		return ENXIO;
	}
	wa->wa_addr = kf.kf_addr;
	kproto_get(kf.kf_symbol, kf.kf_module, &kp, NULL);
	for (dir = 1; dir >= 0; dir--) { /* an entry knows its return */
		if (wa->wa_pcb[dir] == NULL)
			continue;
		kprobe_shape(wa->wa_pcb[dir], &kp, &kl);
		if (session && dir == 0 && wa->wa_pcb[1] != NULL)
			kl.kl_return = wa->wa_line[1];
		error = kset_line(sc->ds_kset, &kl, &wa->wa_line[dir]);
		if (error != 0) {
			snprintf(text, IOCTL_TEXT,
			    "no room for what is asked of %s: %s", kf.kf_name,
			    strerror(error));
			return error;
		}
	}
	return 0;
}

/* Which program serves a direction of it, if this one does: 1. */
static int
want_is(const struct want *wa, enum kattach_prog which, int session)
{
	int both = session && wa->wa_pcb[0] != NULL && wa->wa_pcb[1] != NULL;

	if (which == KATTACH_SESSION)
		return both;
	return !both && wa->wa_pcb[which] != NULL;
}

static int
kprobe_attach_prog(struct dt_softc *sc, enum kattach_prog which,
    const struct kmethod *km, const struct want *list, size_t nlist,
    struct kmember *members, char *text)
{
	struct dt_kset *ks = sc->ds_kset;
	int dir = which == KATTACH_RETURN, error;
	const struct dt_pcb *dp;
	size_t i, n = 0, nth = 0;

	for (i = 0; i < nlist; i++) {
		if (!want_is(&list[i], which, km->km_session != 0))
			continue;
		members[n].km_addr = list[i].wa_addr;
		members[n].km_nth = i;
		members[n++].km_cookie = DT_KCOOKIE(sc->ds_slot, ks->ks_run,
		    list[i].wa_line[dir], list[i].wa_pcb[dir]->dp_dtp->dtp_pbn);
	}
	if (n == 0)
		return 0;
	ks->ks_missed0[which] = kprobe_progmissed(which);
	ks->ks_attached |= 1U << which;
	error = kattach(km, &ks->ks_links, progfds[which], which, members, n,
	    &sc->ds_cancel, &nth);
	if (error != 0 && error != ECANCELED) {
		dp = list[members[nth].km_nth].wa_pcb[dir];
		snprintf(text, IOCTL_TEXT, "cannot attach kprobe:%s:%s%s: %s",
		    dp->dp_dtp->dtp_func, dp->dp_dtp->dtp_name,
		    km->km_piece > 1 && n > 1 ? ", or one behind it" : "",
		    perf_event_strerror(error));
	}
	return error;
}

/* Loads the programs that will be attached. */
static int
kprobe_load_wanted(const struct want *list, size_t n, const struct kmethod *km,
    char *text)
{
	int which, error;
	size_t i;

	for (which = 0; which < KATTACH_NPROG; which++) {
		for (i = 0; i < n; i++)
			if (want_is(&list[i], which, km->km_session != 0))
				break;
		if (i == n || (error = kprobe_load_prog(which, km)) == 0)
			continue;
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the programs of kprobe: %s",
		    strerror(error));
		return error;
	}
	return 0;
}

static int
kprobe_attach_all(struct dt_softc *sc, struct want *list, size_t n, char *text)
{
	struct kmember *members;
	const struct kmethod *km;
	const char *why;
	size_t i;
	int which, error;

	km = kattach_method(&why);
	if ((error = kprobe_load_wanted(list, n, km, text)) != 0)
		return error;
	if ((sc->ds_kset = calloc(1, sizeof(*sc->ds_kset))) == NULL ||
	    (members = calloc(n, sizeof(*members))) == NULL)
		return ENOMEM;
	sc->ds_kset->ks_run = run_alloc();
	__atomic_store_n(&ktable->kt_holes[sc->ds_slot], 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ktable->kt_run[sc->ds_slot], sc->ds_kset->ks_run,
	    __ATOMIC_SEQ_CST);
	for (i = 0; error == 0 && i < n; i++)
		error = want_prepare(sc, &list[i], km->km_session != 0, text);
	for (which = 0; error == 0 && which < KATTACH_NPROG; which++)
		error = kprobe_attach_prog(sc, which, km, list, n, members,
		    text);
	free(members);
	return error;
}

static int
dt_prov_kprobe_attach(struct dt_softc *sc, char *text)
{
	struct want *list;
	size_t n;
	int error;

	if (sc->ds_nslow == 0)
		return 0;
	kprobe_hold(sc);
	/* modules may have been loaded anew, at other addresses */
	if ((error = kfunc_refresh(text, IOCTL_TEXT)) != 0)
		return error;
	if ((list = want_all(sc, &n)) == NULL)
		return ENOMEM;
	if (n > 0)
		error = kprobe_attach_all(sc, list, n, text);
	free(list);
	return error;
}

/* All of it is attached by what comes when all have started. */
static int
dt_prov_kprobe_start(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp __attribute__((unused)))
{
	return 0;
}

/* From now on nothing of the run counts. */
static void
dt_prov_kprobe_halt(struct dt_softc *sc)
{
	if (sc->ds_kset == NULL)
		return;
	__atomic_store_n(&ktable->kt_run[sc->ds_slot], 0, __ATOMIC_SEQ_CST);
	sc->ds_kset->ks_run = 0;
}

/* Its link stays, and brings nothing any more. */
static void
kprobe_hole(struct dt_softc *sc, const struct dt_pcb *dp)
{
	struct dt_kset *ks = sc->ds_kset;
	uint64_t key = DT_KCOOKIE(sc->ds_slot, ks->ks_run, 0,
	    dp->dp_dtp->dtp_pbn);
	uint64_t *holes;
	uint8_t one = 1;

	holes = realloc(ks->ks_holes, (ks->ks_nholes + 1) * sizeof(*holes));
	if (holes != NULL) {
		ks->ks_holes = holes;
		holes[ks->ks_nholes] = key;
	}
	if (holes == NULL ||
	    bpf_map_update_elem(holesfd, &key, &one, BPF_ANY) != 0) {
		/* no room to leave this one out: nothing more, then */
		log_warnx("kprobe: no room for one more disabled probe");
		dt_prov_kprobe_halt(sc);
		return;
	}
	ks->ks_nholes++;
	__atomic_store_n(&ktable->kt_holes[sc->ds_slot], 1, __ATOMIC_SEQ_CST);
}

static void
dt_prov_kprobe_stop(struct dt_softc *sc, struct dt_pcb *dp)
{
	dp->dp_started = 0;
	if (sc->ds_kset != NULL && sc->ds_kset->ks_run != 0)
		kprobe_hole(sc, dp);
}

/* What the kernel skipped, if it counts that. */
static void
kprobe_account(struct dt_softc *sc)
{
	const struct dt_kset *ks = sc->ds_kset;
	int64_t missed = kattach_missed(&ks->ks_links);
	int which;

	if (missed == -1) {
		sc->ds_missed_unknown = 1;
		return;
	}
	sc->ds_missed += missed;
	for (which = 0; which < KATTACH_NPROG; which++)
		if (ks->ks_attached & (1U << which))
			sc->ds_missed += kprobe_progmissed(which) -
			    ks->ks_missed0[which];
}

/* No program is at work for the run any more. */
static void
dt_prov_kprobe_detach(struct dt_softc *sc)
{
	struct dt_kset *ks = sc->ds_kset;
	size_t i;

	if (ks == NULL)
		return;
	kprobe_account(sc);
	kattach_release(&ks->ks_links);
	for (i = 0; i < ks->ks_nholes; i++)
		(void)bpf_map_delete_elem(holesfd, &ks->ks_holes[i]);
	sc->ds_kset = NULL;
	kset_free(ks);
}

static void
dt_prov_kprobe_fini(int private)
{
	kattach_fini(private);
}

const struct dt_provider dt_prov_kprobe = {
	.dtpv_name = "kprobe",
	.dtpv_rights = RIGHT_TRACE_ALL,
	.dtpv_init = dt_prov_kprobe_init,
	.dtpv_lacks = dt_prov_kprobe_lacks,
	.dtpv_remark = dt_prov_kprobe_remark,
	.dtpv_find = dt_prov_kprobe_find,
	.dtpv_match = dt_prov_kprobe_match,
	.dtpv_info = dt_prov_kprobe_info,
	.dtpv_describe = dt_prov_kprobe_describe,
	.dtpv_close = dt_prov_kprobe_close,
	.dtpv_refuse = dt_prov_kprobe_refuse,
	.dtpv_operand = dt_prov_kprobe_operand,
	.dtpv_alloc = dt_prov_kprobe_alloc,
	.dtpv_load = dt_prov_kprobe_load,
	.dtpv_israre = 1,
	.dtpv_nparts = KATTACH_NPROG,
	.dtpv_start = dt_prov_kprobe_start,
	.dtpv_attach = dt_prov_kprobe_attach,
	.dtpv_stop = dt_prov_kprobe_stop,
	.dtpv_halt = dt_prov_kprobe_halt,
	.dtpv_detach = dt_prov_kprobe_detach,
	.dtpv_fini = dt_prov_kprobe_fini,
};
