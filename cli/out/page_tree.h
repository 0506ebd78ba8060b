/* SPDX-License-Identifier: ISC */
/*
 * The data of a page (page.h): a tree of stacks merged from the root, which
 * becomes JSON for page/script.js.
 */
#ifndef CLI_OUT_PAGE_TREE_H
#define CLI_OUT_PAGE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/buf.h"
#include "cli/base/hash.h"
#include "cli/result/profile.h"

/* Kinds of frames, as in page/script.js. */
enum page_kind {
	PAGE_FUNCTION,
	PAGE_KERNEL,
	PAGE_GENERATED,
	PAGE_NONAME,
	PAGE_PROCESS,
	PAGE_WAIT,
	PAGE_NOTE,
	PAGE_INLINED = 8, /* a flag */
};

/* Description of a frame.  NULL: unknown. */
struct page_frame {
	const char *pgf_name; /* pgf_len bytes */
	size_t pgf_len;
	const char *pgf_module, *pgf_file;
	unsigned int pgf_line;
	unsigned int pgf_kind; /* enum page_kind */
};

/* Weight of the stacks that end in a node, of one profile or of two. */
struct page_weight {
	uint64_t pgw_self;
	uint64_t pgw_before; /* in the older one */
};

/* The unit of the weights. */
struct page_unit {
	const char *pgu_what; /* "samples" */
	int pgu_isvalue;      /* differs from the number of samples or hits */
	int pgu_istime;	      /* ns */
	int pgu_isdiff;	      /* there are two profiles */
};

struct page_tree {
	struct hash pgt_strings, pgt_frames, pgt_map;
	struct buf pgt_text;  /* the strings as JSON */
	struct buf pgt_lists; /* the frames, rows of numbers */
	struct buf pgt_nodes; /* the first one is the root */
};

void page_tree_init(struct page_tree *);
void page_tree_free(struct page_tree *);
/* Returns the node of a frame below another node; 0 is the root. */
uint32_t
page_tree_child(struct page_tree *, uint32_t parent, const struct page_frame *);
void
page_tree_weigh(struct page_tree *, uint32_t node, const struct page_weight *);
void page_tree_json(struct buf *, const struct page_tree *,
    const struct page_unit *);

/* page_profile.c: prints the tree of a profile as JSON. */
void page_profile(struct buf *, const struct out_profile *);

#endif /* CLI_OUT_PAGE_TREE_H */
