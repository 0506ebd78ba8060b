/* SPDX-License-Identifier: ISC */
/*
 * The program attached to a tracepoint: the fast path, for most hits.  It
 * passes all other hits to the full program by a tail call.
 *
 * It loads the record directly, where the full program copies it with a
 * helper.  The kernel attaches such a program only if no load is beyond the
 * record's end, so it is loaded once for each length of records.  This is
 * fast, because the program calls no functions that the verifier would have to
 * check.
 */
#include "bpf/dt_fast.bpf.h"
#include "bpf/dt_lowest_bit.bpf.h"
#include "bpf/dt_tracepoint.bpf.h"

const volatile __u32 dt_length; /* length of the record, a multiple of 4 */

/* The full program; set by dtd. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} dt_rest SEC(".maps");

/* Loads the record's beginning.  The first word belongs to the kernel. */
static __always_inline void
quick_words(const __u64 *ctx, __u64 *words)
{
	__u32 i;

	words[0] = 0;
#pragma unroll
	for (i = 1; i < DT_TP_QWORDS; i++) {
		words[i] = 0;
		if (dt_length >= 8 * i + 8)
			words[i] = *(volatile __u64 *)&ctx[i];
		else if (dt_length == 8 * i + 4)
			words[i] = *(volatile __u32 *)&ctx[i];
	}
}

/* Sets the first n arguments. */
static __always_inline void
quick_args(struct dt_hit *h, const struct dt_tp_entry *tl, const __u64 *words,
    const __u32 n)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++)
		if (i < n)
			h->h_args[i] = tp_cut(words[tl->tl_fast[i].ft_word &
						  (DT_TP_QWORDS - 1)],
			    &tl->tl_fast[i]);
}

/* Emits a hit with n arguments, a constant after inlining. */
static __always_inline int
quick_shape(void *ring, struct dt_count *c, struct dt_sess *o, struct dt_hit *h,
    const struct dt_tp_entry *tl, const __u64 *words, const __u32 n, __u32 want)
{
	quick_args(h, tl, words, n);
	return dt_emit_named(ring, c, o, h, n, 0, want);
}

static __always_inline int
quick_emit(void *ring, struct dt_count *c, struct dt_sess *o, struct dt_hit *h,
    const struct dt_tp_entry *tl, const __u64 *words, __u32 want)
{
	switch (want & DT_EVT_FUNCARGS ? h->h_nargs : 0) {
	case 0:
		return quick_shape(ring, c, o, h, tl, words, 0, want);
	case 1:
		return quick_shape(ring, c, o, h, tl, words, 1, want);
	case 2:
		return quick_shape(ring, c, o, h, tl, words, 2, want);
	case 3:
		return quick_shape(ring, c, o, h, tl, words, 3, want);
	case 4:
		return quick_shape(ring, c, o, h, tl, words, 4, want);
	case 5:
		return quick_shape(ring, c, o, h, tl, words, 5, want);
	default:
		return quick_shape(ring, c, o, h, tl, words, 6, want);
	}
}

/* words: space for the record. */
static __always_inline int
quick_count(const __u64 *ctx, const struct task_struct *task,
    const struct dt_tp_entry *tl, __u32 slot, const struct dt_req *r,
    struct dt_hit *h, __u64 *words)
{
	__builtin_memset(h, 0, sizeof(*h));
	quick_words(ctx, words);
	quick_args(h, tl, words, tl->tl_nfields);
	h->h_pbn = tl->tl_pbn;
	dt_quick_count(h, task, slot, r);
	return 0;
}

/* Returns 0 if the hit is finished, 1 if the full program must process it. */
static __always_inline int
quick_hit(const __u64 *ctx, const struct dt_tp_entry *tl, __u32 line)
{
	struct task_struct *task = dt_task();
	__u64 words[DT_TP_QWORDS];
	const __u64 *may;
	const struct dt_req *r;
	struct dt_sess *o;
	struct dt_count *c;
	struct dt_hit h;
	__u64 low, high;
	__u32 slot;
	void *ring;

	may = dt_table.t_bypid[(__u32)task->tgid & (DT_BYPID - 1)];
	low = tl->tl_mask[0] & may[0];
	high = tl->tl_mask[1] & may[1];
	if ((low | high) == 0)
		return 0;
	if (high != 0 || (low & (low - 1)) != 0)
		return 1;
	slot = lowest_bit(low) & (DT_MAXSESS - 1);
	o = &dt_table.t_sess[slot];
	r = &dt_tptable.tpt_req[slot][line & (DT_TP_ENTRIES - 1)];
	if (dt_isquick_count(o, r))
		return quick_count(ctx, task, tl, slot, r, &h, words);
	if (!dt_isquick(o, r))
		return 1;
	ring = dt_quick_ring(&h, task, slot, r, &c);
	if (ring == NULL)
		return 0;
	quick_words(ctx, words);
	h.h_comm[0] = *(__u64 *)&task->comm[0];
	h.h_comm[1] = *(__u64 *)&task->comm[8];
	h.h_pbn = tl->tl_pbn;
	h.h_nargs = tl->tl_nfields;
	return quick_emit(ring, c, o, &h, tl, words, r->rq_evtflags);
}

/*
 * Returns 1, so that other perf events of the tracepoint receive the hit, too.
 */
SEC("tracepoint")
int
dt_quick(__u64 *ctx)
{
	__u32 line = bpf_get_attach_cookie(ctx);
	const struct dt_tp_entry *tl = tp_line(line);

	if ((tl->tl_mask[0] | tl->tl_mask[1]) == 0)
		return 1;
	/* the exec itself may begin what a session follows */
	if ((tl->tl_bits & (DT_TP_QUICK | DT_TP_EXEC)) != DT_TP_QUICK ||
	    quick_hit(ctx, tl, line))
		bpf_tail_call(ctx, &dt_rest, 0);
	return 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
