/* SPDX-License-Identifier: ISC */
/* The effects of calls, and of exits, on the table of processes. */
#include <stdlib.h>
#include <string.h>

#include "cli/procs/procs_table.h"

/*
 * Deletes the descriptors from first to last for which the function returns
 * true.
 */
static void
effect_sweep(struct fd_table *ds, unsigned int first, unsigned int last,
    int (*wanted)(const struct fd_entry *))
{
	struct fd_entry *de = ds->ft_list;

	while (de < ds->ft_list + ds->ft_size) {
		if (de->fe_fd >= 0 && (unsigned int)de->fe_fd >= first &&
		    (unsigned int)de->fe_fd <= last && wanted(de))
			fd_table_del(ds, de); /* another one may be here now */
		else
			de++;
	}
}

/* Descriptors */

void
procs_dup(struct procs *pr, uint32_t pid, int from, int to,
    enum procs_onexec onexec)
{
	const struct fd_path *dh;
	struct fd_table *ds;
	struct fd_entry *de;

	if (to < 0 || from < 0 || from == to)
		return;
	ds = procs_get(pr, pid)->pc_fds[PROC_FILES];
	if ((dh = fd_table_find(ds, from)->fe_path) == NULL) {
		procs_open(pr, pid, to, NULL, NULL, onexec);
		return;
	}
	de = procs_note(pr, ds, to, dh->fp_text);
	de->fe_onexec = onexec;
	de->fe_iscall = 1;
}

static int
effect_any(const struct fd_entry *de)
{
	(void)de;
	return 1;
}

void
procs_close(struct procs *pr, uint32_t pid, unsigned int first,
    unsigned int last)
{
	struct proc *pc = procs_find(pr, pid);
	struct fd_table *ds;

	if (pc == NULL)
		return;
	ds = pc->pc_fds[PROC_FILES];
	if (first == last)
		fd_table_del(ds, fd_table_find(ds, (int)first));
	else
		effect_sweep(ds, first, last, effect_any);
}

void
procs_onexec(struct procs *pr, uint32_t pid, unsigned int first,
    unsigned int last, enum procs_onexec onexec)
{
	struct proc *pc = procs_find(pr, pid);
	struct fd_table *ds = pc != NULL ? pc->pc_fds[PROC_FILES] : NULL;
	struct fd_entry *de;
	uint32_t i;

	for (i = 0; ds != NULL && i < ds->ft_size; i++) {
		de = &ds->ft_list[i];
		if (de->fe_fd >= 0 && (unsigned int)de->fe_fd >= first &&
		    (unsigned int)de->fe_fd <= last)
			de->fe_onexec = onexec;
	}
}

/* Directories */

void
procs_chdir(struct procs *pr, uint32_t pid, const char *path)
{
	struct fd_table *ds = procs_get(pr, pid)->pc_fds[PROC_DIRS];
	struct fd_entry *de = fd_table_find(ds, PROCS_CWD);

	if (path != NULL)
		procs_note(pr, ds, PROCS_CWD, path);
	else if (de->fe_seq != pr->pcs_seq)
		fd_table_del(ds, de);
}

void
procs_chroot(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_get(pr, pid);

	free(pc->pc_root);
	pc->pc_root = NULL;
	pc->pc_rooted = 0;
}

/* Processes */

void
procs_unsure(struct procs *pr, uint32_t pid)
{
	procs_get(pr, pid)->pc_isknown = 0;
}

static struct fd_table *
effect_inherit(struct fd_table *ds, int isshared)
{
	if (!isshared)
		return fd_table_copy(ds);
	ds->ft_refs++;
	return ds;
}

void
procs_fork(struct procs *pr, uint32_t parent, uint32_t child, int ischild,
    int sharesfiles, int sharesdirs)
{
	struct proc *from, *pc = procs_find(pr, child);

	if (pc != NULL && pc->pc_born == (ischild ? PROC_PARENT : PROC_CHILD)) {
		pc->pc_born = PROC_SEEN; /* the other of the two returns was
					  * seen first */
		return;
	}
	if (parent == child)
		return;
	if (pc != NULL)
		procs_del(pr, pc); /* an earlier process had this pid */
	pc = procs_make(pr, child);
	if ((from = procs_find(pr, parent)) == NULL) {
		procs_del(pr, pc);
		return;
	}
	pc->pc_born = ischild ? PROC_CHILD : PROC_PARENT;
	pc->pc_fds[PROC_FILES] = effect_inherit(from->pc_fds[PROC_FILES],
	    sharesfiles);
	pc->pc_fds[PROC_DIRS] = effect_inherit(from->pc_fds[PROC_DIRS],
	    sharesdirs);
	pc->pc_isknown = from->pc_isknown;
	if (from->pc_root != NULL && (pc->pc_root = strdup(from->pc_root)))
		pc->pc_rooted = 1;
}

int
procs_ends(enum procs_onexec onexec, int fd)
{
	return onexec == PROCS_CLOSED || (onexec == PROCS_UNSURE && fd > 2);
}

static int
effect_ends(const struct fd_entry *de)
{
	return procs_ends(de->fe_onexec, de->fe_fd);
}

void
procs_exec(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);
	struct fd_table *ds;
	uint32_t i;

	if (pc == NULL)
		return;
	pc->pc_born = PROC_SEEN;
	ds = pc->pc_fds[PROC_FILES];
	for (i = 0; i < ds->ft_size; i++) {
		if (ds->ft_list[i].fe_fd > 2 &&
		    ds->ft_list[i].fe_onexec == PROCS_UNSURE)
			pc->pc_isknown = 0;
	}
	if (ds->ft_refs > 1) {
		pc->pc_fds[PROC_FILES] = fd_table_copy(ds);
		fd_table_release(ds);
		ds = pc->pc_fds[PROC_FILES];
	}
	effect_sweep(ds, 0, INT32_MAX, effect_ends);
}

void
procs_exit(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc != NULL)
		procs_del(pr, pc);
}
