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

/*
 * Copies the stack from an address on; not 0: its first window cannot be read.
 * The length of that window varies, so the verifier is satisfied by the space of
 * the next one.
 */
static __always_inline int
unwind_copy_from(struct unwind_copy *ucp, __u64 from)
{
	__u32 lead = from & (UNWIND_COPY_WINDOW - 1), i;
	__u64 window = from - lead;

	barrier_var(lead);
	lead &= UNWIND_COPY_WINDOW - 1;
	if (bpf_probe_read_user(ucp->ucp_stack + lead,
		UNWIND_COPY_WINDOW - lead, (void *)from) != 0)
		return -1;
	ucp->ucp_from = from;
#pragma unroll
	for (i = UNWIND_COPY_WINDOW; i < UNWIND_COPY_STACK;
	     i += UNWIND_COPY_WINDOW)
		if (bpf_probe_read_user(ucp->ucp_stack + i, UNWIND_COPY_WINDOW,
			(void *)(window + i)) != 0)
			break;
	ucp->ucp_until = window + i;
	return 0;
}

/*
 * Copies the stack.  The red zone may have no memory, nor the newest pages of
 * the stack, whose words the walk does not need then.
 */
static __always_inline int
unwind_copy_stack(struct unwind_copy *ucp, __u64 sp)
{
	__u64 next = (sp | (UNWIND_COPY_WINDOW - 1)) + 1;

	if (unwind_copy_from(ucp, sp - UNWIND_COPY_BELOW) == 0 ||
	    unwind_copy_from(ucp, sp) == 0)
		return 0;
	return unwind_copy_from(ucp, next);
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

	if (s == NULL)
		return 0;
	uw = &s->scr_walk;
	ucp = bpf_ringbuf_reserve(&unwind_copies, sizeof(*ucp), 0);
	if (ucp == NULL) {
		unwind_copy_lost();
		return 0;
	}
	uw->uw_copy = UNWIND_COPY_NUMBER(cpu & (UNWIND_COPY_CPUS - 1),
	    uw->uw_ncopies++);
	ucp->ucp_number = uw->uw_copy;
	ucp->ucp_slot = slot & (DT_MAXSESS - 1);
	ucp->ucp_gen = dt_table.t_sess[slot & (DT_MAXSESS - 1)].ses_gen;
	ucp->ucp_pid = uw->uw_miss.ms_pid;
	ucp->ucp_uid = bpf_get_current_uid_gid();
	ucp->ucp_exec = uw->uw_miss.ms_exec;
	ucp->ucp_time = now;
	ucp->ucp_start = uw->uw_miss.ms_start;
	if (bpf_probe_read_kernel(ucp->ucp_regs, sizeof(ucp->ucp_regs),
		uw->uw_regs) != 0 ||
	    unwind_copy_stack(ucp, uw->uw_regs[UNWIND_AT_SP]) != 0) {
		bpf_ringbuf_discard(ucp, 0);
		return 0;
	}
	bpf_ringbuf_submit(ucp, 0);
	return 1;
}

#endif /* BPF_UNWIND_COPY_BPF_H */
