/* SPDX-License-Identifier: ISC */
/*
 * Finds processes by pid and time, and applies the events of the side-band.
 *
 * A fork shares its parent's address space as of that time, by reference and
 * time: later mappings of the parent are ignored, and a mapping by the child
 * creates its own address space. An exec begins a new one.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/inspect/root_dir.h"
#include "daemon/procs/proc_share.h"
#include "daemon/procs/proc_table.h"

#define PROC_TABLE_BUCKETS 16384 /* of the hash; a power of two */
#define PROC_TABLE_SPANS   64	 /* of a process; the oldest are forgotten */
#define PROC_TABLE_SLICE   1024	 /* buckets for which the lock is held */

LIST_HEAD(proc_bucket, process);
TAILQ_HEAD(proc_queue, process);

static pthread_mutex_t proc_table_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct proc_bucket *buckets;
static struct proc_queue ended = TAILQ_HEAD_INITIALIZER(ended);
static struct proc_table_stat sum;

void
proc_table_lock(void)
{
	pthread_mutex_lock(&proc_table_mtx);
}

void
proc_table_unlock(void)
{
	pthread_mutex_unlock(&proc_table_mtx);
}

static struct proc_bucket *
proc_table_bucket(uint32_t pid)
{
	return &buckets[(pid * 2654435761u) >> 18];
}

static void
span_free(struct proc_span *sn)
{
	addr_space_free(sn->pn_space);
	sum.pt_bytes -= sizeof(*sn);
	free(sn);
}

static void
proc_free(struct process *ps)
{
	struct proc_span *sn;

	while ((sn = ps->ps_spans) != NULL) {
		ps->ps_spans = sn->pn_older;
		span_free(sn);
	}
	if (ps->ps_end != 0) {
		TAILQ_REMOVE(&ended, ps, ps_queue);
		sum.pt_ended--;
	}
	LIST_REMOVE(ps, ps_entry);
	root_dir_put(ps->ps_root);
	sum.pt_bytes -= sizeof(*ps) + ps->ps_nnums * sizeof(ps->ps_nums[0]);
	sum.pt_procs--;
	free(ps->ps_nums);
	free(ps);
}

/*
 * Inserts a span before the one at *where, which is the next older one.  Takes
 * ownership of the address space; NULL: out of memory.  Returns NULL on
 * failure.
 */
static struct proc_span *
span_put(struct proc_span **where, uint64_t from, uint64_t asof,
    struct addr_space *as)
{
	struct proc_span *sn = malloc(sizeof(*sn));

	if (sn == NULL || as == NULL) {
		free(sn);
		addr_space_free(as);
		return NULL;
	}
	sn->pn_from = from;
	sn->pn_asof = asof;
	sn->pn_space = as;
	sn->pn_older = *where;
	*where = sn;
	sum.pt_bytes += sizeof(*sn);
	return sn;
}

/* Forgets the oldest span of a process; its times are unknown from then on. */
static void
span_forget(struct process *ps)
{
	struct proc_span **where = &ps->ps_spans, *sn;
	unsigned int n = 1;

	while ((*where)->pn_older != NULL && n++ < PROC_TABLE_SPANS)
		where = &(*where)->pn_older;
	if ((sn = (*where)->pn_older) == NULL)
		return;
	(*where)->pn_older = NULL;
	ps->ps_forgot = (*where)->pn_from;
	span_free(sn);
}

/* Adds the newest span of a process. */
static struct proc_span *
span_add(struct process *ps, uint64_t from, uint64_t asof,
    struct addr_space *as)
{
	struct proc_span *sn = span_put(&ps->ps_spans, from, asof, as);

	if (sn != NULL)
		span_forget(ps);
	return sn;
}

/* Replaces span sn by one with the same start; newer spans may follow. */
static struct proc_span *
span_replace(struct process *ps, struct proc_span *sn, struct addr_space *as)
{
	struct proc_span **where = &ps->ps_spans;

	while (*where != sn)
		where = &(*where)->pn_older;
	return span_put(where, sn->pn_from, UINT64_MAX, as);
}

