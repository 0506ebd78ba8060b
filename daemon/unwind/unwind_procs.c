/* SPDX-License-Identifier: ISC */
/* Keeps the mappings of processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <bpf/bpf.h>

#include "daemon/base/clock.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_files.h"
#include "daemon/unwind/unwind_maps.h"
#include "daemon/unwind/unwind_procs.h"

#define LINES	   4096 /* of the hash; a power of two */
#define SECOND	   1000000000ULL
#define PAGE_SHIFT 12

struct proc_entry {
	LIST_ENTRY(proc_entry) pre_line;
	TAILQ_ENTRY(proc_entry) pre_wait; /* with pre_iswanted */
	uint32_t pre_pid;
	uid_t pre_uid;		      /* -1: unknown */
	struct unwind_proc pre_value; /* as in the map, except pr_used */
	struct slab_block *pre_block;
	uint64_t pre_gen;   /* generation of the view in the block */
	uint64_t pre_asof;  /* and time of that view */
	uint64_t pre_want;  /* time of the mappings to be read */
	uint64_t pre_due;   /* and when to read them */
	uint64_t pre_next;  /* not before this time, because of the cost */
	uint64_t pre_pause; /* after the last reading */
	int pre_iswanted;   /* is in the queue */
	int pre_isread;	    /* is being read */
};

static LIST_HEAD(, proc_entry) lines[LINES];
static TAILQ_HEAD(, proc_entry) wanted = TAILQ_HEAD_INITIALIZER(wanted);
static struct unwind_procs_stat stat;

static struct proc_entry *
proc_find(uint32_t pid)
{
	struct proc_entry *pre;

	LIST_FOREACH(pre, &lines[pid & (LINES - 1)], pre_line)
		if (pre->pre_pid == pid)
			return pre;
	return NULL;
}

/* Writes the entry of the map. */
static int
proc_write(struct proc_entry *pre)
{
	pre->pre_value.pr_used = clock_monotonic() / SECOND;
	return bpf_map_update_elem(unwind_maps[UNWIND_PROCS].umr_fd,
		   &pre->pre_pid, &pre->pre_value, BPF_ANY) == 0
	    ? 0
	    : errno;
}

void
unwind_maps_drop(const struct unwind_map *um, uint32_t n)
{
	for (; n > 0; n--, um++)
		if (um->um_file != 0)
			unwind_files_unmap(um->um_file);
}

/* Retires a block of mappings, and releases their files. */
static void
block_drop(struct slab_block *sb)
{
	uint32_t n;

	if (sb == NULL)
		return;
	n = sb->sbk_nbytes / sizeof(struct unwind_map);
	unwind_maps_drop(sb->sbk_mem, n);
	stat.uqs_maps -= n;
	stat.uqs_bytes -= sb->sbk_nbytes;
	slab_retire(sb);
}

static void
proc_want(struct proc_entry *pre, uint64_t nsecs, uint64_t due)
{
	if (nsecs > pre->pre_want)
		pre->pre_want = nsecs;
	if (!pre->pre_iswanted || due < pre->pre_due)
		pre->pre_due = due;
	if (pre->pre_iswanted)
		return;
	pre->pre_iswanted = 1;
	TAILQ_INSERT_TAIL(&wanted, pre, pre_wait);
}

static void
proc_free(struct proc_entry *pre)
{
	(void)bpf_map_delete_elem(unwind_maps[UNWIND_PROCS].umr_fd,
	    &pre->pre_pid);
	if (pre->pre_iswanted)
		TAILQ_REMOVE(&wanted, pre, pre_wait);
	block_drop(pre->pre_block);
	LIST_REMOVE(pre, pre_line);
	stat.uqs_procs--;
	free(pre);
}

/* Adds a process, or its next program, whose mappings must be read. */
static void
proc_begin(struct proc_entry *pre, const struct unwind_miss *ms)
{
	struct slab_block *before = pre->pre_block;

	pre->pre_value = (struct unwind_proc){ .pr_start = ms->ms_start,
		.pr_exec = ms->ms_exec,
		.pr_state = UNWIND_PENDING };
	pre->pre_block = NULL;
	pre->pre_gen = pre->pre_asof = pre->pre_next = pre->pre_pause = 0;
	/* a child that misses a mapping has its parent's others meanwhile */
	if (ms->ms_what == UNWIND_MISS_MAP || proc_write(pre) == 0)
		proc_want(pre, ms->ms_time, 0);
	else
		proc_free(pre);
	block_drop(before);
}

static struct proc_entry *
proc_add(uint32_t pid)
{
	struct proc_entry *pre;

	if (stat.uqs_procs >= UNWIND_PROCS_MAX ||
	    (pre = calloc(1, sizeof(*pre))) == NULL)
		return NULL;
	pre->pre_pid = pid;
	pre->pre_uid = -1;
	LIST_INSERT_HEAD(&lines[pid & (LINES - 1)], pre, pre_line);
	stat.uqs_procs++;
	return pre;
}

