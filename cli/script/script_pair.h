/* SPDX-License-Identifier: ISC */
/* Clauses of a call's entry and return, whose hits the kernel joins. */
#ifndef CLI_SCRIPT_SCRIPT_PAIR_H
#define CLI_SCRIPT_SCRIPT_PAIR_H

#include "cli/script/script_bind.h"

/*
 * Finds the pairs of clauses and sets bo_other of their probes.  Called when
 * the conditions are known.
 */
void script_pair_plan(struct script_bind *);
/* Joins the enabled probes.  Those that dtd refuses remain ordinary ones. */
void script_pair_set(struct script_bind *);
/*
 * Returns whether the last statements of a return's clause, from a node on, only
 * delete what the entry has stored, and its predicate tests the entry's time.
 */
int script_pair_isrest(const struct bound *ret, const struct node *);
/* Returns what the entry stores in @x[tid], or NULL if the node is not that. */
const struct node *
script_pair_value(const struct bound *ret, const struct node *);
/* Returns whether a value is the time since the entry, in ns. */
int script_pair_isduration(const struct bound *ret, const struct node *);

#endif /* CLI_SCRIPT_SCRIPT_PAIR_H */
