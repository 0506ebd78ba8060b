/* SPDX-License-Identifier: ISC */
/* Answers queries for places to probe in a file (wire/file_probe.h). */
#ifndef SYMBOLIZER_OBJECT_PROBES_H
#define SYMBOLIZER_OBJECT_PROBES_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/* Returns an errno: EINVAL, no such query; EOPNOTSUPP; ENOMEM. */
int object_probes(struct object_file *, const struct probe_query *,
    struct probe_sink *);

#endif /* SYMBOLIZER_OBJECT_PROBES_H */
