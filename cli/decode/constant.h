/* SPDX-License-Identifier: ISC */
/* Names of values: O_CREAT, SIGKILL. */
#ifndef CLI_DECODE_CONSTANT_H
#define CLI_DECODE_CONSTANT_H

#include "cli/decode/kind.h"

/* Called for names until it returns not 0, which is returned then.  The name
 * stays. */
typedef int constant_fn(void *arg, const char *name, uint64_t value);

/* All names that a kind has of its own. */
int arg_constant_each(const struct arg_kind *, constant_fn *, void *);
/* Of all kinds: some come more than once. */
int arg_constant_all(constant_fn *, void *);

/* ioctl.c: of requests. */
int arg_ioctl_each(constant_fn *, void *);
/* signal.c: NULL for a number that has none. */
const char *arg_signame(unsigned int);

#endif /* CLI_DECODE_CONSTANT_H */
