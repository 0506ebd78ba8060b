/* SPDX-License-Identifier: ISC */
/*
 * Strings and frames are stored once, and arrays refer to them by index; -1:
 * none.  Arrays of nodes are parallel, and in the order in which the graph is
 * drawn, so that the page need not sort a million of them; the parent of a node
 * follows from its depth.  They are text of digits, which a browser reads several
 * times faster than arrays of JSON.
 */
#include <err.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/out_json.h"
#include "cli/out/page_tree.h"

/* A frame by its strings; without padding, as it is a key. */
struct page_row {
	int32_t pgr_name;
	int32_t pgr_module;
	int32_t pgr_kind;
};

/* Key of a line of source in a node. */
struct page_place {
	uint32_t pgp_node;
	int32_t pgp_file;
	uint32_t pgp_line;
};

struct page_node {
	int32_t pgn_parent;
	int32_t pgn_frame;
	int32_t pgn_depth;
	int32_t pgn_pad;
	uint64_t pgn_weights[PAGE_NWEIGHTS]; /* of stacks that end here */
	uint64_t pgn_total; /* of the first weight, with the children's */
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
	hash_clear(&pt->pgt_places);
	buf_free(&pt->pgt_text);
	buf_free(&pt->pgt_lists);
	buf_free(&pt->pgt_nodes);
	free(pt->pgt_order);
	free(pt->pgt_ranks);
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

int32_t
page_tree_text(struct page_tree *pt, const char *s)
{
	return tree_string(pt, s, s != NULL ? strlen(s) : 0);
}

static int32_t
tree_frame(struct page_tree *pt, const struct page_frame *pf)
{
	struct page_row row = {
		.pgr_name = tree_string(pt, pf->pgf_name, pf->pgf_len),
		.pgr_module = page_tree_text(pt, pf->pgf_module),
		.pgr_kind = (int32_t)pf->pgf_kind,
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
		.pgn_frame = tree_frame(pt, pf),
		.pgn_depth = tree_nodes(pt)[parent].pgn_depth + 1 };
	const int32_t key[] = { node.pgn_parent, node.pgn_frame };
	int isnew;
	uint32_t i = tree_index(&pt->pgt_map, key, sizeof(key), &isnew) + 1;

	if (isnew)
		buf_mem(&pt->pgt_nodes, &node, sizeof(node));
	return i;
}

void
page_tree_weigh(struct page_tree *pt, uint32_t node, unsigned int column,
    uint64_t weight)
{
	tree_nodes(pt)[node].pgn_weights[column] += weight;
}

void
page_tree_place(struct page_tree *pt, uint32_t node, const char *file,
    unsigned int line, uint64_t weight)
{
	const struct page_place key = { node, page_tree_text(pt, file), line };

	hash_get(&pt->pgt_places, &key, sizeof(key))->he_count += weight;
}

/* Order */

static int
tree_compare(const void *va, const void *vb, void *arg)
{
	const struct page_node *nodes = arg;
	const uint32_t *a = va, *b = vb;

	if (nodes[*a].pgn_parent != nodes[*b].pgn_parent)
		return nodes[*a].pgn_parent < nodes[*b].pgn_parent ? -1 : 1;
	if (nodes[*a].pgn_total != nodes[*b].pgn_total)
		return nodes[*a].pgn_total > nodes[*b].pgn_total ? -1 : 1;
	return *a < *b ? -1 : 1;
}

static uint32_t *
tree_array(size_t n)
{
	uint32_t *v = calloc(n + 1, sizeof(*v));

	if (v == NULL)
		err(1, "page");
	return v;
}

/*
 * Numbers the nodes.  kids lists the children of each node i, from index
 * first[i] to first[i + 1].
 */
static void
tree_walk(struct page_tree *pt, const uint32_t *kids, const uint32_t *first,
    size_t n)
{
	uint32_t *todo = tree_array(n), i, k;
	size_t ntodo = 1, at = 0;

	while (ntodo > 0) {
		i = todo[--ntodo];
		pt->pgt_order[at] = i;
		pt->pgt_ranks[i] = at++;
		for (k = first[i + 1]; k-- > first[i];)
			todo[ntodo++] = kids[k];
	}
	free(todo);
}

void
page_tree_sort(struct page_tree *pt)
{
	struct page_node *nodes = tree_nodes(pt);
	size_t i, n = pt->pgt_nodes.b_len / sizeof(*nodes);
	uint32_t *kids = tree_array(n), *first = tree_array(n + 1);

	for (i = n; i-- > 0;) {
		nodes[i].pgn_total += nodes[i].pgn_weights[0];
		if (i > 0)
			nodes[nodes[i].pgn_parent].pgn_total += nodes[i]
								    .pgn_total;
	}
	for (i = 1; i < n; i++) {
		kids[i - 1] = i;
		first[nodes[i].pgn_parent + 1]++;
	}
	for (i = 0; i < n; i++)
		first[i + 1] += first[i];
	qsort_r(kids, n - 1, sizeof(*kids), tree_compare, nodes);
	pt->pgt_order = tree_array(n);
	pt->pgt_ranks = tree_array(n);
	tree_walk(pt, kids, first, n);
	free(kids);
	free(first);
}

uint32_t
page_tree_rank(const struct page_tree *pt, uint32_t node)
{
	return pt->pgt_ranks[node];
}

/* Printing */

void
page_digits(struct buf *b, uint64_t v)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; v >= 32; v >>= 5)
		buf_c(b, digits[32 | (v & 31)]);
	buf_c(b, digits[v]);
}

