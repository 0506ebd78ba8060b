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

SEC("kprobe")
int
empty_kprobe(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("kretprobe")
int
empty_kretprobe(void *ctx)
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
