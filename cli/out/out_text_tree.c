/* SPDX-License-Identifier: ISC */
/*
 * Prints the stacks of a profile as a tree of calls: callees below their caller,
 * the heaviest first, without what weighs less than a hundredth, or than more if
 * there are many.  A function with a single callee is above it; only a branch is
 * indented.
 */
#include <err.h>
#include <stdlib.h>

#include "cli/base/esc.h"
#include "cli/out/flame.h"
#include "cli/out/out_text.h"
#include "cli/out/weight.h"

#define TREE_LEAST  1  /* percent of the total: less is not printed */
#define TREE_MOST   10 /* without --tree, percent that are printed anyway */
#define TREE_LINES  60 /* without --tree: lines that may have less */
#define TREE_INDENT 2
#define TREE_DEEP   16 /* branches that are indented */

/* Children of a node: indices first[i] to first[i + 1] of order. */
struct text_tree {
	const struct flame *ttr_flame;
	const struct out_profile *ttr_profile;
	uint32_t *ttr_order;	/* nodes by parent, then by falling weight */
	uint32_t *ttr_first;	/* by node: index of its first child */
	unsigned int ttr_least; /* percent of the total */
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
	return (double)fn->fn_weight * 100 >=
	    (double)tt->ttr_profile->opr_total * tt->ttr_least;
}

/* Returns the number of nodes that are printed; no child weighs more. */
static size_t
tree_count(const struct text_tree *tt)
{
	const struct flame *fl = tt->ttr_flame;
	size_t i, n = 0;

	for (i = 1; i < fl->fl_n; i++)
		n += tree_isprinted(tt, &fl->fl_nodes[i]);
	return n;
}

/* Selects what is printed.  Returns the number of nodes that are not. */
static size_t
tree_cut(struct text_tree *tt, int isall)
{
	size_t n;

	for (tt->ttr_least = TREE_LEAST; (n = tree_count(tt)) > TREE_LINES &&
	     !isall && tt->ttr_least < TREE_MOST;
	     tt->ttr_least++)
		;
	return tt->ttr_flame->fl_n - 1 - n;
}

static void
tree_end(struct buf *b, const struct text_tree *tt, size_t nomitted)
{
	if (nomitted == 0)
		return;
	buf_printf(b, "%16s  and %zu more of less than %u %% (%s)\n", "",
	    nomitted, tt->ttr_least,
	    tt->ttr_least > TREE_LEAST ? "--tree prints all of 1 % or more"
				       : "-f prints all");
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
	size_t from, nomitted;

	flame_make(&fl, op);
	tree_sort(&tt, &fl);
	nomitted = tree_cut(&tt, out->out_opts->o_print.opi_calls == OPTS_TREE);
	buf_c(&out->out_buf, '\n');
	from = out->out_buf.b_len;
	tree_node(out, &tt, 0, 0);
	tree_end(&out->out_buf, &tt, nomitted);
	text_wrap(&out->out_buf, from);
	free(tt.ttr_order);
	free(tt.ttr_first);
	flame_free(&fl);
}
