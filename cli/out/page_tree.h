/* SPDX-License-Identifier: ISC */
/* The data of a page (page.h): trees of stacks as JSON, for page/script.js. */
#ifndef CLI_OUT_PAGE_TREE_H
#define CLI_OUT_PAGE_TREE_H

#include "cli/base/buf.h"
#include "cli/result/profile.h"

void page_tree(struct buf *, const struct out_profile *);

#endif /* CLI_OUT_PAGE_TREE_H */
