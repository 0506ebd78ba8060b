/* SPDX-License-Identifier: ISC */
/*
 * uprobe programs at the entry and the return of functions of user programs and
 * at static probes: the complete ones.  Attached by uprobe.multi or as perf
 * events.
 */
#include "bpf/dt_kprobe_table.h"

#define PAIR_NARGS DT_UPLACE_NARGS

#include "bpf/dt_inside.bpf.h"
#include "bpf/dt_kprobe.bpf.h"

static __always_inline int
uprobe_hit(struct pt_regs *regs, const int isreturn, const int tables)
{
	__u64 cookie = bpf_get_attach_cookie(regs), *inside;

	if ((inside = dt_inside_enter()) == NULL)
		return 0;
	kprobe_hit(regs, cookie, kprobe_entry_of(cookie), isreturn, KPROBE_USER,
	    tables);
	dt_inside_leave(inside);
	return 0;
}

SEC("?uprobe")
int
dt_uprobe_entry(struct pt_regs *regs)
{
	return uprobe_hit(regs, 0, 0);
}

SEC("?uprobe")
int
dt_uprobe_entry_tables(struct pt_regs *regs)
{
	return uprobe_hit(regs, 0, 1);
}

SEC("?uprobe")
int
dt_uprobe_return(struct pt_regs *regs)
{
	return uprobe_hit(regs, 1, 0);
}

SEC("?uprobe")
int
dt_uprobe_return_tables(struct pt_regs *regs)
{
	return uprobe_hit(regs, 1, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
