/* SPDX-License-Identifier: ISC */
/*
 * Shared by the fast programs, which serve the common requests (dt_isquick())
 * and do nothing beyond these: the traced thread pays for each instruction.
 */
#ifndef BPF_DT_FAST_BPF_H
#define BPF_DT_FAST_BPF_H

#include "bpf/dt_emit.bpf.h"

/*
 * Filters a hit, and sets its process and thread.  Returns the session's
 * counters on this CPU, and their place; NULL if the hit is finished.
 */
static __always_inline struct dt_count *
dt_quick_filter(struct dt_hit *h, const struct task_struct *task, __u32 slot,
    const struct dt_req *r, __u32 *place)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	struct dt_count *c;

	h->h_pid = h->h_kpid = task->tgid;
	h->h_tid = task->pid;
	if ((DT_ID(h->h_pid, h->h_tid) ^ o->ses_id) & o->ses_idmask)
		return NULL;
	h->h_signal = (__u64)task->signal;
	if (!dt_follows(o, h, slot))
		return NULL;
	*place = dt_place_of(slot, bpf_get_smp_processor_id());
	c = dt_count_at(*place);
	if (c == NULL)
		return NULL;
	if (dt_left_out(o, r, h)) {
		__sync_fetch_and_add(&c->dc_excluded, 1);
		return NULL;
	}
	return c;
}

/*
 * Filters a hit and returns the ring for it, with process, thread and time set;
 * NULL if the hit is finished.
 */
static __always_inline void *
dt_quick_ring(struct dt_hit *h, const struct task_struct *task, __u32 slot,
    const struct dt_req *r, struct dt_count **cp)
{
	__u32 place;
	void *ring;

	*cp = dt_quick_filter(h, task, slot, r, &place);
	if (*cp == NULL)
		return NULL;
	h->h_time = bpf_ktime_get_ns();
	ring = bpf_map_lookup_elem(&dt_rings, &place);
	if (ring == NULL)
		dt_count_noring(*cp);
	return ring;
}

/*
 * Filters and counts a hit.  The caller has set its probe, its arguments or
 * result, and all other fields to 0.
 */
static __always_inline void
dt_quick_count(struct dt_hit *h, const struct task_struct *task, __u32 slot,
    const struct dt_req *r)
{
	__u32 place;

	if (dt_quick_filter(h, task, slot, r, &place) == NULL)
		return;
	h->h_comm[0] = *(__u64 *)&task->comm[0];
	h->h_comm[1] = *(__u64 *)&task->comm[8];
	h->h_uid = task->real_cred->uid.val;
	h->h_cpu = bpf_get_smp_processor_id();
	dt_agg_hit(h, r->rq_agg, slot);
}

#endif /* BPF_DT_FAST_BPF_H */
