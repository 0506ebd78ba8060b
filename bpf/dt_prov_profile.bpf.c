/* SPDX-License-Identifier: ISC */
/*
 * The profile provider: a perf_event program for each tick of a session's
 * clock, and a raw_tp program that dtd runs on a CPU to open or close a clock
 * there.  A tick whose generation differs from the slot's belongs to a closed
 * session and is ignored.
 *
 * Both exist twice, for kernels that provide the idle time of a CPU and for
 * others; the daemon uses the pair that loads.  The first also exists with unwind
 * tables.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_agg_record.bpf.h"
#include "bpf/dt_clock.bpf.h"

#define DT_KSKIP_PROFILE 0 /* stacks begin at the interrupted code */

/* Settings of each session's clock, which do not fit into a link's cookie. */
struct dt_req dt_profile_req[DT_MAXSESS]; /* [D] as in struct dt_sess */

static __always_inline int
profile_tick(struct bpf_perf_event_data *ctx, const int exact, const int tables)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 slot = DT_COOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	__u32 want = DT_COOKIE_EVTFLAGS(cookie);
	struct dt_req *r = &dt_profile_req[slot];
	struct dt_sess *o = &dt_table.t_sess[slot];
	struct dt_hit h = {};
	struct dt_count *c;

	if ((o->ses_gen & 0xffff) != DT_COOKIE_GEN(cookie))
		return 0;
	dt_hit_task(&h, dt_task());
	h.h_pbn = DT_COOKIE_PBN(cookie);
	c = dt_count_of(slot, h.h_cpu);
	if (c == NULL)
		return 0;
	dt_clock_tick(c, h.h_cpu, o->ses_period, h.h_time, h.h_tid == 0, exact);
	if (dt_follows(o, &h, slot) && dt_passes(o, &h) &&
	    dt_hit_sess(&h, r, slot, 1))
		dt_emit_record(ctx, &h, r, slot, want, DT_KSKIP_PROFILE,
		    tables);
	return 0;
}

SEC("?perf_event")
int
dt_profile(struct bpf_perf_event_data *ctx)
{
	return profile_tick(ctx, 1, 0);
}

SEC("?perf_event")
int
dt_profile_tables(struct bpf_perf_event_data *ctx)
{
	return profile_tick(ctx, 1, 1);
}

SEC("?perf_event")
int
dt_profile_coarse(struct bpf_perf_event_data *ctx)
{
	return profile_tick(ctx, 0, 0);
}

SEC("?perf_event")
int
dt_profile_coarse_tables(struct bpf_perf_event_data *ctx)
{
	return profile_tick(ctx, 0, 1);
}

/* Opens or closes a clock.  Arguments: slot, CPU, whether to open. */
static __always_inline int
profile_gap(struct bpf_raw_tracepoint_args *ctx, const int exact)
{
	__u32 slot = ctx->args[0] & (DT_MAXSESS - 1), cpu = ctx->args[1];
	struct dt_count *c = dt_count_of(slot, cpu);

	if (c == NULL)
		return 0;
	if (ctx->args[2])
		dt_clock_open(c, cpu, exact);
	else
		dt_clock_close(c, cpu, dt_table.t_sess[slot].ses_period, exact);
	return 0;
}

SEC("?raw_tp")
int
dt_profile_gap(struct bpf_raw_tracepoint_args *ctx)
{
	return profile_gap(ctx, 1);
}

SEC("?raw_tp")
int
dt_profile_gap_coarse(struct bpf_raw_tracepoint_args *ctx)
{
	return profile_gap(ctx, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
