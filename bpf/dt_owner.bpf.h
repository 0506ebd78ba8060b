/* SPDX-License-Identifier: ISC */
/*
 * Whose process the current one is: for opens that may see their owner's own
 * only (DT_OPEN_OWN).  Asked at the hit, as a process may become another's, or
 * nobody's, by any system call of its own.
 *
 * It is the owner's own if he could trace it by ptrace(2) without a capability,
 * and stricter: all user ids are his, real ones and others, and so are the
 * group ids; it may use no capability that he could not when he opened; it is
 * dumpable (what has changed its ids, or runs a program that the user may not
 * read, is not); and its user namespace is his own, or one below that he has
 * made.
 *
 * By probe reads: few opens ask, and for each load of a pointer the verifier of
 * newer kernels searches all types of the kernel.
 */
#ifndef BPF_DT_OWNER_BPF_H
#define BPF_DT_OWNER_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_maps.bpf.h"

/* Levels of user namespaces that are looked at, of 33: what is deeper is not
 * his.  The verifier looks at each. */
#define OWN_USERNS   8
#define OWN_DUMPMASK 3 /* bits of mm_struct.flags, and the value of them */
#define OWN_DUMPABLE 1 /* that is SUID_DUMP_USER */

/* The verifier sees numbers, not pointers. */
static __always_inline int
own_ids(__u64 cred, const struct dt_owner *ow)
{
	struct cred *cr = (struct cred *)cred;
	__u32 uid = ~ow->ow_uid, euid = uid, suid = uid;
	__u32 gid = ~ow->ow_gid, egid = gid, sgid = gid;

	bpf_core_read(&uid, sizeof(uid), &cr->uid);
	bpf_core_read(&euid, sizeof(euid), &cr->euid);
	bpf_core_read(&suid, sizeof(suid), &cr->suid);
	bpf_core_read(&gid, sizeof(gid), &cr->gid);
	bpf_core_read(&egid, sizeof(egid), &cr->egid);
	bpf_core_read(&sgid, sizeof(sgid), &cr->sgid);
	return ((uid ^ ow->ow_uid) | (euid ^ ow->ow_uid) | (suid ^ ow->ow_uid) |
		   (gid ^ ow->ow_gid) | (egid ^ ow->ow_gid) |
		   (sgid ^ ow->ow_gid)) == 0;
}

static __always_inline int
own_caps(__u64 cred, const struct dt_owner *ow)
{
	__u64 caps = ~0ULL;

	bpf_core_read(&caps, sizeof(caps),
	    &((struct cred *)cred)->cap_permitted);
	return (caps & ~ow->ow_caps) == 0;
}

static __always_inline int
own_dumpable(__u64 task)
{
	__u64 mm = 0, flags = 0;

	bpf_core_read(&mm, sizeof(mm), &((struct task_struct *)task)->mm);
	if (mm == 0)
		return 0; /* a thread of the kernel, or nearly gone */
	if (bpf_core_field_exists(struct mm_struct, flags))
		bpf_core_read(&flags, sizeof(flags),
		    &((struct mm_struct *)mm)->flags);
	else if (bpf_core_field_exists(struct mm_struct___words, flags))
		bpf_core_read(&flags, sizeof(flags),
		    &((struct mm_struct___words *)mm)->flags);
	return (flags & OWN_DUMPMASK) == OWN_DUMPABLE;
}

/* Who has made a namespace may do all in it, and in those below. */
static __always_inline int
own_userns(__u64 cred, const struct dt_owner *ow)
{
	__u64 ns = 0;
	__u32 inum, maker = ow->ow_uid;
	int i;

	bpf_core_read(&ns, sizeof(ns), &((struct cred *)cred)->user_ns);
	for (i = 0; i < OWN_USERNS && ns != 0; i++) {
		struct user_namespace *un = (struct user_namespace *)ns;

		inum = 0;
		bpf_core_read(&inum, sizeof(inum), &un->ns.inum);
		if (inum == ow->ow_userns)
			return inum != 0 && maker == ow->ow_uid;
		maker = ~ow->ow_uid;
		bpf_core_read(&maker, sizeof(maker), &un->owner);
		ns = 0;
		bpf_core_read(&ns, sizeof(ns), &un->parent);
	}
	return 0;
}

/* Whether a task is the own of who has the open. */
static __always_inline int
own_task(__u64 task, __u32 slot)
{
	const struct dt_owner *ow = &dt_table.t_owner[slot & (DT_MAXOPEN - 1)];
	__u64 cred = 0;

	bpf_core_read(&cred, sizeof(cred),
	    &((struct task_struct *)task)->real_cred);
	return cred != 0 && own_ids(cred, ow) && own_caps(cred, ow) &&
	    own_dumpable(task) && own_userns(cred, ow);
}

/* The same of the current one; the verifier looks at it once. */
__noinline int
dt_owns(__u32 slot)
{
	return own_task(bpf_get_current_task(), slot);
}

/*
 * The kernel counts an execution before it maps the new program.  A hit after
 * that, but before it gives the process its new ids, begins an entry that no
 * later hit of a process with other ids extends.
 */
static __always_inline void
own_program(struct task_struct *task, struct dt_owned *od)
{
	struct task_struct *leader = NULL;

	od->od_start = od->od_exec = 0;
	bpf_core_read(&leader, sizeof(leader), &task->group_leader);
	bpf_core_read(&od->od_start, sizeof(od->od_start), &leader->start_time);
	bpf_core_read(&od->od_exec, sizeof(od->od_exec), &task->self_exec_id);
}

/* Notes that the current process is, at this hit: for names of its code. */
__noinline int
dt_own_note(struct dt_hit *h, __u32 slot)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct dt_ownedkey ok = { 0 };
	struct dt_owned new, *od;

	if (h == NULL)
		return 0;
	ok.ok_slot = slot;
	ok.ok_gen = dt_table.t_open[slot & (DT_MAXOPEN - 1)].do_gen;
	ok.ok_pid = h->h_kpid;
	new.od_first = new.od_last = h->h_time;
	own_program(task, &new);
	od = bpf_map_lookup_elem(&dt_owned, &ok);
	if (od == NULL || od->od_start != new.od_start ||
	    od->od_exec != new.od_exec)
		bpf_map_update_elem(&dt_owned, &ok, &new, BPF_ANY);
	else if (od->od_last < h->h_time)
		od->od_last = h->h_time;
	return 0;
}

#endif /* BPF_DT_OWNER_BPF_H */
