/* SPDX-License-Identifier: ISC */
/*
 * Shared by the fast programs, which serve the common requests (dt_isquick())
 * and do nothing beyond these: the traced thread pays for each instruction.
 */
#ifndef BPF_DT_FAST_BPF_H
#define BPF_DT_FAST_BPF_H

#include "bpf/dt_emit.bpf.h"

/*
 * Filters a hit and returns the ring for it, with process, thread and time set;
 * NULL if the hit is finished.
 */
static __always_inline void *
dt_quick_ring(struct dt_hit *h, const struct task_struct *task, __u32 slot,
    const struct dt_req *r, struct dt_count **cp)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	struct dt_count *c;
	__u32 place;
	void *ring;

	h->h_pid = h->h_kpid = task->tgid;
	h->h_tid = task->pid;
	if ((DT_ID(h->h_pid, h->h_tid) ^ o->ses_id) & o->ses_idmask)
		return NULL;
	h->h_time = bpf_ktime_get_ns();
	place = dt_place_of(slot, bpf_get_smp_processor_id());
	c = dt_count_at(place);
	if (c == NULL)
		return NULL;
	if (dt_left_out(o, r, h)) {
		__sync_fetch_and_add(&c->dc_excluded, 1);
		return NULL;
	}
	ring = bpf_map_lookup_elem(&dt_rings, &place);
	if (ring == NULL) {
		dt_count_noring(c);
		return NULL;
	}
	*cp = c;
	return ring;
}

#endif /* BPF_DT_FAST_BPF_H */
