/* SPDX-License-Identifier: ISC */
/*
 * Describes all threads at a moment: an iter/task program, which dtd runs once
 * per request (bpf/dt_where_shared.h).  It takes no lock of a process, so one
 * that hangs cannot delay it.
 *
 * The scheduler knows since when a thread has been in its state.  Its clock,
 * rq->clock, is not CLOCK_MONOTONIC: the first call determines the difference,
 * with the CPU's last value, which is recent since dtd has yielded just before.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_pidns.bpf.h"
#include "bpf/dt_where_shared.h"

/* <linux/sched.h> */
#define PF_KTHREAD    0x00200000
#define TASK_REPORT   0x7f /* states with a letter */
#define TASK_IDLE     0x402
#define TASK_RTLOCK   0x1000 /* waits for a lock of a real-time kernel */
#define TASK_DSTATE   0x2
#define TASK_NLETTERS 8

#define SELF_DEPTH    4	   /* dtd, forker, inspector, symbolizer */
#define WHERE_BYTES   1024 /* of a stack, a power of two for the verifier */

struct dt_where_query dt_where_query = {};

/* The pass runs once at a time, under a lock of dtd. */
struct dt_where_thread dt_where_thread = {};
__u64 dt_where_pcs[WHERE_BYTES / 8] = {};
__u64 dt_where_ahead = 0; /* CLOCK_MONOTONIC minus the scheduler's clock */
int dt_where_hasclock = 0;

static const volatile __u8 where_letters[TASK_NLETTERS] = { 'R', 'S', 'D', 'T',
	't', 'X', 'Z', 'P' };

/* Returns the letter of a state, as the kernel's task_state_index() does. */
static __always_inline __u8
where_state(const struct task_struct *t)
{
	__u32 state = t->__state, i, n = 0;

	if ((state & TASK_IDLE) == TASK_IDLE)
		return 'I';
	if (state & TASK_RTLOCK)
		state = TASK_DSTATE;
	state = (state | t->exit_state) & TASK_REPORT;
	for (i = 0; i < TASK_NLETTERS - 1; i++)
		if (state >> i & 1)
			n = i + 1;
	return where_letters[n & (TASK_NLETTERS - 1)];
}

/*
 * Stores the clock of the CPU on which a thread ran last, and the part of it
 * that counts for threads: without interrupts and what a hypervisor took.
 */
