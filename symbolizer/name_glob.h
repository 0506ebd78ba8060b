/* SPDX-License-Identifier: ISC */
/*
 * Matches names against a pattern with '*', '?' and [sets], in a time of at most
 * the product of their lengths.
 */
#ifndef SYMBOLIZER_NAME_GLOB_H
#define SYMBOLIZER_NAME_GLOB_H

int name_glob_isliteral(const char *pattern);
int name_glob_match(const char *pattern, const char *name);

#endif /* SYMBOLIZER_NAME_GLOB_H */
