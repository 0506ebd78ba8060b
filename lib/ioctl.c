/* SPDX-License-Identifier: ISC */
/*
 * dt_ioctl().  A command's number encodes the length and direction of its
 * struct, so most commands are sent unchanged, including commands of later
 * daemons.  The table has the structs with pointers, which never cross the
 * socket: their lists are fetched and written to the caller's array here.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/tprof/tprof_ioctl.h>
#include <sys/kcov.h>
#include "lib/agg.h"
#include "lib/handle.h"
#include "lib/list.h"
#include "lib/sym_request.h"
#include "lib/threads.h"

#define IOCTL_LEN(cmd) (((cmd) >> 16) & 0x1fff)
#define IOCTL_MAXLEN   0x1fff

typedef int ioctl_fn(struct dt *, void *);

struct ioctl_row {
	unsigned long ir_cmd;
	ioctl_fn *ir_fn; /* arg is not NULL */
};

static ioctl_fn ioctl_plist, ioctl_record, ioctl_args, ioctl_lookup,
    ioctl_provs, ioctl_sym, ioctl_argnames, ioctl_maps, ioctl_symfile,
    ioctl_sums, ioctl_file, ioctl_rdvnode, ioctl_aggsnap, ioctl_agg,
    ioctl_threads, ioctl_tprof_start, ioctl_tprof_start_v4;

static const struct ioctl_row ioctl_rows[] = {
	{ DTIOCGPLIST, ioctl_plist },
	{ DTIOCRECORD, ioctl_record },
	{ DTIOCGARGS, ioctl_args },
	{ DTIOCLOOKUP, ioctl_lookup },
	{ DTIOCGPROVS, ioctl_provs },
	{ DTIOCSYM, ioctl_sym },
	{ DTIOCGARGNAMES, ioctl_argnames },
	{ DTIOCGMAPS, ioctl_maps },
	{ DTIOCSYMFILE, ioctl_symfile },
	{ DTIOCGSUMS, ioctl_sums },
	{ DTIOCFILE, ioctl_file },
	{ DTIOCRDVNODE, ioctl_rdvnode },
	{ DTIOCAGGSNAP, ioctl_aggsnap },
	{ DTIOCGAGG, ioctl_agg },
	{ DTIOCGTHREADS, ioctl_threads },
	{ TPROF_IOC_START, ioctl_tprof_start },
	{ TPROF_IOC_START_V4, ioctl_tprof_start_v4 },
	{ KIOENABLE, dt_kcov_enable },
	{ KIOENABLETHREAD, dt_kcov_enablethread },
	{ KIODISABLE, dt_kcov_disable },
};

#define IOCTL_NROWS (sizeof(ioctl_rows) / sizeof(ioctl_rows[0]))

/*
 * Handles a NULL argument.  Unknown commands and missing rights have
 * precedence over EFAULT, and only the daemon knows them.  The request is
 * therefore sent with a byte as payload, which no command accepts.
 */
static int
ioctl_null(struct dt *dt, unsigned long cmd)
{
	uint8_t reply[IOCTL_MAXLEN];
	const uint8_t junk = 0;
	size_t len;

	if (dt_ctl_call(dt, cmd, &junk, sizeof(junk), reply, sizeof(reply),
		&len) == -1 &&
	    (errno == ENOTTY || errno == EPERM || errno == EPIPE))
		return -1;
	return dt_fail(dt, EFAULT, "the argument is NULL");
}

/* Sends and receives a struct without pointers. */
static int
ioctl_plain(struct dt *dt, unsigned long cmd, void *arg)
{
	size_t inlen = cmd & DT_IOC_IN ? IOCTL_LEN(cmd) : 0;
	size_t outlen = cmd & DT_IOC_OUT ? IOCTL_LEN(cmd) : 0;
	uint8_t reply[IOCTL_MAXLEN];
	size_t len;

	if (dt_ctl_call(dt, cmd, arg, inlen, reply, sizeof(reply), &len) == -1)
		return -1;
	if (len != outlen)
		return dt_ctl_nonsense(dt, "a struct has a wrong length");
	if (outlen > 0)
		memcpy(arg, reply, outlen);
	return 0;
}

