/* SPDX-License-Identifier: ISC */
/*
 * The interval provider.  A raw_tp program that no hook runs: dtd runs it with
 * BPF_PROG_TEST_RUN on the CPU that shall tick, in an interrupt, so the current
 * thread is the interrupted one.  A tick belongs to the session's clock and
 * not to a process, so the session's filters are not applied and dtd and its
 * clients are not excluded.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_reads.bpf.h"

/*
 * Address ranges of the kernel functions between the interrupted thread and
 * this program: the interrupt's entry, and its counterpart in the idle loop. 0:
 * unknown, and stacks are not cut.  Set before load.
 */
#define INTERVAL_NENTRY 2

const volatile __u64 dt_entry_begin[INTERVAL_NENTRY] = {};
const volatile __u64 dt_entry_end[INTERVAL_NENTRY] = {};

#define INTERVAL_NFRAMES 12 /* frames searched; 6 are usual */

static __always_inline int
interval_isentry(__u64 pc)
{
	return (pc >= dt_entry_begin[0] && pc < dt_entry_end[0]) ||
	    (pc >= dt_entry_begin[1] && pc < dt_entry_end[1]);
}

/*
 * Returns the number of kernel frames that belong to the tick itself.  The
 * bound is twice the usual depth; if no entry is found, nothing is cut.  Not
 * inline, since Linux 6.1 then verified the rest once for each result, and gave
 * up.  So the first frame here is of this function, and later not there.
 */
__noinline int
interval_skip(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 pcs[INTERVAL_NFRAMES] = {};
	__u32 i;

	if (bpf_get_stack(ctx, pcs, sizeof(pcs), 0) < 0)
		return 0;
#pragma unroll
	for (i = 0; i < INTERVAL_NFRAMES; i++)
		if (interval_isentry(pcs[i]))
			return i;
	return 0;
}

/*
 * Translates ids for a session in another pid namespace.  For a thread outside
 * of it, the tick has no ids, name or stack, but is still an event.  Returns
 * the DT_EVT_* that may be recorded.
 */
static __always_inline __u32
interval_ns(const struct dt_sess *o, struct dt_hit *h, __u32 want)
{
	__u64 thread = pidns_thread(bpf_get_current_task_btf());

	h->h_tid = dt_ns_number(thread, o->ses_nslevel, o->ses_nsinum);
	h->h_pid = dt_ns_number(pidns_process(h->h_signal), o->ses_nslevel,
	    o->ses_nsinum);
	if (h->h_tid != 0 && h->h_pid != 0)
		return want;
	h->h_tid = h->h_pid = 0;
	return 0;
}

/* The same for a session restricted to its owner's processes. */
static __always_inline __u32
interval_own(struct dt_hit *h, __u32 slot, __u32 want)
{
	if (dt_owns(slot)) {
		if (want & DT_EVT_USTACK)
			dt_own_note(h, slot);
		return want;
	}
	h->h_tid = h->h_pid = 0;
	return 0;
}

/* Emits a record that takes the scratch. */
static __always_inline int
interval_emit(struct bpf_raw_tracepoint_args *ctx, struct dt_hit *h,
    struct dt_req *r, __u32 slot, __u32 want, const int tables)
{
	__u32 kskip = want & DT_EVT_KSTACK ? interval_skip(ctx) : 0, length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return 0;
	/* one of several constants */
	kskip = dt_forget(wy.wy_scratch, kskip, 0xff);
	length = dt_build(ctx, wy.wy_scratch, h, slot, want, kskip, tables);
	length = dt_put_reads(wy.wy_scratch, h, r, length, tables);
	barrier_var(length);
	if (length > DT_SCRATCH_SIZE)
		length = 0; /* unreachable */
	dt_way_output(&wy, length);
	return 0;
}

/* Arguments: a cookie as a link would have it; a row of dt_reads, or 0. */
static __always_inline int
interval_tick(struct bpf_raw_tracepoint_args *ctx, const int tables)
{
	__u64 cookie = ctx->args[0];
	__u32 slot = DT_COOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	__u32 want = DT_COOKIE_EVTFLAGS(cookie);
	struct dt_sess *o = &dt_table.t_sess[slot];
	struct dt_req r = { .rq_reads = ctx->args[1] };
	struct dt_hit h = {};
	struct dt_count *c;
	void *ring;

	dt_hit_task(&h, dt_task());
	h.h_pbn = DT_COOKIE_PBN(cookie);
	if (o->ses_nsinum != 0)
		want = interval_ns(o, &h, want);
	if ((o->ses_flags & (DT_SESS_OWN | DT_SESS_TICKS)) == DT_SESS_OWN)
		want = interval_own(&h, slot, want);
	if (o->ses_nsinum != 0 && h.h_tid == 0)
		r.rq_reads = 0; /* not of that thread */
	if (want & (DT_EVT_KSTACK | DT_EVT_USTACK | DT_EVT_WHO) ||
	    r.rq_reads != 0)
		return interval_emit(ctx, &h, &r, slot, want, tables);
	c = dt_count_of(slot, h.h_cpu);
	if (c == NULL)
		return 0;
	ring = dt_ring_of(slot, h.h_cpu);
	if (ring == NULL) {
		dt_count_noring(c);
		return 0;
	}
	return dt_emit_named(ring, c, o, &h, 0, 0, want);
}

SEC("?raw_tp")
int
dt_interval(struct bpf_raw_tracepoint_args *ctx)
{
	return interval_tick(ctx, 0);
}

SEC("?raw_tp")
int
dt_interval_tables(struct bpf_raw_tracepoint_args *ctx)
{
	return interval_tick(ctx, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