static __always_inline int
where_clock(struct task_struct *t, __u64 *clock, __u64 *task)
{
	struct rq *rq;

	if (!bpf_core_field_exists(t->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return 0;
	rq = BPF_CORE_READ(t, se.cfs_rq, rq);
	if (rq == NULL)
		return 0;
	*clock = BPF_CORE_READ(rq, clock);
	*task = BPF_CORE_READ(rq, clock_task);
	return 1;
}

/* Determines the difference of the clocks, with the current thread's CPU. */
static __always_inline void
where_begin(void)
{
	__u64 clock, task;

	dt_where_hasclock = where_clock(bpf_get_current_task_btf(), &clock,
	    &task);
	if (dt_where_hasclock)
		dt_where_ahead = bpf_ktime_get_ns() - clock;
}

/*
 * Returns how long a thread has been in its state.  One that runs, since it got
 * its CPU; one that may run, since it waits for a CPU; others since they left
 * their CPU.  The last is in the part of the clock that counts for threads, so
 * it is short by the interrupts since then.
 */
static __always_inline __u64
where_nsecs(struct task_struct *t, __u8 state)
{
	__u64 clock, task, now, since;

	if (!dt_where_hasclock || !bpf_core_field_exists(t->sched_info) ||
	    !where_clock(t, &clock, &task))
		return DT_WHERE_UNKNOWN;
	now = bpf_ktime_get_ns() - dt_where_ahead;
	if (t->on_cpu)
		since = t->sched_info.last_arrival;
	else if (state == 'R')
		since = t->sched_info.last_queued;
	else {
		since = t->se.exec_start;
		if (since != 0)
			since += clock - task;
	}
	if (since == 0)
		return DT_WHERE_UNKNOWN;
	return now > since ? now - since : 0;
}

/* Returns whether a thread belongs to dtd, one of its helpers or its client. */
static __always_inline int
where_isself(struct task_struct *t)
{
	const struct dt_where_query *q = &dt_where_query;
	__u32 tgid = t->tgid, i;

	if (q->whq_client == 0)
		return 0;
	if (tgid == q->whq_client)
		return 1;
	for (i = 0; i < SELF_DEPTH; i++) {
		if (tgid == q->whq_self)
			return 1;
		t = BPF_CORE_READ(t, real_parent);
		tgid = BPF_CORE_READ(t, tgid);
		if (tgid <= 1)
			break;
	}
	return 0;
}

/* Stores the numbers of a thread in a pid namespace; 0: it has none there. */
static __always_inline void
where_numbers(struct task_struct *t, __u32 level, __u32 inum, __u32 *pid,
    __u32 *tid)
{
	__u64 signal = 0;

	*pid = t->tgid;
	*tid = t->pid;
	if (inum == 0)
		return;
	bpf_core_read(&signal, sizeof(signal), &t->signal);
	*pid = dt_ns_number(pidns_process(signal), level, inum);
	*tid = dt_ns_number(pidns_thread(t), level, inum);
}

/*
 * Stores the registers with which a thread entered the kernel, unless it runs,
 * since they change meanwhile.
 */
static __always_inline void
where_regs(struct task_struct *t, struct dt_where_thread *w)
{
	__u64 regs;

	if (w->wth_flags & (DT_WHERE_ONCPU | DT_WHERE_KTHREAD))
		return;
	regs = bpf_task_pt_regs(t);
	if (bpf_probe_read_kernel(w->wth_regs,
		bpf_core_type_size(struct pt_regs) & 0x1ff, (void *)regs) != 0)
		return;
	w->wth_flags |= DT_WHERE_REGS;
#if defined(__TARGET_ARCH_x86)
	w->wth_thread = t->thread.fsbase;
#else
	w->wth_thread = t->thread.uw.tp_value;
#endif
}

static __always_inline void
where_describe(struct task_struct *t, struct dt_where_thread *w)
{
	struct task_struct *leader = t->group_leader;

	w->wth_state = where_state(t);
	w->wth_flags = (t->on_cpu ? DT_WHERE_ONCPU : 0) |
	    (t->mm == NULL || t->flags & PF_KTHREAD ? DT_WHERE_KTHREAD : 0);
	w->wth_cpu = t->thread_info.cpu;
	w->wth_uid = BPF_CORE_READ(t, real_cred, uid.val);
	w->wth_exec = BPF_CORE_READ(leader, self_exec_id);
	w->wth_start = BPF_CORE_READ(leader, start_time);
	w->wth_nsecs = where_nsecs(t, w->wth_state);
	bpf_core_read_str(w->wth_comm, sizeof(w->wth_comm), &t->comm);
	bpf_core_read_str(w->wth_process, sizeof(w->wth_process),
	    &leader->comm);
	where_regs(t, w);
}

SEC("iter/task")
int
dt_where(struct bpf_iter__task *ctx)
{
	const struct dt_where_query *q = &dt_where_query;
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *t = ctx->task;
	struct dt_where_thread *w = &dt_where_thread;
	__u32 nbytes;
	long n;

	if (t == NULL)
		return 0;
	if (ctx->meta->seq_num == 0)
		where_begin();
	if (where_isself(t))
		return 0;
	__builtin_memset(w, 0, sizeof(*w));
	where_numbers(t, q->whq_level, q->whq_inum, &w->wth_pid, &w->wth_tid);
	where_numbers(t, q->whq_ownlevel, q->whq_owninum, &w->wth_localpid,
	    &w->wth_localtid);
	if (w->wth_pid == 0 || w->wth_tid == 0)
		return 0;
	where_describe(t, w);
	n = bpf_get_task_stack(t, dt_where_pcs, DT_WHERE_FRAMES * 8, 0);
	w->wth_stack = n;
	bpf_seq_write(seq, w, sizeof(*w));
	if (n <= 0)
		return 0;
	/* Linux 6.1 does not know the bounds of a part of n */
	nbytes = n;
	barrier_var(nbytes);
	bpf_seq_write(seq, dt_where_pcs, nbytes & (WHERE_BYTES - 1));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
