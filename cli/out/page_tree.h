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
	const char *pgf_module;
	unsigned int pgf_kind; /* enum page_kind */
};

/*
 * Weights of a node: a column for each value of a recording, or for both
 * profiles of a difference, the newer one first.
 */
#define PAGE_NWEIGHTS 4

/* A value. */
struct page_unit {
	const char *pgu_name; /* "CPU samples" */
	const char *pgu_head; /* of its column in the table */
	const char *pgu_what; /* "samples" */
	int pgu_isvalue;      /* differs from the number of samples or hits */
	int pgu_istime;	      /* ns */
	int pgu_isbytes;
	const char *pgu_summary; /* NULL: unchanged */
	const char *pgu_threads; /* JSON: pairs of a thread and its weight */
	uint64_t pgu_nunkept;	 /* hits without thread and time; not 0: none
				  * has them */
};

struct page_tree {
	struct hash pgt_strings, pgt_frames, pgt_map;
	struct hash pgt_places; /* node, file and line -> weight */
	struct buf pgt_text;	/* the strings as JSON */
	struct buf pgt_lists;	/* the frames, rows of numbers */
	struct buf pgt_nodes;	/* the first one is the root */
	uint32_t *pgt_order;	/* of page_tree_sort() */
	uint32_t *pgt_ranks;
};

void page_tree_init(struct page_tree *);
void page_tree_free(struct page_tree *);
/* Returns the node of a frame below another node; 0 is the root. */
uint32_t
page_tree_child(struct page_tree *, uint32_t parent, const struct page_frame *);
/* Adds to a weight of the stacks that end in a node. */
void page_tree_weigh(struct page_tree *, uint32_t node, unsigned int column,
    uint64_t weight);
/* Adds to the weight of a line of source in a node. */
void page_tree_place(struct page_tree *, uint32_t node, const char *file,
    unsigned int line, uint64_t weight);
/* Returns the index of a string. */
int32_t page_tree_text(struct page_tree *, const char *);
/*
 * Orders the nodes as they are printed: each before its children, the heaviest
 * child first.  Nothing is added afterwards.
 */
void page_tree_sort(struct page_tree *);
/* Returns the place of a node in this order. */
uint32_t page_tree_rank(const struct page_tree *, uint32_t node);
/* Prints the members of an object.  With isdiff there is one unit. */
void page_tree_json(struct buf *, const struct page_tree *,
    const struct page_unit *, unsigned int nunits, int isdiff);

/*
 * Prints a number as digits of five bits, the lowest first, in the alphabet of
 * base64; a sixth bit marks all but the last.
 */
void page_digits(struct buf *, uint64_t);

/*
 * page_profile.c: prints the tree of a profile, and of its other values, as
 * JSON; and the threads and times of hits, or nothing.
 */
void
page_profile(struct buf *tree, struct buf *hits, const struct out_profile *);

#endif /* CLI_OUT_PAGE_TREE_H */
