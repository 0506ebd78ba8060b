/* SPDX-License-Identifier: ISC */
/*
 * The table of processes of procs.h, lookups of their descriptors, and the
 * effects of calls.
 */
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

static void
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

static struct proc *
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

static struct proc *
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

/*
 * Lookups
 */

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
 * Events, and the effects of calls
 */

void
procs_event(struct procs *pr, uint64_t time)
{
	pr->pcs_seq++;
	pr->pcs_time = time;
}

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
