/* SPDX-License-Identifier: ISC */
/*
 * Symbol requests: DTIOCSYM, DTIOCGMAPS, DTIOCSYMFILE. Finds the process that a
 * pid means; daemon/sym resolves.  And DTIOCGSTACK, the frames of a stack that a
 * program copied; daemon/unwind finds them.
 *
 * The first three may wait for the kernel, a file system or the symbolizer, so
 * each runs on a separate thread: a client that sends such requests
 * continuously, or for files that take seconds, blocks no worker.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/sym/resolve_user.h"
#include "daemon/unwind/unwind.h"

/*
 * The reply: a head, entries, strings that frames share.  It is filled address
 * by address and ends when the next address does not fit.
 */

#define REPLY_SPACE (OP_MAXOUT - sizeof(struct wire_syms))
#define REPLY_SLOTS 2048 /* size of the hash of shared strings */

struct sym_reply {
	uint8_t *syr_entries; /* each of syr_entsize bytes */
	size_t syr_entsize;
	size_t syr_n;
	char *syr_strings;
	size_t syr_nbytes;
	uint32_t syr_slots[REPLY_SLOTS]; /* offset plus 1, by hash */
};

static void
reply_free(struct sym_reply *sr)
{
	free(sr->syr_entries);
	free(sr->syr_strings);
}

/* Returns 0 or ENOMEM. */
static int
reply_init(struct sym_reply *sr, size_t entsize)
{
	memset(sr, 0, sizeof(*sr));
	sr->syr_entsize = entsize;
	sr->syr_entries = malloc(REPLY_SPACE);
	sr->syr_strings = malloc(REPLY_SPACE);
	if (sr->syr_entries == NULL || sr->syr_strings == NULL) {
		reply_free(sr);
		return ENOMEM;
	}
	return 0;
}

static int
reply_fits(const struct sym_reply *sr, size_t nbytes)
{
	return sr->syr_n * sr->syr_entsize + sr->syr_nbytes + nbytes <=
	    REPLY_SPACE;
}

/* Returns the slot of a string already stored, or of the next one. */
static uint32_t *
reply_slot(struct sym_reply *sr, const char *s)
{
	uint32_t h = 2166136261U;
	const char *p;
	unsigned int i;

	for (p = s; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	h ^= h >> 16;
	for (i = 0; i < 8; i++, h++) {
		h %= REPLY_SLOTS;
		if (sr->syr_slots[h] == 0 ||
		    strcmp(sr->syr_strings + sr->syr_slots[h] - 1, s) == 0)
			break;
	}
	return &sr->syr_slots[h % REPLY_SLOTS];
}

/* Returns the string's offset plus 1; 0 if there is no string or no space. */
static uint32_t
reply_string(struct sym_reply *sr, const char *s)
{
	uint32_t *slot;
	size_t n;

	if (s == NULL || *s == '\0')
		return 0;
	slot = reply_slot(sr, s);
	if (*slot != 0 && strcmp(sr->syr_strings + *slot - 1, s) == 0)
		return *slot;
	n = strlen(s) + 1;
	if (!reply_fits(sr, n))
		return 0;
	memcpy(sr->syr_strings + sr->syr_nbytes, s, n);
	*slot = sr->syr_nbytes + 1;
	sr->syr_nbytes += n;
	return *slot;
}

/* Returns one more entry, zeroed; NULL if it does not fit. */
static void *
reply_entry(struct sym_reply *sr)
{
	void *p;

	if (!reply_fits(sr, sr->syr_entsize))
		return NULL;
	p = sr->syr_entries + sr->syr_n++ * sr->syr_entsize;
	memset(p, 0, sr->syr_entsize);
	return p;
}

/* Removes what was added after a position. */
static void
reply_undo(struct sym_reply *sr, size_t n, size_t nbytes)
{
	unsigned int i;

	sr->syr_n = n;
	sr->syr_nbytes = nbytes;
	for (i = 0; i < REPLY_SLOTS; i++)
		if (sr->syr_slots[i] > nbytes)
			sr->syr_slots[i] = 0;
}

/*
 * Adds one frame, which is completed; from NULL: the address has none. Returns
 * whether it fits.
 */
static int
reply_frame(struct sym_reply *sr, uint32_t pc, const struct resolved *re,
    const struct wire_frame *from)
{
	static const struct wire_frame none;
	const struct mapped_file *sf = re->re_file;
	struct wire_frame *wf;

	if ((wf = reply_entry(sr)) == NULL)
		return 0;
	if (from == NULL)
		from = &none;
	*wf = *from;
	wf->wf_pc = pc;
	wf->wf_flags |= re->re_passing ? WIRE_FRAME_PASSING : 0;
	wf->wf_func = reply_string(sr,
	    wire_string(re->re_strings, from->wf_func));
	wf->wf_file = reply_string(sr,
	    wire_string(re->re_strings, from->wf_file));
	if (sf != NULL) {
		wf->wf_fileoff = re->re_off;
		wf->wf_module = reply_string(sr, sf->mf_path);
		(void)mapped_file_getid(sf, wf->wf_buildid, &wf->wf_buildidlen);
	}
	if (from->wf_func == 0) {
		wf->wf_why = re->re_why != DTFR_NAMED ? re->re_why : DTFR_NOSYM;
		wf->wf_error = re->re_error;
	}
	return (sf == NULL || sf->mf_path[0] == '\0' || wf->wf_module != 0) &&
	    (from->wf_func == 0) == (wf->wf_func == 0) &&
	    (from->wf_file == 0) == (wf->wf_file == 0);
}

/*
 * Adds all frames of an address.  Returns 0 if they do not fit; the first
 * address gets a reply in any case, if necessary an incomplete one.
 */
static int
reply_name(struct sym_reply *sr, uint32_t pc, const struct resolved *re)
{
	size_t n = sr->syr_n, nbytes = sr->syr_nbytes;
	int fits = 1;
	uint32_t i;

	if (re->re_n == 0)
		fits = reply_frame(sr, pc, re, NULL);
	for (i = 0; i < re->re_n && fits; i++)
		fits = reply_frame(sr, pc, re, &re->re_frames[i]);
	if (!fits && n > 0) {
		reply_undo(sr, n, nbytes);
		return 0;
	}
	return 1;
}

/* Sends the reply: total is the number of entries without the size limit. */
static void
reply_send(const struct sym_reply *sr, uint32_t total,
    const struct wire_syms *ws, struct op *op)
{
	size_t n = sr->syr_n * sr->syr_entsize;
	uint8_t *out = op->op_out;
	struct wire_syms head = *ws;

	head.ws_total = total;
	head.ws_count = sr->syr_n;
	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), sr->syr_entries, n);
	memcpy(out + sizeof(head) + n, sr->syr_strings, sr->syr_nbytes);
	op->op_outlen = sizeof(head) + n + sr->syr_nbytes;
}

