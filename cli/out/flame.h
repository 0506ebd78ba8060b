/* SPDX-License-Identifier: ISC */
/*
 * Flame graphs: stacks of a profile merged into a tree, and drawn as SVG.  The
 * root is at the top; callees are below their caller, as wide as their weight,
 * in the order of names.
 */
#ifndef CLI_OUT_FLAME_H
#define CLI_OUT_FLAME_H

#include "cli/out/out.h"
#include "cli/sym/frames.h"

#define FLAME_WIDTH 1200 /* pixels, unless the browser window is wider */

enum flame_kind {
	FLAME_ALL,  /* the root */
	FLAME_COMM, /* name of a process */
	FLAME_WAIT, /* kind of wait */
	FLAME_NOTE, /* reason for an incomplete stack */
	FLAME_FRAME,
};

struct flame_node {
	enum flame_kind fn_kind;
	const char *fn_name;
	const struct frame *fn_frame; /* with FLAME_FRAME: one of its frames */
	uint32_t fn_parent;	      /* index of the parent; 0 for the root */
	uint32_t fn_depth;
	uint64_t fn_weight;
	uint64_t fn_self;
	uint64_t fn_at; /* weight to its left */
};

/* The first node is the root; other nodes follow their parent. */
struct flame {
	struct flame_node *fl_nodes;
	size_t fl_n, fl_max;
};

/* Names point into the profile, which must outlive the graph. */
void flame_make(struct flame *, const struct out_profile *);
void flame_free(struct flame *);

/* A self-contained <svg> with its style and script. */
void flame_svg(struct buf *, const struct out *, const struct out_profile *);
/*
 * Print two lines of text: the object of the profile, and its total weight.
 */
void flame_title(struct buf *, const struct out *, const struct out_profile *);
void flame_summary(struct buf *, const struct out_profile *);

/* flame_script.c */
extern const char flame_style[], flame_script[];

#endif /* CLI_OUT_FLAME_H */
