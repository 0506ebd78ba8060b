/* SPDX-License-Identifier: ISC */
/*
 * The programs of the kprobe provider: one at the entry and one at the return
 * of functions of the kernel.
 */
#include "dt_kprobe.bpf.h"

static __always_inline struct dt_kline *
line_of(__u64 cookie)
{
	return &dt_ktable.kt_line[DT_KCOOKIE_LINE(cookie)];
}

SEC("?kprobe")
int
dt_kprobe_entry(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, line_of(cookie), 0);
}

SEC("?kprobe")
int
dt_kprobe_return(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	return kprobe_hit(regs, cookie, line_of(cookie), 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
