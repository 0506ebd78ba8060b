/* SPDX-License-Identifier: ISC */
/*
 * Processes by number and time, see proc_table.h.
 *
 * A fork shares its parent's image as it was then, by reference and time: what
 * the parent maps later does not count, what the child maps gives it an image
 * of its own.  An exec begins a new one.
 */
#include <pthread.h>
#include <stdlib.h>

#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_table.h"

#define SYMTAB_LINES 16384 /* of the hash; a power of two */

LIST_HEAD(symline, symproc);
TAILQ_HEAD(symqueue, symproc);

static pthread_mutex_t symtab_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct symline *lines;
static struct symqueue ended = TAILQ_HEAD_INITIALIZER(ended);
static struct symtab_stat sum;

void
symtab_lock(void)
{
	pthread_mutex_lock(&symtab_mtx);
}

void
symtab_unlock(void)
{
	pthread_mutex_unlock(&symtab_mtx);
}

static struct symline *
symtab_line(uint32_t pid)
{
	return &lines[(pid * 2654435761u) >> 18];
}

static void
span_free(struct symspan *sn)
{
	addr_space_free(sn->sn_image);
	sum.ts_bytes -= sizeof(*sn);
	free(sn);
}

static void
proc_free(struct symproc *sp)
{
	struct symspan *sn;

	while ((sn = sp->sp_spans) != NULL) {
		sp->sp_spans = sn->sn_older;
		span_free(sn);
	}
	if (sp->sp_end != 0) {
		TAILQ_REMOVE(&ended, sp, sp_queue);
		sum.ts_ended--;
	}
	LIST_REMOVE(sp, sp_entry);
	symroot_put(sp->sp_root);
	sum.ts_bytes -= sizeof(*sp) + sp->sp_nnums * sizeof(sp->sp_nums[0]);
	sum.ts_procs--;
	free(sp->sp_nums);
	free(sp);
}

/* Puts one before that at *where, which is the next older.  Takes the image
 * over; NULL is no memory, as is a failure. */
static struct symspan *
span_put(struct symspan **where, uint64_t from, uint64_t asof,
    struct addr_space *as)
{
	struct symspan *sn = malloc(sizeof(*sn));

	if (sn == NULL || as == NULL) {
		free(sn);
		addr_space_free(as);
		return NULL;
	}
	sn->sn_from = from;
	sn->sn_asof = asof;
	sn->sn_image = as;
	sn->sn_older = *where;
	*where = sn;
	sum.ts_bytes += sizeof(*sn);
	return sn;
}

/* The newest one of a process. */
static struct symspan *
span_add(struct symproc *sp, uint64_t from, uint64_t asof,
    struct addr_space *as)
{
	return span_put(&sp->sp_spans, from, asof, as);
}

/* One that begins with sn and takes its place; an exec may be behind it. */
static struct symspan *
span_replace(struct symproc *sp, struct symspan *sn, struct addr_space *as)
{
	struct symspan **where = &sp->sp_spans;

	while (*where != sn)
		where = &(*where)->sn_older;
	return span_put(where, sn->sn_from, UINT64_MAX, as);
}

/* The process of this number that came last. */
static struct symproc *
proc_last(uint32_t pid)
{
	struct symproc *sp;

	if (lines == NULL)
		return NULL;
	LIST_FOREACH(sp, symtab_line(pid), sp_entry)
		if (sp->sp_pid == pid)
			return sp;
	return NULL;
}

/* image is taken over. */
static struct symproc *
proc_add(uint32_t pid, uint64_t from, uint64_t asof, struct addr_space *as)
{
	struct symproc *sp = NULL;

	if (lines == NULL)
		lines = calloc(SYMTAB_LINES, sizeof(*lines));
	if (lines != NULL && sum.ts_procs < SYMTAB_PROCS)
		sp = calloc(1, sizeof(*sp));
	if (sp == NULL || span_add(sp, from, asof, as) == NULL) {
		if (sp == NULL)
			addr_space_free(as);
		free(sp);
		sum.ts_forgotten++;
		return NULL;
	}
	sp->sp_pid = pid;
	sp->sp_from = from;
	sp->sp_uid = -1;
	LIST_INSERT_HEAD(symtab_line(pid), sp, sp_entry);
	sum.ts_procs++;
	sum.ts_bytes += sizeof(*sp);
	return sp;
}

