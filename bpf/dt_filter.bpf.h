/* SPDX-License-Identifier: ISC */
/*
 * Decides whether a session wants a hit and may see it: its filter, pid
 * namespace, cgroup, followed processes and excluded processes.  Runs in any
 * program of the dt device.  Maps: reads dt_table, dt_followed and
 * dt_excluded.
 */
#ifndef BPF_DT_FILTER_BPF_H
#define BPF_DT_FILTER_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_hit.h"
#include "bpf/dt_maps.bpf.h"
#include "bpf/dt_pidns.bpf.h"
#include "bpf/dt_owner.bpf.h"
#include "bpf/dt_task.bpf.h"

/*
 * Fills in who caused the hit, and when.
 */
static __always_inline void
dt_hit_task(struct dt_hit *h, struct task_struct *task)
{
	h->h_time = bpf_ktime_get_ns();
	h->h_pid = task->tgid;
	h->h_tid = task->pid;
	h->h_comm[0] = *(__u64 *)&task->comm[0];
	h->h_comm[1] = *(__u64 *)&task->comm[8];
	h->h_cpu = bpf_get_smp_processor_id();
	h->h_uid = task->real_cred->uid.val;
	h->h_nomm = task->mm == NULL;
	h->h_kpid = h->h_pid;
	h->h_ktid = h->h_tid;
	h->h_signal = (__u64)task->signal;
	h->h_raw = 0;
}

/*
 * Returns whether the session's filter accepts the hit, without branches; see
 * dt_sess.
 */
static __always_inline int
dt_passes(const struct dt_sess *o, const struct dt_hit *h)
{
	return (((DT_ID(h->h_pid, h->h_tid) ^ o->ses_id) & o->ses_idmask) |
		   ((h->h_uid ^ o->ses_uid) & o->ses_uidmask) |
		   (((h->h_comm[0] ^ o->ses_comm[0]) |
			(h->h_comm[1] ^ o->ses_comm[1])) &
		       o->ses_commmask)) == 0;
}

/*
 * Translates the hit's ids for a session in another pid namespace, and applies
 * the filter given in these ids.  Returns 0 if the thread is not in that
 * namespace, or has already lost its number late in its exit.
 */
__noinline int
dt_ns_enter(struct dt_hit *h, __u32 slot)
{
	struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	__u64 thread;

	if (h == NULL)
		return 0;
	thread = pidns_thread(bpf_get_current_task_btf());
	h->h_tid = dt_ns_number(thread, o->ses_nslevel, o->ses_nsinum);
	h->h_pid = dt_ns_number(pidns_process(h->h_signal), o->ses_nslevel,
	    o->ses_nsinum);
	return h->h_tid != 0 && h->h_pid != 0 &&
	    ((DT_ID(h->h_pid, h->h_tid) ^ o->ses_nsid) & o->ses_nsidmask) == 0;
}

/* Restores the ids of the initial namespace, for the next session. */
static __always_inline void
dt_ns_leave(struct dt_hit *h)
{
	h->h_pid = h->h_kpid;
	h->h_tid = h->h_ktid;
}

/*
 * Returns whether the thread is in the session's cgroup or a descendant.  A
 * separate function, because few sessions have a cgroup.  The loop's bound,
 * DT_CGROUP_MAXLEVEL, is the depth that is searched; deeper threads do not
 * match.
 */
__noinline int
dt_in_cgroup(__u32 slot)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	__u64 id;
	int level;

	if (o->ses_cglevel != DT_CGROUP_ANYLEVEL)
		return bpf_get_current_ancestor_cgroup_id(o->ses_cglevel) ==
		    o->ses_cgroup;
	for (level = 0; level < DT_CGROUP_MAXLEVEL; level++) {
		id = bpf_get_current_ancestor_cgroup_id(level);
		if (id == 0 || id == o->ses_cgroup)
			return id != 0;
	}
	return 0;
}

static __always_inline int
bounds_has(struct dt_hit *h, __u32 slot, __u32 unbound)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];

	if (h == NULL || (o->ses_nsinum != 0 && !dt_ns_enter(h, slot)))
		return 0;
	if ((o->ses_flags & (DT_SESS_OWN | unbound)) == DT_SESS_OWN) {
		if (!dt_owns(slot))
			return 0;
		if (o->ses_flags & DT_SESS_USTACK)
			dt_own_note(h, slot);
	}
	return (o->ses_flags & DT_SESS_CGROUP) == 0 || dt_in_cgroup(slot);
}

/*
 * Returns whether a session with bounds accepts a hit of the current thread.
 * The hit then has the ids of the session's namespace.
 */
__noinline int
dt_in_bounds(struct dt_hit *h, __u32 slot)
{
	return bounds_has(h, slot, 0);
}

/* The same for a tick of the session's clock. */
__noinline int
dt_in_clock_bounds(struct dt_hit *h, __u32 slot)
{
	return bounds_has(h, slot, DT_SESS_TICKS);
}

/* Returns whether the session has bounds; one branch for the usual case. */
static __always_inline int
dt_has_bounds(const struct dt_sess *o)
{
	return (o->ses_nsinum | (o->ses_flags & DT_SESS_BOUNDS)) != 0;
}

/* Returns whether the session follows this process, or all processes. */
static __always_inline int
dt_follows(const struct dt_sess *o, const struct dt_hit *h, __u32 slot)
{
	__u64 key = h->h_signal;
	const struct dt_follow *f;

	if ((o->ses_flags & DT_SESS_FOLLOW) == 0)
		return 1;
	f = bpf_map_lookup_elem(&dt_followed, &key);
	return f != NULL && (f->fo_mask[slot / 64 & 1] >> (slot % 64) & 1);
}

/*
 * Returns whether the session excludes this hit of dtd or of a recording client
 * (enum dt_level).  A hit in an interrupt counts for the interrupted process.
 */
static __always_inline int
dt_left_out(const struct dt_sess *o, const struct dt_req *r,
    const struct dt_hit *h)
{
	__u32 pid = h->h_kpid, *level;

	if ((dt_table.t_excluded[DT_EXCLUDE_WORD(pid)] & DT_EXCLUDE_BIT(pid)) ==
	    0)
		return 0;
	/* for a pair, the first hit was tested */
	if (((o->ses_flags & DT_SESS_SELF) |
		(r->rq_bits & (DT_REQ_NAMES | DT_REQ_TO))) != 0)
		return 0;
	level = bpf_map_lookup_elem(&dt_excluded, &pid);
	return level != NULL && *level >= o->ses_level;
}

#endif /* BPF_DT_FILTER_BPF_H */
