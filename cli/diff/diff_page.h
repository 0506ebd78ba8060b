/* SPDX-License-Identifier: ISC */
/* Two profiles as a page: the graph of the newer one, coloured by change. */
#ifndef CLI_DIFF_DIFF_PAGE_H
#define CLI_DIFF_DIFF_PAGE_H

#include "cli/base/buf.h"
#include "cli/diff/diff.h"

/*
 * before, after: the names of the files.  funcs: rows of functions, in order.
 * iswaits: weights are times for which threads waited, ns; else samples.
 */
void diff_page(struct buf *, const struct diff *, const char *before,
    const char *after, struct hash_entry *const *funcs, size_t n, int iswaits);

#endif /* CLI_DIFF_DIFF_PAGE_H */
