/* SPDX-License-Identifier: ISC */
/*
 * kprobe programs at the entry and the return of kernel functions, in a full
 * and a fast version, and a full one with unwind tables.  Attached by
 * kprobe.multi or as perf events.
 */
#include "bpf/dt_kprobe.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

SEC("?kprobe")
int
dt_kprobe_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_entry_of(cookie), 0, KPROBE_REGS,
	    0);
}

SEC("?kprobe")
int
dt_kprobe_entry_tables(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_entry_of(cookie), 0, KPROBE_REGS,
	    1);
}

SEC("?kprobe")
int
dt_kprobe_return(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_entry_of(cookie), 1, KPROBE_REGS,
	    0);
}

SEC("?kprobe")
int
dt_kprobe_return_tables(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_entry_of(cookie), 1, KPROBE_REGS,
	    1);
}

SEC("?kprobe")
int
dt_kquick_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kquick_hit(regs, cookie, kprobe_entry_of(cookie), 0,
	    KPROBE_REGS);
}

SEC("?kprobe")
int
dt_kquick_return(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kquick_hit(regs, cookie, kprobe_entry_of(cookie), 1,
	    KPROBE_REGS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
