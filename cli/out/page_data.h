/* SPDX-License-Identifier: ISC */
/* The data of the HTML page: the tree of stacks as JSON, for page/script.js. */
#ifndef CLI_OUT_PAGE_DATA_H
#define CLI_OUT_PAGE_DATA_H

#include "cli/base/buf.h"
#include "cli/result/profile.h"

/* Prints JSON that contains no <, so that no name ends its element. */
void page_data(struct buf *, const struct out_profile *);

#endif /* CLI_OUT_PAGE_DATA_H */
