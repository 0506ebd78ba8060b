/* SPDX-License-Identifier: ISC */
/*
 * Types of values that are read by structs: x->NAME, x.NAME, x[N], *x, and casts
 * to pointers.
 */
#ifndef CLI_SCRIPT_SCRIPT_STRUCT_H
#define CLI_SCRIPT_SCRIPT_STRUCT_H

#include "cli/script/script_btf.h"

/* Returns whether a node is such a value, or another that the hit reads. */
int script_struct_isread(const struct node *);
/*
 * Returns the node with which the pointers to a value begin: an argument, a
 * result, curtask, a register or an address.
 */
const struct node *script_struct_root(const struct node *);
/* Assigns the type of a node whose kids have theirs.  Returns 0 or -1. */
int script_struct_check(struct script *, struct node *);
/*
 * Notes whether str() and buf() have an argument by number, or a result, to which
 * the kernel has to go at the hit.
 */
void script_struct_call(struct script *, struct node *);
/* Returns whether a node is kptr(x) or uptr(x). */
int script_struct_issame(const struct node *);
/* Assigns the type of reg(), kaddr() or uaddr(). */
int script_struct_root_call(struct script *, struct node *);
/*
 * Assigns the type of a pointer plus or minus a constant, which it multiplies by
 * the size of what the pointer points to, as C does.
 */
void script_struct_sum(struct node *);
/* Returns the bytes of what a pointer points to, 1 if it has no type. */
uint32_t script_struct_scale(const struct script_ctype *);
/* Returns whether a node is a value plus or minus a constant. */
int script_struct_issum(const struct node *);
/* Makes x in *x a pointer to a number of 8 bytes, if it has no type. */
void script_struct_word(const struct node *, struct script_ctype *);
/* Assigns the type of a cast to a struct. */
int script_struct_cast(struct script *, struct node *);
/*
 * Finds the type of a member, an element or what a pointer points to, and of a
 * member the offset.  ct: of the kid.  Returns 0, or -1 with the reason.
 */
int script_struct_part(const struct node *, const struct script_ctype *ct,
    struct btf_field *, char *why, size_t size);
/* Before the check: notes the maps whose values are passed to str(). */
void script_struct_texts(struct script *);
/*
 * Lets the hit that keeps a pointer in such a map read its text too, since the
 * memory may have other contents later.  Returns 0 for other assignments.
 */
int script_struct_keep(struct script *, struct node *assign);

#endif /* CLI_SCRIPT_SCRIPT_STRUCT_H */
