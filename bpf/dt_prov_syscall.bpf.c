/* SPDX-License-Identifier: ISC */
/*
 * The providers syscall and syscall32: two tp_btf programs, at the entry and
 * the return of every system call, shared by all sessions.  A mask per call
 * has the sessions that want it, so other calls cost one load.  Calls of
 * 32-bit programs have separate rows.
 *
 * The two are short, because a verifier takes twice as long for the whole: they
 * count, and emit records of fixed size.  Hits of sessions with other records
 * continue in the long programs.  Two more programs serve the sessions whose
 * user stacks are unwound by tables.
 */
#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_tracing.h>

#include "bpf/dt_deliver.bpf.h"
#include "bpf/dt_emit_scratch.bpf.h"
#include "bpf/dt_fast.bpf.h"
#include "bpf/dt_pair.bpf.h"
#include "bpf/dt_path.bpf.h"

struct dt_systable dt_systable;

/* The parts of a program; a constant after inlining. */
enum syscall_extent {
	SYSCALL_SHORT,
	SYSCALL_LONG,
	SYSCALL_TABLES
};

/* The long program of the same hook, set by dtd. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} dt_syscall_rest SEC(".maps");

/* Returns whether the short program must pass the hit on. */
static __always_inline int
syscall_islong(const __u64 *masks)
{
	return ((masks[0] & dt_systable.sys_long[0]) |
		   (masks[1] & dt_systable.sys_long[1])) != 0;
}

/*
 * Per architecture: whether the thread is in a 32-bit call, the number of a
 * returning call, and the six arguments.  The upper halves of the registers of
 * a 32-bit call are undefined.
 *
 * DT_KSKIP_SYSCALL counts the frames of bpf_loop()'s callback, the program and
 * bpf_trace_run2(); the thread's own frames follow, on some kernels after one
 * of __bpf_trace_sys_*. arm64 reports the first frame twice.
 */
#if defined(__TARGET_ARCH_x86)
#define DT_KSKIP_SYSCALL 3
/* thread_info.status: int $0x80, until it returns */
#define TS_COMPAT 0x2

static __always_inline __u32
syscall_compat(struct task_struct *task)
{
	return (task->thread_info.status & TS_COMPAT) / TS_COMPAT;
}

/*
 * Returns the call's number.  After an execve into a program of the other ABI,
 * the kernel has updated number and TS_COMPAT.
 */
static __always_inline __u64
syscall_returning(struct pt_regs *regs, __u32 compat __attribute__((unused)))
{
	return regs->orig_ax;
}

static __always_inline void
syscall_args(struct dt_hit *h, struct pt_regs *regs, __u32 compat)
{
	if (compat) {
		h->h_args[0] = (__u32)regs->bx;
		h->h_args[1] = (__u32)regs->cx;
		h->h_args[2] = (__u32)regs->dx;
		h->h_args[3] = (__u32)regs->si;
		h->h_args[4] = (__u32)regs->di;
		h->h_args[5] = (__u32)regs->bp;
		return;
	}
	h->h_args[0] = regs->di;
	h->h_args[1] = regs->si;
	h->h_args[2] = regs->dx;
	h->h_args[3] = regs->r10;
	h->h_args[4] = regs->r8;
	h->h_args[5] = regs->r9;
}
#elif defined(__TARGET_ARCH_arm64)
#define DT_KSKIP_SYSCALL 4
#define TIF_32BIT	 22 /* bit of thread_info.flags */
#define EXECVE_64	 221
#define EXECVEAT_64	 281
#define EXECVE_32	 11
#define EXECVEAT_32	 387

static __always_inline __u32
syscall_compat(struct task_struct *task)
{
	return (task->thread_info.flags >> TIF_32BIT) & 1;
}

/*
 * Returns the call's number.  An execve into a program of the other ABI keeps
 * its number, which is another call there.  It also clears the registers, one
 * of which holds the number in all other calls.
 */
static __always_inline __u64
syscall_returning(struct pt_regs *regs, __u32 compat)
{
	__s64 nr = regs->syscallno;

	if (compat) {
		if (regs->regs[7] == 0 &&
		    (nr == EXECVE_64 || nr == EXECVEAT_64))
			return EXECVE_32;
	} else if (regs->regs[8] == 0 && (nr == EXECVE_32 || nr == EXECVEAT_32))
		return EXECVE_64;
	return nr;
}

static __always_inline void
syscall_args(struct dt_hit *h, struct pt_regs *regs, __u32 compat)
{
	__u64 bits = compat ? 0xffffffff : ~0ULL;

	h->h_args[0] = regs->orig_x0 & bits;
	h->h_args[1] = regs->regs[1] & bits;
	h->h_args[2] = regs->regs[2] & bits;
	h->h_args[3] = regs->regs[3] & bits;
	h->h_args[4] = regs->regs[4] & bits;
	h->h_args[5] = regs->regs[5] & bits;
}
#endif