/* Prints an array of the numbers at an offset of each frame. */
static void
tree_rows(struct buf *b, const char *key, const struct page_tree *pt,
    size_t offset)
{
	size_t i, n = pt->pgt_lists.b_len / sizeof(struct page_row);
	int32_t v;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < n; i++) {
		memcpy(&v,
		    pt->pgt_lists.b_data + i * sizeof(struct page_row) + offset,
		    sizeof(v));
		if (i > 0)
			buf_c(b, ',');
		buf_s64(b, v);
	}
	buf_c(b, ']');
}

static uint64_t
node_depth(const struct page_node *pgn, unsigned int column)
{
	(void)column;
	return pgn->pgn_depth;
}

/* The root has none: 0. */
static uint64_t
node_frame(const struct page_node *pgn, unsigned int column)
{
	(void)column;
	return pgn->pgn_frame + 1;
}

static uint64_t
node_weight(const struct page_node *pgn, unsigned int column)
{
	return pgn->pgn_weights[column];
}

/* Prints a number of each node as digits. */
static void
tree_digits(struct buf *b, const char *key, const struct page_tree *pt,
    uint64_t (*number)(const struct page_node *, unsigned int column),
    unsigned int column)
{
	const struct page_node *nodes = tree_nodes(pt);
	size_t i, n = pt->pgt_nodes.b_len / sizeof(*nodes);

	json_key(b, key);
	buf_c(b, '"');
	for (i = 0; i < n; i++)
		page_digits(b, number(&nodes[pt->pgt_order[i]], column));
	buf_c(b, '"');
}

static void
tree_arrays(struct buf *b, const struct page_tree *pt)
{
	tree_rows(b, "names", pt, offsetof(struct page_row, pgr_name));
	tree_rows(b, "modules", pt, offsetof(struct page_row, pgr_module));
	tree_rows(b, "kinds", pt, offsetof(struct page_row, pgr_kind));
	tree_digits(b, "depths", pt, node_depth, 0);
	tree_digits(b, "frames", pt, node_frame, 0);
}

/* Orders by node, and by descending weight. */
static int
tree_compare_places(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct page_place *pa = (const void *)a->he_key;
	const struct page_place *pb = (const void *)b->he_key;

	(void)arg;
	if (pa->pgp_node != pb->pgp_node)
		return pa->pgp_node < pb->pgp_node ? -1 : 1;
	if (a->he_count != b->he_count)
		return a->he_count > b->he_count ? -1 : 1;
	return pa->pgp_line < pb->pgp_line ? -1 : pa->pgp_line > pb->pgp_line;
}

/*
 * Prints four numbers for each node with known lines: the node, the file and
 * the line that weigh most, and how many other lines it has.
 */
static void
tree_places(struct buf *b, const struct page_tree *pt)
{
	struct hash_entry **list = hash_sorted_by(&pt->pgt_places,
	    tree_compare_places, NULL);
	const struct page_place *pp, *next;
	size_t i, n;

	json_key(b, "places");
	buf_c(b, '[');
	for (i = 0; i < pt->pgt_places.ha_n; i += n) {
		pp = (const void *)list[i]->he_key;
		for (n = 1; i + n < pt->pgt_places.ha_n; n++) {
			next = (const void *)list[i + n]->he_key;
			if (next->pgp_node != pp->pgp_node)
				break;
		}
		buf_printf(b, "%s%u,%d,%u,%zu", i > 0 ? "," : "",
		    pt->pgt_ranks[pp->pgp_node], pp->pgp_file, pp->pgp_line,
		    n - 1);
	}
	buf_c(b, ']');
	free(list);
}

static void
tree_unit(struct buf *b, const struct page_tree *pt, const struct page_unit *pu,
    unsigned int column)
{
	buf_c(b, '{');
	json_field(b, "name", pu->pgu_name);
	json_field(b, "head", pu->pgu_head);
	json_field(b, "what", pu->pgu_what);
	json_u64(b, "isvalue", pu->pgu_isvalue);
	json_u64(b, "istime", pu->pgu_istime);
	json_u64(b, "isbytes", pu->pgu_isbytes);
	if (pu->pgu_summary != NULL)
		json_field(b, "summary", pu->pgu_summary);
	if (pu->pgu_nunkept > 0)
		json_u64(b, "unkept", pu->pgu_nunkept);
	json_key(b, "threads");
	buf_printf(b, "[%s]", pu->pgu_threads != NULL ? pu->pgu_threads : "");
	tree_digits(b, "self", pt, node_weight, column);
	buf_c(b, '}');
}

void
page_tree_json(struct buf *b, const struct page_tree *pt,
    const struct page_unit *pu, unsigned int nunits, int isdiff)
{
	unsigned int i;

	json_key(b, "values");
	for (i = 0; i < nunits; i++) {
		buf_c(b, i > 0 ? ',' : '[');
		tree_unit(b, pt, &pu[i], i);
	}
	buf_c(b, ']');
	json_key(b, "strings");
	buf_c(b, '[');
	if (pt->pgt_text.b_len > 0)
		buf_mem(b, pt->pgt_text.b_data, pt->pgt_text.b_len);
	buf_c(b, ']');
	tree_arrays(b, pt);
	tree_places(b, pt);
	if (isdiff)
		tree_digits(b, "before", pt, node_weight, 1);
}