static int
proc_is(const struct proc_entry *pre, uint64_t start, uint32_t exec)
{
	return pre->pre_value.pr_start == start &&
	    pre->pre_value.pr_exec == exec;
}

void
unwind_procs_miss(const struct unwind_miss *ms)
{
	struct proc_entry *pre = proc_find(ms->ms_pid);

	if (pre != NULL && proc_is(pre, ms->ms_start, ms->ms_exec)) {
		/* a later view does not have the mapping either */
		if (ms->ms_what == UNWIND_MISS_MAP &&
		    pre->pre_value.pr_state == UNWIND_READY &&
		    ms->ms_time > pre->pre_asof)
			proc_want(pre, ms->ms_time, pre->pre_next);
		return;
	}
	if (pre == NULL && (pre = proc_add(ms->ms_pid)) == NULL)
		return;
	proc_begin(pre, ms);
}

/*
 * Events were lost, so any process may have changed.  All are read again, 200 a
 * second however long losses go on; a process that misses a mapping as soon as
 * it does.
 */
static void
procs_lost(uint64_t nsecs)
{
	struct proc_entry *pre;
	uint64_t due = nsecs + SECOND + stat.uqs_procs * (SECOND / 200);
	size_t i;

	for (i = 0; i < LINES; i++)
		LIST_FOREACH(pre, &lines[i], pre_line)
			if (pre->pre_value.pr_state == UNWIND_READY)
				proc_want(pre, nsecs,
				    due > pre->pre_next ? due : pre->pre_next);
}

void
unwind_procs_event(const struct sideband_event *se)
{
	struct proc_entry *pre;

	if (se->se_type == SIDEBAND_LOST) {
		procs_lost(se->se_time);
		return;
	}
	if ((pre = proc_find(se->se_pid)) == NULL)
		return;
	if (se->se_type == SIDEBAND_MMAP && se->se_time > pre->pre_asof)
		proc_want(pre, se->se_time, pre->pre_next);
	else if (se->se_type == SIDEBAND_EXIT && se->se_tid == se->se_pid)
		proc_free(pre);
}

static struct proc_entry *
proc_due(uint64_t now)
{
	struct proc_entry *pre;

	TAILQ_FOREACH(pre, &wanted, pre_wait)
		if (!pre->pre_isread && pre->pre_due <= now)
			return pre;
	return NULL;
}

int
unwind_procs_isdue(uint64_t now)
{
	return proc_due(now) != NULL;
}

int
unwind_procs_isreading(uint32_t pid, uint64_t start, uint32_t exec,
    uint64_t now)
{
	const struct proc_entry *pre = proc_find(pid);

	return pre != NULL && proc_is(pre, start, exec) &&
	    (pre->pre_isread || (pre->pre_iswanted && pre->pre_due <= now));
}

uint32_t
unwind_procs_due(uint64_t now)
{
	struct proc_entry *pre = proc_due(now);

	if (pre == NULL)
		return 0;
	TAILQ_REMOVE(&wanted, pre, pre_wait);
	pre->pre_iswanted = 0;
	pre->pre_isread = 1;
	return pre->pre_pid;
}

int
unwind_procs_begin(uint32_t pid, struct unwind_proc_request *upa)
{
	const struct proc_entry *pre = proc_find(pid);

	if (pre == NULL)
		return 0;
	*upa = (struct unwind_proc_request){ .upa_pid = pid,
		.upa_start = pre->pre_value.pr_start,
		.upa_exec = pre->pre_value.pr_exec,
		.upa_time = pre->pre_want };
	return 1;
}

void
unwind_maps_fill(struct unwind_map *um, uint32_t n, const struct proc_view *pv)
{
	const struct proc_mapping *pm = pv->pv_maps;

	for (; n > 0; n--, um++, pm++) {
		uint64_t npages = (pm->pm_end - pm->pm_start) >> PAGE_SHIFT;

		*um = (struct unwind_map){ .um_start = pm->pm_start,
			.um_off = pm->pm_off,
			.um_npages = npages > UINT32_MAX ? UINT32_MAX
							 : npages };
		if (pm->pm_file->mf_kind != MAPPED_FILE_ANON)
			um->um_file = unwind_files_map(pm->pm_file);
	}
}

/* Does not read the process for some time, even if it is wanted already. */
static void
proc_postpone(struct proc_entry *pre, uint64_t nsecs)
{
	pre->pre_next = clock_monotonic() + nsecs;
	if (pre->pre_due < pre->pre_next)
		pre->pre_due = pre->pre_next;
}

