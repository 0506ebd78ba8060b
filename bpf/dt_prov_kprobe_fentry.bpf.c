/* SPDX-License-Identifier: ISC */
/*
 * fentry and fexit programs, which run in a trampoline of one function.  The
 * daemon loads a copy for each function and sets the program type, so the
 * sections have private names.
 */
#include "bpf/dt_kprobe.bpf.h"
#include "bpf/dt_kprobe_fast.bpf.h"

SEC("?dt_fentry")
int
dt_kprobe_fentry(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kprobe_hit(ctx, cookie, kprobe_entry_of(cookie), 0,
	    KPROBE_TRAMPOLINE, 0);
}

SEC("?dt_fentry_tables")
int
dt_kprobe_fentry_tables(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kprobe_hit(ctx, cookie, kprobe_entry_of(cookie), 0,
	    KPROBE_TRAMPOLINE, 1);
}

SEC("?dt_fexit")
int
dt_kprobe_fexit(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kprobe_hit(ctx, cookie, kprobe_entry_of(cookie), 1,
	    KPROBE_TRAMPOLINE, 0);
}

SEC("?dt_fexit_tables")
int
dt_kprobe_fexit_tables(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kprobe_hit(ctx, cookie, kprobe_entry_of(cookie), 1,
	    KPROBE_TRAMPOLINE, 1);
}

SEC("?dt_fentry_quick")
int
dt_kquick_fentry(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kquick_hit(ctx, cookie, kprobe_entry_of(cookie), 0,
	    KPROBE_TRAMPOLINE);
}

SEC("?dt_fexit_quick")
int
dt_kquick_fexit(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return kquick_hit(ctx, cookie, kprobe_entry_of(cookie), 1,
	    KPROBE_TRAMPOLINE);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
