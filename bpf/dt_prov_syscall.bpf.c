/* SPDX-License-Identifier: ISC */
/*
 * The syscall provider's programs: one at the entry and one at the return
 * of every system call, shared by all opens.  A mask a call tells which opens
 * want it, so a call that nobody wants costs one load.
 */
#include "dt_vmlinux.h"

#include <bpf/bpf_tracing.h>

#include "dt_emit.bpf.h"

/* bpf_loop's callback, the program, bpf_trace_run2: what the thread was doing
 * begins behind them (on some kernels with a frame __bpf_trace_sys_*). */
#define DT_KSKIP_SYSCALL 3

struct dt_systable dt_systable;

#if defined(__TARGET_ARCH_x86)
#define TS_COMPAT	 0x2 /* thread_info.status: int $0x80 */
#define SYSCALL_NR(regs) ((regs)->orig_ax)

static __always_inline int
syscall_iscompat(struct task_struct *task)
{
	return task->thread_info.status & TS_COMPAT;
}

static __always_inline void
syscall_args(struct dt_hit *h, struct pt_regs *regs)
{
	h->h_args[0] = regs->di;
	h->h_args[1] = regs->si;
	h->h_args[2] = regs->dx;
	h->h_args[3] = regs->r10;
	h->h_args[4] = regs->r8;
	h->h_args[5] = regs->r9;
}
#elif defined(__TARGET_ARCH_arm64)
#define TIF_32BIT	 (1UL << 22) /* thread_info.flags */
#define SYSCALL_NR(regs) ((regs)->syscallno)

static __always_inline int
syscall_iscompat(struct task_struct *task)
{
	return (task->thread_info.flags & TIF_32BIT) != 0;
}

static __always_inline void
syscall_args(struct dt_hit *h, struct pt_regs *regs)
{
	h->h_args[0] = regs->orig_x0;
	h->h_args[1] = regs->regs[1];
	h->h_args[2] = regs->regs[2];
	h->h_args[3] = regs->regs[3];
	h->h_args[4] = regs->regs[4];
	h->h_args[5] = regs->regs[5];
}
#endif

/*
 * The lowest set bit of a word that is not 0.  BPF has no such instruction;
 * a de Bruijn sequence does it without a branch, and so without a second
 * state for the verifier in each round of the loop.
 */
static const __u8 bit_of_product[64] = {
	0,
	1,
	48,
	2,
	57,
	49,
	28,
	3,
	61,
	58,
	50,
	42,
	38,
	29,
	17,
	4,
	62,
	55,
	59,
	36,
	53,
	51,
	43,
	22,
	45,
	39,
	33,
	30,
	24,
	18,
	12,
	5,
	63,
	47,
	56,
	27,
	60,
	41,
	37,
	16,
	54,
	35,
	52,
	21,
	44,
	32,
	23,
	11,
	46,
	26,
	40,
	15,
	34,
	20,
	31,
	10,
	25,
	14,
	19,
	9,
	13,
	8,
	7,
	6,
};

static __always_inline __u32
lowest_bit(__u64 w)
{
	return bit_of_product[((w & -w) * 0x03f79d71b4cb0a89ULL) >> 58];
}

/* One open's share of a system call; 1 if its record needs the scratch. */
__noinline int
dt_syscall_open(struct dt_hit *h, __u32 nr, __u32 slot)
{
	int scratch;

	if (h == NULL)
		return 0;
	scratch = dt_hit_open(h,
	    &dt_systable.sy_req[slot & (DT_MAXOPEN - 1)][h->h_isreturn & 1]
			       [nr & (DT_NSYSCALL - 1)],
	    slot & (DT_MAXOPEN - 1));
	dt_ns_leave(h);
	return scratch;
}

/* A 32-bit call: counted for each open that could have meant it. */
__noinline int
dt_syscall_compat(struct dt_hit *h, __u32 slot)
{
	struct dt_count *c;

	if (h == NULL)
		return 0;
	slot &= DT_MAXOPEN - 1;
	c = dt_count_of(slot, h->h_cpu);
	if (c != NULL && dt_passes(&dt_table.t_open[slot], h))
		__sync_fetch_and_add(&c->dc_compat, 1);
	return 0;
}

static __always_inline int
syscall_compat(struct dt_hit *h)
{
	__u64 mask;
	int w, i;

	for (w = 0; w < DT_MASKWORDS; w++) {
		mask = dt_systable.sy_any[w];
		for (i = 0; i < 64 && mask != 0; i++, mask &= mask - 1)
			dt_syscall_compat(h, 64 * w + lowest_bit(mask));
	}
	return 0;
}

/* What the loop over the opens that want stacks carries along. */
struct scratch_loop {
	void *sl_ctx;
	struct dt_hit *sl_hit;
	__u64 sl_mask[DT_MASKWORDS];
	__u32 sl_nr;
};

