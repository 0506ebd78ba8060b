/* SPDX-License-Identifier: ISC */
/*
 * What a process tells of itself: its perf map file, and the numbers it has in
 * pid namespaces.  See proc_watch.h.
 *
 * The file lies where everybody writes, so it is looked at before it is
 * opened, and believed only if it is the process's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/inspect/inspect_find.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/proc_watch_impl.h"

/* What has to be known of the process. */
struct jitproc {
	uid_t jp_uid;
	uint32_t jp_nspid; /* as it calls itself */
	uint64_t jp_from;  /* its fork, CLOCK_MONOTONIC; 0: not known */
	struct symroot *jp_root;
};

static int
jit_proc(uint32_t pid, uint64_t nsecs, struct jitproc *jp)
{
	const struct symproc *sp;

	(void)symlook(pid);
	symtab_lock();
	if ((sp = symtab_find(pid, nsecs)) != NULL) {
		jp->jp_uid = sp->sp_uid;
		jp->jp_nspid = sp->sp_nnums > 0
		    ? sp->sp_nums[sp->sp_nnums - 1].nu_pid
		    : pid;
		jp->jp_from = sp->sp_from;
		jp->jp_root = symroot_get(sp->sp_root);
	}
	symtab_unlock();
	if (sp == NULL)
		return ESRCH;
	if (jp->jp_root == NULL)
		jp->jp_root = symroot_get(symroot_own());
	return jp->jp_root == NULL ? ENOENT : 0;
}

int
symproc_jitmap(uint32_t pid, uint64_t nsecs, int *fd)
{
	struct jitproc jp = { 0 };
	struct find_jitmap fj;
	int error;

	(void)symproc_sync(nsecs);
	if ((error = jit_proc(pid, nsecs, &jp)) != 0)
		return error;
	fj = (struct find_jitmap){ .fj_uid = jp.jp_uid,
		.fj_nspid = jp.jp_nspid,
		.fj_from = jp.jp_from == 0
		    ? 0
		    : (int64_t)jp.jp_from + clock_offset() };
	error = inspect_jitmap_ask(&fj, symroot_fd(jp.jp_root), fd);
	symroot_put(jp.jp_root);
	return error;
}

struct perf_map_asked {
	uint32_t as_nsinum, as_nspid;
	uint64_t as_nsecs;
	const struct symproc *as_found; /* the newest */
};

static int
translate_one(struct symproc *sp, void *arg)
{
	struct perf_map_asked *as = arg;
	unsigned int i;

	if (sp->sp_from > as->as_nsecs ||
	    (as->as_found != NULL && as->as_found->sp_from >= sp->sp_from))
		return 0;
	for (i = 0; i < sp->sp_nnums; i++)
		if (sp->sp_nums[i].nu_pid == as->as_nspid &&
		    sp->sp_nums[i].nu_nsinum == as->as_nsinum)
			as->as_found = sp;
	return 0;
}

int
symproc_translate(uint32_t nsinum, uint32_t level __attribute__((unused)),
    uint32_t nspid, uint64_t nsecs, uint32_t *pid)
{
	struct perf_map_asked as = { .as_nsinum = nsinum,
		.as_nspid = nspid,
		.as_nsecs = nsecs };

	if (symproc_sync(nsecs) == 0)
		return ESRCH;
	if (!atomic_exchange(&symproc_wantnums, 1))
		symproc_lookall();
	symtab_lock();
	(void)symtab_each(translate_one, &as);
	if (as.as_found != NULL)
		*pid = as.as_found->sp_pid;
	symtab_unlock();
	return as.as_found == NULL ? ESRCH : 0;
}
