/* SPDX-License-Identifier: ISC */
/*
 * The table of processes of procs.h, and what calls do to it.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "procs_table.h"

/*
 * Processes
 */

struct procs *
procs_alloc(void)
{
	struct procs *pr;

	if ((pr = calloc(1, sizeof(*pr))) == NULL)
		err(1, "processes");
	pr->pr_used.pc_newer = pr->pr_used.pc_older = &pr->pr_used;
	pr->pr_seq = 1;
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
	pc->pc_newer = &pr->pr_used;
	pc->pc_older = pr->pr_used.pc_older;
	pc->pc_older->pc_newer = pc;
	pr->pr_used.pc_older = pc;
}

static void
procs_free_one(struct procs *pr, struct proc *pc)
{
	struct proc **pp = &pr->pr_buckets[pc->pc_pid % PROCS_NBUCKETS];

	while (*pp != pc)
		pp = &(*pp)->pc_hash;
	*pp = pc->pc_hash;
	procs_unlink(pc);
	if (pr->pr_last == pc)
		pr->pr_last = NULL;
	pr->pr_n--;
	descs_release(pc->pc_files);
	descs_release(pc->pc_dirs);
	free(pc->pc_root);
	free(pc);
}

void
procs_free(struct procs *pr)
{
	if (pr == NULL)
		return;
	while (pr->pr_n > 0)
		procs_free_one(pr, pr->pr_used.pc_newer);
	free(pr);
}

static struct proc *
procs_find(struct procs *pr, uint32_t pid)
{
	struct proc *pc = pr->pr_last;

	if (pc != NULL && pc->pc_pid == pid)
		return pc;
	pc = pr->pr_buckets[pid % PROCS_NBUCKETS];
	while (pc != NULL && pc->pc_pid != pid)
		pc = pc->pc_hash;
	if (pc == NULL)
		return NULL;
	procs_unlink(pc);
	procs_link(pr, pc);
	return pr->pr_last = pc;
}

/* One without tables. */
static struct proc *
procs_make(struct procs *pr, uint32_t pid)
{
	struct proc *pc;

	while (pr->pr_n >= PROCS_MAX)
		procs_free_one(pr, pr->pr_used.pc_newer);
	if ((pc = calloc(1, sizeof(*pc))) == NULL)
		err(1, "processes");
	pc->pc_pid = pid;
	pc->pc_hash = pr->pr_buckets[pid % PROCS_NBUCKETS];
	pr->pr_buckets[pid % PROCS_NBUCKETS] = pc;
	procs_link(pr, pc);
	pr->pr_n++;
	return pr->pr_last = pc;
}

struct proc *
procs_get(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc != NULL && pr->pr_nbytes <= PROCS_NBYTES)
		return pc;
	while (pr->pr_n > 0 && pr->pr_nbytes > PROCS_NBYTES) {
		if (pr->pr_used.pc_newer == pc)
			pc = NULL;
		procs_free_one(pr, pr->pr_used.pc_newer);
	}
	if (pc != NULL)
		return pc;
	pc = procs_make(pr, pid);
	pc->pc_files = descs_alloc(&pr->pr_nbytes);
	pc->pc_dirs = descs_alloc(&pr->pr_nbytes);
	return pc;
}

struct descs *
procs_table(const struct proc *pc, int fd)
{
	return fd == PROCS_CWD ? pc->pc_dirs : pc->pc_files;
}

/*
 * What is asked
 */

void
procs_live(struct procs *pr, unsigned int trust)
{
	pr->pr_islive = 1;
	pr->pr_trust = trust;
}

void
procs_watch(struct procs *pr,
    void (*watch)(void *, uint32_t, int, const char *), void *arg)
{
	pr->pr_watch = watch;
	pr->pr_watcharg = arg;
}

