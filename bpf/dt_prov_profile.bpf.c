/* SPDX-License-Identifier: ISC */
/*
 * The profile provider's program: a clock of one open ticks on this CPU.
 * The link's cookie names the open and what it wants; a tick whose
 * generation is not the slot's is one of an open that has gone.
 */
#include "dt_vmlinux.h"

#include "dt_emit.bpf.h"

#define DT_KSKIP_PROFILE 0 /* the stack of what was interrupted */

/* What each open asked of its clock; a link's cookie has no room for it. */
struct dt_req dt_profile_req[DT_MAXOPEN]; /* [D] */

SEC("perf_event")
int
dt_profile(struct bpf_perf_event_data *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 slot = DT_COOKIE_SLOT(cookie) & (DT_MAXOPEN - 1);
	__u32 want = DT_COOKIE_EVTFLAGS(cookie);
	const struct dt_req *r = &dt_profile_req[slot];
	struct dt_open *o = &dt_table.t_open[slot];
	struct dt_hit h = {};
	struct dt_count *c;

	if ((o->do_gen & 0xffff) != DT_COOKIE_GEN(cookie))
		return 0;
	dt_hit_task(&h, bpf_get_current_task_btf());
	h.h_pbn = DT_COOKIE_PBN(cookie);
	c = dt_count_of(slot, h.h_cpu);
	if (c == NULL)
		return 0;
	__sync_fetch_and_add(&c->dc_ticks, 1);
	if (dt_follows(o, &h, slot) && dt_passes(o, &h) &&
	    dt_hit_open(&h, r, slot))
		dt_emit_scratch(ctx, &h, slot, want, DT_KSKIP_PROFILE);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
