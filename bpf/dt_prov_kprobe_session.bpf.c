/* SPDX-License-Identifier: ISC */
/*
 * kprobe.session programs: one program and one link for entry and return of
 * functions.  A separate object, because older kernels do not have
 * bpf_session_is_return().
 */
#include "bpf/dt_kprobe.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

extern _Bool bpf_session_is_return(void) __ksym;

static __always_inline int
session_hit(struct pt_regs *regs, const int tables)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct dt_kprobe_entry *l = kprobe_entry_of(cookie);

	if (!bpf_session_is_return())
		return kprobe_hit(regs, cookie, l, 0, KPROBE_REGS, tables);
	return kprobe_hit(regs, kprobe_return_cookie(cookie, l),
	    kprobe_return_entry(l), 1, KPROBE_REGS, tables);
}

SEC("?kprobe")
int
dt_kprobe_session(struct pt_regs *regs)
{
	return session_hit(regs, 0);
}

SEC("?kprobe")
int
dt_kprobe_session_tables(struct pt_regs *regs)
{
	return session_hit(regs, 1);
}

SEC("?kprobe")
int
dt_kquick_session(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct dt_kprobe_entry *l = kprobe_entry_of(cookie);

	if (!bpf_session_is_return())
		return kquick_hit(regs, cookie, l, 0, KPROBE_REGS);
	return kquick_hit(regs, kprobe_return_cookie(cookie, l),
	    kprobe_return_entry(l), 1, KPROBE_REGS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
