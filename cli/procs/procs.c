/* SPDX-License-Identifier: ISC */
/*
 * The table of processes of procs.h, their descriptors, and lookups of these.
 *
 * Descriptors are in hash tables: open addressing by number, at most half full.
 * Deletion adds the entries that follow again, and leaves no marks.
 */
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/procs/procs_table.h"

#define PROCS_MAX     4096	 /* processes */
#define PROCS_NBYTES  (32 << 20) /* bytes of all tables and paths */
#define PROCS_OLD     10000000	 /* ns: validity of facts that are not traced */
#define PROCS_OLDCALL 1000000000 /* of facts from calls if closing is traced */
#define FD_TABLE_MIN  8

/*
 * Descriptors
 */

static struct fd_entry *
fd_table_list(struct fd_table *ds, uint32_t size)
{
	struct fd_entry *list;
	uint32_t i;

	if ((list = calloc(size, sizeof(*list))) == NULL)
		err(1, "descriptors");
	for (i = 0; i < size; i++)
		list[i].fe_fd = FD_TABLE_FREE;
	*ds->ft_nbytes += size * sizeof(*list);
	return list;
}

static struct fd_table *
fd_table_alloc(size_t *nbytes)
{
	struct fd_table *ds;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	ds->ft_refs = 1;
	ds->ft_nbytes = nbytes;
	ds->ft_size = FD_TABLE_MIN;
	ds->ft_list = fd_table_list(ds, FD_TABLE_MIN);
	*nbytes += sizeof(*ds);
	return ds;
}

static void
fd_table_unname(struct fd_table *ds, struct fd_entry *de)
{
	struct fd_path *dh = de->fe_path;

	de->fe_path = NULL;
	if (dh == NULL || --dh->fp_refs > 0)
		return;
	*ds->ft_nbytes -= dh->fp_size;
	free(dh);
}

struct fd_table *
fd_table_copy(const struct fd_table *from)
{
	struct fd_table *ds;
	uint32_t i;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	*ds = *from;
	ds->ft_refs = 1;
	ds->ft_list = fd_table_list(ds, from->ft_size);
	*ds->ft_nbytes += sizeof(*ds);
	memcpy(ds->ft_list, from->ft_list, ds->ft_size * sizeof(*ds->ft_list));
	for (i = 0; i < ds->ft_size; i++) {
		if (ds->ft_list[i].fe_path != NULL)
			ds->ft_list[i].fe_path->fp_refs++;
	}
	return ds;
}

void
fd_table_release(struct fd_table *ds)
{
	uint32_t i;

	if (ds == NULL || --ds->ft_refs > 0)
		return;
	for (i = 0; i < ds->ft_size; i++)
		fd_table_unname(ds, &ds->ft_list[i]);
	*ds->ft_nbytes -= sizeof(*ds) + ds->ft_size * sizeof(*ds->ft_list);
	free(ds->ft_list);
	free(ds);
}

struct fd_entry *
fd_table_find(const struct fd_table *ds, int fd)
{
	uint32_t mask = ds->ft_size - 1;
	uint32_t i = (uint32_t)fd * 0x9e3779b1U >> 7 & mask;

	while (
	    ds->ft_list[i].fe_fd != fd && ds->ft_list[i].fe_fd != FD_TABLE_FREE)
		i = (i + 1) & mask;
	return &ds->ft_list[i];
}

static void
fd_table_grow(struct fd_table *ds)
{
	struct fd_entry *old = ds->ft_list;
	uint32_t i, n = ds->ft_size;

	ds->ft_list = fd_table_list(ds, n * 2);
	ds->ft_size = n * 2;
	for (i = 0; i < n; i++) {
		if (old[i].fe_fd != FD_TABLE_FREE)
			*fd_table_find(ds, old[i].fe_fd) = old[i];
	}
	*ds->ft_nbytes -= n * sizeof(*old);
	free(old);
}

/* Adds a descriptor that the table does not have. */
static struct fd_entry *
fd_table_add(struct fd_table *ds, int fd)
{
	struct fd_entry *de;

	if (ds->ft_n * 2 >= ds->ft_size)
		fd_table_grow(ds);
	de = fd_table_find(ds, fd);
	ds->ft_n++;
	de->fe_fd = fd;
	de->fe_onexec = PROCS_UNSURE;
	return de;
}

/* Later entries may not be found any more, and are added again. */
void
fd_table_del(struct fd_table *ds, struct fd_entry *gone)
{
	const struct fd_entry none = { .fe_fd = FD_TABLE_FREE };
	uint32_t i = gone - ds->ft_list, mask = ds->ft_size - 1;
	struct fd_entry de;

	if (gone->fe_fd == FD_TABLE_FREE)
		return;
	fd_table_unname(ds, gone);
	*gone = none;
	ds->ft_n--;
	while (ds->ft_list[i = (i + 1) & mask].fe_fd != FD_TABLE_FREE) {
		de = ds->ft_list[i];
		ds->ft_list[i] = none;
		*fd_table_find(ds, de.fe_fd) = de;
	}
}

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
procs_del(struct procs *pr, struct proc *pc)
{
	struct proc **pp = &pr->pcs_buckets[pc->pc_pid % PROCS_NBUCKETS];
	unsigned int i;

	while (*pp != pc)
		pp = &(*pp)->pc_hash;
	*pp = pc->pc_hash;
	procs_unlink(pc);
	if (pr->pcs_last == pc)
		pr->pcs_last = NULL;
	pr->pcs_n--;
	for (i = 0; i < PROC_NFDS; i++)
		fd_table_release(pc->pc_fds[i]);
	free(pc->pc_root);
	free(pc);
}

