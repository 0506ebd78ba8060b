/* SPDX-License-Identifier: ISC */
/* Reads the fields of lines of cli/out/out_wire.h, which are untrusted. */
#ifndef CLI_HOSTS_WIRE_H
#define CLI_HOSTS_WIRE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Splits the fields after the letter of a line, in place, and removes their
 * escapes.  Returns their number, at most max, or -1: the line is malformed or
 * has more.
 */
int wire_split(char *line, size_t len, char **fields, unsigned int max);
/*
 * Stores a number up to max, or one that may be negative.  Return 0, or -1: the
 * text is no such number.
 */
int wire_u64(const char *, uint64_t max, uint64_t *);
int wire_s64(const char *, int64_t *);

#endif /* CLI_HOSTS_WIRE_H */
