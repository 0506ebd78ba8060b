/* SPDX-License-Identifier: ISC */
/* Kinds of arguments and results of kernel functions, by type. */
#ifndef CLI_DECODE_FUNC_H
#define CLI_DECODE_FUNC_H

#include "cli/decode/kind.h"

/*
 * Returns the kind of a type, or NULL; ishere: the type is of the running
 * kernel.
 */
const struct arg_kind *func_find(const char *type, int ishere);

#endif /* CLI_DECODE_FUNC_H */
