/* SPDX-License-Identifier: ISC */
/*
 * Sums the weights of stacks by function.  A recursive function that is in a
 * stack several times has the weight of the stack once in its total.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/buf.h"
#include "cli/base/hash.h"
#include "cli/profile/profile_funcs.h"
#include "cli/sym/frames.h"

/*
 * Key of a function; pointers come from frames_str(), so equal pointers mean
 * equal names.
 */
struct profile_func {
	const char *pfn_name;
	const struct module *pfn_module;
	uint64_t pfn_iskernel;
};

static int
profile_funcs_compare(const void *va, const void *vb)
{
	const struct out_func *a = va, *b = vb;
	int n;

	if (a->of_self != b->of_self)
		return a->of_self < b->of_self ? 1 : -1;
	if (a->of_total != b->of_total)
		return a->of_total < b->of_total ? 1 : -1;
	if ((n = strcmp(a->of_frame->fr_name, b->of_frame->fr_name)) != 0)
		return n;
	return a->of_frame->fr_id < b->of_frame->fr_id ? -1 : 1;
}

/*
 * Returns the function of a frame, which is added to *funcs if new; *funcs is
 * large enough.
 */
static struct out_func *
profile_funcs_get(struct hash *m, struct out_func *funcs,
    const struct frame *fr)
{
	struct profile_func key = {
		.pfn_name = fr->fr_name,
		.pfn_module = fr->fr_module,
		.pfn_iskernel = fr->fr_iskernel,
	};
	struct hash_entry *e = hash_get(m, &key, sizeof(key));

	if (e->he_sum == 0) {
		e->he_sum = m->ha_n; /* index + 1 */
		funcs[e->he_sum - 1].of_frame = fr;
	}
	return &funcs[e->he_sum - 1];
}

struct out_func *
profile_funcs(const struct out_stack *stacks, size_t nstacks, size_t *nfuncs)
{
	struct out_func *funcs, *of;
	struct hash m = { 0 };
	size_t i, max = 1;
	unsigned int j;

	for (i = 0; i < nstacks; i++)
		for (j = 0; j < stacks[i].os_nframes; j++)
			if (stacks[i].os_frames[j]->fr_id >= max)
				max = stacks[i].os_frames[j]->fr_id + 1;
	if ((funcs = calloc(max, sizeof(*funcs))) == NULL)
		err(1, "functions");
	for (i = 0; i < nstacks; i++) {
		for (j = 0; j < stacks[i].os_nframes; j++) {
			of = profile_funcs_get(&m, funcs,
			    stacks[i].os_frames[j]);
			if (j == 0)
				of->of_self += stacks[i].os_weight;
			if (of->of_last == i + 1)
				continue;
			of->of_last = i + 1;
			of->of_total += stacks[i].os_weight;
		}
	}
	*nfuncs = m.ha_n;
	hash_clear(&m);
	qsort(funcs, *nfuncs, sizeof(*funcs), profile_funcs_compare);
	return funcs;
}

/* Rounded down: 100 % means all. */
void
profile_completeness(struct buf *b, const struct out_profile *op)
{
	size_t i;

	if (op->opr_judged == 0)
		return;
	buf_u64(b, op->opr_complete * 100 / op->opr_judged);
	buf_str(b, " % of ");
	buf_grouped(b, op->opr_judged);
	buf_str(b, " user stacks complete, by ");
	buf_str(b, op->opr_bytable > 0 ? "unwind tables" : "frame pointers");
	for (i = 0; i < op->opr_nwhys; i++) {
		buf_str(b, i == 0 ? "; " : ", ");
		buf_grouped(b, op->opr_whys[i].oy_count);
		buf_str(b, ": ");
		buf_str(b, op->opr_whys[i].oy_why);
	}
}
