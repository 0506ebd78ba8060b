/* SPDX-License-Identifier: ISC */
/* The tree of a profile, which is its flame graph's, for a page. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/flame.h"
#include "cli/out/page_tree.h"
#include "cli/out/weight.h"

static enum page_kind
profile_kind(const struct flame_node *fn)
{
	static const enum page_kind kinds[] = {
		[FLAME_COMM] = PAGE_PROCESS,
		[FLAME_WAIT] = PAGE_WAIT,
		[FLAME_NOTE] = PAGE_NOTE,
	};
	const struct frame *fr = fn->fn_frame;

	if (fn->fn_kind != FLAME_FRAME)
		return kinds[fn->fn_kind];
	if (fr->fr_iskernel)
		return PAGE_KERNEL;
	if (fr->fr_func == NULL)
		return PAGE_NONAME;
	return fr->fr_module == NULL ? PAGE_GENERATED : PAGE_FUNCTION;
}

static struct page_frame
profile_frame(const struct flame_node *fn)
{
	const struct frame *fr = fn->fn_frame;
	struct page_frame pf = {
		.pgf_name = fn->fn_name,
		.pgf_len = strlen(fn->fn_name),
		.pgf_kind = profile_kind(fn),
	};

	if (fr == NULL)
		return pf;
	pf.pgf_module = fr->fr_module != NULL ? fr->fr_module->mo_path : NULL;
	pf.pgf_file = fr->fr_file;
	pf.pgf_line = fr->fr_line;
	if (fr->fr_isinlined)
		pf.pgf_kind |= PAGE_INLINED;
	return pf;
}

void
page_profile(struct buf *b, const struct out_profile *op)
{
	const struct page_unit pu = {
		.pgu_what = weight_hits_type(op),
		.pgu_isvalue = weight_isvalue(op),
		.pgu_istime = strcmp(weight_unit(op), "nanoseconds") == 0,
	};
	const struct flame_node *fn;
	struct page_weight pw = { 0 };
	struct page_frame pf;
	struct page_tree pt;
	struct flame fl;
	uint32_t *at; /* node of the page by node of the flame graph */
	size_t i;

	flame_make(&fl, op);
	if ((at = calloc(fl.fl_n, sizeof(*at))) == NULL)
		err(1, "page");
	page_tree_init(&pt);
	for (i = 0; i < fl.fl_n; i++) {
		fn = &fl.fl_nodes[i];
		if (i > 0) {
			pf = profile_frame(fn);
			at[i] = page_tree_child(&pt, at[fn->fn_parent], &pf);
		}
		pw.pgw_self = fn->fn_self;
		page_tree_weigh(&pt, at[i], &pw);
	}
	page_tree_json(b, &pt, &pu);
	page_tree_free(&pt);
	flame_free(&fl);
	free(at);
}
