/* SPDX-License-Identifier: ISC */
/*
 * Strings and frames are stored once, and arrays refer to them by index; -1:
 * none.  Arrays of nodes are parallel, and parents precede their children.
 */
#include <string.h>

#include "cli/base/hash.h"
#include "cli/out/flame.h"
#include "cli/out/out_json.h"
#include "cli/out/page_tree.h"
#include "cli/out/weight.h"

/* Kinds of frames, as in script.js. */
enum page_kind {
	PAGE_USER,
	PAGE_KERNEL,
	PAGE_GENERATED,
	PAGE_NONAME,
	PAGE_PROCESS,
	PAGE_WAIT,
	PAGE_NOTE,
	PAGE_INLINED = 8, /* a flag */
};

/* A frame, without padding, as it is a key. */
struct page_frame {
	int32_t pgf_name;
	int32_t pgf_module;
	int32_t pgf_kind;
	int32_t pgf_file;
	int32_t pgf_line;
};

struct page {
	struct hash pg_strings, pg_frames;
	struct buf pg_text;  /* the strings */
	struct buf pg_list;  /* the frames, struct page_frame */
	struct buf pg_nodes; /* numbers of the nodes' frames, int32_t */
};

/* Returns the index of an entry, counted from 0, and whether it is new. */
static int32_t
page_index(struct hash *m, const void *key, size_t len, int *isnew)
{
	struct hash_entry *e = hash_get(m, key, len);

	*isnew = e->he_sum == 0;
	if (*isnew)
		e->he_sum = m->ha_n;
	return e->he_sum - 1;
}

static int32_t
page_string(struct page *pg, const char *s)
{
	int32_t i;
	int isnew;

	if (s == NULL)
		return -1;
	i = page_index(&pg->pg_strings, s, strlen(s), &isnew);
	if (isnew) {
		if (pg->pg_text.b_len > 0)
			buf_c(&pg->pg_text, ',');
		json_text(&pg->pg_text, s);
	}
	return i;
}

static enum page_kind
page_kind(const struct flame_node *fn)
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
	return fr->fr_module == NULL ? PAGE_GENERATED : PAGE_USER;
}

static int32_t
page_frame(struct page *pg, const struct flame_node *fn)
{
	const struct frame *fr = fn->fn_frame;
	const struct module *mo = fr != NULL ? fr->fr_module : NULL;
	struct page_frame pf = {
		.pgf_name = page_string(pg, fn->fn_name),
		.pgf_module = page_string(pg, mo != NULL ? mo->mo_path : NULL),
		.pgf_kind = page_kind(fn) |
		    (fr != NULL && fr->fr_isinlined ? PAGE_INLINED : 0),
		.pgf_file = page_string(pg, fr != NULL ? fr->fr_file : NULL),
		.pgf_line = fr != NULL ? (int32_t)fr->fr_line : 0,
	};
	int isnew;
	int32_t i = page_index(&pg->pg_frames, &pf, sizeof(pf), &isnew);

	if (isnew)
		buf_mem(&pg->pg_list, &pf, sizeof(pf));
	return i;
}

/* Prints every stride-th of n numbers, from the at-th on. */
static void
page_numbers(struct buf *b, const char *key, const void *numbers, size_t n,
    size_t stride, size_t at)
{
	const int32_t *v = numbers;
	size_t i;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < n; i++)
		buf_printf(b, "%s%d", i > 0 ? "," : "", v[i * stride + at]);
	buf_c(b, ']');
}

static void
page_frames(struct buf *b, const struct page *pg)
{
	static const char *const keys[] = { "names", "modules", "kinds",
		"files", "lines" };
	const size_t nkeys = sizeof(keys) / sizeof(keys[0]);
	size_t n = pg->pg_list.b_len / sizeof(struct page_frame), i;

	_Static_assert(sizeof(struct page_frame) == 5 * sizeof(int32_t),
	    "a row of numbers");
	for (i = 0; i < nkeys; i++)
		page_numbers(b, keys[i], pg->pg_list.b_data, n, nkeys, i);
}

static void
page_nodes(struct buf *b, const struct flame *fl, const struct page *pg)
{
	size_t i;

	json_key(b, "parents");
	for (i = 0; i < fl->fl_n; i++)
		buf_printf(b, "%c%d", i > 0 ? ',' : '[',
		    i > 0 ? (int)fl->fl_nodes[i].fn_parent : -1);
	buf_c(b, ']');
	page_numbers(b, "frames", pg->pg_nodes.b_data, fl->fl_n, 1, 0);
	json_key(b, "self");
	for (i = 0; i < fl->fl_n; i++) {
		buf_c(b, i > 0 ? ',' : '[');
		buf_u64(b, fl->fl_nodes[i].fn_self);
	}
	buf_c(b, ']');
}

static void
page_json(struct buf *b, const struct flame *fl, struct page *pg,
    const struct out_profile *op)
{
	buf_c(b, '{');
	json_field(b, "what", weight_hits_type(op));
	json_u64(b, "isvalue", weight_isvalue(op));
	json_u64(b, "istime", strcmp(weight_unit(op), "nanoseconds") == 0);
	json_key(b, "strings");
	buf_c(b, '[');
	buf_mem(b, pg->pg_text.b_data, pg->pg_text.b_len);
	buf_c(b, ']');
	page_frames(b, pg);
	page_nodes(b, fl, pg);
	buf_c(b, '}');
}

void
page_tree(struct buf *b, const struct out_profile *op)
{
	struct page pg = { 0 };
	struct flame fl;
	int32_t frame;
	size_t i;

	buf_init(&pg.pg_text, -1);
	buf_init(&pg.pg_list, -1);
	buf_init(&pg.pg_nodes, -1);
	flame_make(&fl, op);
	for (i = 0; i < fl.fl_n; i++) {
		frame = i == 0 ? -1 : page_frame(&pg, &fl.fl_nodes[i]);
		buf_mem(&pg.pg_nodes, &frame, sizeof(frame));
	}
	page_json(b, &fl, &pg, op);
	flame_free(&fl);
	hash_clear(&pg.pg_strings);
	hash_clear(&pg.pg_frames);
	buf_free(&pg.pg_text);
	buf_free(&pg.pg_list);
	buf_free(&pg.pg_nodes);
}