/*
 * Requests
 */

static int
dt_sym_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	limit_give(sc->ds_client.dcl_peer.peer_person, LIMIT_SYMREQUESTS, 1);
	dt_sym_used(&sc->ds_sym);
	return error;
}

int
dt_sym_later(struct op *op, int (*run)(struct op *))
{
	const struct dt_softc *sc = op->op_sc;
	int error = limit_take(sc->ds_client.dcl_peer.peer_person,
	    LIMIT_SYMREQUESTS, 1, &op->op_reason);

	if (error != 0)
		return error;
	return op_later(op, run, dt_sym_done, 1);
}

/* Converts a pid of the client to dtd's. */
static int
dt_sym_local(struct dt_softc *sc, uint32_t pid, uint64_t nsecs, uint32_t *local)
{
	pid_t found;
	int error;

	if (sc->ds_client.dcl_peer.peer_own_pidns) {
		*local = pid;
		return 0;
	}
	if ((error = dt_pidns_resolve(&sc->ds_pidns, &sc->ds_client.dcl_peer,
		 NULL)) != 0)
		return error;
	if (sc->ds_pidns.dpn_inum != 0 &&
	    proc_perf_map_translate(sc->ds_pidns.dpn_inum,
		sc->ds_pidns.dpn_level, pid, nsecs, local) == 0)
		return 0;
	if ((error = dt_pidns_local(&sc->ds_pidns, &sc->ds_client.dcl_peer, pid,
		 &found)) == 0)
		*local = found;
	return error;
}

int
dt_sym_view(struct dt_softc *sc, uint32_t pid, uint64_t nsecs,
    struct proc_view **svp, struct wire_syms *ws)
{
	uint64_t now = clock_monotonic();
	struct proc_view *pv;
	uint32_t local;
	int error;

