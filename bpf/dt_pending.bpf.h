/* SPDX-License-Identifier: ISC */
/*
 * Restores return addresses of calls whose return is probed, in a user stack
 * that the kernel has found by frame pointers.
 *
 * Before Linux 6.11, such a stack has the address of the kernel's own code in
 * their place.  Later kernels replace the n-th of these by the address of the
 * n-th pending call, which is wrong if a pending call has no frame pointer, or
 * has ended with a jump to another function.  Here, the place of each return
 * address on the stack is compared with those that the kernel has replaced.
 *
 * x86-64 only: on arm64, a frame pointer does not determine this place.
 */
#ifndef BPF_DT_PENDING_BPF_H
#define BPF_DT_PENDING_BPF_H

#include "bpf/unwind.bpf.h"

#if defined(__TARGET_ARCH_x86)

#define PENDING_PUSH  0x55	 /* push %rbp */
#define PENDING_ENDBR 0xfa1e0ff3 /* endbr64 */

/* Context of the callback of bpf_loop(). */
struct pending_loop {
	struct dt_scratch *pnl_scratch;
};

static __always_inline void
pending_set(struct dt_pending_walk *pnw, __u64 ri)
{
	pnw->pnw_ri = ri;
	if (ri != 0)
		bpf_core_read(&pnw->pnw_stack, sizeof(__u64),
		    &((struct return_instance *)ri)->stack);
}

/* Goes to the caller of a frame; not 0: it is unknown. */
static __always_inline long
pending_caller(struct dt_pending_walk *pnw)
{
	__u64 fp = 0;

	pnw->pnw_at += 8;
	if (pnw->pnw_slot == pnw->pnw_fp + 8 &&
	    bpf_probe_read_user(&fp, sizeof(fp), (void *)pnw->pnw_fp) == 0)
		pnw->pnw_fp = fp;
	else if (pnw->pnw_slot == pnw->pnw_fp + 8)
		return 1;
	pnw->pnw_slot = pnw->pnw_fp + 8;
	return 0;
}

/* Goes to the next call or the next frame, whichever is next on the stack. */
static long
pending_step(__u32 i, void *arg)
{
	struct pending_loop *pnl = arg;
	struct dt_pending_walk *pnw = &pnl->pnl_scratch->scr_pending;
	struct return_instance *ri = (struct return_instance *)pnw->pnw_ri;
	__u64 next = 0;

	(void)i;
	if (ri == NULL || pnw->pnw_at >= pnw->pnw_end)
		return 1;
	if (pnw->pnw_stack > pnw->pnw_slot)
		return pending_caller(pnw);
	if (pnw->pnw_stack == pnw->pnw_slot)
		bpf_core_read(pnl->pnl_scratch->scr_buf + (pnw->pnw_at & 0xff8),
		    sizeof(__u64), &ri->orig_ret_vaddr);
	bpf_core_read(&next, sizeof(next), &ri->next);
	pending_set(pnw, next);
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

/* Restores the return addresses of frames from off to end of the record. */
static __noinline int
pending_restore(struct dt_scratch *s, __u32 off, __u32 end, __u64 ri)
{
	__u64 regs = bpf_task_pt_regs(bpf_get_current_task_btf());
	struct pending_loop pnl = { .pnl_scratch = s };
	struct dt_pending_walk *pnw;

	if (s == NULL)
		return 0; /* unreachable */
	pnw = &s->scr_pending;
	pnw->pnw_at = off + 8;
	pnw->pnw_end = end;
	if (bpf_probe_read_kernel(&pnw->pnw_fp, 8,
		(void *)(regs + 8 * UNWIND_AT_FP)) != 0 ||
	    bpf_probe_read_kernel(&pnw->pnw_slot, 8,
		(void *)(regs + 8 * UNWIND_AT_SP)) != 0)
		return 0;
	if (!pending_isentry())
		pnw->pnw_slot = pnw->pnw_fp + 8;
	pending_set(pnw, ri);
	bpf_loop(DT_REC_MAXFRAMES + UNWIND_PENDING_MOST, pending_step, &pnl, 0);
	return 0;
}

#endif

/*
 * Restores return addresses in the section of a user stack at off, which ends at
 * end.
 */
static __always_inline void
dt_pending(struct dt_scratch *s, __u32 off, __u32 end)
{
#if defined(__TARGET_ARCH_x86)
	__u64 ri = unwind_pending_first();

	if (ri != 0)
		pending_restore(s, off + sizeof(struct dt_rec_stack), end, ri);
#endif
}

#endif /* BPF_DT_PENDING_BPF_H */
