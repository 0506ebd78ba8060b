/* SPDX-License-Identifier: ISC */
/*
 * Process and thread numbers in a pid namespace.  A struct pid has one number
 * for each namespace from the initial one to its own.  The level varies
 * between sessions, and the verifier refuses a direct load at a variable index,
 * so these functions use probe reads and run in any program.
 */
#ifndef BPF_DT_PIDNS_BPF_H
#define BPF_DT_PIDNS_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * Finds the number and the namespace of a struct pid at a level.  Returns -1
 * if there is none.
 */
static __always_inline int
dt_ns_at(__u64 pid, __u32 level, __u32 *nr, __u64 *ns)
{
	struct pid *p = (struct pid *)pid;
	struct upid *u;
	__u32 deepest = 0;

	*nr = 0;
	*ns = 0;
	if (bpf_core_read(&deepest, sizeof(deepest), &p->level) != 0 ||
	    level > deepest)
		return -1;
	u = (struct upid *)(pid + bpf_core_field_offset(struct pid, numbers) +
	    level * bpf_core_type_size(struct upid));
	if (bpf_core_read(nr, sizeof(*nr), &u->nr) != 0 ||
	    bpf_core_read(ns, sizeof(*ns), &u->ns) != 0)
		return -1;
	return 0;
}

static __always_inline __u32
dt_ns_inum(__u64 ns)
{
	__u32 inum = 0;

	bpf_core_read(&inum, sizeof(inum),
	    &((struct pid_namespace *)ns)->ns.inum);
	return inum;
}

/*
 * Returns the number of a struct pid in the namespace with this inode, 0 if it
 * is not in that namespace.
 */
static __always_inline __u32
dt_ns_number(__u64 pid, __u32 level, __u32 inum)
{
	__u32 nr;
	__u64 ns;

	if (dt_ns_at(pid, level, &nr, &ns) != 0 || dt_ns_inum(ns) != inum)
		return 0;
	return nr;
}

/* Returns the struct pid of the process. */
static __always_inline __u64
pidns_process(__u64 signal)
{
	struct signal_struct *s = (struct signal_struct *)signal;
	__u64 pid = 0;

	bpf_core_read(&pid, sizeof(pid), &s->pids[PIDTYPE_TGID]);
	return pid;
}

/*
 * Returns the struct pid of a thread as an integer: the verifier refuses
 * arithmetic on a value that it knows as a pointer.
 */
static __always_inline __u64
pidns_thread(struct task_struct *task)
{
	__u64 pid = 0;

	bpf_core_read(&pid, sizeof(pid), &task->thread_pid);
	return pid;
}

#endif /* BPF_DT_PIDNS_BPF_H */
