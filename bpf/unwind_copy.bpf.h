/* SPDX-License-Identifier: ISC */
/*
 * Copies the registers and a part of the user stack of the current thread, whose
 * stack could not be walked, for dtd (struct unwind_copy).
 */
#ifndef BPF_UNWIND_COPY_BPF_H
#define BPF_UNWIND_COPY_BPF_H

#include "bpf/dt_maps.bpf.h"
#include "bpf/unwind.bpf.h"

/* Bytes of a signal frame, of which AMX takes 8 KiB. */
#define UNWIND_FRAME_MOST 12288
#define UNWIND_HOLE_MOST  32768 /* bytes of pages that a stack does not have */

/* A search for the last page of a stack. */
struct unwind_extent {
	__u64 uex_page;	 /* the next one */
	__u64 uex_end;	 /* of the stack */
	__u64 uex_until; /* the last page that can be read ends here */
};

/* A search for the frame of a signal on an alternate stack. */
struct unwind_search {
	struct unwind_walk *uws_walk;
	__u64 uws_at; /* address of the window */
	__u64 uws_sp; /* the stack pointer that the frame has */
};

/* Windows to be copied. */
struct unwind_windows {
	struct bpf_dynptr *uwi_to;
	__u32 uwi_off;	  /* of the next one */
	__u32 uwi_holes;  /* bits of those that cannot be read */
	__u64 uwi_window; /* address of the next one */
	__u64 uwi_end;
};

/* Contexts of the loops, in the same place: the stack of programs is small. */
union unwind_loops {
	struct unwind_extent ulo_extent;
	struct unwind_search ulo_search;
	struct unwind_windows ulo_windows;
};

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

/* Returns whether a stack pointer is in the alternate stack of signals. */
static __always_inline int
unwind_isalternate(const struct task_struct *task, __u64 sp)
{
	return sp - task->sas_ss_sp < task->sas_ss_size;
}

/* Limits the bytes of a stack to those below an address. */
static __always_inline void
unwind_stack_limit(__u64 *nbytes, __u64 sp, __u64 end)
{
	if (end - sp < *nbytes)
		*nbytes = end - sp;
}

/* Reads a word of a page; not 0: it is the last one. */
static long
unwind_page_read(__u32 i, void *arg)
{
	struct unwind_extent *uex = arg;
	__u64 word, page = uex->uex_page;

	(void)i;
	if (page >= uex->uex_end)
		return 1;
	uex->uex_page = page + 4096;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)page) == 0)
		uex->uex_until = page + 4096;
	return uex->uex_page - uex->uex_until > UNWIND_HOLE_MOST;
}

/*
 * Returns where the last page above an address ends that can be read, or the
 * end.  A program may have used only a part of a large array, so pages may be
 * missing in between.
 */
static __always_inline __u64
unwind_readable_end(union unwind_loops *ulo, __u64 sp, __u64 end)
{
	struct unwind_extent *uex = &ulo->ulo_extent;

	uex->uex_page = uex->uex_until = (sp | 4095) + 1;
	uex->uex_end = end;
	bpf_loop(UNWIND_COPY_STACK / 4096, unwind_page_read, uex, 0);
	return uex->uex_until < end ? uex->uex_until : end;
}

/* Finds where a stack ends, at most as many bytes above the stack pointer. */
static __always_inline void
unwind_stack_find(union unwind_loops *ulo, struct unwind_stack *ste,
    struct task_struct *task, __u64 sp, __u64 most)
{
	__u64 nbytes = most;

	unwind_stack_limit(&nbytes, sp, BPF_CORE_READ(task, mm, start_stack));
	unwind_stack_limit(&nbytes, sp, unwind_thread(task));
	if (unwind_isalternate(task, sp))
		unwind_stack_limit(&nbytes, sp,
		    task->sas_ss_sp + task->sas_ss_size);
	ste->ste_sp = sp;
	ste->ste_end = unwind_readable_end(ulo, sp, sp + nbytes);
	ste->ste_iscut = ste->ste_end == sp + most;
}

/* Returns the bytes of windows that a stack needs. */
static __always_inline __u32
unwind_stack_nbytes(const struct unwind_stack *ste)
{
	if (ste->ste_sp == 0)
		return 0;
	return unwind_window_of(ste->ste_end + UNWIND_COPY_WINDOW - 1) -
	    unwind_window_of(ste->ste_sp - UNWIND_COPY_BELOW);
}