/* Returns the session's settings for this call and direction. */
static __always_inline struct dt_req *
dt_deliver_req(const struct dt_hit *h, __u32 line, __u32 slot)
{
	return &dt_systable
		    .sys_req[slot][h->h_isreturn & 1][line & (DT_NSYSCALL - 1)];
}

/* Both entry and return: after a failed exec the process is still awaited. */
static __always_inline __u64
dt_deliver_execs(__u32 line)
{
	return -(__u64)(dt_systable.sys_isexec[line & (DT_NSYSCALL - 1)] & 1);
}

/* Counts a 32-bit call for a session that wants 64-bit calls. */
__noinline int
dt_syscall_compat(struct dt_hit *h, __u32 slot)
{
	const struct dt_sess *o;
	struct dt_count *c;

	if (h == NULL)
		return 0;
	slot &= DT_MAXSESS - 1;
	o = &dt_table.t_sess[slot];
	c = dt_count_of(slot, h->h_cpu);
	if (c == NULL || !dt_passes(o, h) || !dt_follows(o, h, slot))
		return 0;
	if ((o->ses_flags & DT_SESS_OWN) && !dt_owns(slot))
		return 0;
	if ((o->ses_flags & DT_SESS_CGROUP) && !dt_in_cgroup(slot))
		return 0;
	if (o->ses_nsinum == 0 || dt_ns_enter(h, slot))
		__sync_fetch_and_add(&c->dc_compat, 1);
	dt_ns_leave(h);
	return 0;
}

/* A 32-bit call, and the sessions that may want to count it. */
struct syscall_missing {
	struct dt_hit *smi_hit;
	__u64 smi_mask; /* of one word */
	__u32 smi_first;
};

static long
syscall_missing_round(__u32 i __attribute__((unused)), void *arg)
{
	struct syscall_missing *smi = arg;
	__u64 mask = smi->smi_mask;

	if (mask == 0)
		return 1;
	smi->smi_mask = mask & (mask - 1);
	dt_syscall_compat(smi->smi_hit, smi->smi_first + lowest_bit(mask));
	return 0;
}

/*
 * The same for all sessions that trace 64-bit calls but neither entry nor
 * return of this one.  A separate function for the verifier.
 */
__noinline int
dt_syscall_missing(struct dt_hit *h, __u32 line, __u32 tables)
{
	struct syscall_missing smi = { .smi_hit = h };
	int w;

	tables &= 1;
	line &= DT_NSYSCALL - 1;
	for (w = 0; w < DT_MASKWORDS; w++) {
		smi.smi_first = 64 * w;
		smi.smi_mask = dt_systable.sys_any[tables][w] &
		    ~(dt_systable.sys_mask[tables][DT_SYS_ENTRY][line][w] |
			dt_systable.sys_mask[tables][DT_SYS_RETURN][line][w]);
		bpf_loop(64, syscall_missing_round, &smi, 0);
	}
	return 0;
}

/*
 * Returns the rows of a hit, without a branch (DT_REQ_TO is 8).  Computed at
 * each use: another pointer on the caller's stack exceeds the limit of Linux
 * 6.1.
 */
static __always_inline struct dt_fetches *
syscall_fetches(const struct dt_hit *h, const struct dt_req *r)
{
	__u32 line = *(const volatile __u16 *)&h->h_entry;
	__u32 isreturn = h->h_isreturn & 1;
	__u32 dir = isreturn + (isreturn & r->rq_bits / DT_REQ_TO);

	return &dt_systable.sys_fetch[dir][line & (DT_NSYSCALL - 1)];
}

/*
 * Emits the record of one session that takes the scratch.  The path filter is
 * evaluated first, as its hits must not count, but it needs the scratch, too.
 */
static __always_inline void
dt_deliver_emit(void *ctx, struct dt_hit *h, __u32 line, __u32 slot,
    const int tables)
{
	struct dt_req *r = dt_deliver_req(h, line, slot);
	__u32 length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return;
	if (!dt_pair_take(wy.wy_scratch, h, r, slot)) {
		dt_way_end(&wy);
		return;
	}
	if ((r->rq_bits & DT_REQ_PATHS) &&
	    dt_fetch_excludes(wy.wy_scratch, h, syscall_fetches(h, r),
		&dt_systable.sys_prefix[slot])) {
		dt_way_end(&wy);
		return;
	}
	if ((r->rq_bits & DT_REQ_FROM) && (r->rq_bits & DT_REQ_KEEP)) {
		dt_pair_open(wy.wy_scratch, slot);
		dt_fetch_all(wy.wy_scratch, h, syscall_fetches(h, r), r);
		dt_pair_keep(h, r, slot);
		dt_way_end(&wy);
		return;
	}
	if (r->rq_bits & DT_REQ_FROM) {
		dt_way_end(&wy);
		dt_pair_begin(h, r, slot);
		return;
	}
	if (!dt_pair_join(&wy, h, r))
		return;
	if (dt_agg_pair(&wy, h, r, slot))
		return;
	length = dt_build(ctx, wy.wy_scratch, h, slot, r->rq_evtflags,
	    DT_KSKIP_SYSCALL, tables);
	dt_pair_swap(wy.wy_scratch, h, r->rq_bits);
	length = dt_fetch_all(wy.wy_scratch, h, syscall_fetches(h, r), r);
	length = dt_put_reads(wy.wy_scratch, h, r, length, tables);
	dt_put_duration(wy.wy_scratch, h, r->rq_bits, length);
	dt_agg_output(&wy, h, r->rq_agg, slot);
}