int
dt_ioctl(struct dt *dt, unsigned long cmd, void *arg)
{
	size_t i;

	/* smaller numbers are other commands; larger are invalid */
	if (cmd < DT_IOC_VOID || cmd > UINT32_MAX)
		return dt_fail(dt, ENOTTY, "no such command");
	if (arg == NULL && (cmd & DT_IOC_INOUT) != 0 && IOCTL_LEN(cmd) != 0)
		return ioctl_null(dt, cmd);
	for (i = 0; i < IOCTL_NROWS; i++) {
		if (ioctl_rows[i].ir_cmd == cmd)
			return ioctl_rows[i].ir_fn(dt, arg);
	}
	return ioctl_plain(dt, cmd, arg);
}

/* Counts a start, because dt_ledger() then waits for its END. */
static int
ioctl_record(struct dt *dt, void *arg)
{
	const int *on = arg;

	if (*on == 0)
		return ioctl_plain(dt, DTIOCRECORD, arg);
	dt_ends_start(&dt->h_ends);
	if (ioctl_plain(dt, DTIOCRECORD, arg) == -1) {
		dt_ends_unstart(&dt->h_ends);
		return -1;
	}
	return 0;
}

static int
ioctl_sums(struct dt *dt, void *arg)
{
	(void)arg;
	return dt_sums_open(dt);
}

/* The descriptor is sent besides the payload. */
static int
ioctl_file(struct dt *dt, void *arg)
{
	struct dtioc_file *dtfl = arg;
	struct wire_file wf;
	uint32_t id;
	size_t len;

	_Static_assert(sizeof(wf.wfl_path) == sizeof(dtfl->dtfl_path),
	    "wire_file");
	if (dtfl->dtfl_fd < 0)
		return dt_fail(dt, EBADF, NULL);
	memcpy(wf.wfl_path, dtfl->dtfl_path, sizeof(wf.wfl_path));
	if (dt_ctl_call_with(dt, DTIOCFILE, &wf, sizeof(wf), dtfl->dtfl_fd, &id,
		sizeof(id), &len) == -1)
		return -1;
	if (len != sizeof(id))
		return dt_ctl_nonsense(dt, "a struct has a wrong length");
	dtfl->dtfl_id = id;
	return 0;
}

/*
 * Opens the daemon's O_PATH descriptor for reading, so that the kernel checks
 * the rights of this client.
 */
static int
rdvnode_open(struct dt *dt, int path, struct stat *st)
{
	char link[sizeof("/proc/self/fd/") + 10];
	int error, fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd != -1 && fstat(fd, st) == 0)
		return fd;
	error = errno;
	if (fd != -1)
		close(fd);
	return dt_fail(dt, error, "this client cannot open the file: %s",
	    strerror(error));
}

static int
ioctl_rdvnode(struct dt *dt, void *arg)
{
	struct dtioc_rdvn *dtrv = arg;
	const struct wire_rdvnode rq = {
		.wrv_pid = (uint32_t)dtrv->dtrv_pid,
		.wrv_va = (uintptr_t)dtrv->dtrv_va,
	};
	struct wire_rdvnode rv;
	int error, fd, path;
	struct stat st;

	path = dt_ctl_call_fd(dt, DTIOCRDVNODE, &rq, sizeof(rq), &rv,
	    sizeof(rv));
	if (path == -1)
		return -1;
	fd = rdvnode_open(dt, path, &st);
	error = errno;
	close(path);
	errno = error;
	if (fd == -1)
		return -1;
	dtrv->dtrv_fd = fd;
	dtrv->dtrv_start = (char *)(uintptr_t)rv.wrv_va;
	dtrv->dtrv_offset = (char *)(uintptr_t)rv.wrv_offset;
	dtrv->dtrv_len = (size_t)st.st_size;
	return 0;
}

static int
ioctl_aggsnap(struct dt *dt, void *arg)
{
	if (dt->h_agg.ag_next < dt->h_agg.ag_n)
		return dt_fail(dt, EBUSY,
		    "the rows of the last snapshot were not all read");
	return ioctl_plain(dt, DTIOCAGGSNAP, arg);
}

static int
ioctl_agg(struct dt *dt, void *arg)
{
	struct dtioc_aggrows *dtgr = arg;
	ssize_t n;

	if (dtgr->dtgr_rows == NULL)
		return dt_fail(dt, EFAULT, "the array is NULL");
	if (dtgr->dtgr_size < DTAG_PAGE * sizeof(*dtgr->dtgr_rows))
		return dt_fail(dt, ENOSPC, "the array is too small");
	if ((n = dt_aggrows_page(dt, dtgr->dtgr_rows)) == -1)
		return -1;
	dtgr->dtgr_size = (size_t)n * sizeof(*dtgr->dtgr_rows);
	return 0;
}