/* Words of a window at which the address and size may begin. */
#define UNWIND_STARTS (UNWIND_WINDOW / 8 - 2)

/* Compares the words of a window; not 0: the search is over. */
static long
unwind_frame_search(__u32 n, void *arg)
{
	struct unwind_search *uws = arg;
	const __u64 *alt = uws->uws_walk->uw_pair;
	const __u8 *window = uws->uws_walk->uw_window;
	__u32 i = n % UNWIND_STARTS * 8;

	if (i == 0) {
		uws->uws_at -= UNWIND_STARTS * 8;
		if (bpf_probe_read_user(uws->uws_walk->uw_window, UNWIND_WINDOW,
			(void *)uws->uws_at) != 0)
			return 1;
	}
	barrier_var(i);
	if (i > UNWIND_WINDOW - 24 || UNWIND_LOAD(window + i) != alt[0] ||
	    UNWIND_LOAD(window + i + 16) != alt[1])
		return 0;
	(void)bpf_probe_read_user(&uws->uws_sp, sizeof(uws->uws_sp),
	    (void *)(uws->uws_at + i + UNWIND_UC_SP));
	return 1;
}

/*
 * Returns the stack pointer of the code that the first signal on the alternate
 * stack interrupted; 0: it was not found.  The frame of that signal is at the top
 * of the stack, below the registers of the FPU, and has the stack's address and
 * size.
 */
static __always_inline __u64
unwind_interrupted(union unwind_loops *ulo, struct unwind_walk *uw,
    const struct task_struct *task)
{
	struct unwind_search *uws = &ulo->ulo_search;

	uws->uws_walk = uw;
	uw->uw_pair[0] = task->sas_ss_sp;
	uw->uw_pair[1] = task->sas_ss_size;
	uws->uws_at = ((uw->uw_pair[0] + uw->uw_pair[1]) & ~7ULL) - 16;
	uws->uws_sp = 0;
	uw->uw_base = UNWIND_NOWINDOW;
	bpf_loop(UNWIND_FRAME_MOST / 8, unwind_frame_search, uws, 0);
	return uws->uws_sp;
}

/* Copies a window; not 0: there is none. */
static long
unwind_window_copy(__u32 i, void *arg)
{
	struct unwind_windows *uwi = arg;
	__u64 window = uwi->uwi_window;
	void *p;

	if (window >= uwi->uwi_end)
		return 1;
	p = bpf_dynptr_data(uwi->uwi_to, uwi->uwi_off, UNWIND_COPY_WINDOW);
	if (p == NULL)
		return 1;
	if (bpf_probe_read_user(p, UNWIND_COPY_WINDOW, (void *)window) != 0)
		uwi->uwi_holes |= 1U << (i & 31);
	uwi->uwi_off += UNWIND_COPY_WINDOW;
	uwi->uwi_window = window + UNWIND_COPY_WINDOW;
	return 0;
}

/* Copies windows after some bytes; not 0: the first cannot be read. */
static __always_inline int
unwind_copy_from(union unwind_loops *ulo, struct bpf_dynptr *to, __u32 off,
    struct unwind_part *upt, __u64 from, __u64 end)
{
	struct unwind_windows *uwi = &ulo->ulo_windows;

	uwi->uwi_to = to;
	uwi->uwi_off = sizeof(struct unwind_copy) + off;
	uwi->uwi_holes = 0;
	uwi->uwi_window = from;
	uwi->uwi_end = end;
	bpf_loop(UNWIND_COPY_WINDOWS, unwind_window_copy, uwi, 0);
	upt->upt_from = from;
	upt->upt_until = uwi->uwi_window;
	upt->upt_holes = uwi->uwi_holes;
	return uwi->uwi_window == from || (uwi->uwi_holes & 1);
}

/*
 * Copies a stack.  The red zone may have no memory, nor the newest pages of
 * the stack, whose words the walk does not need then.
 */
static __always_inline int
unwind_copy_stack(union unwind_loops *ulo, struct bpf_dynptr *to, __u32 off,
    struct unwind_part *upt, const struct unwind_stack *ste)
{
	return unwind_copy_from(ulo, to, off, upt,
		   unwind_window_of(ste->ste_sp - UNWIND_COPY_BELOW),
		   ste->ste_end) != 0 &&
	    unwind_copy_from(ulo, to, off, upt, unwind_window_of(ste->ste_sp),
		ste->ste_end) != 0 &&
	    unwind_copy_from(ulo, to, off, upt, (ste->ste_sp | 4095) + 1,
		ste->ste_end) != 0;
}

