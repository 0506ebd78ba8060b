/* SPDX-License-Identifier: ISC */
/*
 * Walks the user stack of the current thread (bpf/unwind_steps.h).  Runs in any
 * program of the dt device.  Reads the maps of bpf/unwind_maps.bpf.h, and
 * reports missing entries.
 */
#ifndef BPF_UNWIND_BPF_H
#define BPF_UNWIND_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "bpf/dt_maps.bpf.h"
#include "bpf/dt_pidns.bpf.h"
#include "bpf/unwind_maps.bpf.h"

static __always_inline __u8 *
unwind_slab(__u32 place)
{
	__u32 i = UNWIND_PLACE_SLAB(place), zero = 0;
	void *slab = bpf_map_lookup_elem(&unwind_slabs, &i);

	return slab != NULL ? bpf_map_lookup_elem(slab, &zero) : NULL;
}

#define unwind_copyin(uw, dst, n, addr) \
	bpf_probe_read_user(dst, n, (void *)(addr))
#define unwind_page_get(uw, uk) bpf_map_lookup_elem(&unwind_pages, uk)

static __always_inline const __u8 *
unwind_maps_at(const struct unwind_walk *uw, __u32 *off)
{
	*off = UNWIND_PLACE_OFF(uw->uw_maps);
	return unwind_slab(uw->uw_maps);
}

/* uw is a scratch's. */
static __always_inline struct unwind_recent *
unwind_recent_at(struct unwind_walk *uw, __u32 i)
{
	struct dt_scratch *s = (struct dt_scratch *)((__u8 *)uw -
	    __builtin_offsetof(struct dt_scratch, scr_walk));

	return &s->scr_recent[i & (UNWIND_NRECENT - 1)];
}

#include "bpf/unwind_steps.h"

#include "bpf/unwind_pending.bpf.h"

/* Context of the callback of bpf_loop(). */
struct unwind_loop {
	struct dt_scratch *ul_scratch;
};

/*
 * Records a frame and goes to its caller's.  Returns 0, or not 0 if there is no
 * caller.
 */
static long
unwind_frame(__u32 i, void *arg)
{
	struct unwind_loop *ul = arg;
	struct unwind_walk *uw = &ul->ul_scratch->scr_walk;

	if (i >= DT_REC_MAXFRAMES)
		return 1;
	*(__u64 *)(ul->ul_scratch->scr_buf + (uw->uw_sect & 0x7f8) +
	    sizeof(struct dt_rec_stack) + i * 8) = uw->uw_pc;
	uw->uw_count = i + 1;
	if (unwind_step(uw) != 0)
		return 1;
	if (uw->uw_pending != 0)
		unwind_pending_apply(uw);
	return 0;
}

/* Reads the registers of the first frame; 0: they cannot be read. */
static __always_inline int
unwind_regs_read(struct unwind_walk *uw)
{
	__u64 regs = bpf_task_pt_regs(bpf_get_current_task_btf());

	return bpf_probe_read_kernel(uw->uw_regs, UNWIND_WORDS * 8,
		   (void *)regs) == 0;
}

/* Returns the process of a thread, by its number in dtd's pid namespace. */
static __always_inline __u32
unwind_pid(__u64 task)
{
	__u64 signal = 0;

	bpf_core_read(&signal, sizeof(signal),
	    &((struct task_struct *)task)->signal);
	return dt_ns_number(pidns_process(signal), dt_table.t_nslevel,
	    dt_table.t_nsinum);
}

/*
 * If dtd is not in the initial pid namespace: finds the numbers of the process
 * and of its parent.  Returns whether it has one.
 */
__noinline int
unwind_pids(struct unwind_walk *uw)
{
	__u64 task = (__u64)bpf_get_current_task_btf(), parent = 0;

	if (uw == NULL)
		return 0;
	bpf_core_read(&parent, sizeof(parent),
	    &((struct task_struct *)task)->real_parent);
	uw->uw_parent = unwind_pid(parent);
	uw->uw_pid = unwind_pid(task);
	return uw->uw_pid != 0;
}

/*
 * Returns the entry of the process that the thread belongs to, or its parent's
 * until it executes a program; NULL if there is none.
 */