/* Returns the latest process with this pid. */
static struct process *
proc_last(uint32_t pid)
{
	struct process *ps;

	if (buckets == NULL)
		return NULL;
	LIST_FOREACH(ps, proc_table_bucket(pid), ps_entry)
		if (ps->ps_pid == pid)
			return ps;
	return NULL;
}

/* Adds a process, and takes ownership of its address space. */
static struct process *
proc_add(uint32_t pid, uint64_t from, uint64_t asof, struct addr_space *as)
{
	struct process *ps = NULL;

	if (buckets == NULL)
		buckets = calloc(PROC_TABLE_BUCKETS, sizeof(*buckets));
	if (buckets != NULL && sum.pt_procs < PROC_TABLE_PROCS)
		ps = calloc(1, sizeof(*ps));
	if (ps == NULL || span_add(ps, from, asof, as) == NULL) {
		if (ps == NULL)
			addr_space_free(as);
		free(ps);
		sum.pt_forgotten++;
		return NULL;
	}
	ps->ps_pid = pid;
	ps->ps_from = from;
	ps->ps_uid = -1;
	LIST_INSERT_HEAD(proc_table_bucket(pid), ps, ps_entry);
	sum.pt_procs++;
	sum.pt_bytes += sizeof(*ps);
	return ps;
}

static void
proc_end(struct process *ps, uint64_t nsecs)
{
	if (ps->ps_end != 0)
		TAILQ_REMOVE(&ended, ps, ps_queue);
	else
		sum.pt_ended++;
	ps->ps_end = nsecs > 0 ? nsecs : 1; /* 0 is: it lives */
	TAILQ_INSERT_TAIL(&ended, ps, ps_queue);
}

/*
 * Undoes the end of a process: another thread continues with the leader's
 * number.
 */
static void
proc_revive(struct process *ps)
{
	if (ps->ps_end == 0)
		return;
	TAILQ_REMOVE(&ended, ps, ps_queue);
	sum.pt_ended--;
	ps->ps_end = 0;
}

struct process *
proc_table_seen(uint32_t pid)
{
	struct process *ps = proc_last(pid);

	if (ps != NULL)
		return ps;
	return proc_add(pid, 0, UINT64_MAX, addr_space_alloc());
}

static void
event_fork(const struct sideband_event *se, proc_table_newfn *fn)
{
	struct process *parent, *ps;
	struct proc_span *sn;

	if (se->se_pid == se->se_ppid || se->se_pid == 0)
		return; /* a thread, or a process outside of our pid
			 * namespace */
	ps = proc_last(se->se_pid);
	if (ps != NULL && ps->ps_end == 0) /* the record of its end was lost */
		proc_end(ps, se->se_time);
	if (se->se_ppid == 0) { /* parent is outside of our pid namespace */
		(void)proc_add(se->se_pid, se->se_time, UINT64_MAX,
		    addr_space_alloc());
		return;
	}
	if ((parent = proc_table_seen(se->se_ppid)) == NULL)
		return;
	sn = parent->ps_spans;
	ps = proc_add(se->se_pid, se->se_time,
	    se->se_time < sn->pn_asof ? se->se_time : sn->pn_asof,
	    addr_space_share(sn->pn_space));
	if (ps == NULL)
		return;
	ps->ps_ppid = se->se_ppid;
	ps->ps_uid = parent->ps_uid;
	ps->ps_root = root_dir_get(parent->ps_root);
	if (fn != NULL)
		fn(ps, NULL, se);
}

static void
event_exec(const struct sideband_event *se)
{
	struct process *ps = proc_table_seen(se->se_pid);
	struct addr_space *as;

	if (ps == NULL || (as = addr_space_alloc()) == NULL)
		return;
	proc_revive(ps);
	ps->ps_isinspected = 0;
	as->as_iswhole = 1;
	as->as_snapped = se->se_time;
	(void)span_add(ps, se->se_time, UINT64_MAX, as);
}