static int
ioctl_threads(struct dt *dt, void *arg)
{
	struct dtioc_threadlist *dttl = arg;
	ssize_t n;

	if (dttl->dttl_buf == NULL)
		return dt_fail(dt, EFAULT, "the buffer is NULL");
	if (dttl->dttl_size < DTTI_PAGE)
		return dt_fail(dt, ENOSPC, "the buffer is too small");
	if ((uintptr_t)dttl->dttl_buf % sizeof(uint64_t) != 0)
		return dt_fail(dt, EINVAL, "the buffer is not aligned");
	if ((n = dt_threads_page(dt, dttl->dttl_buf)) == -1)
		return -1;
	dttl->dttl_size = (size_t)n;
	return 0;
}

/* Destination of a list: li_arg of the functions below. */
struct ioctl_array {
	uint8_t *ia_array;
	size_t ia_entsize;
};

/* A dt_list_fn: copies entries, at most as many as fit. */
static int
ioctl_copy(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	const struct ioctl_array *ia = arg;

	(void)dt;
	memcpy(ia->ia_array + first * ia->ia_entsize, ents, n * ia->ia_entsize);
	return 0;
}

/* The same; also caches the descriptions of probes. */
static int
ioctl_copy_probes(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	ioctl_copy(dt, arg, ents, first, n);
	return dt_probes_learn(dt, ents, n);
}

/*
 * Fetches a list into array.  *sizep: in, bytes of the array, 0 to query the
 * size; out, bytes of the whole list, unchanged on ENOSPC.
 */
static int
ioctl_list(struct dt *dt, struct dt_list *li, void *array, size_t *sizep)
{
	struct ioctl_array ia = {
		.ia_array = array,
		.ia_entsize = li->li_entsize,
	};
	size_t room = *sizep / li->li_entsize;
	int64_t total;

	if (array == NULL && *sizep != 0)
		return dt_fail(dt, EFAULT, "the array is NULL");
	li->li_max = room < DT_LIST_ALL ? (uint32_t)room : DT_LIST_ALL;
	li->li_arg = &ia;
	if (li->li_fn == NULL)
		li->li_fn = ioctl_copy;
	total = dt_list_get(dt, li);
	if (total == -1)
		return -1;
	if (*sizep != 0 && (uint64_t)total > room)
		return dt_fail(dt, ENOSPC, "the array is too small");
	*sizep = (size_t)total * li->li_entsize;
	return 0;
}

static int
ioctl_plist(struct dt *dt, void *arg)
{
	struct dtioc_probe *dtpr = arg;
	struct dt_list li = {
		.li_cmd = DTIOCGPLIST,
		.li_entsize = sizeof(struct dtioc_probe_info),
		.li_fn = ioctl_copy_probes,
	};

	return ioctl_list(dt, &li, dtpr->dtpr_probes, &dtpr->dtpr_size);
}

static int
ioctl_lookup(struct dt *dt, void *arg)
{
	struct dtioc_lookup *dtlk = arg;
	struct dt_list li = {
		.li_cmd = DTIOCLOOKUP,
		.li_entsize = sizeof(struct dtioc_probe_info),
		.li_pattern = dtlk->dtlk_pattern,
		.li_fn = ioctl_copy_probes,
	};

	if (dtlk->dtlk_pattern == NULL)
		return dt_fail(dt, EFAULT, "the pattern is NULL");
	return ioctl_list(dt, &li, dtlk->dtlk_probes, &dtlk->dtlk_size);
}

static int
ioctl_args(struct dt *dt, void *arg)
{
	struct dtioc_arg *dtar = arg;
	struct dt_list li = {
		.li_cmd = DTIOCGARGS,
		.li_entsize = sizeof(struct dtioc_arg_info),
		.li_pbn = dtar->dtar_pbn,
	};

	return ioctl_list(dt, &li, dtar->dtar_args, &dtar->dtar_size);
}

static int
ioctl_argnames(struct dt *dt, void *arg)
{
	struct dtioc_argname *dtan = arg;
	struct dt_list li = {
		.li_cmd = DTIOCGARGNAMES,
		.li_entsize = sizeof(struct dtioc_argname_info),
		.li_pbn = dtan->dtan_pbn,
	};

	return ioctl_list(dt, &li, dtan->dtan_names, &dtan->dtan_size);
}

