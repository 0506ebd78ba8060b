/* SPDX-License-Identifier: ISC */
/* Finds the maps that a script assigns, before its types are checked. */
#ifndef CLI_SCRIPT_SCRIPT_ASSIGNED_H
#define CLI_SCRIPT_SCRIPT_ASSIGNED_H

#include "cli/script/script.h"

/*
 * Sets sn_isassigned of all maps, and takes the number of keys and the type of an
 * aggregation from the first assignment.
 */
void script_assigned(struct script *);
/*
 * Returns 0 if a statement assigns the map of a node.  Otherwise fails, with the
 * nearest name of a map, and returns -1.
 */
int script_assigned_check(struct script *, const struct node *map);

#endif /* CLI_SCRIPT_SCRIPT_ASSIGNED_H */
