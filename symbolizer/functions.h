/* SPDX-License-Identifier: ISC */
/* Finds functions of a file by name. */
#ifndef SYMBOLIZER_FUNCTIONS_H
#define SYMBOLIZER_FUNCTIONS_H

#include "symbolizer/function_walk.h"
#include "symbolizer/probe_sink.h"

/* Query PROBE_QUERY_FUNCTIONS.  ENOMEM. */
int functions_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);
/* Sends a function as a site. */
void functions_put(const struct elffile *, const struct go_code *,
    const struct function_symbol *, struct probe_sink *);

#endif /* SYMBOLIZER_FUNCTIONS_H */
