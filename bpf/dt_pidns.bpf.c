/* SPDX-License-Identifier: ISC */
/*
 * Finds a thread by its number in a pid namespace.  A raw_tp program that dtd
 * runs with BPF_PROG_TEST_RUN, one system call for each lookup; it is attached
 * to nothing.  Maps: dt_nsquery only, under a lock of dtd.
 *
 * The kernel keeps the numbers of a namespace in an IDR, a tree of struct
 * xa_node.  The program walks that tree as find_pid_ns() does, so the cost
 * does not grow with the number of threads, and no lock is taken that a process
 * could hold.  BPF_PROG_TEST_RUN holds rcu_read_lock(), which keeps the nodes,
 * pids and tasks.  A result must have the number in that namespace, so on a
 * kernel with another tree lookups fail.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_pidns.bpf.h"
#include "bpf/dt_shared.h"

#define NS_DEPTH 8 /* depth of the tree: 31 bits, at least 4 per level */
#define NS_TRIES 4 /* retries if the tree shrinks during a walk */

/*
 * Low bits that mark a pointer to a node.  The kernel's own marks, for example
 * a retry, have the same low bits and small values.
 */
#define NS_NODE	   2
#define NS_NODE_OF 3
#define NS_MARKS   4096

#define NS_NAUXV   64 /* pairs of an auxv that are read; Linux has about 28 */
#define AUX_NULL   0  /* values of <linux/auxvec.h> */
#define AUX_BASE   7

#define PF_EXITING 0x4

struct dt_nsquery dt_nsquery = {};

/*
 * Returns the tree's entry for the number, or a mark of the kernel.  NS_DEPTH
 * rounds reach the bottom of any tree.
 */
static __always_inline __u64
ns_walk(__u64 ns, __u32 number)
{
	const __u32 nslots = bpf_core_field_size(struct xa_node, slots) /
	    sizeof(void *);
	__u64 entry = 0, node;
	__u8 shift = 0;
	__u32 at;
	int i;

	bpf_core_read(&entry, sizeof(entry),
	    &((struct pid_namespace *)ns)->idr.idr_rt.xa_head);
	for (i = 0; i < NS_DEPTH; i++) {
		if ((entry & NS_NODE_OF) != NS_NODE || entry < NS_MARKS)
			break;
		node = entry - NS_NODE;
		bpf_core_read(&shift, sizeof(shift),
		    &((struct xa_node *)node)->shift);
		at = (number >> (shift & 31)) & (nslots - 1);
		entry = 0;
		bpf_probe_read_kernel(&entry, sizeof(entry),
		    (void *)(node +
			bpf_core_field_offset(struct xa_node, slots) +
			at * sizeof(void *)));
	}
	return entry;
}

/* Returns the struct pid of the number, or 0. */
static __always_inline __u64
ns_find_pid(__u64 ns, __u32 level, __u32 number)
{
	__u64 pid = 0, found;
	__u32 nr;
	int i;

	for (i = 0; i < NS_TRIES; i++) {
		pid = ns_walk(ns, number);
		if (pid == 0 || pid >= NS_MARKS)
			break;
	}
	if (pid < NS_MARKS || dt_ns_at(pid, level, &nr, &found) != 0 ||
	    nr != number || found != ns)
		return 0;
	return pid;
}

/* Returns the thread that has this struct pid, or 0. */
static __always_inline __u64
ns_task(__u64 pid)
{
	__u64 node = 0;

	bpf_core_read(&node, sizeof(node),
	    &((struct pid *)pid)->tasks[PIDTYPE_PID].first);
	if (node == 0)
		return 0;
	return node - bpf_core_field_offset(struct task_struct, pid_links) -
	    PIDTYPE_PID * bpf_core_type_size(struct hlist_node);
}

/* Returns the number of the thread's process in dtd's namespace. */
static __always_inline __u32
ns_process(__u64 task, __u32 level, __u32 inum)
{
	__u64 signal = 0;

	bpf_core_read(&signal, sizeof(signal),
	    &((struct task_struct *)task)->signal);
	return dt_ns_number(pidns_process(signal), level, inum);
}

/* Returns AT_BASE of an address space, or 0. */
static __always_inline __u64
ns_mm_auxbase(__u64 mm)
{
	__u64 pair[2] = {};
	int i;

	mm += bpf_core_field_offset(struct mm_struct, saved_auxv);
	for (i = 0; i < NS_NAUXV; i++) {
		if (bpf_probe_read_kernel(pair, sizeof(pair),
			(void *)(mm + i * sizeof(pair))) != 0 ||
		    pair[0] == AUX_NULL)
			return 0;
		if (pair[0] == AUX_BASE)
			return pair[1];
	}
	return 0;
}

/*
 * The same for a thread.  RCU does not keep its address space, so the result
 * counts only if the thread still has it after the read; else it is read again,
 * NS_TRIES times at most.
 */
static __always_inline __u64
ns_auxbase(struct task_struct *t)
{
	__u64 mm = (__u64)BPF_CORE_READ(t, mm), last, base = 0;
	int i;

	for (i = 0; i < NS_TRIES && mm != 0; i++) {
		base = ns_mm_auxbase(mm);
		last = mm;
		mm = (__u64)BPF_CORE_READ(t, mm);
		if (mm == last)
			return base;
	}
	return 0;
}

/* Fills in the query's result for a thread. */
static __always_inline void
ns_describe(struct dt_nsquery *q, __u64 pid, __u32 level, __u32 inum)
{
	__u64 task = ns_task(pid), parent;
	struct task_struct *t = (struct task_struct *)task;
	__u32 nr;

	if (task == 0)
		return;
	q->nq_kpid = BPF_CORE_READ(t, tgid);
	q->nq_tid = dt_ns_number(pid, level, inum);
	q->nq_pid = ns_process(task, level, inum);
	parent = (__u64)BPF_CORE_READ(t, real_parent);
	q->nq_parent = ns_process(parent, level, inum);
	q->nq_nthreads = BPF_CORE_READ(t, signal, nr_threads);
	q->nq_start = BPF_CORE_READ(t, start_time);
	q->nq_exits = (BPF_CORE_READ(t, flags) & PF_EXITING) != 0;
	q->nq_ownlevel = BPF_CORE_READ((struct pid *)pid, level);
	if (dt_ns_at(pid, q->nq_ownlevel, &nr, &q->nq_ownns) == 0)
		q->nq_owninum = dt_ns_inum(q->nq_ownns);
	if (q->nq_auxv)
		q->nq_auxbase = ns_auxbase(t);
	q->nq_found = 1;
}

/* Returns DT_NS_RAN, which differs from the result of a skipped run. */
SEC("raw_tp")
int
dt_ns_find(void *ctx __attribute__((unused)))
{
	__u64 reader = pidns_thread(bpf_get_current_task_btf()), own, ns, pid;
	struct dt_nsquery *q = &dt_nsquery;
	__u32 level, inum, nr;

	level = BPF_CORE_READ((struct pid *)reader, level);
	if (dt_ns_at(reader, level, &nr, &own) != 0)
		return DT_NS_RAN;
	inum = dt_ns_inum(own);
	ns = q->nq_ns;
	if (ns == 0) {
		ns = own;
		q->nq_level = level;
	} else if (dt_ns_inum(ns) != q->nq_inum)
		return DT_NS_RAN; /* the namespace has ended */
	pid = ns_find_pid(ns, q->nq_level, q->nq_number);
	if (pid != 0)
		ns_describe(q, pid, level, inum);
	return DT_NS_RAN;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
