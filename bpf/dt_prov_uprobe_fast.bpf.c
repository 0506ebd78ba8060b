/* SPDX-License-Identifier: ISC */
/*
 * Fast uprobe programs, for sessions whose requests are all simple: those that
 * emit (dt_isquick()) and those that count (dt_isquick_count()).  They are a
 * tenth of the complete programs, so that a session's first event is there ten
 * times as early.
 */
#include "bpf/dt_inside.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

static __always_inline int
uquick_hit(struct pt_regs *regs, const int isreturn)
{
	__u64 cookie = bpf_get_attach_cookie(regs), *inside;

	if ((inside = dt_inside_enter()) == NULL)
		return 0;
	kquick_hit(regs, cookie, kprobe_entry_of(cookie), isreturn,
	    KPROBE_USER);
	dt_inside_leave(inside);
	return 0;
}

SEC("?uprobe")
int
dt_uquick_entry(struct pt_regs *regs)
{
	return uquick_hit(regs, 0);
}

SEC("?uprobe")
int
dt_uquick_return(struct pt_regs *regs)
{
	return uquick_hit(regs, 1);
}

/* Counts a hit of a link whose run may have ended. */
static __always_inline void
ucount_run(struct pt_regs *regs, __u64 cookie, const int isreturn)
{
	const struct dt_kprobe_entry *l = kprobe_entry_of(cookie);
	__u32 slot = DT_KCOOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	struct dt_hit h;

	if (!kprobe_counts(cookie, slot))
		return;
	__builtin_memset(&h, 0, sizeof(h));
	h.h_pbn = DT_KCOOKIE_PBN(cookie);
	h.h_isreturn = isreturn;
	if (isreturn)
		kprobe_return(&h.h_ret, regs, l->kl_ret, KPROBE_USER);
	else {
		kprobe_args(h.h_args, regs, l, KPROBE_USER, KPROBE_NARGS);
		h.h_nargs = l->kl_nargs;
	}
	dt_quick_count(&h, dt_task(), slot, &l->kl_req);
}

static __always_inline int
ucount_hit(struct pt_regs *regs, const int isreturn)
{
	__u64 *inside = dt_inside_enter();

	if (inside == NULL)
		return 0;
	ucount_run(regs, bpf_get_attach_cookie(regs), isreturn);
	dt_inside_leave(inside);
	return 0;
}

SEC("?uprobe")
int
dt_ucount_entry(struct pt_regs *regs)
{
	return ucount_hit(regs, 0);
}

SEC("?uprobe")
int
dt_ucount_return(struct pt_regs *regs)
{
	return ucount_hit(regs, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
