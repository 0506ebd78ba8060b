/* SPDX-License-Identifier: ISC */
/* The data are as in cli/out/page_tree.c, with the weights before. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/diff/diff_page.h"
#include "cli/out/page.h"

#define PAGE_ROWS 200 /* functions in the table, until the script fills it */

/* Kinds of frames, as in page/script.js. */
enum diff_kind {
	DIFF_FUNCTION = 0,
	DIFF_PROCESS = 4,
	DIFF_NOTE = 6,
};

struct diff_node {
	uint32_t din_parent;
	uint32_t din_frame;
	uint64_t din_self[DIFF_NSIDES];
};

/* A frame has its own string, of the same number. */
struct diff_tree {
	struct hash dtr_frames; /* kind and name; he_sum: number + 1 */
	struct hash dtr_map;	/* parent and frame; he_sum: node */
	struct buf dtr_strings, dtr_kinds; /* lists of JSON */
	struct diff_node *dtr_nodes;	   /* the first one is the root */
	size_t dtr_n, dtr_max;
};

static struct diff_node *
tree_add(struct diff_tree *tr)
{
	if (tr->dtr_n == tr->dtr_max) {
		tr->dtr_max = tr->dtr_max ? tr->dtr_max * 2 : 1024;
		tr->dtr_nodes = reallocarray(tr->dtr_nodes, tr->dtr_max,
		    sizeof(*tr->dtr_nodes));
		if (tr->dtr_nodes == NULL)
			err(1, "page");
	}
	memset(&tr->dtr_nodes[tr->dtr_n], 0, sizeof(*tr->dtr_nodes));
	return &tr->dtr_nodes[tr->dtr_n++];
}

/* The first name of a folded stack is the process's. */
static uint32_t
tree_frame(struct diff_tree *tr, const char *name, size_t len, int isfirst)
{
	static const char note[] = "[incomplete";
	enum diff_kind kind = isfirst ? DIFF_PROCESS : DIFF_FUNCTION;
	struct hash_entry *e;
	struct buf key;

	if (!isfirst && len >= sizeof(note) - 1 &&
	    memcmp(name, note, sizeof(note) - 1) == 0)
		kind = DIFF_NOTE;
	buf_init(&key, -1);
	buf_c(&key, kind);
	buf_mem(&key, name, len);
	e = hash_get(&tr->dtr_frames, key.b_data, key.b_len);
	buf_free(&key);
	if (e->he_sum == 0) {
		e->he_sum = tr->dtr_frames.ha_n;
		buf_printf(&tr->dtr_kinds, "%s%d", e->he_sum > 1 ? "," : "",
		    kind);
		buf_str(&tr->dtr_strings, e->he_sum > 1 ? ",\"" : "\"");
		esc_json(&tr->dtr_strings, name, len);
		buf_c(&tr->dtr_strings, '"');
	}
	return e->he_sum - 1;
}

static uint32_t
tree_child(struct diff_tree *tr, uint32_t parent, uint32_t frame)
{
	const uint32_t key[] = { parent, frame };
	struct hash_entry *e = hash_get(&tr->dtr_map, key, sizeof(key));
	struct diff_node *dn;

	if (e->he_sum == 0) {
		dn = tree_add(tr);
		dn->din_parent = parent;
		dn->din_frame = frame;
		e->he_sum = tr->dtr_n - 1;
	}
	return e->he_sum;
}

static void
tree_stack(struct diff_tree *tr, const struct hash_entry *e)
{
	const struct diff_row *row = e->he_ptr;
	const char *p = (const char *)e->he_key, *end = p + e->he_keylen, *semi;
	uint32_t at = 0;
	int i;

	for (; p <= end; p = semi + 1) {
		if ((semi = memchr(p, ';', end - p)) == NULL)
			semi = end;
		at = tree_child(tr, at,
		    tree_frame(tr, p, semi - p, p == (const char *)e->he_key));
	}
	for (i = 0; i < DIFF_NSIDES; i++)
		tr->dtr_nodes[at].din_self[i] += row->dfr_self[i];
}

/* Prints an array of a number of each node, or of each frame. */
#define TREE_LIST(b, key, n, fmt, value) \
	do { \
		size_t i_; \
		buf_str(b, ",\"" key "\":["); \
		for (i_ = 0; i_ < (n); i_++) { \
			const size_t i = i_; \
			buf_printf(b, "%s" fmt, i > 0 ? "," : "", value); \
		} \
		buf_c(b, ']'); \
	} while (0)

