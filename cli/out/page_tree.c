/* SPDX-License-Identifier: ISC */
/*
 * Strings and frames are stored once, and arrays refer to them by index; -1:
 * none.  Arrays of nodes are parallel, and parents precede their children.
 */
#include <stddef.h>
#include <string.h>

#include "cli/out/out_json.h"
#include "cli/out/page_tree.h"

/* A frame by its strings; without padding, as it is a key. */
struct page_row {
	int32_t pgr_name;
	int32_t pgr_module;
	int32_t pgr_kind;
	int32_t pgr_file;
	int32_t pgr_line;
};

struct page_node {
	int32_t pgn_parent;
	int32_t pgn_frame;
	struct page_weight pgn_weight;
};

static const struct page_node page_root = { .pgn_parent = -1, .pgn_frame = -1 };

void
page_tree_init(struct page_tree *pt)
{
	memset(pt, 0, sizeof(*pt));
	buf_init(&pt->pgt_text, -1);
	buf_init(&pt->pgt_lists, -1);
	buf_init(&pt->pgt_nodes, -1);
	buf_mem(&pt->pgt_nodes, &page_root, sizeof(page_root));
}

void
page_tree_free(struct page_tree *pt)
{
	hash_clear(&pt->pgt_strings);
	hash_clear(&pt->pgt_frames);
	hash_clear(&pt->pgt_map);
	buf_free(&pt->pgt_text);
	buf_free(&pt->pgt_lists);
	buf_free(&pt->pgt_nodes);
}

static struct page_node *
tree_nodes(const struct page_tree *pt)
{
	return (struct page_node *)pt->pgt_nodes.b_data;
}

/* Returns the index of an entry, counted from 0, and whether it is new. */
static int32_t
tree_index(struct hash *m, const void *key, size_t len, int *isnew)
{
	struct hash_entry *e = hash_get(m, key, len);

	*isnew = e->he_sum == 0;
	if (*isnew)
		e->he_sum = m->ha_n;
	return e->he_sum - 1;
}

static int32_t
tree_string(struct page_tree *pt, const char *s, size_t len)
{
	int32_t i;
	int isnew;

	if (s == NULL)
		return -1;
	i = tree_index(&pt->pgt_strings, s, len, &isnew);
	if (isnew) {
		if (i > 0)
			buf_c(&pt->pgt_text, ',');
		json_bytes(&pt->pgt_text, s, len);
	}
	return i;
}

static int32_t
tree_text(struct page_tree *pt, const char *s)
{
	return tree_string(pt, s, s != NULL ? strlen(s) : 0);
}

static int32_t
tree_frame(struct page_tree *pt, const struct page_frame *pf)
{
	struct page_row row = {
		.pgr_name = tree_string(pt, pf->pgf_name, pf->pgf_len),
		.pgr_module = tree_text(pt, pf->pgf_module),
		.pgr_kind = (int32_t)pf->pgf_kind,
		.pgr_file = tree_text(pt, pf->pgf_file),
		.pgr_line = (int32_t)pf->pgf_line,
	};
	int isnew;
	int32_t i = tree_index(&pt->pgt_frames, &row, sizeof(row), &isnew);

	if (isnew)
		buf_mem(&pt->pgt_lists, &row, sizeof(row));
	return i;
}

uint32_t
page_tree_child(struct page_tree *pt, uint32_t parent,
    const struct page_frame *pf)
{
	struct page_node node = { .pgn_parent = (int32_t)parent,
		.pgn_frame = tree_frame(pt, pf) };
	const int32_t key[] = { node.pgn_parent, node.pgn_frame };
	int isnew;
	uint32_t i = tree_index(&pt->pgt_map, key, sizeof(key), &isnew) + 1;

	if (isnew)
		buf_mem(&pt->pgt_nodes, &node, sizeof(node));
	return i;
}

void
page_tree_weigh(struct page_tree *pt, uint32_t node,
    const struct page_weight *pw)
{
	struct page_weight *sum = &tree_nodes(pt)[node].pgn_weight;

	sum->pgw_self += pw->pgw_self;
	sum->pgw_before += pw->pgw_before;
}

/* Prints an array of the numbers at an offset of each row. */
static void
tree_numbers(struct buf *b, const char *key, const struct buf *rows,
    size_t size, size_t offset)
{
	const char *p = rows->b_data + offset;
	size_t i, n = rows->b_len / size;
	int32_t v;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < n; i++, p += size) {
		memcpy(&v, p, sizeof(v));
		if (i > 0)
			buf_c(b, ',');
		buf_s64(b, v);
	}
	buf_c(b, ']');
}

static void
tree_weights(struct buf *b, const char *key, const struct page_tree *pt,
    int isbefore)
{
	const struct page_node *node = tree_nodes(pt);
	size_t i, n = pt->pgt_nodes.b_len / sizeof(*node);

	json_key(b, key);
	for (i = 0; i < n; i++, node++) {
		buf_c(b, i > 0 ? ',' : '[');
		buf_u64(b,
		    isbefore ? node->pgn_weight.pgw_before
			     : node->pgn_weight.pgw_self);
	}
	buf_c(b, ']');
}

static void
tree_arrays(struct buf *b, const struct page_tree *pt)
{
	const struct {
		const char *key;
		const struct buf *rows;
		size_t size, offset;
	} arrays[] = {
#define ROW(key, member) \
	{ key, &pt->pgt_lists, sizeof(struct page_row), \
		offsetof(struct page_row, member) }
#define NODE(key, member) \
	{ \
		key, &pt->pgt_nodes, sizeof(struct page_node), \
		    offsetof(struct page_node, member) \
	}
		ROW("names", pgr_name),
		ROW("modules", pgr_module),
		ROW("kinds", pgr_kind),
		ROW("files", pgr_file),
		ROW("lines", pgr_line),
		NODE("parents", pgn_parent),
		NODE("frames", pgn_frame),
#undef ROW
#undef NODE
	};
	size_t i;

	for (i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		tree_numbers(b, arrays[i].key, arrays[i].rows, arrays[i].size,
		    arrays[i].offset);
}

void
page_tree_json(struct buf *b, const struct page_tree *pt,
    const struct page_unit *pu)
{
	buf_c(b, '{');
	json_field(b, "what", pu->pgu_what);
	json_u64(b, "isvalue", pu->pgu_isvalue);
	json_u64(b, "istime", pu->pgu_istime);
	json_key(b, "strings");
	buf_c(b, '[');
	if (pt->pgt_text.b_len > 0)
		buf_mem(b, pt->pgt_text.b_data, pt->pgt_text.b_len);
	buf_c(b, ']');
	tree_arrays(b, pt);
	tree_weights(b, "self", pt, 0);
	if (pu->pgu_isdiff)
		tree_weights(b, "before", pt, 1);
	buf_c(b, '}');
}
