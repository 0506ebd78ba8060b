/* SPDX-License-Identifier: ISC */
/* System calls that programs of today seldom make. */
#ifndef CLI_SESSION_SELDOM_H
#define CLI_SESSION_SELDOM_H

#include "cli/base/buf.h"
#include "cli/opts/opts.h"

/* Prints the calls that replace calls of the patterns, if there are any. */
void seldom_text(struct buf *, const struct opts *);

#endif /* CLI_SESSION_SELDOM_H */