/* Fills in a copy; not 0: it has no stack. */
static __always_inline int
unwind_copy_fill(union unwind_loops *ulo, struct bpf_dynptr *to,
    struct unwind_copy *ucp, const struct unwind_walk *uw)
{
	const struct unwind_stack *ste = uw->uw_stacks;
	struct unwind_part *upt = ucp->ucp_parts;

	ucp->ucp_number = uw->uw_copy;
	ucp->ucp_pid = uw->uw_miss.ms_pid;
	ucp->ucp_uid = bpf_get_current_uid_gid();
	ucp->ucp_exec = uw->uw_miss.ms_exec;
	ucp->ucp_time = uw->uw_miss.ms_time;
	ucp->ucp_start = uw->uw_miss.ms_start;
	upt[0].upt_iscut = ste[0].ste_iscut;
	upt[1].upt_iscut = ste[1].ste_iscut;
	upt[1].upt_from = upt[1].upt_until = upt[1].upt_holes = 0;
	if (bpf_probe_read_kernel(ucp->ucp_regs, sizeof(ucp->ucp_regs),
		uw->uw_regs) != 0 ||
	    unwind_copy_stack(ulo, to, 0, &upt[0], &ste[0]) != 0)
		return -1;
	if (ste[1].ste_sp != 0)
		(void)unwind_copy_stack(ulo, to,
		    upt[0].upt_until - upt[0].upt_from, &upt[1], &ste[1]);
	return 0;
}

/* Finds the stacks of a thread. */
static __always_inline void
unwind_stacks_find(union unwind_loops *ulo, struct unwind_walk *uw)
{
	struct unwind_stack *ste = uw->uw_stacks;
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = uw->uw_regs[UNWIND_AT_SP], most = UNWIND_COPY_STACK;
	int isalt = unwind_isalternate(task, sp);

	if (bpf_ringbuf_query(&unwind_copies, BPF_RB_AVAIL_DATA) >
	    bpf_ringbuf_query(&unwind_copies, BPF_RB_RING_SIZE) / 4)
		most = UNWIND_COPY_SPARING;
	most >>= isalt;
	most -= 2 * UNWIND_COPY_WINDOW; /* of which a part is used */
	unwind_stack_find(ulo, &ste[0], task, sp, most);
	ste[1].ste_sp = ste[1].ste_iscut = 0;
	if (isalt && (sp = unwind_interrupted(ulo, uw, task)) != 0)
		unwind_stack_find(ulo, &ste[1], task, sp, most);
}

/*
 * Makes a copy for a session after a walk, which has read the registers.
 * Returns whether there is one; its number is uw_copy.
 */
__noinline int
dt_copy(struct dt_scratch *s, __u32 slot, __u32 cpu)
{
	union unwind_loops ulo;
	struct unwind_copy *ucp;
	struct unwind_walk *uw;
	struct bpf_dynptr to;

	if (s == NULL)
		return 0;
	uw = &s->scr_walk;
	unwind_stacks_find(&ulo, uw);
	if (bpf_ringbuf_reserve_dynptr(&unwind_copies,
		sizeof(*ucp) + unwind_stack_nbytes(&uw->uw_stacks[0]) +
		    unwind_stack_nbytes(&uw->uw_stacks[1]),
		0, &to) != 0 ||
	    (ucp = bpf_dynptr_data(&to, 0, sizeof(*ucp))) == NULL) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		unwind_copy_lost();
		return 0;
	}
	uw->uw_copy = UNWIND_COPY_NUMBER(cpu & (UNWIND_COPY_CPUS - 1),
	    uw->uw_ncopies++);
	ucp->ucp_slot = slot & (DT_MAXSESS - 1);
	ucp->ucp_gen = dt_table.t_sess[slot & (DT_MAXSESS - 1)].ses_gen;
	if (unwind_copy_fill(&ulo, &to, ucp, uw) != 0) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		return 0;
	}
	bpf_ringbuf_submit_dynptr(&to, 0);
	return 1;
}

#endif /* BPF_UNWIND_COPY_BPF_H */