static int
ioctl_provs(struct dt *dt, void *arg)
{
	struct dtioc_prov *dtpo = arg;
	struct dt_list li = {
		.li_cmd = DTIOCGPROVS,
		.li_entsize = sizeof(struct dtioc_prov_info),
	};

	return ioctl_list(dt, &li, dtpo->dtpo_provs, &dtpo->dtpo_size);
}

/* Writes frames followed by their strings; the caller has checked the size. */
static void
ioctl_sym_write(const struct dt_syms *sy, struct dtioc_frame *dtfr)
{
	char *strings = (char *)(dtfr + sy->sy_nframes);
	const struct wire_frame *wf = sy->sy_frames;
	size_t i;

	if (sy->sy_nbytes > 0)
		memcpy(strings, sy->sy_strings, sy->sy_nbytes);
	for (i = 0; i < sy->sy_nframes; i++, wf++, dtfr++) {
		memset(dtfr, 0, sizeof(*dtfr));
		dtfr->dtfr_pc = wf->wf_pc;
		dtfr->dtfr_line = wf->wf_line;
		dtfr->dtfr_inlined = wf->wf_flags & WIRE_FRAME_INLINED;
		dtfr->dtfr_buildidlen = wf->wf_buildidlen;
		memcpy(dtfr->dtfr_buildid, wf->wf_buildid, wf->wf_buildidlen);
		dtfr->dtfr_offset = wf->wf_offset;
		dtfr->dtfr_fileoff = wf->wf_fileoff;
		dtfr->dtfr_why = wf->wf_why;
		dtfr->dtfr_error = wf->wf_error;
		if (wf->wf_func != 0)
			dtfr->dtfr_func = strings + wf->wf_func - 1;
		if (wf->wf_module != 0)
			dtfr->dtfr_module = strings + wf->wf_module - 1;
		if (wf->wf_file != 0)
			dtfr->dtfr_file = strings + wf->wf_file - 1;
	}
}

/* Destination of frames, for both commands. */
struct ioctl_frames {
	const uint64_t *if_pcs;
	uint32_t if_npcs;
	size_t *if_size;
	void *if_buf;
	uint32_t *if_nframes;
};

static int
ioctl_frames(struct dt *dt, const struct dt_symask *sa,
    const struct ioctl_frames *to, struct dt_syms *sy)
{
	size_t nbytes;
	int r = 0;

	if (to->if_npcs == 0 ||
	    (uintptr_t)to->if_buf % _Alignof(struct dtioc_frame) != 0)
		return dt_fail(dt, EINVAL, NULL);
	if (to->if_pcs == NULL || (to->if_buf == NULL && *to->if_size != 0))
		return dt_fail(dt, EFAULT, "an array is NULL");
	if (dt_syms_get(dt, sa, to->if_pcs, to->if_npcs, sy) == -1)
		return -1;
	nbytes = sy->sy_nframes * sizeof(struct dtioc_frame) + sy->sy_nbytes;
	if (*to->if_size != 0 && *to->if_size < nbytes) {
		r = dt_fail(dt, ENOSPC, "%zu bytes are needed", nbytes);
	} else {
		if (*to->if_size != 0)
			ioctl_sym_write(sy, to->if_buf);
		*to->if_size = nbytes;
		*to->if_nframes = (uint32_t)sy->sy_nframes;
	}
	dt_syms_free(sy);
	return r;
}

static int
ioctl_sym(struct dt *dt, void *arg)
{
	struct dtioc_sym *dtsy = arg;
	const struct dt_symask sa = {
		.syk_pid = (uint32_t)dtsy->dtsy_pid,
		.syk_nsecs = dtsy->dtsy_time,
		.syk_flags = dtsy->dtsy_flags,
	};
	const struct ioctl_frames to = {
		.if_pcs = dtsy->dtsy_pcs,
		.if_npcs = dtsy->dtsy_npcs,
		.if_size = &dtsy->dtsy_size,
		.if_buf = dtsy->dtsy_buf,
		.if_nframes = &dtsy->dtsy_nframes,
	};
	struct dt_syms sy;

	if (dtsy->dtsy_pid < 0)
		return dt_fail(dt, EINVAL, NULL);
	if (ioctl_frames(dt, &sa, &to, &sy) == -1)
		return -1;
	dtsy->dtsy_from = sy.sy_from;
	dtsy->dtsy_until = sy.sy_until;
	dtsy->dtsy_gen = sy.sy_gen;
	return 0;
}

