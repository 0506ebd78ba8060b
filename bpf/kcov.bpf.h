/* SPDX-License-Identifier: ISC */
/*
 * The programs of the kcov device.  A kprobe program at the entry of each
 * kernel function records the function's address if the thread is traced.  Most
 * threads are not, so one bit by thread number is tested first.  One program
 * serves all sessions; a link's cookie is the number of its set of functions,
 * and each session has one set.
 *
 * Two raw_tp programs handle the end of a thread as in kcov(4): one at exit,
 * one at exec(2), where a thread other than the first gets the first one's
 * number.
 *
 * The client can write the memory, so the programs trust nothing in it.
 */
#ifndef BPF_KCOV_BPF_H
#define BPF_KCOV_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kcov_shared.h"

#define PF_IO_WORKER 0x10
#define CLAIM_TRIES  8 /* concurrent claims are few: workers of io_uring */

/*
 * Bits of preempt_count: NMI, interrupt, and a softirq being served (not one
 * that is only disabled).
 */
#define IN_INTERRUPT 0x00ff0100

struct kcov_table kcov_table;

/* Slots by thread or process.  Written by dtd and, at exit and exec, by BPF. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * KCOV_MAXOPEN);
	__type(key, __u64);
	__type(value, __u32);
} kcov_threads SEC(".maps");

struct kcov_buf {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
};

/*
 * The clients' memory by slot; its first word counts the rest.  The outer map
 * is written by dtd.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, KCOV_MAXOPEN);
	__type(key, __u32);
	__array(values, struct kcov_buf);
} kcov_bufs SEC(".maps");

#if defined(__TARGET_ARCH_arm64)
static __always_inline __u32
preempt_count(void)
{
	return bpf_get_current_task_btf()->thread_info.preempt_count;
}
#else
/* Defined by each object, because the variable depends on the kernel. */
static __always_inline __u32 preempt_count(void);
#endif

static __always_inline int
kcov_isset(__u32 id)
{
	return (kcov_table.kct_bits[KCOV_WORD(id)] & KCOV_BIT(id)) != 0;
}

static __always_inline struct kcov_entry *
kcov_row(__u32 slot)
{
	return &kcov_table.kct_entry[slot & (KCOV_MAXOPEN - 1)];
}

/*
 * Returns the slot of the current thread: its own, or its process's for
 * io_uring workers.
 */
static __always_inline __u32 *
kcov_slot(__u64 id)
{
	__u64 key = (__u32)id;
	__u32 *slot = bpf_map_lookup_elem(&kcov_threads, &key);

	if (slot != NULL ||
	    (bpf_get_current_task_btf()->flags & PF_IO_WORKER) == 0)
		return slot;
	key = KCOV_KEY_PROCESS | id >> 32;
	return bpf_map_lookup_elem(&kcov_threads, &key);
}

/*
 * Claims the next entry, then writes it.  After CLAIM_TRIES collisions the
 * record is dropped.
 */
static __always_inline void
kcov_put(void *buf, struct kcov_entry *l, __u64 pc)
{
	__u32 at = 0;
	__u64 *count = bpf_map_lookup_elem(buf, &at), *entry, n;
	int i;

	if (count == NULL)
		return;
	for (i = 0; i < CLAIM_TRIES; i++) {
		n = *(volatile __u64 *)count;
		if (n >= l->kcl_nmemb)
			break;
		if (__sync_val_compare_and_swap(count, n, n + 1) != n)
			continue;
		at = n + 1;
		entry = bpf_map_lookup_elem(buf, &at);
		if (entry == NULL)
			break;
		*entry = pc;
		__sync_fetch_and_add(&l->kcl_recorded, 1);
		return;
	}
	__sync_fetch_and_add(&l->kcl_dropped, 1);
}

/* Numbers of sendmsg(2), recvmsg(2) and fcntl(2), and the fields of a call. */
#if defined(__TARGET_ARCH_arm64)
#define CALL_SENDMSG	  211
#define CALL_RECVMSG	  212
#define CALL_FCNTL	  25
#define CALL_NUMBER(regs) ((regs)->syscallno)
#define CALL_FIRST(regs)  ((regs)->orig_x0)
#else
#define CALL_SENDMSG	  46
#define CALL_RECVMSG	  47
#define CALL_FCNTL	  72
#define CALL_NUMBER(regs) ((regs)->orig_ax)
#define CALL_FIRST(regs)  ((regs)->di)
#endif

/*
 * Returns whether the thread is in a call by which the client's library talks
 * to dtd: it is not part of what the client traces.
 */
static __always_inline int
kcov_talks(const struct kcov_entry *l)
{
	const struct pt_regs *regs;
	int call;

	if (l->kcl_sock == 0)
		return 0;
	regs = (const struct pt_regs *)bpf_task_pt_regs(
	    bpf_get_current_task_btf());
	call = CALL_NUMBER(regs);
	return (call == CALL_SENDMSG || call == CALL_RECVMSG ||
		   call == CALL_FCNTL) &&
	    (__u32)CALL_FIRST(regs) == l->kcl_sock - 1;
}

static __noinline int
kcov_hit(struct pt_regs *regs, __u64 id)
{
	__u32 *slot = kcov_slot(id), at;
	struct kcov_entry *l;
	void *buf;

	if (slot == NULL)
		return 0;
	at = *slot;
	l = kcov_row(at);
	if (l->kcl_set == 0 || l->kcl_set != bpf_get_attach_cookie(regs))
		return 0;
	if (kcov_talks(l))
		return 0;
	if (preempt_count() & IN_INTERRUPT) {
		__sync_fetch_and_add(&l->kcl_interrupt, 1);
		return 0;
	}
	buf = bpf_map_lookup_elem(&kcov_bufs, &at);
	if (buf != NULL)
		kcov_put(buf, l, bpf_get_func_ip(regs));
	return 0;
}

SEC("?kprobe")
int
kcov_entry(struct pt_regs *regs)
{
	__u64 id = bpf_get_current_pid_tgid();

	if (!kcov_isset(id) && !kcov_isset(id >> 32))
		return 0;
	return kcov_hit(regs, id);
}

SEC("raw_tp/sched_process_exit")
int
kcov_exit(void *ctx __attribute__((unused)))
{
	__u64 key = (__u32)bpf_get_current_pid_tgid();
	struct kcov_entry *l;
	__u32 *slot;

	if (!kcov_isset(key) ||
	    (slot = bpf_map_lookup_elem(&kcov_threads, &key)) == NULL)
		return 0;
	l = kcov_row(*slot);
	if (l->kcl_tid == key)
		l->kcl_tid = 0;
	bpf_map_delete_elem(&kcov_threads, &key);
	return 0;
}

/* Arguments: task, the thread's old number, the executed file. */
SEC("raw_tp/sched_process_exec")
int
kcov_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 old = (__u32)ctx->args[1];
	__u64 key = (__u32)bpf_get_current_pid_tgid();
	struct kcov_entry *l;
	__u32 *slot, at;

	if (old == key || !kcov_isset(old) ||
	    (slot = bpf_map_lookup_elem(&kcov_threads, &old)) == NULL)
		return 0;
	at = *slot;
	l = kcov_row(at);
	if (l->kcl_tid != old)
		return 0;
	l->kcl_tid = key;
	__sync_fetch_and_or(&kcov_table.kct_bits[KCOV_WORD(key)],
	    KCOV_BIT(key));
	if (bpf_map_update_elem(&kcov_threads, &key, &at, BPF_ANY) != 0)
		l->kcl_tid = 0;
	bpf_map_delete_elem(&kcov_threads, &old);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif /* BPF_KCOV_BPF_H */