static void
tree_json(struct buf *b, const struct diff_tree *tr)
{
	const struct diff_node *dn = tr->dtr_nodes;
	size_t n = tr->dtr_frames.ha_n;

	buf_str(b,
	    "{\"what\":\"samples\",\"isvalue\":0,\"istime\":0,\"strings\":[");
	buf_mem(b, tr->dtr_strings.b_data, tr->dtr_strings.b_len);
	buf_str(b, "],\"kinds\":[");
	buf_mem(b, tr->dtr_kinds.b_data, tr->dtr_kinds.b_len);
	buf_c(b, ']');
	TREE_LIST(b, "names", n, "%zu", i);
	TREE_LIST(b, "modules", n, "%d", -1);
	TREE_LIST(b, "files", n, "%d", -1);
	TREE_LIST(b, "lines", n, "%d", 0);
	TREE_LIST(b, "parents", tr->dtr_n, "%d",
	    i > 0 ? (int)dn[i].din_parent : -1);
	TREE_LIST(b, "frames", tr->dtr_n, "%d",
	    i > 0 ? (int)dn[i].din_frame : -1);
	TREE_LIST(b, "self", tr->dtr_n, "%llu",
	    (unsigned long long)dn[i].din_self[DIFF_AFTER]);
	TREE_LIST(b, "before", tr->dtr_n, "%llu",
	    (unsigned long long)dn[i].din_self[DIFF_BEFORE]);
	buf_c(b, '}');
}

static void
diff_page_data(struct buf *b, const struct diff *dif)
{
	struct diff_tree tr = { 0 };
	struct hash_entry **stacks = hash_sorted(&dif->dif_stacks);
	struct buf json;
	size_t i;

	buf_init(&json, -1);
	buf_init(&tr.dtr_strings, -1);
	buf_init(&tr.dtr_kinds, -1);
	tree_add(&tr);
	for (i = 0; i < dif->dif_stacks.ha_n; i++)
		tree_stack(&tr, stacks[i]);
	tree_json(&json, &tr);
	page_data(b, &json);
	free(stacks);
	free(tr.dtr_nodes);
	hash_clear(&tr.dtr_frames);
	hash_clear(&tr.dtr_map);
	buf_free(&tr.dtr_strings);
	buf_free(&tr.dtr_kinds);
	buf_free(&json);
}

static void
diff_page_row(struct buf *b, const struct diff *dif, const struct hash_entry *e)
{
	const struct diff_row *row = e->he_ptr;
	double was = diff_share(dif, DIFF_BEFORE, row->dfr_self[DIFF_BEFORE]);
	double is = diff_share(dif, DIFF_AFTER, row->dfr_self[DIFF_AFTER]);

	buf_printf(b,
	    "<tr><td class=\"n\">%.2f</td><td class=\"n\">%.2f</td>"
	    "<td class=\"n\">%+.2f</td><td class=\"c\">",
	    100 * was, 100 * is, 100 * (is - was));
	esc_xml(b, (const char *)e->he_key, e->he_keylen);
	buf_str(b, "</td></tr>\n");
}

void
diff_page(struct buf *b, const struct diff *dif, const char *before,
    const char *after, struct hash_entry *const *funcs, size_t n)
{
	struct buf title, summary;
	size_t i;

	buf_init(&title, -1);
	buf_init(&summary, -1);
	buf_printf(&title, "dt diff: %s, %s", before, after);
	buf_str(&summary, "The graph is of ");
	buf_str(&summary, after);
	buf_str(&summary, "; functions that only ");
	buf_str(&summary, before);
	buf_str(&summary, " has are in the table.");
	page_begin(b, &title, &summary);
	diff_page_data(b, dif);
	buf_str(b,
	    "<table id=\"functions\">\n<caption>Functions</caption>\n"
	    "<thead><tr><th class=\"n\">before %</th>"
	    "<th class=\"n\">after %</th><th class=\"n\">change</th>"
	    "<th>function</th></tr></thead>\n<tbody>\n");
	for (i = 0; i < n && i < PAGE_ROWS; i++)
		diff_page_row(b, dif, funcs[i]);
	buf_str(b, "</tbody>\n</table>\n");
	page_end(b);
	buf_free(&title);
	buf_free(&summary);
}
