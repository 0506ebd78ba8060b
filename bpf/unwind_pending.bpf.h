/* SPDX-License-Identifier: ISC */
/*
 * Calls of the current thread whose return is probed.  The kernel has replaced
 * their return addresses on the stack by its own code, in which no table and no
 * symbol is; it keeps the original ones in a list, the innermost call first.
 * Several probes of a call have an element each.  Elements of calls that
 * longjmp(3) has left may remain, and their places on the stack have other
 * contents by now: only a word that is the kernel's code is replaced.
 */
#ifndef BPF_UNWIND_PENDING_BPF_H
#define BPF_UNWIND_PENDING_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "bpf/unwind_shared.h"

#define UNWIND_PENDING_STEP 4  /* elements that a frame passes */
#define UNWIND_PENDING_MOST 64 /* the kernel's MAX_URETPROBE_DEPTH */

/* Makes an element of the list the next one. */
static __always_inline void
unwind_pending_set(struct unwind_walk *uw, __u64 ri)
{
	uw->uw_pending = ri;
	if (ri != 0)
		bpf_core_read(&uw->uw_pendingstack, sizeof(__u64),
		    &((struct return_instance *)ri)->stack);
}

/*
 * Finds the kernel's code in the current process.  A failed read stores 0, so
 * one word of the walk serves all of them.
 */
static __always_inline void
unwind_pending_code(struct unwind_walk *uw)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *p = &uw->uw_pendingcode;

	*p = 0;
	if (!bpf_core_field_exists(struct mm_struct, uprobes_state.xol_area))
		return;
	bpf_core_read(p, sizeof(*p), &task->mm);
	bpf_core_read(p, sizeof(*p),
	    &((struct mm_struct *)*p)->uprobes_state.xol_area);
	bpf_core_read(p, sizeof(*p), &((struct xol_area *)*p)->vaddr);
}

static __always_inline int
unwind_pending_is(const struct unwind_walk *uw, __u64 word)
{
	return uw->uw_pendingcode == 0 ||
	    word == UNWIND_CODE(uw->uw_pendingcode);
}

/* Returns the first element of the current thread's list, or 0. */
static __always_inline __u64
unwind_pending_first(struct unwind_walk *uw)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 utask = 0, ri = 0;

	if (!bpf_core_field_exists(task->utask))
		return 0;
	bpf_core_read(&utask, sizeof(utask), &task->utask);
	if (utask != 0)
		bpf_core_read(&ri, sizeof(ri),
		    &((struct uprobe_task *)utask)->return_instances);
	if (ri != 0)
		unwind_pending_code(uw);
	return ri;
}

/*
 * After a step to the caller: replaces its address by the original one, if the
 * return of the call is probed.
 */
static __always_inline void
unwind_pending_apply(struct unwind_walk *uw)
{
	__u64 at = UNWIND_ENTRY_SP(uw->uw_sp), ra, next;
	struct return_instance *ri;
	int i;

	if (uw->uw_bits & UNWIND_EXACT)
		return; /* interrupted by a signal */
#pragma unroll
	for (i = 0; i < UNWIND_PENDING_STEP; i++) {
		ri = (struct return_instance *)uw->uw_pending;
		if (ri == NULL || uw->uw_pendingstack > at)
			return;
		ra = next = 0;
		bpf_core_read(&ra, sizeof(ra), &ri->orig_ret_vaddr);
		bpf_core_read(&next, sizeof(next), &ri->next);
		if (uw->uw_pendingstack == at &&
		    unwind_pending_is(uw, uw->uw_pc))
			uw->uw_pc = UNWIND_CODE(ra);
		unwind_pending_set(uw, next);
	}
}

#endif /* BPF_UNWIND_PENDING_BPF_H */
