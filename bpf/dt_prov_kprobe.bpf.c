/* SPDX-License-Identifier: ISC */
/*
 * The programs of the kprobe provider: one at the entry and one at the return
 * of functions of the kernel, and quick ones.
 */
#include "bpf/dt_kprobe.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

SEC("?kprobe")
int
dt_kprobe_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_line(cookie), 0, KPROBE_REGS);
}

SEC("?kprobe")
int
dt_kprobe_return(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, kprobe_line(cookie), 1, KPROBE_REGS);
}

SEC("?kprobe")
int
dt_kquick_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kquick_hit(regs, cookie, kprobe_line(cookie), 0, KPROBE_REGS);
}

SEC("?kprobe")
int
dt_kquick_return(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kquick_hit(regs, cookie, kprobe_line(cookie), 1, KPROBE_REGS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
