/* SPDX-License-Identifier: ISC */
/* What /proc reports of a process, see proc_status.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/inspect_look.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch_impl.h"

void
symlook_enter(struct symproc *sp, const struct look_piece *lk,
    struct symroot *root)
{
	size_t nbytes = lk->lk_nnums * sizeof(lk->lk_nums[0]);

	sp->sp_uid = lk->lk_uid;
	if (sp->sp_nnums == 0 && lk->lk_nnums > 0 &&
	    (sp->sp_nums = malloc(nbytes)) != NULL) {
		memcpy(sp->sp_nums, lk->lk_nums, nbytes);
		sp->sp_nnums = lk->lk_nnums;
		symtab_charge(nbytes);
	}
	if (root != NULL) {
		symroot_put(sp->sp_root);
		sp->sp_root = root;
	}
	sp->sp_waslooked = 1;
}

/* Whether it lives, and has not been looked at. */
static int
look_isdue(uint32_t pid)
{
	struct symproc *sp;
	int isdue;

	symtab_lock();
	sp = symtab_find(pid, UINT64_MAX);
	isdue = sp != NULL && sp->sp_end == 0 && !sp->sp_waslooked;
	symtab_unlock();
	return isdue;
}

struct pids {
	uint32_t *pi_pids;
	size_t pi_n;
};

static int
pids_add(struct symproc *sp, void *arg)
{
	struct pids *pi = arg;
	uint32_t *pids;

	if (sp->sp_end != 0 || sp->sp_waslooked)
		return 0;
	if (pi->pi_n % 256 == 0) {
		pids = realloc(pi->pi_pids, (pi->pi_n + 256) * sizeof(*pids));
		if (pids == NULL)
			return 1;
		pi->pi_pids = pids;
	}
	pi->pi_pids[pi->pi_n++] = sp->sp_pid;
	return 0;
}

void
symproc_lookall(void)
{
	struct pids pi = { NULL, 0 };
	size_t i;

	symtab_lock();
	(void)symtab_each(pids_add, &pi);
	symtab_unlock();
	for (i = 0; i < pi.pi_n; i++)
		(void)symlook(pi.pi_pids[i]);
	free(pi.pi_pids);
}

void
symlook_sight(struct sighting *ss)
{
	const struct symproc *sp;

	symtab_lock();
	sp = symtab_find(ss->sg_pid, UINT64_MAX);
	if (sp != NULL && sp->sp_end == 0) {
		ss->sg_uid = sp->sp_uid;
		if (sp->sp_root != NULL) {
			symroot_put(ss->sg_root);
			ss->sg_root = symroot_get(sp->sp_root);
		}
	}
	symtab_unlock();
}

static void
look_keep(void *arg, const struct look_piece *lk,
    const char *text __attribute__((unused)),
    size_t len __attribute__((unused)))
{
	*(struct look_piece *)arg = *lk;
}

int
symlook(uint32_t pid)
{
	struct look_request lq = { .lq_npids = 1, .lq_pids = { pid } };
	struct look_piece lk = { .lk_islast = 0 };
	struct symroot *root;
	struct symproc *sp;
	int error, fd = -1;

	if (!look_isdue(pid))
		return 0;
	error = inspect_look_ask(&lq, 0, &fd, look_keep, &lk);
	if (error == 0)
		error = lk.lk_islast ? lk.lk_error : ESRCH;
	root = symroot_enter(&lk.lk_root, fd);
	if (error != 0) {
		symroot_put(root);
		return error;
	}
	symtab_lock();
	sp = symtab_find(pid, UINT64_MAX);
	if (sp != NULL && sp->sp_end == 0) {
		symlook_enter(sp, &lk, root);
		root = NULL;
	}
	symtab_unlock();
	symroot_put(root);
	return 0;
}
