/* SPDX-License-Identifier: ISC */
/* Applies the effects of calls to the processes of procs.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/procs/procs_table.h"

/* Notes a path, at the time of the event. */
static struct fd_entry *
procs_note(struct procs *pr, uint32_t pid, int fd, const char *path)
{
	struct fd_table *ds = procs_table(procs_get(pr, pid), fd);
	struct fd_entry *de = fd_table_get(ds, fd);

	fd_table_name(ds, de, path);
	de->fe_iscall = 0;
	de->fe_time = pr->pcs_time;
	de->fe_seq = pr->pcs_seq;
	return de;
}

void
procs_set(struct procs *pr, uint32_t pid, int fd, const char *path)
{
	if (fd >= 0 || fd == PROCS_CWD)
		procs_note(pr, pid, fd, path)->fe_onexec = PROCS_UNSURE;
}

/* Keeps fe_onexec, which calls have set, if the file is still the same. */
void
procs_set_event(struct procs *pr, uint32_t pid, int fd, const char *path,
    size_t n)
{
	struct fd_table *ds;
	struct fd_entry *de;
	char text[PATH_MAX];

	if ((fd < 0 && fd != PROCS_CWD) || n >= sizeof(text))
		return;
	ds = procs_table(procs_get(pr, pid), fd);
	if (path == NULL) {
		fd_table_del(ds, fd);
		return;
	}
	memcpy(text, path, n);
	text[n] = '\0';
	de = fd_table_find(ds, fd);
	if (de != NULL && de->fe_path != NULL &&
	    strcmp(de->fe_path->fp_text, text) == 0) {
		de->fe_time = pr->pcs_time;
		return;
	}
	procs_note(pr, pid, fd, text)->fe_onexec = PROCS_UNSURE;
}

/*
 * A recording has the path of a new descriptor from /proc before the event that
 * created it: that path is kept.  Otherwise, an unknown path is looked up.
 */
static void
procs_open_unknown(struct procs *pr, struct proc *pc, int fd,
    const char *begins, enum procs_onexec onexec)
{
	struct fd_entry *de = fd_table_find(pc->pc_files, fd);

	if (de == NULL || de->fe_seq != pr->pcs_seq) {
		fd_table_del(pc->pc_files, fd);
		if (pr->pcs_islive)
			procs_query(pr, pc, fd, begins);
		de = fd_table_find(pc->pc_files, fd);
		pr->pcs_nguesses += begins == NULL && de != NULL &&
		    de->fe_path != NULL;
	}
	if (de != NULL)
		de->fe_onexec = onexec;
}

void
procs_open(struct procs *pr, uint32_t pid, int fd, const char *path,
    const char *begins, enum procs_onexec onexec)
{
	struct fd_entry *de;

	if (fd < 0)
		return;
	if (path != NULL) {
		de = procs_note(pr, pid, fd, path);
		de->fe_onexec = onexec;
		de->fe_iscall = 1;
	} else
		procs_open_unknown(pr, procs_get(pr, pid), fd, begins, onexec);
}

void
procs_dup(struct procs *pr, uint32_t pid, int from, int to,
    enum procs_onexec onexec)
{
	struct fd_table *ds;
	struct fd_entry *de;
	struct fd_path *dh;

	if (to < 0 || from < 0 || from == to)
		return;
	ds = procs_table(procs_get(pr, pid), to);
	de = fd_table_find(ds, from);
	dh = de != NULL ? de->fe_path : NULL;
	if (dh == NULL) {
		procs_open(pr, pid, to, NULL, NULL, onexec);
		return;
	}
	de = fd_table_get(ds, to);
	fd_table_share(ds, de, dh);
	de->fe_onexec = onexec;
	de->fe_iscall = 1;
	de->fe_time = pr->pcs_time;
	de->fe_seq = pr->pcs_seq;
}

static int
procs_any(const struct fd_entry *de)
{
	(void)de;
	return 1;
}

void
procs_close(struct procs *pr, uint32_t pid, unsigned int first,
    unsigned int last)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc == NULL)
		return;
	if (first == last)
		fd_table_del(pc->pc_files, (int)first);
	else
		fd_table_sweep(pc->pc_files, first, last, procs_any);
}

void
procs_onexec(struct procs *pr, uint32_t pid, unsigned int first,
    unsigned int last, enum procs_onexec onexec)
{
	struct proc *pc = procs_find(pr, pid);
	struct fd_entry *de;
	uint32_t i;

	for (i = 0; pc != NULL && i < pc->pc_files->ft_size; i++) {
		de = &pc->pc_files->ft_list[i];
		if (de->fe_fd >= 0 && (unsigned int)de->fe_fd >= first &&
		    (unsigned int)de->fe_fd <= last)
			de->fe_onexec = onexec;
	}
}

void
procs_chdir(struct procs *pr, uint32_t pid, const char *path)
{
	struct fd_table *ds = procs_get(pr, pid)->pc_dirs;
	const struct fd_entry *de = fd_table_find(ds, PROCS_CWD);

	if (path != NULL)
		procs_note(pr, pid, PROCS_CWD, path);
	else if (de == NULL || de->fe_seq != pr->pcs_seq)
		fd_table_del(ds, PROCS_CWD);
}

void
procs_unsure(struct procs *pr, uint32_t pid)
{
	procs_get(pr, pid)->pc_isknown = 0;
}

void
procs_chroot(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_get(pr, pid);

	free(pc->pc_root);
	pc->pc_root = NULL;
	pc->pc_rooted = 0;
}

static struct fd_table *
procs_inherit(struct fd_table *ds, int isshared)
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
		procs_free_one(pr, pc); /* an earlier process had this pid */
	pc = procs_make(pr, child);
	if ((from = procs_find(pr, parent)) == NULL) {
		procs_free_one(pr, pc);
		return;
	}
	pc->pc_born = ischild ? PROC_CHILD : PROC_PARENT;
	pc->pc_files = procs_inherit(from->pc_files, sharesfiles);
	pc->pc_dirs = procs_inherit(from->pc_dirs, sharesdirs);
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
call_ends(const struct fd_entry *de)
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
	for (i = 0; i < pc->pc_files->ft_size; i++) {
		if (pc->pc_files->ft_list[i].fe_fd > 2 &&
		    pc->pc_files->ft_list[i].fe_onexec == PROCS_UNSURE)
			pc->pc_isknown = 0;
	}
	if (pc->pc_files->ft_refs > 1) {
		ds = fd_table_copy(pc->pc_files);
		fd_table_release(pc->pc_files);
		pc->pc_files = ds;
	}
	fd_table_sweep(pc->pc_files, 0, INT32_MAX, call_ends);
}

void
procs_exit(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc != NULL)
		procs_free_one(pr, pc);
}