void
procs_free(struct procs *pr)
{
	if (pr == NULL)
		return;
	while (pr->pcs_n > 0)
		procs_del(pr, pr->pcs_used.pc_newer);
	free(pr);
}

struct proc *
procs_find(struct procs *pr, uint32_t pid)
{
	struct proc *pc = pr->pcs_buckets[pid % PROCS_NBUCKETS];

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
		procs_del(pr, pr->pcs_used.pc_newer);
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
	struct proc *pc = pr->pcs_last;
	unsigned int i;

	/* most events are of the process of the previous one */
	if (pc == NULL || pc->pc_pid != pid)
		pc = procs_find(pr, pid);
	if (pc != NULL && pr->pcs_nbytes <= PROCS_NBYTES)
		return pc;
	while (pr->pcs_n > 0 && pr->pcs_nbytes > PROCS_NBYTES) {
		if (pr->pcs_used.pc_newer == pc)
			pc = NULL;
		procs_del(pr, pr->pcs_used.pc_newer);
	}
	if (pc != NULL)
		return pc;
	pc = procs_make(pr, pid);
	for (i = 0; i < PROC_NFDS; i++)
		pc->pc_fds[i] = fd_table_alloc(&pr->pcs_nbytes);
	return pc;
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

/* Returns whether /proc has to be read although de is known, or unused. */
static int
procs_isold(const struct procs *pr, const struct proc *pc, int fd,
    const struct fd_entry *de)
{
	if (!pr->pcs_islive)
		return 0;
	if (de->fe_fd == FD_TABLE_FREE)
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
		procs_del(pr, pc); /* another process has this pid now */
		pc = procs_get(pr, pid);
	}
	de = fd_table_find(pc->pc_fds[fd < 0], fd);
	if (procs_isold(pr, pc, fd, de)) {
		procs_query(pr, pc, fd, NULL);
		de = fd_table_find(pc->pc_fds[fd < 0], fd);
		pr->pcs_nguesses += de->fe_path != NULL;
	}
	return de->fe_path != NULL ? de->fe_path->fp_text : NULL;
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
		procs_each_of(pc, pc->pc_fds[PROC_DIRS], each, arg);
		procs_each_of(pc, pc->pc_fds[PROC_FILES], each, arg);
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

struct fd_entry *
procs_note(struct procs *pr, struct fd_table *ds, int fd, const char *path)
{
	struct fd_entry *de = fd_table_find(ds, fd);
	struct fd_path *dh;
	size_t len;

	if (de->fe_fd != fd)
		de = fd_table_add(ds, fd);
	de->fe_time = pr->pcs_time;
	if (path == NULL)
		return de;
	de->fe_iscall = 0;
	de->fe_seq = pr->pcs_seq;
	if (de->fe_path != NULL && strcmp(de->fe_path->fp_text, path) == 0)
		return de;
	len = strlen(path) + 1;
	if ((dh = malloc(sizeof(*dh) + len)) == NULL)
		err(1, "descriptors");
	dh->fp_refs = 1;
	dh->fp_size = sizeof(*dh) + len;
	memcpy(dh->fp_text, path, len);
	*ds->ft_nbytes += dh->fp_size;
	fd_table_unname(ds, de);
	de->fe_path = dh;
	return de;
}

void
procs_set(struct procs *pr, uint32_t pid, int fd, const char *path)
{
	if (fd >= 0 || fd == PROCS_CWD)
		procs_note(pr, procs_get(pr, pid)->pc_fds[fd < 0], fd, path)
		    ->fe_onexec = PROCS_UNSURE;
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
	ds = procs_get(pr, pid)->pc_fds[fd < 0];
	de = fd_table_find(ds, fd);
	if (path == NULL) {
		fd_table_del(ds, de);
		return;
	}
	memcpy(text, path, n);
	text[n] = '\0';
	if (de->fe_path != NULL && strcmp(de->fe_path->fp_text, text) == 0)
		de->fe_time = pr->pcs_time;
	else
		procs_note(pr, ds, fd, text)->fe_onexec = PROCS_UNSURE;
}

/*
 * A recording has the path of a new descriptor from /proc before the event that
 * created it: that path is kept.  Otherwise, an unknown path is looked up.
 */
static void
procs_open_unknown(struct procs *pr, struct proc *pc, int fd,
    const char *begins, enum procs_onexec onexec)
{
	struct fd_table *ds = pc->pc_fds[PROC_FILES];
	struct fd_entry *de = fd_table_find(ds, fd);

	if (de->fe_fd != fd || de->fe_seq != pr->pcs_seq) {
		fd_table_del(ds, de);
		if (pr->pcs_islive)
			procs_query(pr, pc, fd, begins);
		de = fd_table_find(ds, fd);
		pr->pcs_nguesses += begins == NULL && de->fe_path != NULL;
	}
	if (de->fe_fd == fd)
		de->fe_onexec = onexec;
}

void
procs_open(struct procs *pr, uint32_t pid, int fd, const char *path,
    const char *begins, enum procs_onexec onexec)
{
	struct fd_entry *de;
	struct proc *pc;

	if (fd < 0)
		return;
	pc = procs_get(pr, pid);
	if (path == NULL) {
		procs_open_unknown(pr, pc, fd, begins, onexec);
		return;
	}
	de = procs_note(pr, pc->pc_fds[PROC_FILES], fd, path);
	de->fe_onexec = onexec;
	de->fe_iscall = 1;
}
