/* SPDX-License-Identifier: ISC */
/*
 * Prints the stacks of a profile as a tree of calls: callees below their caller,
 * the heaviest first, without what weighs less than a hundredth.  A function
 * with a single callee is above it; only a branch is indented.
 */
#include <err.h>
#include <stdlib.h>

#include "cli/base/esc.h"
#include "cli/out/flame.h"
#include "cli/out/out_text.h"
#include "cli/out/weight.h"

#define TREE_LEAST  100 /* parts of the total: one is printed, less is not */
#define TREE_INDENT 2
#define TREE_DEEP   16 /* branches that are indented */

/* Children of a node: indices first[i] to first[i + 1] of order. */
struct text_tree {
	const struct flame *ttr_flame;
	const struct out_profile *ttr_profile;
	uint32_t *ttr_order; /* nodes by parent, then by falling weight */
	uint32_t *ttr_first; /* by node: index of its first child */
};

static int
tree_compare(const void *va, const void *vb, void *arg)
{
	const struct flame_node *nodes = arg;
	const struct flame_node *a = &nodes[*(const uint32_t *)va];
	const struct flame_node *b = &nodes[*(const uint32_t *)vb];

	if (a->fn_parent != b->fn_parent)
		return a->fn_parent < b->fn_parent ? -1 : 1;
	if (a->fn_weight != b->fn_weight)
		return a->fn_weight > b->fn_weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void
tree_sort(struct text_tree *tt, const struct flame *fl)
{
	uint32_t i, at = 0;

	tt->ttr_flame = fl;
	tt->ttr_order = calloc(fl->fl_n, sizeof(*tt->ttr_order));
	tt->ttr_first = calloc(fl->fl_n + 1, sizeof(*tt->ttr_first));
	if (tt->ttr_order == NULL || tt->ttr_first == NULL)
		err(1, "tree of calls");
	for (i = 1; i < fl->fl_n; i++)
		tt->ttr_order[i - 1] = i;
	qsort_r(tt->ttr_order, fl->fl_n - 1, sizeof(*tt->ttr_order),
	    tree_compare, fl->fl_nodes);
	for (i = 0; i <= fl->fl_n; i++) {
		while (at < fl->fl_n - 1 &&
		    fl->fl_nodes[tt->ttr_order[at]].fn_parent < i)
			at++;
		tt->ttr_first[i] = at;
	}
}

static int
tree_isprinted(const struct text_tree *tt, const struct flame_node *fn)
{
	return (double)fn->fn_weight * TREE_LEAST >= tt->ttr_profile->opr_total;
}

static void
tree_name(struct buf *b, const struct flame_node *fn)
{
	const struct frame *fr = fn->fn_frame;

	if (fn->fn_kind == FLAME_NOTE || fn->fn_kind == FLAME_WAIT)
		buf_printf(b, "[%s%s]",
		    fn->fn_kind == FLAME_NOTE ? "incomplete: " : "",
		    fn->fn_name);
	else if (fr == NULL)
		esc_str(b, fn->fn_name);
	else
		text_frame(b, fr);
}

static void
tree_line(struct out *out, const struct text_tree *tt,
    const struct flame_node *fn, unsigned int depth)
{
	struct buf *b = &out->out_buf;

	text_weight(b, tt->ttr_profile, fn->fn_weight);
	buf_printf(b, "  %*s",
	    depth < TREE_DEEP ? TREE_INDENT * (int)depth
			      : TREE_INDENT * TREE_DEEP,
	    "");
	if (fn->fn_kind == FLAME_COMM)
		buf_str(b, out->out_colours[OUT_BOLD]);
	tree_name(b, fn);
	if (fn->fn_kind == FLAME_COMM)
		buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

/* Prints a node and those below it; a stack has at most 254 frames. */
static void
tree_node(struct out *out, const struct text_tree *tt, uint32_t node,
    unsigned int depth)
{
	const struct flame_node *nodes = tt->ttr_flame->fl_nodes, *child;
	uint32_t i, first = tt->ttr_first[node], n;

	if (node != 0)
		tree_line(out, tt, &nodes[node], depth);
	for (n = first; n < tt->ttr_first[node + 1]; n++)
		if (!tree_isprinted(tt, &nodes[tt->ttr_order[n]]))
			break;
	for (i = first; i < n; i++) {
		child = &nodes[tt->ttr_order[i]];
		tree_node(out, tt, tt->ttr_order[i],
		    depth +
			(node != 0 &&
			    (n > first + 1 || nodes[node].fn_depth == 1 ||
				child->fn_weight < nodes[node].fn_weight)));
		if (node == 0 && i + 1 < n)
			buf_c(&out->out_buf, '\n');
	}
}

void
text_tree(struct out *out, const struct out_profile *op)
{
	struct text_tree tt = { .ttr_profile = op };
	struct flame fl;
	size_t from;

	flame_make(&fl, op);
	tree_sort(&tt, &fl);
	buf_c(&out->out_buf, '\n');
	from = out->out_buf.b_len;
	tree_node(out, &tt, 0, 0);
	text_wrap(&out->out_buf, from);
	free(tt.ttr_order);
	free(tt.ttr_first);
	flame_free(&fl);
}
