/* SPDX-License-Identifier: ISC */
/*
 * Flame graphs: stacks of a profile merged into a tree, and drawn as SVG.  The
 * root is on top; what a frame called stands below it, as wide as it has
 * samples, in the order of names.
 */
#ifndef CLI_OUT_FLAME_H
#define CLI_OUT_FLAME_H

#include "cli/out/out.h"
#include "cli/sym/frames.h"

#define FLAME_WIDTH 1200 /* pixels, unless the browser is wider */

enum flame_kind {
	FLAME_ALL,  /* the root */
	FLAME_COMM, /* a process' name */
	FLAME_NOTE, /* why a stack is not complete */
	FLAME_FRAME,
};

struct flame_node {
	enum flame_kind fn_kind;
	const char *fn_name;
	const struct frame *fn_frame; /* of FLAME_FRAME; one of them */
	uint32_t fn_parent;	      /* its index; of the root 0 */
	uint32_t fn_depth;
	uint64_t fn_count; /* samples */
	uint64_t fn_self;
	uint64_t fn_at; /* samples to the left of it */
};

/* The first node is the root, each other one stands behind its parent. */
struct flame {
	struct flame_node *fl_nodes;
	size_t fl_n, fl_max;
};

/* Names are those of the profile, which has to stay. */
void flame_make(struct flame *, const struct out_profile *);
void flame_free(struct flame *);

/* An <svg> with its style and script, which has no other thing to load. */
void flame_svg(struct buf *, const struct out *, const struct out_profile *);
/* What was profiled, and how much of it there is: two lines of text. */
void flame_title(struct buf *, const struct out *);
void flame_summary(struct buf *, const struct out_profile *);

/* flame_script.c */
extern const char flame_style[], flame_script[];

#endif /* CLI_OUT_FLAME_H */
