/* SPDX-License-Identifier: ISC */
/*
 * Empty programs of the types that dt uses.  They measure the kernel's cost of
 * calling a program, for bench/hits.c and bench/sample.c.
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

SEC("perf_event")
int
empty_perf_event(void *ctx)
{
	(void)ctx;
	return 0;
}

/* A trampoline belongs to one function: the one that bench/hits.c calls. */
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