static void
event_exit(const struct sideband_event *se)
{
	struct process *ps = proc_last(se->se_pid);

	/* other threads may exit after the leader */
	if (ps != NULL && (se->se_tid == se->se_pid || ps->ps_end != 0))
		proc_end(ps, se->se_time);
}

static void
event_mmap(const struct sideband_event *se, proc_table_newfn *fn)
{
	struct process *ps = proc_table_seen(se->se_pid);
	struct mapping mg = { se->se_start, se->se_end, se->se_off, se->se_time,
		NULL };
	struct proc_span *sn;
	struct addr_space *as;
	int isnew;

	if (ps == NULL)
		return;
	sn = ps->ps_spans;
	if (sn->pn_asof != UINT64_MAX) { /* no longer shares its parent's */
		as = addr_space_copy(sn->pn_space, sn->pn_asof);
		if ((sn = span_add(ps, se->se_time, UINT64_MAX, as)) == NULL)
			return;
	}
	mg.mg_file = mapped_file_map(&se->se_id, se->se_end >> 32 == 0, &isnew);
	if (mg.mg_file == NULL)
		return;
	if (fn != NULL && (isnew || mg.mg_file->mf_kind == MAPPED_FILE_ANON))
		fn(ps, mg.mg_file, se);
	addr_space_map(sn->pn_space, &mg);
}

void
proc_table_event(const struct sideband_event *se, proc_table_newfn *fn)
{
	if (se->se_pid == 0)
		return; /* outside of our pid namespace */
	switch (se->se_type) {
	case SIDEBAND_MMAP:
		event_mmap(se, fn);
		break;
	case SIDEBAND_EXEC:
		event_exec(se);
		break;
	case SIDEBAND_FORK:
		event_fork(se, fn);
		break;
	case SIDEBAND_EXIT:
		event_exit(se);
		break;
	default:
		break;
	}
}

struct process *
proc_table_find(uint32_t pid, uint64_t nsecs)
{
	struct process *ps;

	if (buckets == NULL)
		return NULL;
	LIST_FOREACH(ps, proc_table_bucket(pid), ps_entry)
		if (ps->ps_pid == pid && ps->ps_from <= nsecs)
			return ps->ps_forgot <= nsecs ? ps : NULL;
	return NULL;
}

struct proc_span *
proc_table_span(const struct process *ps, uint64_t nsecs)
{
	struct proc_span *sn = ps->ps_spans;

	while (sn->pn_from > nsecs && sn->pn_older != NULL)
		sn = sn->pn_older;
	return sn;
}

int
proc_table_iswhole(const struct process *ps)
{
	return ps->ps_spans->pn_space->as_iswhole;
}

struct process *
proc_table_snapshot(uint32_t pid, const struct mapping *list, size_t n,
    uint64_t nsecs, uint64_t done, uint64_t from)
{
	struct process *ps = proc_table_seen(pid);
	struct proc_span *sn;
	size_t i;

	/*
	 * an exec, or another process, in between: the owner of the mappings is
	 * unknown
	 */
	if (ps != NULL && ps->ps_from < nsecs &&
	    (sn = proc_table_span(ps, done))->pn_from < nsecs) {
		if (sn->pn_asof != UINT64_MAX) {
			/* shared with a parent that could not be read */
			sn = span_replace(ps, sn, addr_space_alloc());
		}
		if (sn != NULL) {
			addr_space_snapshot(sn->pn_space, list, n, nsecs, from);
			sn->pn_space->as_snapcost = done - nsecs;
			return ps;
		}
	}
	for (i = 0; i < n; i++)
		mapped_file_unmap(list[i].mg_file);
	return NULL;
}