static long
scratch_round(__u32 i __attribute__((unused)), void *arg)
{
	struct scratch_loop *sl = arg;
	struct dt_hit *h = sl->sl_hit;
	__u32 w, slot;

	if (sl->sl_mask[0] != 0)
		w = 0;
	else if (sl->sl_mask[1] != 0)
		w = 1;
	else
		return 1;
	slot = (64 * w + lowest_bit(sl->sl_mask[w])) & (DT_MAXOPEN - 1);
	sl->sl_mask[w] &= sl->sl_mask[w] - 1;
	if (dt_table.t_open[slot].do_nsinum != 0 && !dt_ns_enter(h, slot))
		return 0; /* it has just gone: no hit any more */
	dt_emit_scratch(sl->sl_ctx, h, slot,
	    dt_systable
		.sy_req[slot][h->h_isreturn & 1][sl->sl_nr & (DT_NSYSCALL - 1)]
		.dr_evtflags,
	    DT_KSKIP_SYSCALL);
	dt_ns_leave(h);
	return 0;
}

/*
 * Shows a hit to the opens of one word of the mask, and returns those whose
 * record needs the scratch.  A function of its own, as is what it calls: the
 * verifier looks at each once, not once for each way that leads there.
 */
__noinline __u64
dt_syscall_word(struct dt_hit *h, __u32 nr, __u64 mask, __u32 first)
{
	__u64 scratch = 0;
	__u32 bit, slot;
	int i;

	if (h == NULL)
		return 0;
	/* 64 bits a word; who is filtered out costs no call */
	for (i = 0; i < 64 && mask != 0; i++, mask &= mask - 1) {
		bit = lowest_bit(mask);
		slot = (first + bit) & (DT_MAXOPEN - 1);
		if (dt_passes(&dt_table.t_open[slot], h))
			scratch |= (__u64)(dt_syscall_open(h, nr, slot) & 1)
			    << (bit & 63);
	}
	return scratch;
}

/* Shows a hit to all opens of the mask; the caller has filled it. */
static __always_inline int
syscall_hit(void *ctx, struct dt_hit *h, __u32 nr, const __u64 *masks)
{
	struct scratch_loop sl = { .sl_ctx = ctx, .sl_hit = h, .sl_nr = nr };
	const __u64 *may = dt_table.t_bypid[h->h_pid & (DT_BYPID - 1)];
	__u64 low = masks[0] & may[0], high = masks[1] & may[1], key;
	const struct dt_follow *f;

	if ((low & dt_table.t_follow[0]) | (high & dt_table.t_follow[1])) {
		key = h->h_signal;
		f = bpf_map_lookup_elem(&dt_followed, &key);
		low &= ~dt_table.t_follow[0] | (f ? f->fo_mask[0] : 0);
		high &= ~dt_table.t_follow[1] | (f ? f->fo_mask[1] : 0);
	}
	if (low != 0)
		sl.sl_mask[0] = dt_syscall_word(h, nr, low, 0);
	if (high != 0)
		sl.sl_mask[1] = dt_syscall_word(h, nr, high, 64);
	if (sl.sl_mask[0] != 0 || sl.sl_mask[1] != 0)
		bpf_loop(DT_MAXOPEN, scratch_round, &sl, 0);
	return 0;
}

SEC("tp_btf/sys_enter")
int
dt_syscall_entry(__u64 *ctx)
{
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	__u64 nr = ctx[1];
	struct task_struct *task = bpf_get_current_task_btf();
	struct dt_hit h;
	const __u64 *masks;

	if (syscall_iscompat(task)) {
		__builtin_memset(&h, 0, sizeof(h));
		dt_hit_task(&h, task);
		return syscall_compat(&h);
	}
	if (nr >= DT_NSYSCALL)
		return 0;
	masks = dt_systable.sy_mask[DT_SYS_ENTRY][nr];
	if ((masks[0] | masks[1]) == 0)
		return 0;
	dt_hit_task(&h, task);
	syscall_args(&h, regs);
	h.h_pbn = dt_systable.sy_pbn[DT_SYS_ENTRY][nr];
	h.h_nargs = dt_systable.sy_nargs[nr];
	h.h_isreturn = 0;
	h.h_ret.drr_retval = 0;
	h.h_ret.drr_error = 0;
	h.h_ret.drr_pad = 0;
	return syscall_hit(ctx, &h, nr, masks);
}

SEC("tp_btf/sys_exit")
int
dt_syscall_return(__u64 *ctx)
{
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	__s64 ret = ctx[1];
	__u64 nr = SYSCALL_NR(regs);
	struct task_struct *task = bpf_get_current_task_btf();
	struct dt_hit h;
	const __u64 *masks;

	if (syscall_iscompat(task) || nr >= DT_NSYSCALL)
		return 0;
	masks = dt_systable.sy_mask[DT_SYS_RETURN][nr];
	if ((masks[0] | masks[1]) == 0)
		return 0;
	__builtin_memset(&h, 0, sizeof(h));
	dt_hit_task(&h, task);
	h.h_pbn = dt_systable.sy_pbn[DT_SYS_RETURN][nr];
	h.h_isreturn = 1;
	if (ret < 0 && ret >= -4095) { /* the kernel's MAX_ERRNO */
		h.h_ret.drr_retval = -1;
		h.h_ret.drr_error = -ret;
	} else
		h.h_ret.drr_retval = ret;
	return syscall_hit(ctx, &h, nr, masks);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