/* Delivers a hit, filled in by the caller, to all sessions of the mask. */
static __always_inline int
syscall_hit(void *ctx, struct dt_hit *h, __u32 line, const __u64 *masks,
    const enum syscall_extent extent)
{
	struct dt_delivery dly = {
		.dly_ctx = ctx,
		.dly_hit = h,
	};

	h->h_entry = line;
	if (extent == SYSCALL_SHORT)
		dt_deliver_only_short(&dly, masks);
	else if (dt_deliver_short(&dly, masks))
		dt_deliver_long(&dly, extent == SYSCALL_TABLES);
	return 0;
}

/* Sets the result.  A 32-bit result may be an address that uses all 32 bits. */
static __always_inline void
syscall_result(struct dt_hit *h, __u64 ret, __u32 compat)
{
	__u32 unused = compat * 32;
	__s64 error = (__s64)(ret << unused) >> unused;

	if (error < 0 && error >= -4095) { /* the kernel's MAX_ERRNO */
		h->h_ret.drr_retval = -1;
		h->h_ret.drr_error = -error;
	} else
		h->h_ret.drr_retval = ret << unused >> unused;
}

/* Fills in what the call is; isreturn: a constant after inlining. */
static __always_inline void
syscall_call(struct dt_hit *h, struct pt_regs *regs, __u32 line, __u64 ret,
    const int isreturn)
{
	h->h_pbn = dt_systable.sys_pbn[isreturn][line];
	h->h_isreturn = isreturn;
	syscall_args(h, regs, 0);
	if (isreturn)
		syscall_result(h, ret, 0);
	else
		h->h_nargs = dt_systable.sys_nargs[line];
}

/*
 * Emits the record of a hit.  Passes the hit to inline functions only: the
 * compiler then keeps no copy of it in memory, which takes as long as all else
 * in the program.
 */
static __always_inline void
syscall_emit(struct pt_regs *regs, struct task_struct *task, __u32 line,
    __u64 ret, __u32 slot, const struct dt_req *r, const int isreturn)
{
	struct dt_hit h = {};
	struct dt_count *c;
	void *ring = dt_quick_ring(&h, task, slot, r, &c);

	if (ring == NULL)
		return;
	syscall_call(&h, regs, line, ret, isreturn);
	h.h_comm[0] = *(__u64 *)&task->comm[0];
	h.h_comm[1] = *(__u64 *)&task->comm[8];
	if (isreturn)
		dt_emit_named(ring, c, &dt_table.t_sess[slot], &h, 0, 1,
		    r->rq_evtflags);
	else
		dt_emit_args(ring, c, &dt_table.t_sess[slot], &h,
		    r->rq_evtflags);
}

static __always_inline void
syscall_count(struct pt_regs *regs, struct task_struct *task, __u32 line,
    __u64 ret, __u32 slot, const struct dt_req *r, const int isreturn)
{
	struct dt_hit h;

	__builtin_memset(&h, 0, sizeof(h));
	syscall_call(&h, regs, line, ret, isreturn);
	dt_quick_count(&h, task, slot, r);
}

/*
 * Counts or emits a hit if only one session wants it, and nothing beyond what a
 * fast program does.  isreturn: a constant after inlining.  Returns whether the
 * hit is finished.
 */
static __always_inline int
syscall_quick(struct pt_regs *regs, struct task_struct *task, __u32 line,
    __u64 ret, const __u64 *masks, const int isreturn)
{
	const __u64 *may = dt_table.t_bypid[(__u32)task->tgid & (DT_BYPID - 1)];
	__u64 low = masks[0] & may[0], high = masks[1] & may[1];
	const struct dt_sess *o;
	const struct dt_req *r;
	__u32 slot;

	/* an exec may begin what a session follows */
	if (high != 0 || (low & (low - 1)) != 0 ||
	    dt_systable.sys_isexec[line & (DT_NSYSCALL - 1)])
		return 0;
	if (low == 0)
		return 1;
	slot = lowest_bit(low) & (DT_MAXSESS - 1);
	o = &dt_table.t_sess[slot];
	r = &dt_systable.sys_req[slot][isreturn][line & (DT_NSYSCALL - 1)];
	if (dt_isquick(o, r))
		syscall_emit(regs, task, line, ret, slot, r, isreturn);
	else if (dt_isquick_count(o, r))
		syscall_count(regs, task, line, ret, slot, r, isreturn);
	else
		return 0;
	return 1;
}

