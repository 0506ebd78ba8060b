/* SPDX-License-Identifier: ISC */
/*
 * Names of the form str(NAME), in conditions, keys and --str: the text that an
 * argument or the result points to, whatever its type.
 */
#ifndef CLI_BASE_STR_NAME_H
#define CLI_BASE_STR_NAME_H

#include <stddef.h>

/*
 * Returns whether a name has this form, and copies what is in the parentheses,
 * cut to the size of the buffer.
 */
int str_name(const char *name, char *inner, size_t size);

#endif /* CLI_BASE_STR_NAME_H */