/* Sets the pause until the process is read again. */
static void
proc_pause(struct proc_entry *pre, uint64_t cost, int haschanged)
{
	uint64_t least = cost * UNWIND_PROCS_SHARE;

	pre->pre_pause = haschanged ? UNWIND_PROCS_PAUSE : 2 * pre->pre_pause;
	if (pre->pre_pause > UNWIND_PROCS_MAXPAUSE)
		pre->pre_pause = UNWIND_PROCS_MAXPAUSE;
	if (pre->pre_pause < least)
		pre->pre_pause = least;
	proc_postpone(pre, pre->pre_pause);
}

/* Handles an unknown process, which may become known later. */
static void
proc_fail(struct proc_entry *pre)
{
	stat.uqs_failed++;
	pre->pre_isread = 0;
	proc_postpone(pre, UNWIND_PROCS_RETRY * SECOND);
	if (pre->pre_value.pr_state == UNWIND_READY)
		return;
	pre->pre_value.pr_state = UNWIND_NONE;
	if (proc_write(pre) != 0)
		proc_free(pre);
}

/* Stores the mappings of a view in the map. */
static int
proc_enter(struct proc_entry *pre, const struct proc_view *pv)
{
	struct slab_block *sb = NULL, *before = pre->pre_block;
	size_t n = pv->pv_nmaps > UNWIND_MAXMAPS ? UNWIND_MAXMAPS
						 : pv->pv_nmaps;
	int error;

	stat.uqs_cut += n < pv->pv_nmaps;
	if (n > 0) {
		if ((sb = slab_alloc(n * sizeof(struct unwind_map), &error)) ==
		    NULL)
			return error;
		unwind_maps_fill(sb->sbk_mem, n, pv);
		stat.uqs_maps += n;
		stat.uqs_bytes += sb->sbk_nbytes;
	}
	pre->pre_value.pr_state = n > 0 ? UNWIND_READY : UNWIND_NONE;
	pre->pre_value.pr_place = sb == NULL ? 0 : sb->sbk_place;
	pre->pre_value.pr_nmaps = n;
	pre->pre_block = sb;
	if (proc_write(pre) != 0)
		proc_free(pre);
	block_drop(before);
	return 0;
}

int
unwind_procs_read(const struct unwind_proc_request *upa,
    const struct proc_view *pv)
{
	struct proc_entry *pre = proc_find(upa->upa_pid);
	int haschanged, error;

	if (pre == NULL)
		return 0;
	if (!proc_is(pre, upa->upa_start, upa->upa_exec)) {
		pre->pre_isread = 0; /* another program, which is wanted */
		return 0;
	}
	if (pv == NULL) {
		proc_fail(pre);
		return 0;
	}
	if (!pv->pv_isnow) {
		proc_free(pre);
		return 0;
	}
	haschanged = pre->pre_value.pr_state != UNWIND_READY ||
	    pre->pre_gen != pv->pv_gen;
	/* keeps the block if nothing has changed */
	pre->pre_asof = upa->upa_time;
	pre->pre_uid = pv->pv_uid;
	proc_pause(pre, pv->pv_cost, haschanged);
	pre->pre_gen = pv->pv_gen;
	if (haschanged && (error = proc_enter(pre, pv)) != 0) {
		pre->pre_gen = 0;
		return error;
	}
	if ((pre = proc_find(upa->upa_pid)) == NULL)
		return 0;
	stat.uqs_read++;
	pre->pre_isread = 0;
	if (pv->pv_error != 0)
		proc_want(pre, clock_monotonic(),
		    clock_monotonic() + UNWIND_PROCS_RETRY * SECOND);
	return 0;
}

uid_t
unwind_procs_uid(uint32_t pid)
{
	const struct proc_entry *pre = proc_find(pid);

	return pre == NULL ? (uid_t)-1 : pre->pre_uid;
}

static int
proc_isover(const struct proc_entry *pre, uint32_t idle)
{
	uint64_t now = clock_monotonic();
	struct unwind_proc pr;

	if (pre->pre_isread || (pre->pre_iswanted && pre->pre_block == NULL))
		return 0;
	if (pre->pre_value.pr_state == UNWIND_NONE)
		return pre->pre_next <= now;
	return bpf_map_lookup_elem(unwind_maps[UNWIND_PROCS].umr_fd,
		   &pre->pre_pid, &pr) != 0 ||
	    pr.pr_used + idle < now / SECOND;
}

void
unwind_procs_trim(uint32_t idle)
{
	struct proc_entry *pre, *next;
	size_t i;

	for (i = 0; i < LINES; i++)
		for (pre = LIST_FIRST(&lines[i]); pre != NULL; pre = next) {
			next = LIST_NEXT(pre, pre_line);
			if (proc_isover(pre, idle))
				proc_free(pre);
		}
}

void
unwind_procs_clear(void)
{
	size_t i;

	for (i = 0; i < LINES; i++)
		while (!LIST_EMPTY(&lines[i]))
			proc_free(LIST_FIRST(&lines[i]));
}

void
unwind_procs_stat(struct unwind_procs_stat *uqs)
{
	*uqs = stat;
}
