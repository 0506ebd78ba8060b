/* SPDX-License-Identifier: ISC */
/*
 * Restores return addresses of calls whose return is probed, in a user stack
 * that the kernel has found by frame pointers.
 *
 * Before Linux 6.11, such a stack has the address of the kernel's own code in
 * their place.  Later kernels replace the n-th of these by the address of the
 * n-th pending call, which is wrong if a pending call has no frame pointer, or
 * has ended with a jump to another function.  Here, the place of each return
 * address on the stack is compared with those that the kernel has replaced.  The
 * walk's memory is free: no walk by tables is in progress.
 *
 * x86-64 only: on arm64, a frame pointer does not determine this place.
 */
#ifndef BPF_DT_PENDING_BPF_H
#define BPF_DT_PENDING_BPF_H

#include "bpf/unwind.bpf.h"

#if defined(__TARGET_ARCH_x86)

#define PENDING_PUSH  0x55	 /* push %rbp */
#define PENDING_ENDBR 0xfa1e0ff3 /* endbr64 */

/*
 * Goes to the caller of a frame; not 0: it is unknown.  uw_count: index of a
 * return address in the section, uw_sp: where it is on the user's stack.
 */
static __always_inline long
pending_caller(struct unwind_walk *uw)
{
	__u64 fp = 0;

	if (uw->uw_sp == uw->uw_fp + 8) {
		if (bpf_probe_read_user(&fp, 8, (void *)uw->uw_fp) != 0)
			return 1;
		uw->uw_fp = fp;
	}
	uw->uw_sp = uw->uw_fp + 8;
	uw->uw_count++;
	return 0;
}

/* Goes to the next call or the next frame, whichever is next on the stack. */
static long
pending_step(__u32 i, void *arg)
{
	struct unwind_loop *ul = arg;
	struct unwind_walk *uw = &ul->ul_scratch->scr_walk;
	__u8 *section = ul->ul_scratch->scr_buf + (uw->uw_sect & 0x7f8);
	struct return_instance *ri = (struct return_instance *)uw->uw_pending;
	__u64 next = 0;

	(void)i;
	if (ri == NULL ||
	    uw->uw_count >= ((struct dt_rec_stack *)section)->drs_count)
		return 1;
	if (uw->uw_pendingstack > uw->uw_sp)
		return pending_caller(uw);
	if (uw->uw_pendingstack == uw->uw_sp &&
	    bpf_probe_read_user(&next, 8, (void *)uw->uw_sp) == 0 &&
	    unwind_pending_is(uw, next))
		bpf_core_read(section + sizeof(struct dt_rec_stack) +
			(uw->uw_count & 0x7f) * 8,
		    sizeof(__u64), &ri->orig_ret_vaddr);
	bpf_core_read(&next, sizeof(next), &ri->next);
	unwind_pending_set(uw, next);
	return 0;
}

/*
 * Returns whether the kernel has added the caller of a function, at whose entry
 * the stack has no frame of it, as Linux 6.11 does.
 */
static __always_inline int
pending_isentry(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uprobe_task___hit *utask = NULL;
	__u64 auprobe = 0;
	__u32 insn = 0;

	bpf_core_read(&utask, sizeof(utask), &task->utask);
	if (!bpf_core_field_exists(utask->auprobe))
		return 0;
	bpf_core_read(&auprobe, sizeof(auprobe), &utask->auprobe);
	/* the instruction is its first field */
	if (auprobe == 0 ||
	    bpf_probe_read_kernel(&insn, sizeof(insn), (void *)auprobe) != 0)
		return 0;
	return (insn & 0xff) == PENDING_PUSH || insn == PENDING_ENDBR;
}

static __noinline int
pending_restore(struct dt_scratch *s, __u32 off, __u64 ri)
{
	struct unwind_loop ul = { .ul_scratch = s };
	struct unwind_walk *uw;

	if (s == NULL)
		return 0; /* unreachable */
	uw = &s->scr_walk;
	if (!unwind_regs_read(uw))
		return 0;
	uw->uw_sect = off;
	uw->uw_count = 1; /* the first address is not a return address */
	uw->uw_fp = uw->uw_regs[UNWIND_AT_FP];
	uw->uw_sp = pending_isentry() ? uw->uw_regs[UNWIND_AT_SP]
				      : uw->uw_fp + 8;
	unwind_pending_set(uw, ri);
	bpf_loop(DT_REC_MAXFRAMES + UNWIND_PENDING_MOST, pending_step, &ul, 0);
	return 0;
}

#endif

/* Restores return addresses in the section of a user stack at off. */
static __always_inline void
dt_pending(struct dt_scratch *s, __u32 off)
{
#if defined(__TARGET_ARCH_x86)
	__u64 ri = unwind_pending_first(&s->scr_walk);

	if (ri != 0)
		pending_restore(s, off, ri);
#endif
}

#endif /* BPF_DT_PENDING_BPF_H */
