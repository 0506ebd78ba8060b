/* SPDX-License-Identifier: ISC */
/*
 * Entry and return of functions by one program and one link, on kernels that
 * have sessions of kprobe.multi.  An object of its own, since those before do
 * not have the function that tells the two apart.
 */
#include "bpf/dt_kprobe.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

extern _Bool bpf_session_is_return(void) __ksym;

/* The probe of a return has the number behind that of its entry. */
SEC("?kprobe")
int
dt_kprobe_session(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct dt_kline *l = kprobe_line(cookie);

	if (!bpf_session_is_return())
		return kprobe_hit(regs, cookie, l, 0, KPROBE_REGS);
	return kprobe_hit(regs, cookie + 1, kprobe_return_line(l), 1,
	    KPROBE_REGS);
}

SEC("?kprobe")
int
dt_kquick_session(struct pt_regs *regs)
{
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct dt_kline *l = kprobe_line(cookie);

	if (!bpf_session_is_return())
		return kquick_hit(regs, cookie, l, 0, KPROBE_REGS);
	return kquick_hit(regs, cookie + 1, kprobe_return_line(l), 1,
	    KPROBE_REGS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