/*
 * Returns the first row of 32-bit or 64-bit calls.  Hides from the verifier
 * that the value depends on compat, which would double the checks of all
 * following code.
 */
static __always_inline __u32
syscall_table(__u32 compat)
{
	__u32 table = compat * DT_SYS_32;

	barrier_var(table);
	return table & DT_SYS_32;
}

static __always_inline int
syscall_entry(__u64 *ctx, const enum syscall_extent extent)
{
	const int tables = extent == SYSCALL_TABLES;
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	__u64 nr = ctx[1];
	struct task_struct *task = dt_task();
	__u32 compat = syscall_compat(task);
	__u32 line = syscall_table(compat);
	struct dt_hit h;
	const __u64 *masks;
	__u64 any;

	if (nr >= DT_SYS_NUMBERS)
		return 0;
	line += nr;
	masks = dt_systable.sys_mask[tables][DT_SYS_ENTRY][line];
	any = masks[0] | masks[1];
	if (compat)
		any |= dt_systable.sys_any[tables][0] |
		    dt_systable.sys_any[tables][1];
	if (any == 0)
		return 0;
	if (extent == SYSCALL_SHORT && !compat &&
	    syscall_quick(regs, task, line, 0, masks, 0))
		return 0;
	if (extent == SYSCALL_SHORT && syscall_islong(masks))
		bpf_tail_call(ctx, &dt_syscall_rest, 0);
	dt_hit_task(&h, task);
	syscall_args(&h, regs, compat);
	h.h_pbn = dt_systable.sys_pbn[DT_SYS_ENTRY][line];
	h.h_nargs = dt_systable.sys_nargs[line];
	h.h_isreturn = 0;
	h.h_ret.drr_retval = 0;
	h.h_ret.drr_error = 0;
	h.h_ret.drr_pad = 0;
	if (compat)
		dt_syscall_missing(&h, line, tables);
	return syscall_hit(ctx, &h, line, masks, extent);
}

SEC("?tp_btf/sys_enter")
int
dt_syscall_entry(__u64 *ctx)
{
	return syscall_entry(ctx, SYSCALL_SHORT);
}

SEC("?tp_btf/sys_enter")
int
dt_syscall_entry_long(__u64 *ctx)
{
	return syscall_entry(ctx, SYSCALL_LONG);
}

SEC("?tp_btf/sys_enter")
int
dt_syscall_entry_tables(__u64 *ctx)
{
	return syscall_entry(ctx, SYSCALL_TABLES);
}

static __always_inline int
syscall_return(__u64 *ctx, const enum syscall_extent extent)
{
	const int tables = extent == SYSCALL_TABLES;
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	__u64 ret = ctx[1];
	struct task_struct *task = dt_task();
	__u32 compat = syscall_compat(task);
	__u32 line = syscall_table(compat);
	__u64 nr = syscall_returning(regs, compat);
	struct dt_hit h;
	const __u64 *masks;

	if (nr >= DT_SYS_NUMBERS)
		return 0;
	line += nr;
	masks = dt_systable.sys_mask[tables][DT_SYS_RETURN][line];
	if ((masks[0] | masks[1]) == 0)
		return 0;
	if (extent == SYSCALL_SHORT && !compat &&
	    syscall_quick(regs, task, line, ret, masks, 1))
		return 0;
	if (extent == SYSCALL_SHORT && syscall_islong(masks))
		bpf_tail_call(ctx, &dt_syscall_rest, 0);
	__builtin_memset(&h, 0, sizeof(h));
	dt_hit_task(&h, task);
	h.h_pbn = dt_systable.sys_pbn[DT_SYS_RETURN][line];
	h.h_isreturn = 1;
	/* for conditions and strings */
	syscall_args(&h, regs, compat);
	syscall_result(&h, ret, compat);
	return syscall_hit(ctx, &h, line, masks, extent);
}

SEC("?tp_btf/sys_exit")
int
dt_syscall_return(__u64 *ctx)
{
	return syscall_return(ctx, SYSCALL_SHORT);
}

SEC("?tp_btf/sys_exit")
int
dt_syscall_return_long(__u64 *ctx)
{
	return syscall_return(ctx, SYSCALL_LONG);
}

SEC("?tp_btf/sys_exit")
int
dt_syscall_return_tables(__u64 *ctx)
{
	return syscall_return(ctx, SYSCALL_TABLES);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