/* Ends the processes of a bucket that are there no longer.  Under the lock. */
static void
bucket_reap(struct proc_bucket *bucket, uint64_t nsecs)
{
	struct process *ps;

	LIST_FOREACH(ps, bucket, ps_entry)
		if (ps->ps_end == 0 && ps->ps_from < nsecs &&
		    kill(ps->ps_pid, 0) == -1 && errno == ESRCH)
			proc_end(ps, nsecs);
}

void
proc_table_reap(uint64_t nsecs)
{
	size_t i, end;

	for (i = 0; i < PROC_TABLE_BUCKETS; i = end) {
		end = i + PROC_TABLE_SLICE;
		proc_table_lock();
		for (; buckets != NULL && i < end; i++)
			bucket_reap(&buckets[i], nsecs);
		proc_table_unlock();
	}
}

/* Returns whether enough memory is free again. */
static int
memory_isfree(void)
{
	return sum.pt_bytes + addr_space_sum.ast_bytes <=
	    PROC_TABLE_BYTES - PROC_TABLE_BYTES / 16;
}

static int
ended_isfree(void)
{
	return sum.pt_ended <= PROC_TABLE_ENDED - PROC_TABLE_ENDED / 16;
}

/*
 * Removes ended processes of a share, the oldest first, until isenough()
 * returns true.  Returns their number.
 */
static unsigned int
ended_drop(uint32_t share, int (*isenough)(void))
{
	struct process *ps, *next;
	unsigned int n = 0;

	for (ps = TAILQ_FIRST(&ended); ps != NULL && !isenough(); ps = next) {
		next = TAILQ_NEXT(ps, ps_queue);
		if (proc_share_of(ps->ps_uid) != share)
			continue;
		proc_free(ps);
		sum.pt_forgotten++;
		n++;
	}
	return n;
}

/*
 * Frees memory at the cost of the user who uses the most: huge address spaces
 * first, then ended processes, then the larger of the others.  Returns how many
 * it removed.
 */
static unsigned int
memory_drop(void)
{
	uint32_t share = proc_share_largest(proc_share_bytes);
	uint64_t nbytes = PROC_TABLE_HUGE;
	unsigned int n;

	n = proc_share_drop(share, nbytes, memory_isfree);
	n += ended_drop(share, memory_isfree);
	while (n == 0 && nbytes > 0) {
		nbytes /= 2;
		n = proc_share_drop(share, nbytes, memory_isfree);
	}
	return n;
}

void
proc_table_trim(uint64_t now)
{
	struct process *ps;

	while ((ps = TAILQ_FIRST(&ended)) != NULL &&
	    ps->ps_end + PROC_TABLE_AGE < now) {
		proc_free(ps);
		sum.pt_forgotten++;
	}
	while (sum.pt_ended > PROC_TABLE_ENDED &&
	    ended_drop(proc_share_largest(proc_share_ended), ended_isfree) > 0)
		;
	while (sum.pt_bytes + addr_space_sum.ast_bytes > PROC_TABLE_BYTES &&
	    memory_drop() > 0)
		;
}

void
proc_table_clear(void)
{
	size_t i;

	for (i = 0; buckets != NULL && i < PROC_TABLE_BUCKETS; i++)
		while (!LIST_EMPTY(&buckets[i]))
			proc_free(LIST_FIRST(&buckets[i]));
	free(buckets);
	buckets = NULL;
}

int
proc_table_each(int (*fn)(struct process *, void *), void *arg)
{
	struct process *ps;
	size_t i;
	int v;

	for (i = 0; buckets != NULL && i < PROC_TABLE_BUCKETS; i++)
		LIST_FOREACH(ps, &buckets[i], ps_entry)
			if ((v = fn(ps, arg)) != 0)
				return v;
	return 0;
}

void
proc_table_charge(size_t nbytes)
{
	sum.pt_bytes += nbytes;
}

void
proc_table_stat(struct proc_table_stat *ts)
{
	*ts = sum;
	if (buckets != NULL)
		ts->pt_bytes += PROC_TABLE_BUCKETS * sizeof(*buckets);
}
