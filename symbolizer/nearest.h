/* SPDX-License-Identifier: ISC */
/* Finds the names nearest to one that does not exist, for errors. */
#ifndef SYMBOLIZER_NEAREST_H
#define SYMBOLIZER_NEAREST_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/* Queries PROBE_QUERY_NEAREST and PROBE_QUERY_NEARNOTES. */
int nearest_functions(struct object_file *, const struct probe_query *,
    struct probe_sink *);
int nearest_notes(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_NEAREST_H */
