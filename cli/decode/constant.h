/* SPDX-License-Identifier: ISC */
/* Names of constants, for example O_CREAT and SIGKILL. */
#ifndef CLI_DECODE_CONSTANT_H
#define CLI_DECODE_CONSTANT_H

#include "cli/decode/kind.h"

/*
 * Called for each name until it returns a value other than 0, which is the
 * result.  Names are static.
 */
typedef int constant_fn(void *arg, const char *name, uint64_t value);

/* Iterates over the names that a kind defines. */
int arg_constant_each(const struct arg_kind *, constant_fn *, void *);
/* The same for all kinds; some names occur more than once. */
int arg_constant_all(constant_fn *, void *);

/* signal.c: returns NULL for a number without a name */
const char *arg_signame(unsigned int);

#endif /* CLI_DECODE_CONSTANT_H */
