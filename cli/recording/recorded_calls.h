/* SPDX-License-Identifier: ISC */
/* The calls of a recording: system calls, functions, and pairs of probes. */
#ifndef CLI_RECORDING_RECORDED_CALLS_H
#define CLI_RECORDING_RECORDED_CALLS_H

#include <stdint.h>

#include "cli/stat/call_rows.h"

/*
 * Returns whether a file is a recording whose first event has no stack.  Files
 * that can be read only once are not read.
 */
int recorded_calls_only(const char *name);
/*
 * Counts the calls of a recording, and calls fn for those with one name and
 * errno.  Exits if the recording is damaged.
 */
void recorded_calls_read(const char *name, struct call_sums *,
    void (*fn)(void *, const struct call_row *), void *arg);

#endif /* CLI_RECORDING_RECORDED_CALLS_H */
