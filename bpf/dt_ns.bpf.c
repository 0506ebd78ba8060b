/* SPDX-License-Identifier: ISC */
/*
 * Finds a process by its number: a pass over all tasks that dtd reads like a
 * file.  dtd asks when it, or a client, is not in the initial pid namespace:
 * BPF programs know processes by their numbers there.
 */
#include "dt_vmlinux.h"

#include "dt_ns.bpf.h"
#include "dt_open.h"

struct dt_nsquery dt_nsquery = {};

/* The namespace in which the number counts: that of who reads, or a given. */
static __always_inline void
ns_of_query(struct dt_nsquery *q)
{
	__u64 reader = dt_ns_thread(bpf_get_current_task_btf()), ns;
	struct pid *p = (struct pid *)reader;
	__u32 nr;

	if (q->nq_inum == 0) {
		bpf_core_read(&q->nq_level, sizeof(q->nq_level), &p->level);
		if (dt_ns_at(reader, q->nq_level, &nr, &ns) == 0)
			q->nq_inum = dt_ns_inum(ns);
	}
	bpf_core_read(&q->nq_readerlevel, sizeof(q->nq_readerlevel), &p->level);
	if (dt_ns_at(reader, q->nq_readerlevel, &nr, &ns) == 0)
		q->nq_readerinum = dt_ns_inum(ns);
}

SEC("iter/task")
int
dt_ns_find(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct dt_nsquery *q = &dt_nsquery;
	__u64 pid, ns;
	__u32 nr;

	if (task == NULL || task->pid != task->tgid || q->nq_found)
		return 0;
	ns_of_query(q);
	pid = dt_ns_process((__u64)task->signal);
	if (dt_ns_number(pid, q->nq_level, q->nq_inum) != q->nq_pid)
		return 0;
	q->nq_found = 1;
	q->nq_kpid = task->tgid;
	q->nq_localpid = dt_ns_number(pid, q->nq_readerlevel, q->nq_readerinum);
	bpf_core_read(&q->nq_ownlevel, sizeof(q->nq_ownlevel),
	    &((struct pid *)pid)->level);
	if (dt_ns_at(pid, q->nq_ownlevel, &nr, &ns) == 0)
		q->nq_owninum = dt_ns_inum(ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
