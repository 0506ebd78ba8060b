/* SPDX-License-Identifier: ISC */
/* Finds functions of a file by name. */
#ifndef SYMBOLIZER_FUNCTIONS_H
#define SYMBOLIZER_FUNCTIONS_H

#include "symbolizer/function_walk.h"
#include "symbolizer/probe_sink.h"

/* Queries PROBE_QUERY_FUNCTIONS and PROBE_QUERY_SIGNATURES.  ENOMEM. */
int functions_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_FUNCTIONS_H */
