/* SPDX-License-Identifier: ISC */
/* Finds the arguments of a function in DWARF. */
#ifndef SYMBOLIZER_ARGUMENTS_H
#define SYMBOLIZER_ARGUMENTS_H

#include "symbolizer/calling_convention.h"
#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

/* The arguments of a function, and then its return value. */
struct arguments {
	struct convention arg_convention;
	const char *arg_why; /* why no argument from here on can be read */
	int arg_isrust;
	unsigned int arg_n;
	struct found_arg arg_v[PROBE_ARGS_MAX];
	char arg_types[PROBE_ARGS_MAX][TYPE_TEXT];
};

/*
 * Query PROBE_QUERY_ARGS.  EOPNOTSUPP: the calling convention of this machine
 * is not known.
 */
int arguments_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);
/*
 * Adds the arguments of the function at an address to its site, if they are
 * known.  raw is its stored name.  They stay until the next call.
 */
void arguments_add(struct object_file *, struct lines *, uint64_t addr,
    const char *raw, struct arguments *, struct found_site *);

#endif /* SYMBOLIZER_ARGUMENTS_H */
