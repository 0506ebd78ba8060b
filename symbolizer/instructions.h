/* SPDX-License-Identifier: ISC */
/* Finds instructions in functions of a file. */
#ifndef SYMBOLIZER_INSTRUCTIONS_H
#define SYMBOLIZER_INSTRUCTIONS_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/*
 * Queries PROBE_QUERY_INSN and PROBE_QUERY_RETS.  EOPNOTSUPP: for this machine,
 * or a part of the function cannot be decoded.
 */
int instructions_at(struct object_file *, const struct probe_query *,
    struct probe_sink *);
int instructions_rets(struct object_file *, const struct probe_query *,
    struct probe_sink *);
/*
 * Returns PROBE_SITE_REFUSED if Linux refuses to probe the instruction at an
 * offset.  Known for x86-64 only.
 */
uint16_t instructions_flags(const struct elffile *, uint64_t off);

#endif /* SYMBOLIZER_INSTRUCTIONS_H */
