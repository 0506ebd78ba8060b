/* SPDX-License-Identifier: ISC */
/* The table of processes of procs.h, and lookups of their descriptors. */
#include <err.h>
#include <stdlib.h>

#include "cli/procs/procs_table.h"

/*
 * Processes
 */

struct procs *
procs_alloc(void)
{
	struct procs *pr;

	if ((pr = calloc(1, sizeof(*pr))) == NULL)
		err(1, "processes");
	pr->pcs_used.pc_newer = pr->pcs_used.pc_older = &pr->pcs_used;
	pr->pcs_seq = 1;
	return pr;
}

static void
procs_unlink(struct proc *pc)
{
	pc->pc_newer->pc_older = pc->pc_older;
	pc->pc_older->pc_newer = pc->pc_newer;
}

static void
procs_link(struct procs *pr, struct proc *pc)
{
	pc->pc_newer = &pr->pcs_used;
	pc->pc_older = pr->pcs_used.pc_older;
	pc->pc_older->pc_newer = pc;
	pr->pcs_used.pc_older = pc;
}

void
procs_free_one(struct procs *pr, struct proc *pc)
{
	struct proc **pp = &pr->pcs_buckets[pc->pc_pid % PROCS_NBUCKETS];

	while (*pp != pc)
		pp = &(*pp)->pc_hash;
	*pp = pc->pc_hash;
	procs_unlink(pc);
	if (pr->pcs_last == pc)
		pr->pcs_last = NULL;
	pr->pcs_n--;
	fd_table_release(pc->pc_files);
	fd_table_release(pc->pc_dirs);
	free(pc->pc_root);
	free(pc);
}

void
procs_free(struct procs *pr)
{
	if (pr == NULL)
		return;
	while (pr->pcs_n > 0)
		procs_free_one(pr, pr->pcs_used.pc_newer);
	free(pr);
}

struct proc *
procs_find(struct procs *pr, uint32_t pid)
{
	struct proc *pc = pr->pcs_last;

	if (pc != NULL && pc->pc_pid == pid)
		return pc;
	pc = pr->pcs_buckets[pid % PROCS_NBUCKETS];
	while (pc != NULL && pc->pc_pid != pid)
		pc = pc->pc_hash;
	if (pc == NULL)
		return NULL;
	procs_unlink(pc);
	procs_link(pr, pc);
	return pr->pcs_last = pc;
}

struct proc *
procs_make(struct procs *pr, uint32_t pid)
{
	struct proc *pc;

	while (pr->pcs_n >= PROCS_MAX)
		procs_free_one(pr, pr->pcs_used.pc_newer);
	if ((pc = calloc(1, sizeof(*pc))) == NULL)
		err(1, "processes");
	pc->pc_pid = pid;
	pc->pc_hash = pr->pcs_buckets[pid % PROCS_NBUCKETS];
	pr->pcs_buckets[pid % PROCS_NBUCKETS] = pc;
	procs_link(pr, pc);
	pr->pcs_n++;
	return pr->pcs_last = pc;
}

struct proc *
procs_get(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc != NULL && pr->pcs_nbytes <= PROCS_NBYTES)
		return pc;
	while (pr->pcs_n > 0 && pr->pcs_nbytes > PROCS_NBYTES) {
		if (pr->pcs_used.pc_newer == pc)
			pc = NULL;
		procs_free_one(pr, pr->pcs_used.pc_newer);
	}
	if (pc != NULL)
		return pc;
	pc = procs_make(pr, pid);
	pc->pc_files = fd_table_alloc(&pr->pcs_nbytes);
	pc->pc_dirs = fd_table_alloc(&pr->pcs_nbytes);
	return pc;
}

struct fd_table *
procs_table(const struct proc *pc, int fd)
{
	return fd == PROCS_CWD ? pc->pc_dirs : pc->pc_files;
}

/* Lookups */

void
procs_live(struct procs *pr, unsigned int trust)
{
	pr->pcs_islive = 1;
	pr->pcs_trust = trust;
}

void
procs_watch(struct procs *pr,
    void (*watch)(void *, uint32_t, int, const char *), void *arg)
{
	pr->pcs_watch = watch;
	pr->pcs_watcharg = arg;
}

/* Returns whether /proc has to be read although de is known (or is NULL). */
static int
procs_isold(const struct procs *pr, const struct proc *pc, int fd,
    const struct fd_entry *de)
{
	if (!pr->pcs_islive)
		return 0;
	if (de == NULL)
		return fd < 0 || !pc->pc_isknown ||
		    (pr->pcs_trust & PROCS_TRUSTFILES) == 0;
	if (de->fe_path != NULL &&
	    pr->pcs_trust & (fd < 0 ? PROCS_TRUSTDIRS : PROCS_TRUSTFILES))
		return 0;
	return pr->pcs_time > de->fe_time +
	    (de->fe_iscall && pr->pcs_trust & PROCS_TRUSTOPEN ? PROCS_OLDCALL
							      : PROCS_OLD);
}

const char *
procs_fd(struct procs *pr, uint32_t pid, int fd)
{
	const struct fd_entry *de;
	struct proc *pc;

	if (pr == NULL || (fd < 0 && fd != PROCS_CWD))
		return NULL;
	pc = pr->pcs_islive ? procs_get(pr, pid) : procs_find(pr, pid);
	if (pc == NULL)
		return NULL;
	if (pc->pc_exited != 0 && pr->pcs_time > pc->pc_exited + PROCS_SECOND) {
		procs_free_one(pr, pc); /* another process has this pid now */
		pc = procs_get(pr, pid);
	}
	de = fd_table_find(procs_table(pc, fd), fd);
	if (procs_isold(pr, pc, fd, de)) {
		procs_query(pr, pc, fd, NULL);
		de = fd_table_find(procs_table(pc, fd), fd);
		pr->pcs_nguesses += de != NULL && de->fe_path != NULL;
	}
	return de == NULL || de->fe_path == NULL ? NULL : de->fe_path->fp_text;
}

uint64_t
procs_guesses(const struct procs *pr)
{
	return pr->pcs_nguesses;
}

static void
procs_each_of(const struct proc *pc, const struct fd_table *ds,
    void (*each)(void *, uint32_t, int, const char *), void *arg)
{
	uint32_t i;

	for (i = 0; i < ds->ft_size; i++) {
		if (ds->ft_list[i].fe_path != NULL)
			each(arg, pc->pc_pid, ds->ft_list[i].fe_fd,
			    ds->ft_list[i].fe_path->fp_text);
	}
}

void
procs_each(struct procs *pr, void (*each)(void *, uint32_t, int, const char *),
    void *arg)
{
	const struct proc *pc = pr->pcs_used.pc_newer;

	for (; pc != &pr->pcs_used; pc = pc->pc_newer) {
		procs_each_of(pc, pc->pc_dirs, each, arg);
		procs_each_of(pc, pc->pc_files, each, arg);
	}
}

/*
 * Events
 */

void
procs_event(struct procs *pr, uint64_t time)
{
	pr->pcs_seq++;
	pr->pcs_time = time;
}
