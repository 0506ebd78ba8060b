/* SPDX-License-Identifier: ISC */
/* Matches probes against patterns, for recordings; live, dtd does. */
#ifndef CLI_BASE_PROBE_MATCH_H
#define CLI_BASE_PROBE_MATCH_H

#include "cli/base/probe.h"

/*
 * Returns whether a pattern of up to three globs, PROVIDER:FUNCTION:NAME,
 * matches; missing and empty parts match all.
 */
int probe_match(const struct probe *, const char *pattern);

#endif /* CLI_BASE_PROBE_MATCH_H */
