/* SPDX-License-Identifier: ISC */
/*
 * uprobe.session programs: one program and one link for entry and return of
 * functions of user programs.  A separate object, because older kernels do not
 * have bpf_session_is_return().
 */
#include "bpf/dt_kprobe_table.h"

#define PAIR_NARGS DT_UPLACE_NARGS

#include "bpf/dt_inside.bpf.h"
#include "bpf/dt_kprobe.bpf.h"

extern _Bool bpf_session_is_return(void) __ksym;

static __always_inline int
session_hit(struct pt_regs *regs, const int tables)
{
	__u64 cookie = bpf_get_attach_cookie(regs), *inside;
	struct dt_kprobe_entry *l = kprobe_entry_of(cookie);
	int isreturn = bpf_session_is_return();

	if ((inside = dt_inside_enter()) == NULL)
		return 0;
	if (isreturn) {
		cookie = kprobe_return_cookie(cookie, l);
		l = kprobe_return_entry(l);
	}
	kprobe_hit(regs, cookie, l, isreturn, KPROBE_USER, tables);
	dt_inside_leave(inside);
	return 0;
}

SEC("?uprobe")
int
dt_uprobe_session(struct pt_regs *regs)
{
	return session_hit(regs, 0);
}

SEC("?uprobe")
int
dt_uprobe_session_tables(struct pt_regs *regs)
{
	return session_hit(regs, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
