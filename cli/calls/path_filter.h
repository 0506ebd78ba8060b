/* SPDX-License-Identifier: ISC */
/*
 * --path: decides whether a call refers to a path with the prefix, by its path
 * arguments and the files of its descriptors.
 */
#ifndef CLI_CALLS_PATH_FILTER_H
#define CLI_CALLS_PATH_FILTER_H

#include <libdt.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/procs.h"

/* By precedence where a call has several paths. */
enum path_filter_verdict {
	PATH_FILTER_NOT,
	/* one of its paths is unknown, no other one matches */
	PATH_FILTER_UNKNOWN,
	/* the entry could not read its path; the return may */
	PATH_FILTER_UNREAD,
	PATH_FILTER_YES,
};

/*
 * Verdict on an entry; with its return, also on the paths that the return read.
 */
enum path_filter_verdict
path_filter_call(const char *prefix, struct procs *, const struct call_paths *,
    const struct dt_event *entry, const struct dt_event *ret);
/* Verdict on a return whose entry is unknown, by the paths that it read. */
enum path_filter_verdict
path_filter_return(const char *prefix, const struct dt_event *ret);

#endif /* CLI_CALLS_PATH_FILTER_H */
