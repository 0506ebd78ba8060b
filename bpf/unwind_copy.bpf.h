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

/* Windows to be copied, and return addresses to be restored in the copy. */
struct unwind_windows {
	struct bpf_dynptr *uwi_to;
	struct unwind_walk *uwi_walk;
};

static __always_inline void
unwind_copy_lost(void)
{
	__u32 row = UNWIND_COUNT_LOST;

	unwind_count(&row);
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
unwind_readable_end(__u64 sp, __u64 end)
{
	struct unwind_extent uex;

	uex.uex_page = uex.uex_until = (sp | 4095) + 1;
	uex.uex_end = end;
	bpf_loop(UNWIND_COPY_STACK / 4096, unwind_page_read, &uex, 0);
	return uex.uex_until < end ? uex.uex_until : end;
}

/* Finds the part of a stack to copy, of at most some bytes and two windows. */
static __always_inline void
unwind_part_find(struct unwind_part *upt, struct task_struct *task, __u64 sp,
    __u64 most)
{
	__u64 end, nbytes = most;

	unwind_stack_limit(&nbytes, sp, task->mm->start_stack);
	unwind_stack_limit(&nbytes, sp, unwind_thread(task));
	if (unwind_isalternate(task, sp))
		unwind_stack_limit(&nbytes, sp,
		    task->sas_ss_sp + task->sas_ss_size);
	end = unwind_readable_end(sp, sp + nbytes);
	upt->upt_from = unwind_window_of(sp - UNWIND_COPY_BELOW);
	upt->upt_until = unwind_window_of(end + UNWIND_COPY_WINDOW - 1);
	upt->upt_holes = 0;
	upt->upt_iscut = end == sp + most;
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
unwind_interrupted(struct unwind_walk *uw, const struct task_struct *task)
{
	struct unwind_search uws;

	uws.uws_walk = uw;
	uw->uw_pair[0] = task->sas_ss_sp;
	uw->uw_pair[1] = task->sas_ss_size;
	uws.uws_at = ((uw->uw_pair[0] + uw->uw_pair[1]) & ~7ULL) - 16;
	uws.uws_sp = 0;
	uw->uw_base = UNWIND_NOWINDOW;
	bpf_loop(UNWIND_FRAME_MOST / 8, unwind_frame_search, &uws, 0);
	return uws.uws_sp;
}

/*
 * Finds the parts of a thread's stacks to copy, after a walk, which has read the
 * registers.  Returns their bytes.
 */
__noinline int
unwind_parts_find(struct unwind_walk *uw)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp, most = UNWIND_COPY_STACK;
	struct unwind_part *upt;

	if (uw == NULL)
		return 0;
	upt = uw->uw_parts;
	sp = uw->uw_regs[UNWIND_AT_SP];
	if (bpf_ringbuf_query(&unwind_copies, BPF_RB_AVAIL_DATA) >
	    bpf_ringbuf_query(&unwind_copies, BPF_RB_RING_SIZE) / 4)
		most = UNWIND_COPY_SPARING;
	upt[1].upt_from = upt[1].upt_until = upt[1].upt_holes = 0;
	upt[1].upt_iscut = 0;
	if (!unwind_isalternate(task, sp)) {
		unwind_part_find(&upt[0], task, sp,
		    most - 2 * UNWIND_COPY_WINDOW);
		return upt[0].upt_until - upt[0].upt_from;
	}
	most = most / 2 - 2 * UNWIND_COPY_WINDOW;
	unwind_part_find(&upt[0], task, sp, most);
	sp = unwind_interrupted(uw, task);
	if (sp != 0)
		unwind_part_find(&upt[1], task, sp, most);
	return upt[0].upt_until - upt[0].upt_from + upt[1].upt_until -
	    upt[1].upt_from;
}

/* Copies a window of the parts; not 0: there is none. */
static long
unwind_window_copy(__u32 i, void *arg)
{
	struct unwind_windows *uwi = arg;
	struct unwind_part *upt = uwi->uwi_walk->uw_parts;
	__u64 off = i * UNWIND_COPY_WINDOW;
	void *p;

	p = bpf_dynptr_data(uwi->uwi_to, sizeof(struct unwind_copy) + off,
	    UNWIND_COPY_WINDOW);
	if (p == NULL)
		return 1;
	if (off >= upt->upt_until - upt->upt_from) {
		off -= upt->upt_until - upt->upt_from;
		upt++;
	}
	if (bpf_probe_read_user(p, UNWIND_COPY_WINDOW,
		(void *)(upt->upt_from + off)) != 0)
		upt->upt_holes |= 1U << (off / UNWIND_COPY_WINDOW & 31);
	return 0;
}

/* Returns the offset of a word of the stack in the copy, or -1. */
static __always_inline __u64
unwind_copy_offset(const struct unwind_part *upt, __u64 addr)
{
	__u64 off = addr - upt->upt_from,
	      first = upt->upt_until - upt->upt_from;

	if (off < first)
		return off;
	upt++;
	off = addr - upt->upt_from;
	return off < upt->upt_until - upt->upt_from ? first + off : ~0ULL;
}

/*
 * Restores the return address of a call whose return is probed, where it is on
 * the stack; not 0: there is no other.
 */
static long
unwind_pending_copy(__u32 i, void *arg)
{
	struct unwind_windows *uwi = arg;
	struct unwind_walk *uw = uwi->uwi_walk;
	struct return_instance *ri = (struct return_instance *)uw->uw_pending;
	__u64 ra = 0, off, *p;

	(void)i;
	if (ri == NULL)
		return 1;
	off = unwind_copy_offset(uw->uw_parts, uw->uw_pendingstack);
	bpf_core_read(&ra, sizeof(ra), &ri->orig_ret_vaddr);
	bpf_core_read(&uw->uw_pending, sizeof(uw->uw_pending), &ri->next);
	unwind_pending_set(uw, uw->uw_pending);
	if (off > UNWIND_COPY_STACK)
		return 0;
	p = bpf_dynptr_data(uwi->uwi_to, sizeof(struct unwind_copy) + off,
	    sizeof(*p));
	if (p != NULL && unwind_pending_is(uw, *p))
		*p = ra;
	return 0;
}

/* Returns whether a part has nothing but holes. */
static __always_inline int
unwind_part_isempty(const struct unwind_part *upt)
{
	__u32 n = (upt->upt_until - upt->upt_from) / UNWIND_COPY_WINDOW;

	return upt->upt_holes == (1ULL << (n & 63)) - 1;
}

/* Fills in all but the stack and its parts. */
static __always_inline void
unwind_copy_head(struct unwind_copy *ucp, struct unwind_walk *uw, __u32 slot,
    __u32 cpu)
{
	uw->uw_copy = UNWIND_COPY_NUMBER(cpu & (UNWIND_COPY_CPUS - 1),
	    uw->uw_ncopies++);
	ucp->ucp_number = uw->uw_copy;
	ucp->ucp_slot = slot & (DT_MAXSESS - 1);
	ucp->ucp_gen = dt_table.t_sess[slot & (DT_MAXSESS - 1)].ses_gen;
	ucp->ucp_pid = uw->uw_miss.ms_pid;
	ucp->ucp_uid = bpf_get_current_uid_gid();
	ucp->ucp_exec = uw->uw_miss.ms_exec;
	ucp->ucp_time = uw->uw_miss.ms_time;
	ucp->ucp_start = uw->uw_miss.ms_start;
	bpf_probe_read_kernel(ucp->ucp_regs, sizeof(ucp->ucp_regs),
	    uw->uw_regs);
}

/*
 * Copies the parts of stacks that were found.  The red zone may have no memory,
 * nor the newest pages of the stack, whose words the walk does not need then.
 */
__noinline int
unwind_parts_copy(struct unwind_walk *uw, __u32 slot, __u32 cpu, __u32 nbytes)
{
	struct unwind_windows uwi;
	struct unwind_copy *ucp;
	struct bpf_dynptr to;

	if (uw == NULL)
		return 0;
	if (bpf_ringbuf_reserve_dynptr(&unwind_copies, sizeof(*ucp) + nbytes, 0,
		&to) != 0 ||
	    (ucp = bpf_dynptr_data(&to, 0, sizeof(*ucp))) == NULL) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		unwind_copy_lost();
		return 0;
	}
	unwind_copy_head(ucp, uw, slot, cpu);
	uwi.uwi_to = &to;
	uwi.uwi_walk = uw;
	bpf_loop(UNWIND_COPY_WINDOWS, unwind_window_copy, &uwi, 0);
#if defined(__TARGET_ARCH_x86) /* elsewhere, functions save the register */
	unwind_pending_set(uw, unwind_pending_first(uw));
	if (uw->uw_pending != 0)
		bpf_loop(UNWIND_PENDING_MOST, unwind_pending_copy, &uwi, 0);
#endif
	if (unwind_part_isempty(uw->uw_parts)) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		return 0;
	}
	ucp->ucp_parts[0] = uw->uw_parts[0];
	ucp->ucp_parts[1] = uw->uw_parts[1];
	bpf_ringbuf_submit_dynptr(&to, 0);
	return 1;
}

/*
 * Makes a copy for a session after a walk.  Returns whether there is one; its
 * number is uw_copy.  The functions follow each other, since functions that call
 * each other share 512 bytes, in units of 32 before Linux 6.9.
 */
static __always_inline int
dt_copy(struct unwind_walk *uw, __u32 slot, __u32 cpu)
{
	int nbytes = unwind_parts_find(uw);

	return nbytes != 0 && unwind_parts_copy(uw, slot, cpu, nbytes);
}

#endif /* BPF_UNWIND_COPY_BPF_H */