static void
proc_end(struct symproc *sp, uint64_t nsecs)
{
	if (sp->sp_end != 0)
		TAILQ_REMOVE(&ended, sp, sp_queue);
	else
		sum.ts_ended++;
	sp->sp_end = nsecs > 0 ? nsecs : 1; /* 0 is: it lives */
	TAILQ_INSERT_TAIL(&ended, sp, sp_queue);
}

/* It was not the end: another thread went on under the leader's number. */
static void
proc_revive(struct symproc *sp)
{
	if (sp->sp_end == 0)
		return;
	TAILQ_REMOVE(&ended, sp, sp_queue);
	sum.ts_ended--;
	sp->sp_end = 0;
}

struct symproc *
symtab_seen(uint32_t pid)
{
	struct symproc *sp = proc_last(pid);

	if (sp != NULL)
		return sp;
	return proc_add(pid, 0, UINT64_MAX, addr_space_alloc());
}

static void
event_fork(const struct symevent *se, symtab_newfn *fn)
{
	struct symproc *parent, *sp;
	struct symspan *sn;

	if (se->se_pid == se->se_ppid || se->se_pid == 0)
		return; /* a thread; or nobody that we have a name for */
	sp = proc_last(se->se_pid);
	if (sp != NULL && sp->sp_end == 0) /* its end was lost */
		proc_end(sp, se->se_time);
	if (se->se_ppid == 0) { /* who came into our pid namespace */
		(void)proc_add(se->se_pid, se->se_time, UINT64_MAX,
		    addr_space_alloc());
		return;
	}
	if ((parent = symtab_seen(se->se_ppid)) == NULL)
		return;
	sn = parent->sp_spans;
	sp = proc_add(se->se_pid, se->se_time,
	    se->se_time < sn->sn_asof ? se->se_time : sn->sn_asof,
	    addr_space_share(sn->sn_image));
	if (sp == NULL)
		return;
	sp->sp_ppid = se->se_ppid;
	sp->sp_uid = parent->sp_uid;
	sp->sp_root = symroot_get(parent->sp_root);
	if (fn != NULL)
		fn(sp, NULL, se);
}

static void
event_exec(const struct symevent *se)
{
	struct symproc *sp = symtab_seen(se->se_pid);
	struct addr_space *as;

	if (sp == NULL || (as = addr_space_alloc()) == NULL)
		return;
	proc_revive(sp);
	sp->sp_waslooked = 0;
	as->as_iswhole = 1;
	(void)span_add(sp, se->se_time, UINT64_MAX, as);
}

static void
event_exit(const struct symevent *se)
{
	struct symproc *sp = proc_last(se->se_pid);

	/* Behind the leader's end there may be that of other threads. */
	if (sp != NULL && (se->se_tid == se->se_pid || sp->sp_end != 0))
		proc_end(sp, se->se_time);
}

static void
event_mmap(const struct symevent *se, symtab_newfn *fn)
{
	struct symproc *sp = symtab_seen(se->se_pid);
	struct mapping mg = { se->se_start, se->se_end, se->se_off, se->se_time,
		NULL };
	struct symspan *sn;
	struct addr_space *as;
	int isnew;

	if (sp == NULL)
		return;
	sn = sp->sp_spans;
	if (sn->sn_asof != UINT64_MAX) { /* its own from now on */
		as = addr_space_copy(sn->sn_image, sn->sn_asof);
		if ((sn = span_add(sp, se->se_time, UINT64_MAX, as)) == NULL)
			return;
	}
	mg.mg_file = mapped_file_map(&se->se_id, se->se_end >> 32 == 0, &isnew);
	if (mg.mg_file == NULL)
		return;
	if (fn != NULL && (isnew || mg.mg_file->mf_kind == MAPPED_FILE_ANON))
		fn(sp, mg.mg_file, se);
	addr_space_map(sn->sn_image, &mg);
}

