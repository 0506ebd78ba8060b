/* SPDX-License-Identifier: ISC */
/*
 * The counter provider: a perf_event program that runs when a counter of the
 * processor or the kernel has counted a period.  Hits of the processor's
 * counters interrupt any code, the program of another hit too.  A hit whose
 * generation differs from the slot's belongs to a closed session and is ignored.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_agg_record.bpf.h"

/* Number of the first probe.  Set before load. */
const volatile __u32 dt_counter_first;

/* Settings of each session, by slot and probe. */
struct dt_req dt_counter_req[DT_MAXSESS * DT_NCOUNTER]; /* [D] */

static __always_inline int
counter_hit(struct bpf_perf_event_data *ctx, const int tables)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 slot = DT_COOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	struct dt_sess *o = &dt_table.t_sess[slot];
	struct dt_hit h = {};
	struct dt_req *r;
	__u32 row;

	if ((o->ses_gen & 0xffff) != DT_COOKIE_GEN(cookie))
		return 0;
	row = slot * DT_NCOUNTER +
	    ((DT_COOKIE_PBN(cookie) - dt_counter_first) & (DT_NCOUNTER - 1));
	barrier_var(row); /* for the verifier of Linux 6.1 */
	r = &dt_counter_req[row & (DT_MAXSESS * DT_NCOUNTER - 1)];
	dt_hit_task(&h, dt_task());
	h.h_pbn = DT_COOKIE_PBN(cookie);
	if (dt_follows(o, &h, slot) && dt_passes(o, &h) &&
	    dt_hit_sess(&h, r, slot, 1))
		dt_emit_record(ctx, &h, r, slot, DT_COOKIE_EVTFLAGS(cookie), 0,
		    tables);
	return 0;
}

SEC("?perf_event")
int
dt_counter(struct bpf_perf_event_data *ctx)
{
	return counter_hit(ctx, 0);
}

SEC("?perf_event")
int
dt_counter_tables(struct bpf_perf_event_data *ctx)
{
	return counter_hit(ctx, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
