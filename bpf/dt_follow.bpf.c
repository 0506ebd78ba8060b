/* SPDX-License-Identifier: ISC */
/*
 * Maintains the map dt_followed: adds the child of a followed process before it
 * runs, and deletes a process when its leader is freed.  tp_btf programs,
 * attached only while a session follows.  dtd adds existing processes by a pass
 * over all tasks, with the iter/task programs.
 *
 * A child that cannot be added is counted for each session that follows its
 * parent; its hits and its children are not recorded.
 *
 * With DTFI_ONEXEC the process is added as awaited, and the exec hook makes it
 * followed.  Before that, only hits of the exec itself pass (dt_deliver_execs).
 * Children forked earlier stay unfollowed.
 *
 * A session restricted to its owner's processes follows only these: a process
 * that has changed its owner adds no more children.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_inside.bpf.h"
#include "bpf/dt_maps.bpf.h"
#include "bpf/dt_pidns.bpf.h"
#include "bpf/dt_owner.bpf.h"

struct dt_followquery dt_followquery = {};

/*
 * Returns the key of a process in dt_followed.  Uses a probe read: none of the
 * callers is frequent, and verifiers of newer kernels take a millisecond for
 * each pointer load.
 */
static __always_inline __u64
follow_key(__u64 task)
{
	__u64 signal = 0;

	bpf_core_read(&signal, sizeof(signal),
	    &((struct task_struct *)task)->signal);
	return signal;
}

static __always_inline __u64
follow_parent(__u64 task)
{
	__u64 parent = 0;

	bpf_core_read(&parent, sizeof(parent),
	    &((struct task_struct *)task)->real_parent);
	return parent;
}

/* Makes the given sessions test hits of this process from now on. */
static __always_inline void
follow_bypid(__u32 pid, __u64 low, __u64 high)
{
	__u64 *may = dt_table.t_bypid[pid & (DT_BYPID - 1)];

	__sync_fetch_and_or(&may[0], low);
	__sync_fetch_and_or(&may[1], high);
}

/*
 * Counts an unfollowed child for each session of one word of the mask, hence 64
 * rounds.  A separate function, so that the verifier checks it once.
 */
__noinline int
dt_follow_lost(__u64 mask, __u32 first)
{
	__u32 slot;
	struct dt_count *c;

	for (slot = 0; slot < 64; slot++) {
		if ((mask >> slot & 1) == 0)
			continue;
		c = dt_count_of(first + slot, bpf_get_smp_processor_id());
		if (c != NULL)
			__sync_fetch_and_add(&c->dc_unfollowed, 1);
	}
	return 0;
}

/*
 * Removes a session from a word of a mask if it may not see the parent, which
 * is current.  A separate function: inlined, it would double the verifier's
 * states for each bit.
 */
__noinline __u64
dt_follow_cut(__u64 mask, __u32 slot)
{
	__u64 bit = 1ULL << (slot & 63);

	if ((mask & dt_table.t_own[slot / 64 & 1] & bit) && !dt_owns(slot))
		mask &= ~bit;
	return mask;
}

/* The same for all sessions of a word, hence 64 rounds. */
__noinline __u64
dt_follow_may(__u64 mask, __u32 first)
{
	__u32 bit;

	if ((mask & dt_table.t_own[first / 64 & 1]) == 0)
		return mask;
	for (bit = 0; bit < 64; bit++)
		mask = dt_follow_cut(mask, first + bit);
	return mask;
}

