/* SPDX-License-Identifier: ISC */
/*
 * Fast programs of kernel functions: attached in place of the full ones if
 * everything that the session requests of its functions is simple
 * (dt_isquick()).  Run as kprobe and fentry programs.
 */
#ifndef BPF_DT_KPROBE_FAST_BPF_H
#define BPF_DT_KPROBE_FAST_BPF_H

#include "bpf/dt_kprobe_regs.bpf.h"
#include "bpf/dt_fast.bpf.h"

/* A hit that a session wants, and its destination. */
struct kquick {
	void *kq_ctx;
	struct dt_sess *kq_sess;
	const struct dt_kprobe_entry *kq_entry;
	void *kq_ring;
	struct dt_count *kq_count;
	const struct task_struct *kq_task;
	struct dt_hit kq_hit;
};

/*
 * Like dt_emit_shape(), but writes values straight into the record.  n: number
 * of arguments, or -1 for a return.  n, from and comm are constants after
 * inlining.
 */
static __always_inline int
kquick_shape(const struct kquick *kq, const int n, const int from,
    const int comm)
{
	const __u32 nbytes = n < 0 ? sizeof(struct dt_rec_ret) : 8 * n;
	const __u32 size = sizeof(struct dt_rec) + nbytes +
	    (comm ? DT_REC_COMMLEN : 0);
	struct dt_rec *rec = dt_emit_reserve(kq->kq_ring, kq->kq_count, size);
	__u64 *name;

	if (rec == NULL)
		return 0;
	dt_fill_head(rec, &kq->kq_hit, size,
	    (n > 0 ? DT_REC_ARGS : 0) | (n < 0 ? DT_REC_RETVAL : 0) |
		(comm ? DT_REC_COMM : 0));
	if (n < 0)
		kprobe_return((struct dt_rec_ret *)(rec + 1), kq->kq_ctx,
		    kq->kq_entry->kl_ret, from);
	else
		kprobe_args((__u64 *)(rec + 1), kq->kq_ctx, kq->kq_entry, from,
		    n);
	if (comm) {
		name = (__u64 *)((char *)(rec + 1) + nbytes);
		name[0] = *(__u64 *)&kq->kq_task->comm[0];
		name[1] = *(__u64 *)&kq->kq_task->comm[8];
	}
	bpf_ringbuf_submit(rec, dt_wake_flags(kq->kq_sess));
	return 0;
}

static __always_inline int
kquick_named(const struct kquick *kq, const int n, const int from)
{
	if (kq->kq_entry->kl_req.rq_evtflags & DT_EVT_EXECNAME)
		return kquick_shape(kq, n, from, 1);
	return kquick_shape(kq, n, from, 0);
}

static __always_inline int
kquick_entry(const struct kquick *kq, const int from)
{
	const struct dt_kprobe_entry *l = kq->kq_entry;

	switch (l->kl_req.rq_evtflags & DT_EVT_FUNCARGS ? l->kl_nargs : 0) {
	case 0:
		return kquick_named(kq, 0, from);
	case 1:
		return kquick_named(kq, 1, from);
	case 2:
		return kquick_named(kq, 2, from);
	case 3:
		return kquick_named(kq, 3, from);
	case 4:
		return kquick_named(kq, 4, from);
	case 5:
		return kquick_named(kq, 5, from);
	default:
		return kquick_named(kq, 6, from);
	}
}

/* Like kprobe_hit(), for the fast programs. */
static __always_inline int
kquick_hit(void *ctx, __u64 cookie, const struct dt_kprobe_entry *l,
    int isreturn, const int from)
{
	__u32 slot = DT_KCOOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	struct kquick kq;

	if (!kprobe_counts(cookie, slot))
		return 0;
	kq.kq_ctx = ctx;
	kq.kq_entry = l;
	kq.kq_sess = &dt_table.t_sess[slot];
	kq.kq_task = dt_task();
	kq.kq_ring = dt_quick_ring(&kq.kq_hit, kq.kq_task, slot, &l->kl_req,
	    &kq.kq_count);
	if (kq.kq_ring == NULL)
		return 0;
	kq.kq_hit.h_pbn = DT_KCOOKIE_PBN(cookie);
	return isreturn ? kquick_named(&kq, -1, from) : kquick_entry(&kq, from);
}

#endif /* BPF_DT_KPROBE_FAST_BPF_H */