	if (nsecs == 0 || nsecs > now)
		nsecs = now;
	memset(ws, 0, sizeof(*ws));
	ws->ws_from = nsecs;
	ws->ws_until = now + 1;
	if ((error = dt_sym_follow(&sc->ds_sym)) != 0 ||
	    (error = dt_sym_local(sc, pid, nsecs, &local)) != 0 ||
	    (error = proc_view_get(local, nsecs, &pv)) != 0)
		return error;
	if (!dt_sym_mayall(&sc->ds_client) &&
	    (error = dt_sym_confine(&sc->ds_client, nsecs, &pv)) != 0) {
		proc_watch_view_free(pv);
		ws->ws_until = nsecs + 1; /* another time may be its own */
		return error;
	}
	ws->ws_from = pv->pv_from;
	ws->ws_until = pv->pv_until > now ? now + 1 : pv->pv_until;
	ws->ws_gen = pv->pv_gen;
	*svp = pv;
	return 0;
}

/* Sends symbols, as many as fit. */
static int
dt_sym_reply(struct op *op, const struct resolved_list *rl,
    const struct wire_syms *ws)
{
	struct sym_reply sr;
	size_t i;
	int error;

	if ((error = reply_init(&sr, sizeof(struct wire_frame))) != 0)
		return error;
	for (i = 0; i < rl->rl_n; i++)
		if (!reply_name(&sr, i, &rl->rl_v[i]))
			break;
	reply_send(&sr, sr.syr_n + (i < rl->rl_n), ws, op);
	reply_free(&sr);
	return 0;
}

static int
dt_sym_flags(uint32_t flags)
{
	return flags & DTSY_LINES ? SYM_LINES : 0;
}

static int
dt_sym_process(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_sym *wy = op->op_arg;
	struct proc_view *pv = NULL;
	struct resolved_list rl;
	struct wire_syms ws;
	int error;

	symbolizer_begin(DT_SYM_MSECS, sc->ds_client.dcl_peer.peer_person);
	error = dt_sym_view(sc, wy->wy_pid, wy->wy_time, &pv, &ws);
	if (error == 0)
		error = resolve_view(&rl, pv, wy->wy_time,
		    (const uint64_t *)(wy + 1), wy->wy_npcs,
		    dt_sym_flags(wy->wy_flags));
	else if (error != ENOMEM)
		error = resolve_none(&rl, wy->wy_npcs,
		    error == EPERM ? DTFR_DENIED : DTFR_NOPROC, error);
	if (error == 0) {
		error = dt_sym_reply(op, &rl, &ws);
		resolve_free(&rl);
	}
	dt_sym_trim_exclude();
	proc_watch_view_free(pv);
	return error;
}

static int
dt_sym_kreply(struct op *op, const struct ksym *ks, uint32_t n,
    const struct ksym_span *kp)
{
	struct wire_syms ws = { .ws_from = kp->kss_from,
		.ws_until = kp->kss_until,
		.ws_gen = kp->kss_gen };
	struct wire_frame *wf;
	struct sym_reply sr;
	uint32_t i;
	int error;

	if ((error = reply_init(&sr, sizeof(*wf))) != 0)
		return error;
	for (i = 0; i < n && (wf = reply_entry(&sr)) != NULL; i++) {
		wf->wf_pc = i;
		wf->wf_offset = ks[i].ksy_offset;
		wf->wf_func = reply_string(&sr, ks[i].ksy_name);
		wf->wf_module = reply_string(&sr, ks[i].ksy_module);
		/* loading and unloading of BPF programs is not reported */
		if (ks[i].ksy_name[0] == '\0' ||
		    strcmp(ks[i].ksy_module, "[bpf]") == 0)
			wf->wf_flags = WIRE_FRAME_PASSING;
		if (ks[i].ksy_name[0] == '\0')
			wf->wf_why = DTFR_NOSYM;
		else if (wf->wf_func == 0 || wf->wf_module == 0)
			break; /* no space: the next reply begins here */
	}
	if (i < n && sr.syr_n > i)
		sr.syr_n = i;
	reply_send(&sr, sr.syr_n + (i < n), &ws, op);
	reply_free(&sr);
	return 0;
}

static int
dt_sym_kernel_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_sym *wy = op->op_arg;
	struct ksym_span kp;
	struct ksym *ks;
	int error;

	if ((ks = calloc(wy->wy_npcs + 1, sizeof(*ks))) == NULL)
		return ENOMEM;
	if (sc->ds_sym.dsu_ismoment && !sc->ds_sym.dsu_kheld)
		error = kallsyms_now((const uint64_t *)(wy + 1), wy->wy_npcs,
		    ks, &kp);
	else {
		dt_sym_kernel(&sc->ds_sym);
		error = kallsyms_lookup((const uint64_t *)(wy + 1), wy->wy_npcs,
		    wy->wy_time, ks, &kp);
	}
	if (error != 0)
		kallsyms_why(error, &op->op_reason);
	else
		error = dt_sym_kreply(op, ks, wy->wy_npcs, &kp);
	free(ks);
	return error;
}

