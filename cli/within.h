/* SPDX-License-Identifier: ISC */
/*
 * --path: whether a call has to do with a path that begins so, by the paths
 * among its arguments, and those of its descriptors.  What can't be told is
 * not.
 */
#ifndef CLI_WITHIN_H
#define CLI_WITHIN_H

#include <stddef.h>

#include <libdt.h>

#include "procs.h"
#include "shape.h"

struct within {
	const char *wi_prefix;
	size_t wi_n; /* bytes of it; 0: everything is within */
	struct procs *wi_procs;
};

enum within_verdict {
	WITHIN_NOT,
	WITHIN_YES,
	WITHIN_UNREAD, /* the entry could not read its path: the return may */
};

/* An entry; with its return, as far as that has read what it could not. */
enum within_verdict within_call(const struct within *, const struct shape *,
    const struct dt_event *entry, const struct dt_event *ret);
/* A return whose entry is not known: by what it has read itself. */
enum within_verdict
within_return(const struct within *, const struct dt_event *ret);

#endif /* CLI_WITHIN_H */
