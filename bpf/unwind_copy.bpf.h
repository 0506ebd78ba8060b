/* SPDX-License-Identifier: ISC */
/*
 * Copies the registers and a part of the user stack of the current thread, whose
 * stack could not be walked, for dtd (struct unwind_copy).
 */
#ifndef BPF_UNWIND_COPY_BPF_H
#define BPF_UNWIND_COPY_BPF_H

#include "bpf/dt_maps.bpf.h"
#include "bpf/unwind.bpf.h"

static __always_inline void
unwind_copy_lost(void)
{
	__u32 zero = 0;
	__u64 *lost = bpf_map_lookup_elem(&unwind_lost, &zero);

	if (lost != NULL)
		__sync_fetch_and_add(lost, 1);
}

/* Returns the address of the window that has an address. */
static __always_inline __u64
unwind_window_of(__u64 addr)
{
	return addr & ~(__u64)(UNWIND_COPY_WINDOW - 1);
}

/* Returns a thread's descriptor, which libraries place above its stack. */
static __always_inline __u64
unwind_thread(const struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread.fsbase;
#else
	return task->thread.uw.tp_value;
#endif
}

/* Limits the bytes of a stack to those below an address. */
static __always_inline void
unwind_stack_limit(__u64 *nbytes, __u64 sp, __u64 end)
{
	if (end - sp < *nbytes)
		*nbytes = end - sp;
}

/* Returns where the memory above an address ends, in or before its end. */
static __always_inline __u64
unwind_readable_end(__u64 sp, __u64 end)
{
	__u64 page = (sp | 4095) + 1, word;
	int i;

	for (i = 0; i < UNWIND_COPY_STACK / 4096 && page < end; i++) {
		if (bpf_probe_read_user(&word, sizeof(word), (void *)page) != 0)
			return page;
		page += 4096;
	}
	return end;
}

/* Returns where a stack ends, or, if that is unknown, the copy of it. */
static __always_inline __u64
unwind_stack_end(__u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 nbytes = UNWIND_COPY_STACK;

	unwind_stack_limit(&nbytes, sp, BPF_CORE_READ(task, mm, start_stack));
	unwind_stack_limit(&nbytes, sp, unwind_thread(task));
	if (sp - task->sas_ss_sp < task->sas_ss_size)
		unwind_stack_limit(&nbytes, sp,
		    task->sas_ss_sp + task->sas_ss_size);
	return unwind_readable_end(sp, sp + nbytes);
}

/* Copies windows; not 0: the first cannot be read. */
static __always_inline int
unwind_copy_from(struct bpf_dynptr *to, struct unwind_copy *ucp, __u64 from,
    __u64 end)
{
	__u64 window = from;
	void *p;
	int i;

	for (i = 0; i < UNWIND_COPY_WINDOWS && window < end; i++) {
		p = bpf_dynptr_data(to, sizeof(*ucp) + i * UNWIND_COPY_WINDOW,
		    UNWIND_COPY_WINDOW);
		if (p == NULL ||
		    bpf_probe_read_user(p, UNWIND_COPY_WINDOW,
			(void *)window) != 0)
			break;
		window += UNWIND_COPY_WINDOW;
	}
	ucp->ucp_from = from;
	ucp->ucp_until = window;
	return window == from;
}

/*
 * Copies the stack.  The red zone may have no memory, nor the newest pages of
 * the stack, whose words the walk does not need then.
 */
static __always_inline int
unwind_copy_stack(struct bpf_dynptr *to, struct unwind_copy *ucp, __u64 sp,
    __u64 end)
{
	return unwind_copy_from(to, ucp,
		   unwind_window_of(sp - UNWIND_COPY_BELOW), end) != 0 &&
	    unwind_copy_from(to, ucp, unwind_window_of(sp), end) != 0 &&
	    unwind_copy_from(to, ucp, (sp | 4095) + 1, end) != 0;
}

/* Fills in a copy; not 0: it has no stack. */
static __always_inline int
unwind_copy_fill(struct bpf_dynptr *to, struct unwind_copy *ucp,
    const struct unwind_walk *uw, __u64 end)
{
	ucp->ucp_number = uw->uw_copy;
	ucp->ucp_pid = uw->uw_miss.ms_pid;
	ucp->ucp_uid = bpf_get_current_uid_gid();
	ucp->ucp_exec = uw->uw_miss.ms_exec;
	ucp->ucp_start = uw->uw_miss.ms_start;
	return bpf_probe_read_kernel(ucp->ucp_regs, sizeof(ucp->ucp_regs),
		   uw->uw_regs) != 0 ||
	    unwind_copy_stack(to, ucp, uw->uw_regs[UNWIND_AT_SP], end) != 0;
}

/*
 * Makes a copy for a session after a walk, which has read the registers.
 * Returns whether there is one; its number is uw_copy.
 */
__noinline int
dt_copy(struct dt_scratch *s, __u32 slot, __u32 cpu, __u64 now)
{
	struct unwind_copy *ucp;
	struct unwind_walk *uw;
	struct bpf_dynptr to;
	__u64 end, nbytes;

	if (s == NULL)
		return 0;
	uw = &s->scr_walk;
	end = unwind_stack_end(uw->uw_regs[UNWIND_AT_SP]);
	nbytes = unwind_window_of(end + UNWIND_COPY_WINDOW - 1) -
	    unwind_window_of(uw->uw_regs[UNWIND_AT_SP] - UNWIND_COPY_BELOW);
	if (nbytes > UNWIND_COPY_STACK)
		nbytes = UNWIND_COPY_STACK;
	if (bpf_ringbuf_reserve_dynptr(&unwind_copies, sizeof(*ucp) + nbytes, 0,
		&to) != 0 ||
	    (ucp = bpf_dynptr_data(&to, 0, sizeof(*ucp))) == NULL) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		unwind_copy_lost();
		return 0;
	}
	uw->uw_copy = UNWIND_COPY_NUMBER(cpu & (UNWIND_COPY_CPUS - 1),
	    uw->uw_ncopies++);
	ucp->ucp_slot = slot & (DT_MAXSESS - 1);
	ucp->ucp_gen = dt_table.t_sess[slot & (DT_MAXSESS - 1)].ses_gen;
	ucp->ucp_time = now;
	if (unwind_copy_fill(&to, ucp, uw, end) != 0) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		return 0;
	}
	bpf_ringbuf_submit_dynptr(&to, 0);
	return 1;
}

#endif /* BPF_UNWIND_COPY_BPF_H */
