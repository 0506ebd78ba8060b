/* SPDX-License-Identifier: ISC */
/* Finds the arguments of a function in DWARF. */
#ifndef SYMBOLIZER_ARGUMENTS_H
#define SYMBOLIZER_ARGUMENTS_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/*
 * Query PROBE_QUERY_ARGS.  EOPNOTSUPP: the calling convention of this machine
 * is not known.
 */
int arguments_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_ARGUMENTS_H */
