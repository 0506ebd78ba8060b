/* SPDX-License-Identifier: ISC */
/* Kinds of what the kernel's functions take and return, see func.c. */
#ifndef CLI_DECODE_FUNC_H
#define CLI_DECODE_FUNC_H

#include "cli/decode/kind.h"

/* Whether the probes of a provider are functions of the kernel. */
int func_is(const char *prov);
/* The kind of a type, or NULL; ishere: the kernel that runs here has it. */
const struct arg_kind *func_find(const char *type, int ishere);

#endif /* CLI_DECODE_FUNC_H */
