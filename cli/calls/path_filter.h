/* SPDX-License-Identifier: ISC */
/*
 * --path: decides whether a call has to do with a path that begins with the
 * prefix, by its path arguments and the files of its descriptors.
 */
#ifndef CLI_CALLS_PATH_FILTER_H
#define CLI_CALLS_PATH_FILTER_H

#include <stddef.h>

#include <libdt.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/procs.h"

struct within {
	const char *wi_prefix;
	size_t wi_n; /* bytes of it; 0: everything is within */
	struct procs *wi_procs;
};

/* In the order of what wins where a call has several paths. */
enum within_verdict {
	WITHIN_NOT,
	WITHIN_UNTOLD, /* one of its paths is not known, the others are not */
	WITHIN_UNREAD, /* the entry could not read its path: the return may */
	WITHIN_YES,
};

/* An entry; with its return, what that has read besides. */
enum within_verdict
within_call(const struct within *, const struct call_paths *,
    const struct dt_event *entry, const struct dt_event *ret);
/* A return whose entry is not known: by what it has read itself. */
enum within_verdict
within_return(const struct within *, const struct dt_event *ret);

#endif /* CLI_CALLS_PATH_FILTER_H */
