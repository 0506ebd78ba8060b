/* SPDX-License-Identifier: ISC */
/*
 * Programs that do nothing, one of each type that dt's own are of: the price
 * of the kernel's way to a program, for bench/hits.c.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("tracepoint")
int
empty_tracepoint(void *ctx)
{
	(void)ctx;
	return 0;
}

/* A trampoline is of one function: the one that bench/hits.c hits. */
SEC("fentry/null_lseek")
int
empty_fentry(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("fexit/null_lseek")
int
empty_fexit(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("kprobe.multi")
int
empty_multi(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("kretprobe.multi")
int
empty_retmulti(void *ctx)
{
	(void)ctx;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