/* Checks the length of a request for n addresses, and its flags. */
static int
dt_sym_check(struct op *op, uint32_t n, size_t want, uint32_t flags,
    uint32_t reserved)
{
	if (n > WIRE_MAXSYM || op->op_arglen != want)
		return op_fail(op, EINVAL,
		    "%u addresses in %zu bytes; at most %d", n, op->op_arglen,
		    WIRE_MAXSYM);
	if ((flags & ~(uint32_t)DTSY_LINES) != 0 || reserved != 0)
		return op_fail(op, EINVAL, "no such flags");
	return 0;
}

int
dt_ioctl_sym(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_sym *wy = op->op_arg;
	int error;

	error = dt_sym_check(op, wy->wy_npcs,
	    sizeof(*wy) + (size_t)wy->wy_npcs * sizeof(uint64_t), wy->wy_flags,
	    wy->wy_reserved);
	if (error != 0)
		return error;
	if (wy->wy_pid != 0)
		return dt_sym_later(op, dt_sym_process);
	if (!dt_sym_mayall(&sc->ds_client))
		return op_fail(op, EPERM,
		    "this client may not see the kernel's addresses");
	return dt_sym_later(op, dt_sym_kernel_run);
}

/* Adds one mapping: 0 when it does not fit. */
static int
dt_maps_entry(struct sym_reply *sr, const struct proc_mapping *sm)
{
	static const uint32_t kinds[] = { [MAPPED_FILE_ELF] = DTMP_FILE,
		[MAPPED_FILE_VDSO] = DTMP_VDSO,
		[MAPPED_FILE_ANON] = DTMP_ANON };
	struct mapped_file *sf = sm->pm_file;
	struct wire_map *wm;

	if ((wm = reply_entry(sr)) == NULL)
		return 0;
	wm->wmp_start = sm->pm_start;
	wm->wmp_end = sm->pm_end;
	wm->wmp_offset = sm->pm_off;
	wm->wmp_file = sf->mf_id;
	wm->wmp_kind = kinds[sf->mf_kind];
	(void)symbolizer_buildid(sf, wm->wmp_buildid, &wm->wmp_buildidlen);
	wm->wmp_path = reply_string(sr, sf->mf_path);
	if (wm->wmp_path != 0 || sf->mf_path[0] == '\0')
		return 1;
	sr->syr_n--;
	return 0;
}

/* Uses the snapshot being listed, or takes a new one: ds_sym.dsu_view. */
static int
dt_maps_view(struct dt_softc *sc, const struct wire_maps *wm)
{
	int error;

	if (wm->wms_first != 0 && sc->ds_sym.dsu_view != NULL &&
	    sc->ds_sym.dsu_viewpid == wm->wms_pid &&
	    sc->ds_sym.dsu_viewtime == wm->wms_time)
		return 0;
	proc_watch_view_free(sc->ds_sym.dsu_view);
	sc->ds_sym.dsu_view = NULL;
	error = dt_sym_view(sc, wm->wms_pid, wm->wms_time, &sc->ds_sym.dsu_view,
	    &sc->ds_sym.dsu_viewhead);
	sc->ds_sym.dsu_viewpid = wm->wms_pid;
	sc->ds_sym.dsu_viewtime = wm->wms_time;
	return error;
}

static int
dt_maps_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_maps *wm = op->op_arg;
	const struct proc_view *pv;
	struct sym_reply sr;
	size_t i;
	int error;

	symbolizer_begin(DT_SYM_MSECS, sc->ds_client.dcl_peer.peer_person);
	if ((error = dt_maps_view(sc, wm)) != 0)
		return op_fail(op, error,
		    "process %u is not known at that time: %s", wm->wms_pid,
		    strerror(error));
	if ((error = reply_init(&sr, sizeof(struct wire_map))) != 0)
		return error;
	pv = sc->ds_sym.dsu_view;
	for (i = wm->wms_first; i < pv->pv_nmaps && sr.syr_n < wm->wms_max; i++)
		if (!dt_maps_entry(&sr, &pv->pv_maps[i]))
			break;
	dt_sym_trim_exclude();
	reply_send(&sr, pv->pv_nmaps, &sc->ds_sym.dsu_viewhead, op);
	reply_free(&sr);
	if (i == pv->pv_nmaps) { /* the last page */
		proc_watch_view_free(sc->ds_sym.dsu_view);
		sc->ds_sym.dsu_view = NULL;
	}
	return 0;
}