/* Whether /proc should be asked although de is remembered (or is NULL). */
static int
procs_isold(const struct procs *pr, const struct proc *pc, int fd,
    const struct desc *de)
{
	if (!pr->pr_islive)
		return 0;
	if (de == NULL)
		return fd < 0 || !pc->pc_isknown ||
		    (pr->pr_trust & PROCS_TRUSTFILES) == 0;
	if (de->de_path != NULL &&
	    pr->pr_trust & (fd < 0 ? PROCS_TRUSTDIRS : PROCS_TRUSTFILES))
		return 0;
	return pr->pr_time > de->de_time +
	    (de->de_iscall && pr->pr_trust & PROCS_TRUSTOPEN ? PROCS_OLDCALL
							     : PROCS_OLD);
}

const char *
procs_fd(struct procs *pr, uint32_t pid, int fd)
{
	const struct desc *de;
	struct proc *pc;

	if (pr == NULL || (fd < 0 && fd != PROCS_CWD))
		return NULL;
	pc = pr->pr_islive ? procs_get(pr, pid) : procs_find(pr, pid);
	if (pc == NULL)
		return NULL;
	if (pc->pc_gone != 0 && pr->pr_time > pc->pc_gone + PROCS_SECOND) {
		procs_free_one(pr, pc); /* another has this number now */
		pc = procs_get(pr, pid);
	}
	de = descs_find(procs_table(pc, fd), fd);
	if (procs_isold(pr, pc, fd, de)) {
		procs_ask(pr, pc, fd, NULL);
		de = descs_find(procs_table(pc, fd), fd);
	}
	return de == NULL || de->de_path == NULL ? NULL : de->de_path->dh_text;
}

static void
procs_each_of(const struct proc *pc, const struct descs *ds,
    void (*each)(void *, uint32_t, int, const char *), void *arg)
{
	uint32_t i;

	for (i = 0; i < ds->ds_size; i++) {
		if (ds->ds_list[i].de_path != NULL)
			each(arg, pc->pc_pid, ds->ds_list[i].de_fd,
			    ds->ds_list[i].de_path->dh_text);
	}
}

void
procs_each(struct procs *pr, void (*each)(void *, uint32_t, int, const char *),
    void *arg)
{
	const struct proc *pc = pr->pr_used.pc_newer;

	for (; pc != &pr->pr_used; pc = pc->pc_newer) {
		procs_each_of(pc, pc->pc_dirs, each, arg);
		procs_each_of(pc, pc->pc_files, each, arg);
	}
}

/*
 * What calls do
 */

/* Notes a path, at the time of the event. */
static struct desc *
procs_note(struct procs *pr, uint32_t pid, int fd, const char *path)
{
	struct descs *ds = procs_table(procs_get(pr, pid), fd);
	struct desc *de = descs_get(ds, fd);

	descs_name(ds, de, path);
	de->de_iscall = 0;
	de->de_time = pr->pr_time;
	de->de_seq = pr->pr_seq;
	return de;
}

void
procs_set(struct procs *pr, uint32_t pid, int fd, const char *path)
{
	if (fd >= 0 || fd == PROCS_CWD)
		procs_note(pr, pid, fd, path)->de_onexec = PROCS_UNSURE;
}

/*
 * A recording tells what /proc said of a new descriptor before the event that
 * made it: that is kept.  Otherwise what is not known is asked for.
 */
static void
procs_open_unknown(struct procs *pr, struct proc *pc, int fd,
    const char *begins, enum procs_onexec onexec)
{
	struct desc *de = descs_find(pc->pc_files, fd);

	if (de == NULL || de->de_seq != pr->pr_seq) {
		descs_del(pc->pc_files, fd);
		if (pr->pr_islive)
			procs_ask(pr, pc, fd, begins);
		de = descs_find(pc->pc_files, fd);
	}
	if (de != NULL)
		de->de_onexec = onexec;
}

void
procs_open(struct procs *pr, uint32_t pid, int fd, const char *path,
    const char *begins, enum procs_onexec onexec)
{
	struct desc *de;

	if (fd < 0)
		return;
	if (path != NULL) {
		de = procs_note(pr, pid, fd, path);
		de->de_onexec = onexec;
		de->de_iscall = 1;
	} else
		procs_open_unknown(pr, procs_get(pr, pid), fd, begins, onexec);
}

void
procs_dup(struct procs *pr, uint32_t pid, int from, int to,
    enum procs_onexec onexec)
{
	struct descs *ds;
	struct desc *de;
	struct descs_path *dh;

