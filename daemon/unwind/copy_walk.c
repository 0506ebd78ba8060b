/* SPDX-License-Identifier: ISC */
/* Takes the steps of bpf/unwind_steps.h in a copy of a stack. */
#include <errno.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/unwind/copy_walk.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_pages.h"

#define SECOND 1000000000ULL

size_t
copy_nbytes(const struct unwind_copy *ucp)
{
	uint64_t n = ucp->ucp_until - ucp->ucp_from;

	return n > UNWIND_COPY_STACK ? 0 : sizeof(*ucp) + n;
}

/* Reads memory of the user from the copy; EFAULT: that was not copied. */
static int
unwind_copyin(struct unwind_walk *uw, void *dst, size_t n, uint64_t addr)
{
	const struct copy_walk *cwk = (const struct copy_walk *)uw;
	const struct unwind_copy *ucp = cwk->cwk_copy;

	if (addr < ucp->ucp_from || addr > ucp->ucp_until ||
	    n > ucp->ucp_until - addr)
		return EFAULT;
	memcpy(dst, ucp->ucp_stack + (addr - ucp->ucp_from), n);
	return 0;
}

static uint8_t *
unwind_slab(uint32_t place)
{
	return slab_base(UNWIND_PLACE_SLAB(place));
}

static const uint8_t *
unwind_maps_at(struct unwind_walk *uw, uint32_t *off)
{
	const struct copy_walk *cwk = (const struct copy_walk *)uw;

	*off = 0;
	return (const uint8_t *)cwk->cwk_maps;
}

static const struct unwind_page *
unwind_page_get(struct unwind_walk *uw, const struct unwind_pagekey *uk)
{
	struct copy_walk *cwk = (struct copy_walk *)uw;

	return unwind_pages_find(uk, &cwk->cwk_page) ? &cwk->cwk_page : NULL;
}

#include "bpf/unwind_steps.h"

void
copy_walk(struct copy_walk *cwk, const struct unwind_copy *ucp,
    const struct unwind_map *um, uint32_t nmaps)
{
	struct unwind_walk *uw = &cwk->cwk_walk;

	memset(cwk, 0, offsetof(struct copy_walk, cwk_pcs));
	cwk->cwk_copy = ucp;
	cwk->cwk_maps = um;
	uw->uw_nmaps = nmaps < UNWIND_MAXMAPS ? nmaps : UNWIND_MAXMAPS;
	memcpy(uw->uw_regs, ucp->ucp_regs, sizeof(uw->uw_regs));
	unwind_reset(uw, clock_monotonic() / SECOND);
	if (!unwind_first(uw))
		return;
	while (uw->uw_count < DT_REC_MAXFRAMES) {
		cwk->cwk_pcs[uw->uw_count++] = uw->uw_pc;
		if (unwind_step(uw) != 0)
			break;
	}
}
