/* SPDX-License-Identifier: ISC */
/*
 * Opens a process's perf map file and translates its pids in pid namespaces.
 *
 * The file is in a folder that every user may write, so it is inspected before
 * it is opened, and used only if it is the process's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/proc_watch_impl.h"

/* Attributes of the process, which the file must match. */
struct perf_map_proc {
	uid_t pmp_uid;
	uint32_t pmp_nspid; /* pid in its own pid namespace */
	uint64_t pmp_from;  /* time of the fork, CLOCK_MONOTONIC; 0: unknown */
	struct root_dir *pmp_root;
};

static int
jit_proc(uint32_t pid, uint64_t nsecs, struct perf_map_proc *jp)
{
	const struct process *ps;

	(void)proc_status_get(pid);
	proc_table_lock();
	if ((ps = proc_table_find(pid, nsecs)) != NULL) {
		jp->pmp_uid = ps->ps_uid;
		jp->pmp_nspid = ps->ps_nnums > 0
		    ? ps->ps_nums[ps->ps_nnums - 1].nu_pid
		    : pid;
		jp->pmp_from = ps->ps_from;
		jp->pmp_root = root_dir_get(ps->ps_root);
	}
	proc_table_unlock();
	if (ps == NULL)
		return ESRCH;
	if (jp->pmp_root == NULL)
		jp->pmp_root = root_dir_get(root_dir_own());
	return jp->pmp_root == NULL ? ENOENT : 0;
}

int
proc_perf_map_open(uint32_t pid, uint64_t nsecs, int *fd)
{
	struct perf_map_proc jp = { 0 };
	struct find_jitmap fj;
	int error;

	(void)proc_watch_sync(nsecs);
	if ((error = jit_proc(pid, nsecs, &jp)) != 0)
		return error;
	fj = (struct find_jitmap){ .fj_uid = jp.pmp_uid,
		.fj_nspid = jp.pmp_nspid,
		.fj_from = jp.pmp_from == 0
		    ? 0
		    : (int64_t)jp.pmp_from + clock_offset() };
	error = inspect_jitmap_request(&fj, root_dir_fd(jp.pmp_root), fd);
	root_dir_put(jp.pmp_root);
	return error;
}

struct perf_map_request {
	uint32_t pma_nsinum, pma_nspid;
	uint64_t pma_nsecs;
	const struct process *pma_found; /* the newest */
};

static int
translate_one(struct process *ps, void *arg)
{
	struct perf_map_request *as = arg;
	unsigned int i;

	if (ps->ps_from > as->pma_nsecs ||
	    (as->pma_found != NULL && as->pma_found->ps_from >= ps->ps_from))
		return 0;
	for (i = 0; i < ps->ps_nnums; i++)
		if (ps->ps_nums[i].nu_pid == as->pma_nspid &&
		    ps->ps_nums[i].nu_nsinum == as->pma_nsinum)
			as->pma_found = ps;
	return 0;
}

int
proc_perf_map_translate(uint32_t nsinum, uint32_t level __attribute__((unused)),
    uint32_t nspid, uint64_t nsecs, uint32_t *pid)
{
	struct perf_map_request as = { .pma_nsinum = nsinum,
		.pma_nspid = nspid,
		.pma_nsecs = nsecs };

	if (proc_watch_sync(nsecs) == 0)
		return ESRCH;
	if (!atomic_exchange(&proc_status_wantnums, 1))
		proc_status_all();
	proc_table_lock();
	(void)proc_table_each(translate_one, &as);
	if (as.pma_found != NULL)
		*pid = as.pma_found->ps_pid;
	proc_table_unlock();
	return as.pma_found == NULL ? ESRCH : 0;
}