static __always_inline struct unwind_proc *
unwind_proc_find(struct unwind_walk *uw, struct task_struct *task)
{
	struct unwind_miss *ms = &uw->uw_miss;
	__u64 leader = 0, parent = 0, start = 0, exec = 0, forked = ~0ULL;
	struct task_struct *t;
	struct unwind_proc *pr;
	__u32 pid = task->tgid;

	/* Linux 6.1 refuses one load for both, which the compiler makes */
	barrier_var(pid);
	if (dt_table.t_nsinum != 0)
		pid = uw->uw_pid;
	bpf_core_read(&leader, sizeof(leader), &task->group_leader);
	t = (struct task_struct *)leader;
	bpf_core_read(&start, sizeof(start), &t->start_time);
	bpf_core_read(&exec, sizeof(exec), &t->self_exec_id);
	ms->ms_pid = pid;
	ms->ms_start = start;
	ms->ms_exec = exec;
	pr = bpf_map_lookup_elem(&unwind_procs, &pid);
	if (pr != NULL && pr->pr_start == start && pr->pr_exec == (__u32)exec)
		return pr;
	bpf_core_read(&forked, sizeof(forked), &t->parent_exec_id);
	if (forked != exec)
		return NULL;
	bpf_core_read(&parent, sizeof(parent), &t->real_parent);
	t = (struct task_struct *)parent;
	if (dt_table.t_nsinum == 0)
		bpf_core_read(&pid, sizeof(pid), &t->tgid);
	else
		pid = uw->uw_parent;
	bpf_core_read(&start, sizeof(start), &t->start_time);
	pr = bpf_map_lookup_elem(&unwind_procs, &pid);
	if (pr != NULL && pr->pr_start == start && pr->pr_exec == (__u32)exec)
		return pr;
	return NULL;
}

static __always_inline void
unwind_report(const struct unwind_miss *ms)
{
	bpf_ringbuf_output(&unwind_misses, (void *)ms, sizeof(*ms), 0);
}

/*
 * Prepares the walk.  Returns 1, 0 if the registers are unknown or of 32 bits,
 * or -1 if the process's mappings are not ready.  A function, so that the stack
 * has either this or the frames: the calls of a program share 512 bytes.
 */
__noinline int
unwind_begin(struct unwind_walk *uw, __u64 now)
{
	struct unwind_miss *ms;
	struct unwind_proc *pr;

	if (uw == NULL || !unwind_regs_read(uw) || !unwind_first(uw))
		return 0;
	ms = &uw->uw_miss;
	ms->ms_time = now;
	pr = unwind_proc_find(uw, bpf_get_current_task_btf());
	if (pr == NULL) {
		ms->ms_what = UNWIND_MISS_PROC;
		ms->ms_addr = uw->uw_pc;
		unwind_report(ms);
		return -1;
	}
	if (pr->pr_state != UNWIND_READY)
		return -1;
	unwind_reset(uw, now / 1000000000);
	unwind_pending_set(uw, unwind_pending_first(uw));
	if (pr->pr_used != uw->uw_now)
		pr->pr_used = uw->uw_now;
	uw->uw_maps = pr->pr_place;
	uw->uw_nmaps = pr->pr_nmaps;
	return 1;
}

/*
 * Walks the user stack of the current thread into a section of the record at an
 * offset.  Returns the number of frames, 0 if there is nothing to walk, -1 if its
 * process is unknown.  now: the time of the hit.
 */
__noinline int
dt_unwind(struct dt_scratch *s, __u32 off, __u64 now)
{
	struct unwind_loop ul = { .ul_scratch = s };
	struct dt_rec_stack *st;
	struct unwind_walk *uw;
	int ready;

	if (s == NULL)
		return 0;
	uw = &s->scr_walk;
	uw->uw_sect = off;
	if (dt_table.t_nsinum != 0 && !unwind_pids(uw))
		return 0;
	ready = unwind_begin(uw, now);
	if (ready <= 0)
		return ready;
	bpf_loop(DT_REC_MAXFRAMES, unwind_frame, &ul, 0);
	if (uw->uw_bits & UNWIND_MISSED)
		unwind_report(&uw->uw_miss);
	st = (struct dt_rec_stack *)(s->scr_buf + (uw->uw_sect & 0x7f8));
	*(__u64 *)st = 0;
	st->drs_count = uw->uw_count;
	st->drs_end = uw->uw_end;
	st->drs_how = DT_STACK_TABLE;
	return uw->uw_count;
}

#endif /* BPF_UNWIND_BPF_H */
