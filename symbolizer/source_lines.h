/* SPDX-License-Identifier: ISC */
/* Finds the code of lines of source files. */
#ifndef SYMBOLIZER_SOURCE_LINES_H
#define SYMBOLIZER_SOURCE_LINES_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/* Query PROBE_QUERY_LINE.  ENOMEM. */
int source_lines_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_SOURCE_LINES_H */