void
symtab_event(const struct symevent *se, symtab_newfn *fn)
{
	if (se->se_pid == 0)
		return; /* outside of our pid namespace */
	switch (se->se_type) {
	case SYMEVENT_MMAP:
		event_mmap(se, fn);
		break;
	case SYMEVENT_EXEC:
		event_exec(se);
		break;
	case SYMEVENT_FORK:
		event_fork(se, fn);
		break;
	case SYMEVENT_EXIT:
		event_exit(se);
		break;
	default:
		break;
	}
}

struct symproc *
symtab_find(uint32_t pid, uint64_t nsecs)
{
	struct symproc *sp;

	if (lines == NULL)
		return NULL;
	LIST_FOREACH(sp, symtab_line(pid), sp_entry)
		if (sp->sp_pid == pid && sp->sp_from <= nsecs)
			return sp;
	return NULL;
}

struct symspan *
symtab_span(const struct symproc *sp, uint64_t nsecs)
{
	struct symspan *sn = sp->sp_spans;

	while (sn->sn_from > nsecs && sn->sn_older != NULL)
		sn = sn->sn_older;
	return sn;
}

int
symtab_iswhole(const struct symproc *sp)
{
	return sp->sp_spans->sn_image->as_iswhole;
}

struct symproc *
symtab_snapshot(uint32_t pid, const struct mapping *list, size_t n,
    uint64_t nsecs, uint64_t done, uint64_t from)
{
	struct symproc *sp = symtab_seen(pid);
	struct symspan *sn;
	size_t i;

	/* an exec, or another process, in between: whose mappings are they? */
	if (sp != NULL && sp->sp_from < nsecs &&
	    (sn = symtab_span(sp, done))->sn_from < nsecs) {
		if (sn->sn_asof != UINT64_MAX) {
			/* shared with a parent that nobody could read */
			sn = span_replace(sp, sn, addr_space_alloc());
		}
		if (sn != NULL) {
			addr_space_snapshot(sn->sn_image, list, n, nsecs, from);
			return sp;
		}
	}
	for (i = 0; i < n; i++)
		mapped_file_unmap(list[i].mg_file);
	return NULL;
}

/* What is needed least, while there is too much. */
static int
symtab_shrink(void)
{
	struct addr_space *as;

	if (sum.ts_bytes + addr_space_sum.ast_bytes <= SYMTAB_BYTES)
		return 0;
	if (!TAILQ_EMPTY(&ended)) {
		proc_free(TAILQ_FIRST(&ended));
		sum.ts_forgotten++;
		return 1;
	}
	/* who has the most has caused it */
	if ((as = addr_space_largest()) == NULL)
		return 0;
	return addr_space_drop(as);
}

void
symtab_trim(uint64_t now)
{
	struct symproc *sp;

	while ((sp = TAILQ_FIRST(&ended)) != NULL &&
	    (sum.ts_ended > SYMTAB_ENDED || sp->sp_end + SYMTAB_AGE < now)) {
		proc_free(sp);
		sum.ts_forgotten++;
	}
	while (symtab_shrink())
		;
}

void
symtab_clear(void)
{
	size_t i;

	for (i = 0; lines != NULL && i < SYMTAB_LINES; i++)
		while (!LIST_EMPTY(&lines[i]))
			proc_free(LIST_FIRST(&lines[i]));
	free(lines);
	lines = NULL;
}

int
symtab_each(int (*fn)(struct symproc *, void *), void *arg)
{
	struct symproc *sp;
	size_t i;
	int v;

	for (i = 0; lines != NULL && i < SYMTAB_LINES; i++)
		LIST_FOREACH(sp, &lines[i], sp_entry)
			if ((v = fn(sp, arg)) != 0)
				return v;
	return 0;
}

void
symtab_charge(size_t nbytes)
{
	sum.ts_bytes += nbytes;
}

void
symtab_stat(struct symtab_stat *ts)
{
	*ts = sum;
	if (lines != NULL)
		ts->ts_bytes += SYMTAB_LINES * sizeof(*lines);
}