	if (to < 0 || from < 0 || from == to)
		return;
	ds = procs_table(procs_get(pr, pid), to);
	de = descs_find(ds, from);
	dh = de != NULL ? de->de_path : NULL;
	if (dh == NULL) {
		procs_open(pr, pid, to, NULL, NULL, onexec);
		return;
	}
	de = descs_get(ds, to);
	descs_share(ds, de, dh);
	de->de_onexec = onexec;
	de->de_iscall = 1;
	de->de_time = pr->pr_time;
	de->de_seq = pr->pr_seq;
}

static int
procs_any(const struct desc *de)
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
		descs_del(pc->pc_files, (int)first);
	else
		descs_sweep(pc->pc_files, first, last, procs_any);
}

void
procs_onexec(struct procs *pr, uint32_t pid, unsigned int first,
    unsigned int last, enum procs_onexec onexec)
{
	struct proc *pc = procs_find(pr, pid);
	struct desc *de;
	uint32_t i;

	for (i = 0; pc != NULL && i < pc->pc_files->ds_size; i++) {
		de = &pc->pc_files->ds_list[i];
		if (de->de_fd >= 0 && (unsigned int)de->de_fd >= first &&
		    (unsigned int)de->de_fd <= last)
			de->de_onexec = onexec;
	}
}

void
procs_chdir(struct procs *pr, uint32_t pid, const char *path)
{
	struct descs *ds = procs_get(pr, pid)->pc_dirs;
	const struct desc *de = descs_find(ds, PROCS_CWD);

	if (path != NULL)
		procs_note(pr, pid, PROCS_CWD, path);
	else if (de == NULL || de->de_seq != pr->pr_seq)
		descs_del(ds, PROCS_CWD);
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

static struct descs *
procs_inherit(struct descs *ds, int isshared)
{
	if (!isshared)
		return descs_copy(ds);
	ds->ds_refs++;
	return ds;
}

void
procs_fork(struct procs *pr, uint32_t parent, uint32_t child, int ischild,
    int sharesfiles, int sharesdirs)
{
	struct proc *from, *pc = procs_find(pr, child);

	if (pc != NULL && pc->pc_born == (ischild ? PROC_PARENT : PROC_CHILD)) {
		pc->pc_born = PROC_SEEN; /* the other of the two was here */
		return;
	}
	if (parent == child)
		return;
	if (pc != NULL)
		procs_free_one(pr, pc); /* had this number before */
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

static int
procs_ends(const struct desc *de)
{
	return de->de_onexec == PROCS_CLOSED ||
	    (de->de_onexec == PROCS_UNSURE && de->de_fd > 2);
}

/* Where it is not sure, standard input and output are kept. */
void
procs_exec(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);
	struct descs *ds;
	uint32_t i;

	if (pc == NULL)
		return;
	pc->pc_born = PROC_SEEN;
	for (i = 0; i < pc->pc_files->ds_size; i++) {
		if (pc->pc_files->ds_list[i].de_fd > 2 &&
		    pc->pc_files->ds_list[i].de_onexec == PROCS_UNSURE)
			pc->pc_isknown = 0;
	}
	if (pc->pc_files->ds_refs > 1) {
		ds = descs_copy(pc->pc_files);
		descs_release(pc->pc_files);
		pc->pc_files = ds;
	}
	descs_sweep(pc->pc_files, 0, INT32_MAX, procs_ends);
}

void
procs_exit(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_find(pr, pid);

	if (pc != NULL)
		procs_free_one(pr, pc);
}

/*
 * Events
 */

void
procs_event(struct procs *pr, uint64_t time)
{
	pr->pr_seq++;
	pr->pr_time = time;
}

void
procs_later(struct procs *pr, void (*later)(struct procs *, void *), void *arg)
{
	pr->pr_later = later;
	pr->pr_laterarg = arg;
}

void
procs_settle(struct procs *pr)
{
	void (*later)(struct procs *, void *);

	if (pr == NULL || pr->pr_later == NULL)
		return;
	later = pr->pr_later;
	pr->pr_later = NULL;
	later(pr, pr->pr_laterarg);
}
