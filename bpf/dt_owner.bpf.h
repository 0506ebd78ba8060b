/* SPDX-License-Identifier: ISC */
/*
 * Decides whether a process belongs to the owner of a session with
 * DT_SESS_OWN.  Evaluated at each hit, because any system call can change a
 * process's credentials.  Runs in any program; reads t_owner, writes dt_owned.
 *
 * A process belongs to the owner if the owner could trace it by ptrace(2)
 * without a capability, with stricter conditions: all its user ids and group
 * ids are the owner's; its permitted capabilities are a subset of the owner's
 * at open; it is dumpable (a process that changed ids, or runs a program that
 * the user may not read, is not); and its user namespace is the owner's, or a
 * descendant that the owner created.
 *
 * Uses probe reads: few sessions need this, and verifiers of newer kernels
 * search all types of the kernel for each pointer load.
 */
#ifndef BPF_DT_OWNER_BPF_H
#define BPF_DT_OWNER_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_maps.bpf.h"

/*
 * Levels of user namespaces that are searched, of 33 possible.  Processes
 * deeper than that do not belong to the owner.  The verifier checks each
 * round.
 */
#define OWN_USERNS   8
#define OWN_DUMPMASK 3 /* mask of the dumpable bits in mm_struct.flags */
#define OWN_DUMPABLE 1 /* SUID_DUMP_USER */

/* Compares user and group ids.  cred is an integer to the verifier. */
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
		return 0; /* a kernel thread, or late in its exit */
	if (bpf_core_field_exists(struct mm_struct, flags))
		bpf_core_read(&flags, sizeof(flags),
		    &((struct mm_struct *)mm)->flags);
	else if (bpf_core_field_exists(struct mm_struct___words, flags))
		bpf_core_read(&flags, sizeof(flags),
		    &((struct mm_struct___words *)mm)->flags);
	return (flags & OWN_DUMPMASK) == OWN_DUMPABLE;
}

/* The creator of a namespace has all rights in it and its descendants. */
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

/* Returns whether a task belongs to the session's owner. */
static __always_inline int
own_task(__u64 task, __u32 slot)
{
	const struct dt_owner *ow = &dt_table.t_owner[slot & (DT_MAXSESS - 1)];
	__u64 cred = 0;

	bpf_core_read(&cred, sizeof(cred),
	    &((struct task_struct *)task)->real_cred);
	return cred != 0 && own_ids(cred, ow) && own_caps(cred, ow) &&
	    own_dumpable(task) && own_userns(cred, ow);
}

/* The same for the current task; the verifier checks it once. */
__noinline int
dt_owns(__u32 slot)
{
	return own_task(bpf_get_current_task(), slot);
}

/*
 * Fills in the identity of the current program.  The kernel counts an exec
 * before it maps the new program and before it assigns new ids.  A hit in
 * between creates an entry that later hits with other ids do not extend.
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

/*
 * Records in dt_owned that the current process belongs to the owner at this
 * hit, so that its code may be symbolized.
 */
__noinline int
dt_own_note(struct dt_hit *h, __u32 slot)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct dt_ownedkey ok = { 0 };
	struct dt_owned new, *od;

	if (h == NULL)
		return 0;
	ok.ok_slot = slot;
	ok.ok_gen = dt_table.t_sess[slot & (DT_MAXSESS - 1)].ses_gen;
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
