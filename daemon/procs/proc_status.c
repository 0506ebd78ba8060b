/* SPDX-License-Identifier: ISC */
/* Requests user, pids and root directory of a process from an inspector. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/inspect_proc.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch_impl.h"

void
proc_status_enter(struct process *ps, const struct inspect_proc_piece *lk,
    struct root_dir *root)
{
	size_t nbytes = lk->lk_nnums * sizeof(lk->lk_nums[0]);

	ps->ps_uid = lk->lk_uid;
	if (ps->ps_nnums == 0 && lk->lk_nnums > 0 &&
	    (ps->ps_nums = malloc(nbytes)) != NULL) {
		memcpy(ps->ps_nums, lk->lk_nums, nbytes);
		ps->ps_nnums = lk->lk_nnums;
		proc_table_charge(nbytes);
	}
	if (root != NULL) {
		root_dir_put(ps->ps_root);
		ps->ps_root = root;
	}
	ps->ps_isinspected = 1;
}

/* Returns whether the process is alive and was not inspected yet. */
static int
status_isdue(uint32_t pid)
{
	struct process *ps;
	int isdue;

	proc_table_lock();
	ps = proc_table_find(pid, UINT64_MAX);
	isdue = ps != NULL && ps->ps_end == 0 && !ps->ps_isinspected;
	proc_table_unlock();
	return isdue;
}

struct pids {
	uint32_t *pi_pids;
	size_t pi_n;
};

static int
pids_add(struct process *ps, void *arg)
{
	struct pids *pi = arg;
	uint32_t *pids;

	if (ps->ps_end != 0 || ps->ps_isinspected)
		return 0;
	if (pi->pi_n % 256 == 0) {
		pids = realloc(pi->pi_pids, (pi->pi_n + 256) * sizeof(*pids));
		if (pids == NULL)
			return 1;
		pi->pi_pids = pids;
	}
	pi->pi_pids[pi->pi_n++] = ps->ps_pid;
	return 0;
}

void
proc_status_all(void)
{
	struct pids pi = { NULL, 0 };
	size_t i;

	proc_table_lock();
	(void)proc_table_each(pids_add, &pi);
	proc_table_unlock();
	for (i = 0; i < pi.pi_n; i++)
		(void)proc_status_get(pi.pi_pids[i]);
	free(pi.pi_pids);
}

void
proc_status_sight(struct sighting *ss)
{
	const struct process *ps;

	proc_table_lock();
	ps = proc_table_find(ss->sg_pid, UINT64_MAX);
	if (ps != NULL && ps->ps_end == 0) {
		ss->sg_uid = ps->ps_uid;
		if (ps->ps_root != NULL) {
			root_dir_put(ss->sg_root);
			ss->sg_root = root_dir_get(ps->ps_root);
		}
	}
	proc_table_unlock();
}

static void
look_keep(void *arg, const struct inspect_proc_piece *lk,
    const char *text __attribute__((unused)),
    size_t len __attribute__((unused)))
{
	*(struct inspect_proc_piece *)arg = *lk;
}

int
proc_status_get(uint32_t pid)
{
	struct inspect_proc_request lq = { .lq_npids = 1, .lq_pids = { pid } };
	struct inspect_proc_piece lk = { .lk_islast = 0 };
	struct root_dir *root;
	struct process *ps;
	int error, fd = -1;

	if (!status_isdue(pid))
		return 0;
	error = inspect_proc_request(&lq, 0, &fd, look_keep, &lk);
	if (error == 0)
		error = lk.lk_islast ? lk.lk_error : ESRCH;
	root = root_dir_enter(&lk.lk_root, fd);
	if (error != 0) {
		root_dir_put(root);
		return error;
	}
	proc_table_lock();
	ps = proc_table_find(pid, UINT64_MAX);
	if (ps != NULL && ps->ps_end == 0) {
		proc_status_enter(ps, &lk, root);
		root = NULL;
	}
	proc_table_unlock();
	root_dir_put(root);
	return 0;
}
