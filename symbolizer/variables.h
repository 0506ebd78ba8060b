/* SPDX-License-Identifier: ISC */
/* Finds the address of a variable by name. */
#ifndef SYMBOLIZER_VARIABLES_H
#define SYMBOLIZER_VARIABLES_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/* Query PROBE_QUERY_VARIABLE.  EINVAL: there is no code at its offset. */
int variables_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_VARIABLES_H */