static __always_inline int
follow_fork(__u64 *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx[1];
	__u64 pkey = follow_key(ctx[0]), ckey = follow_key(ctx[1]);
	struct dt_follow fo, *f;

	if (pkey == ckey)
		return 0; /* a thread */
	f = bpf_map_lookup_elem(&dt_followed, &pkey);
	fo.fo_await[0] = fo.fo_await[1] = 0;
	fo.fo_mask[0] = f ? f->fo_mask[0] & dt_table.t_forking[0] : 0;
	fo.fo_mask[1] = f ? f->fo_mask[1] & dt_table.t_forking[1] : 0;
	fo.fo_mask[0] = dt_follow_may(fo.fo_mask[0], 0);
	fo.fo_mask[1] = dt_follow_may(fo.fo_mask[1], 64);
	if ((fo.fo_mask[0] | fo.fo_mask[1]) == 0) {
		/*
		 * The map refuses a change while its lock is held on this CPU,
		 * so the deletion of an earlier owner of this address may have
		 * failed.
		 */
		bpf_map_delete_elem(&dt_followed, &ckey);
		return 0;
	}
	follow_bypid(child->tgid, fo.fo_mask[0], fo.fo_mask[1]);
	if (bpf_map_update_elem(&dt_followed, &ckey, &fo, BPF_ANY) != 0) {
		dt_follow_lost(fo.fo_mask[0], 0);
		dt_follow_lost(fo.fo_mask[1], 64);
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int
dt_follow_fork(__u64 *ctx)
{
	__u64 *inside = dt_inside_enter();

	if (inside == NULL)
		return 0;
	follow_fork(ctx);
	dt_inside_leave(inside);
	return 0;
}

/* An exec has succeeded: sessions that awaited the process now follow it. */
static __always_inline void
follow_begin(struct dt_follow *f, __u32 w)
{
	__u64 begins = f->fo_await[w] & dt_table.t_awaiting[w];

	if (begins == 0)
		return;
	__sync_fetch_and_or(&f->fo_mask[w], begins);
	__sync_fetch_and_and(&f->fo_await[w], ~begins);
}

/* Runs after any thread's execve(2); the process keeps its signal_struct. */
SEC("tp_btf/sched_process_exec")
int
dt_follow_exec(__u64 *ctx)
{
	__u64 key = follow_key(ctx[0]);
	struct dt_follow *f = bpf_map_lookup_elem(&dt_followed, &key);
	__u64 *inside;

	if (f == NULL || (inside = dt_inside_enter()) == NULL)
		return 0;
	follow_begin(f, 0);
	follow_begin(f, 1);
	dt_inside_leave(inside);
	return 0;
}

/* Also runs for a thread that became the leader by execve(2). */
SEC("tp_btf/sched_process_free")
int
dt_follow_free(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	__u64 key = follow_key(ctx[0]);

	if (task->pid == task->tgid)
		bpf_map_delete_elem(&dt_followed, &key);
	return 0;
}

/* Returns whether the query names this process. */
static __always_inline int
follow_is_root(const struct dt_followquery *q, struct task_struct *task,
    __u64 key)
{
	if (q->fq_inum == 0)
		return (__u32)task->tgid == q->fq_pid;
	return dt_ns_number(pidns_process(key), q->fq_level, q->fq_inum) ==
	    q->fq_pid;
}

/* Returns whether the session follows or awaits the process already. */
static __always_inline int
follow_has(const struct dt_follow *f, __u32 w, __u64 bit)
{
	return f != NULL && ((f->fo_mask[w & 1] | f->fo_await[w & 1]) & bit);
}

/*
 * Returns whether the pass adds this process: the query names it, or the
 * session follows its parent.
 */
static __always_inline int
follow_wants(const struct dt_followquery *q, struct task_struct *task,
    __u64 key, __u32 w, __u64 bit)
{
	__u64 pkey;

	if (follow_is_root(q, task, key))
		return 1;
	if (q->fq_onexec)
		return 0;
	pkey = follow_key(follow_parent((__u64)task));
	return follow_has(bpf_map_lookup_elem(&dt_followed, &pkey), w, bit);
}

/*
 * Adds the queried process and children of processes already added. dtd repeats
 * the pass until it adds none.
 */
SEC("iter/task")
int
dt_follow_enter(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct dt_followquery *q = &dt_followquery;
	__u32 slot = q->fq_slot & (DT_MAXSESS - 1), w = slot / 64;
	struct dt_follow fo = {}, *f;
	__u64 bit = 1ULL << (slot % 64), key;

	if (task == NULL || task->pid != task->tgid)
		return 0;
	key = follow_key((__u64)task);
	f = bpf_map_lookup_elem(&dt_followed, &key);
	if (follow_has(f, w, bit) || !follow_wants(q, task, key, w, bit))
		return 0;
	if ((dt_table.t_own[w & 1] & bit) && !own_task((__u64)task, slot))
		return 0;
	follow_bypid(task->tgid, w == 0 ? bit : 0, w == 0 ? 0 : bit);
	if (q->fq_onexec)
		fo.fo_await[w & 1] = bit;
	else
		fo.fo_mask[w & 1] = bit;
	if (bpf_map_update_elem(&dt_followed, &key, &fo, BPF_NOEXIST) != 0) {
		f = bpf_map_lookup_elem(&dt_followed, &key);
		if (f == NULL) {
			q->fq_nlost++;
			return 0;
		}
		__sync_fetch_and_or(&f->fo_mask[w & 1], fo.fo_mask[w & 1]);
		__sync_fetch_and_or(&f->fo_await[w & 1], fo.fo_await[w & 1]);
	}
	q->fq_nadded++;
	return 0;
}

/* Removes a session from all processes. */
SEC("iter/task")
int
dt_follow_leave(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 slot = dt_followquery.fq_slot & (DT_MAXSESS - 1);
	__u64 bit = 1ULL << (slot % 64), key;
	struct dt_follow *f;

	if (task == NULL || task->pid != task->tgid)
		return 0;
	key = follow_key((__u64)task);
	f = bpf_map_lookup_elem(&dt_followed, &key);
	if (f == NULL)
		return 0;
	__sync_fetch_and_and(&f->fo_mask[slot / 64 & 1], ~bit);
	__sync_fetch_and_and(&f->fo_await[slot / 64 & 1], ~bit);
	if ((f->fo_mask[0] | f->fo_mask[1] | f->fo_await[0] | f->fo_await[1]) ==
	    0)
		bpf_map_delete_elem(&dt_followed, &key);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