int
dt_ioctl_get_maps(struct op *op)
{
	const struct wire_maps *wm = op->op_arg;

	if (wm->wms_pid == 0 || wm->wms_reserved != 0)
		return op_fail(op, EINVAL, "no such process");
	return dt_sym_later(op, dt_maps_run);
}

static int
dt_symfile_run(struct op *op)
{
	static const struct wire_syms ws;
	struct dt_softc *sc = op->op_sc;
	const struct wire_symfile *wx = op->op_arg;
	const uint64_t *offs = (const uint64_t *)(wx + 1);
	char path[WIRE_MAXPATH];
	struct mapped_file *sf = NULL;
	struct resolved_list rl;
	int error;

	symbolizer_begin(DT_SYM_MSECS, sc->ds_client.dcl_peer.peer_person);
	memcpy(path, offs + wx->wx_noffs, wx->wx_pathlen);
	path[wx->wx_pathlen] = '\0';
	error = mapped_file_open(path, wx->wx_buildid, wx->wx_buildidlen,
	    sc->ds_client.dcl_peer.peer_uid, &sf);
	if (error == 0)
		error = resolve_file(&rl, sf, offs, wx->wx_noffs,
		    dt_sym_flags(wx->wx_flags));
	else
		error = resolve_none(&rl, wx->wx_noffs,
		    error == ESTALE ? DTFR_OTHER : DTFR_NOFILE, error);
	if (error == 0) {
		error = dt_sym_reply(op, &rl, &ws);
		resolve_free(&rl);
	}
	mapped_file_release(sf);
	return error;
}

int
dt_ioctl_symfile(struct op *op)
{
	const struct wire_symfile *wx = op->op_arg;
	const char *path;
	int error;

	error = dt_sym_check(op, wx->wx_noffs,
	    sizeof(*wx) + (size_t)wx->wx_noffs * sizeof(uint64_t) +
		wx->wx_pathlen,
	    wx->wx_flags, wx->wx_reserved);
	if (error != 0)
		return error;
	path = (const char *)(wx + 1) + wx->wx_noffs * sizeof(uint64_t);
	if (wx->wx_pathlen == 0 || wx->wx_pathlen >= WIRE_MAXPATH ||
	    path[0] != '/' || memchr(path, '\0', wx->wx_pathlen) != NULL ||
	    wx->wx_buildidlen > sizeof(wx->wx_buildid))
		return op_fail(op, EINVAL,
		    "a path begins with / and has no NUL, a build id 20 bytes "
		    "at most");
	return dt_sym_later(op, dt_symfile_run);
}

int
dt_ioctl_get_stack(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	const struct dtioc_stack *arg = op->op_arg;
	struct dtioc_stack *dtsk = op->op_out;
	int error;

	error = unwind_copy_take(UNWIND_SESSION(sc->ds_client.dcl_slot,
				     sc->ds_client.dcl_gen),
	    arg->dtsk_copy, dtsk);
	if (error == ENOENT)
		return op_fail(op, ENOENT, "the session has no such copy");
	if (error == 0)
		op->op_outlen = sizeof(*dtsk);
	return error;
}

/*
 * Idle sessions
 */

/*
 * Stops following for an idle session, since following keeps files open and
 * their file systems busy. A session follows from its first ENABLE, so that all
 * is known when it records, and for a limited time after its last use of
 * symbols.
 */
static int
dt_sym_idle_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	proc_watch_view_free(sc->ds_sym.dsu_view);
	sc->ds_sym.dsu_view = NULL;
	proc_watch_release();
	sc->ds_sym.dsu_held = 0;
	return 0;
}

static int
dt_sym_isidle(const struct dt_softc *sc)
{
	return sc->ds_sym.dsu_held && !sc->ds_recording &&
	    clock_monotonic() - sc->ds_sym.dsu_used >
	    conf.cf_namesidle * 1000000000ULL;
}

static int
dt_sym_idle_job(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;

	if (!dt_sym_isidle(sc))
		return 0;
	return op_later(op, dt_sym_idle_run, NULL,
	    dt_enabled_isslow(&sc->ds_enabled));
}

void
dt_sym_tick(struct dt_softc *sc)
{
	/* a command in progress is use; it updates the time at its end */
	if (!op_isbusy(sc->ds_queue) && dt_sym_isidle(sc))
		op_request(sc->ds_queue, dt_sym_idle_job);
}
