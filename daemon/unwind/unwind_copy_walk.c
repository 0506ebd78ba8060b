/* SPDX-License-Identifier: ISC */
/* Takes the steps of bpf/unwind_steps.h in a copy of a stack. */
#include <errno.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_copy_walk.h"
#include "daemon/unwind/unwind_pages.h"

#define SECOND	   1000000000ULL
#define STACK_MOST (64UL << 20) /* bytes of a stack, for a reason */

size_t
copy_nbytes(const struct unwind_copy *ucp)
{
	const struct unwind_part *upt;
	size_t nbytes = sizeof(*ucp);

	for (upt = ucp->ucp_parts; upt < ucp->ucp_parts + UNWIND_NPARTS;
	     upt++) {
		if (upt->upt_until - upt->upt_from > UNWIND_COPY_STACK)
			return 0;
		nbytes += upt->upt_until - upt->upt_from;
	}
	return nbytes;
}

/* Returns whether a part has n > 0 bytes, which holes do not. */
static int
part_has(const struct unwind_part *upt, uint64_t addr, size_t n)
{
	uint64_t first, last;

	if (addr < upt->upt_from || addr > upt->upt_until ||
	    n > upt->upt_until - addr)
		return 0;
	first = (addr - upt->upt_from) / UNWIND_COPY_WINDOW;
	last = (addr - upt->upt_from + n - 1) / UNWIND_COPY_WINDOW;
	for (; first <= last; first++)
		if (upt->upt_holes >> first & 1)
			return 0;
	return 1;
}

/*
 * Reads memory of the user from the copy; EFAULT: that was not copied.  cwk_iscut
 * then states whether it is in the stack above a part that is cut.
 */
static int
unwind_copyin(struct unwind_walk *uw, void *dst, size_t n, uint64_t addr)
{
	struct copy_walk *cwk = (struct copy_walk *)uw;
	const struct unwind_copy *ucp = cwk->cwk_copy;
	const struct unwind_part *upt;
	const uint8_t *p = ucp->ucp_stack;
	int i;

	cwk->cwk_iscut = 0;
	for (i = 0; i < UNWIND_NPARTS; i++) {
		upt = &ucp->ucp_parts[i];
		if (part_has(upt, addr, n)) {
			memcpy(dst, p + (addr - upt->upt_from), n);
			return 0;
		}
		if (upt->upt_iscut && addr + n - upt->upt_until < STACK_MOST)
			cwk->cwk_iscut = 1;
		p += upt->upt_until - upt->upt_from;
	}
	return EFAULT;
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

/* Few copies are walked, so their rules are not remembered. */
static struct unwind_recent *
unwind_recent_at(struct unwind_walk *uw, uint32_t i)
{
	(void)uw;
	(void)i;
	return NULL;
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
	if (cwk->cwk_iscut &&
	    (uw->uw_end == DT_STACK_FAULT || uw->uw_end == DT_STACK_NOTABLE))
		uw->uw_end = DT_STACK_LIMIT;
}
