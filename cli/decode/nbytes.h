/* SPDX-License-Identifier: ISC */
/* Finds the arguments and results that are numbers of bytes. */
#ifndef CLI_DECODE_NBYTES_H
#define CLI_DECODE_NBYTES_H

#include "cli/base/probe.h"

/* Returns whether the result of a probe, a return of a call, counts bytes. */
int nbytes_ret(const struct probe *);
/* Returns whether an argument of a probe counts bytes. */
int nbytes_arg(const struct probe *, unsigned int argn);

#endif /* CLI_DECODE_NBYTES_H */