static int
ioctl_symfile(struct dt *dt, void *arg)
{
	struct dtioc_symfile *dtsf = arg;
	const struct dt_symask sa = {
		.syk_flags = dtsf->dtsf_flags,
		.syk_path = dtsf->dtsf_path,
		.syk_buildid = dtsf->dtsf_buildid,
		.syk_buildidlen = dtsf->dtsf_buildidlen,
	};
	const struct ioctl_frames to = {
		.if_pcs = dtsf->dtsf_offs,
		.if_npcs = dtsf->dtsf_noffs,
		.if_size = &dtsf->dtsf_size,
		.if_buf = dtsf->dtsf_buf,
		.if_nframes = &dtsf->dtsf_nframes,
	};
	struct dt_syms sy;

	if (dt_symask_check(dt, &sa) == -1)
		return -1;
	return ioctl_frames(dt, &sa, &to, &sy);
}

/* Writes mappings followed by their paths. */
static void
ioctl_maps_write(const struct dt_mappings *maps, struct dtioc_map *dtmp)
{
	char *paths = (char *)(dtmp + maps->dm_n);
	const struct dt_mapping *dm = maps->dm_maps;
	size_t i;

	for (i = 0; i < maps->dm_n; i++, dm++, dtmp++) {
		memset(dtmp, 0, sizeof(*dtmp));
		dtmp->dtmp_start = dm->dm_start;
		dtmp->dtmp_end = dm->dm_end;
		dtmp->dtmp_offset = dm->dm_offset;
		dtmp->dtmp_file = dm->dm_fileid;
		dtmp->dtmp_kind = dm->dm_kind;
		dtmp->dtmp_buildidlen = dm->dm_buildidlen;
		if (dm->dm_buildidlen > 0)
			memcpy(dtmp->dtmp_buildid, dm->dm_buildid,
			    dm->dm_buildidlen);
		dtmp->dtmp_path = strcpy(paths, dm->dm_path);
		paths += strlen(paths) + 1;
	}
}

static int
ioctl_maps(struct dt *dt, void *arg)
{
	struct dtioc_maps *dtms = arg;
	struct dt_mappings maps;
	size_t i, nbytes;
	int r = 0;

	if ((uintptr_t)dtms->dtms_buf % _Alignof(struct dtioc_map) != 0)
		return dt_fail(dt, EINVAL, NULL);
	if (dtms->dtms_buf == NULL && dtms->dtms_size != 0)
		return dt_fail(dt, EFAULT, "the buffer is NULL");
	if (dt_mappings(dt, dtms->dtms_pid, dtms->dtms_time, &maps) == -1)
		return -1;
	nbytes = maps.dm_n * sizeof(struct dtioc_map);
	for (i = 0; i < maps.dm_n; i++)
		nbytes += strlen(maps.dm_maps[i].dm_path) + 1;
	if (dtms->dtms_size != 0 && dtms->dtms_size < nbytes) {
		r = dt_fail(dt, ENOSPC, "%zu bytes are needed", nbytes);
	} else {
		if (dtms->dtms_size != 0)
			ioctl_maps_write(&maps, dtms->dtms_buf);
		dtms->dtms_size = nbytes;
		dtms->dtms_nmaps = (uint32_t)maps.dm_n;
		dtms->dtms_from = maps.dm_from;
		dtms->dtms_until = maps.dm_until;
		dtms->dtms_gen = maps.dm_gen;
	}
	dt_mappings_free(&maps);
	return r;
}

/* The reply has the run whose END a reader waits for from now on. */
static int
tprof_start(struct dt *dt, unsigned long cmd, const void *arg)
{
	struct wire_tprof_run wr;
	size_t len;

	if (dt_ctl_call(dt, cmd, arg, IOCTL_LEN(cmd), &wr, sizeof(wr), &len) ==
	    -1)
		return -1;
	if (len != sizeof(wr))
		return dt_ctl_nonsense(dt, "a struct has a wrong length");
	dt_tprof_started(&dt->h_tprof, wr.wr_run);
	return 0;
}

static int
ioctl_tprof_start(struct dt *dt, void *arg)
{
	return tprof_start(dt, TPROF_IOC_START, arg);
}

static int
ioctl_tprof_start_v4(struct dt *dt, void *arg)
{
	return tprof_start(dt, TPROF_IOC_START_V4, arg);
}
