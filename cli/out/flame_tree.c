/* SPDX-License-Identifier: ISC */
/* Builds the tree of a flame graph. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/out/flame.h"
#include "cli/out/weight.h"

/* Key of a child: this, then the name.  Pointers come from frames_str(). */
struct flame_key {
	const struct module *fk_module;
	const char *fk_file;
	uint32_t fk_parent;
	uint32_t fk_kind;
	uint32_t fk_line;
	uint32_t fk_flags;
};

static struct flame_node *
flame_add(struct flame *fl)
{
	if (fl->fl_n == UINT32_MAX)
		errx(1, "flame graph: too many frames");
	if (fl->fl_n == fl->fl_max) {
		fl->fl_max = fl->fl_max ? fl->fl_max * 2 : 1024;
		fl->fl_nodes = realloc(fl->fl_nodes,
		    fl->fl_max * sizeof(*fl->fl_nodes));
		if (fl->fl_nodes == NULL)
			err(1, "flame graph");
	}
	memset(&fl->fl_nodes[fl->fl_n], 0, sizeof(*fl->fl_nodes));
	return &fl->fl_nodes[fl->fl_n++];
}

/*
 * Returns the child of this name, and adds the weight.  b is a buffer for the
 * key.
 */
static uint32_t
flame_child(struct flame *fl, struct hash *m, struct buf *b, uint32_t parent,
    enum flame_kind kind, const char *name, const struct frame *fr,
    uint64_t weight)
{
	struct flame_key key = { .fk_parent = parent, .fk_kind = kind };
	struct flame_node *fn;
	struct hash_entry *e;

	if (fr != NULL) {
		key.fk_module = fr->fr_module;
		key.fk_file = fr->fr_file;
		key.fk_line = fr->fr_line;
		key.fk_flags = fr->fr_iskernel | fr->fr_isinlined << 1;
	}
	b->b_len = 0;
	buf_mem(b, &key, sizeof(key));
	buf_str(b, name);
	e = hash_get(m, b->b_data, b->b_len);
	if (e->he_sum == 0) {
		fn = flame_add(fl);
		fn->fn_kind = kind;
		fn->fn_name = name;
		fn->fn_frame = fr;
		fn->fn_parent = parent;
		fn->fn_depth = fl->fl_nodes[parent].fn_depth + 1;
		e->he_sum = fl->fl_n - 1;
	}
	fl->fl_nodes[e->he_sum].fn_weight += weight;
	return e->he_sum;
}

static void
flame_stack(struct flame *fl, struct hash *m, struct buf *b,
    const struct out_stack *os)
{
	uint32_t at = 0;
	unsigned int i;

	fl->fl_nodes[0].fn_weight += os->os_weight;
	at = flame_child(fl, m, b, at, FLAME_COMM, os->os_comm, NULL,
	    os->os_weight);
	if (os->os_wait != PROFILE_NOWAIT)
		at = flame_child(fl, m, b, at, FLAME_WAIT,
		    weight_wait(os->os_wait), NULL, os->os_weight);
	if (os->os_why != NULL)
		at = flame_child(fl, m, b, at, FLAME_NOTE, os->os_why, NULL,
		    os->os_weight);
	for (i = os->os_nframes; i-- > 0;)
		at = flame_child(fl, m, b, at, FLAME_FRAME,
		    os->os_frames[i]->fr_name, os->os_frames[i], os->os_weight);
	fl->fl_nodes[at].fn_self += os->os_weight;
}

static int
flame_compare(const void *va, const void *vb, void *arg)
{
	const struct flame_node *nodes = arg;
	const struct flame_node *a = &nodes[*(const uint32_t *)va];
	const struct flame_node *b = &nodes[*(const uint32_t *)vb];
	int n;

	if (a->fn_parent != b->fn_parent)
		return a->fn_parent < b->fn_parent ? -1 : 1;
	if ((n = strcmp(a->fn_name, b->fn_name)) != 0)
		return n;
	return a < b ? -1 : a > b;
}

/*
 * Places the children of a node next to each other, in the order of names;
 * parents precede their children.
 */
static void
flame_place(struct flame *fl)
{
	struct flame_node *fn;
	uint32_t *order, parent = 0;
	uint64_t at = 0;
	size_t i;

	if ((order = calloc(fl->fl_n, sizeof(*order))) == NULL)
		err(1, "flame graph");
	for (i = 0; i < fl->fl_n; i++)
		order[i] = i;
	qsort_r(order + 1, fl->fl_n - 1, sizeof(*order), flame_compare,
	    fl->fl_nodes);
	for (i = 1; i < fl->fl_n; i++) {
		fn = &fl->fl_nodes[order[i]];
		if (fn->fn_parent != parent) {
			parent = fn->fn_parent;
			at = fl->fl_nodes[parent].fn_at;
		}
		fn->fn_at = at;
		at += fn->fn_weight;
	}
	free(order);
}

void
flame_make(struct flame *fl, const struct out_profile *op)
{
	struct hash m = { 0 };
	struct buf b;
	size_t i;

	memset(fl, 0, sizeof(*fl));
	flame_add(fl)->fn_name = "all";
	buf_init(&b, -1);
	for (i = 0; i < op->opr_nstacks; i++)
		flame_stack(fl, &m, &b, &op->opr_stacks[i]);
	buf_free(&b);
	hash_clear(&m);
	flame_place(fl);
}

void
flame_free(struct flame *fl)
{
	free(fl->fl_nodes);
	memset(fl, 0, sizeof(*fl));
}
