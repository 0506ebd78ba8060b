/* SPDX-License-Identifier: ISC */
/* Rows of hits that the kernel counts. */
#ifndef LIB_AGG_H
#define LIB_AGG_H

#include <stddef.h>
#include <sys/types.h>

struct dt;
struct dtioc_aggrow;

/* Rows of the current snapshot. */
struct dt_aggrows {
	struct dtioc_aggrow *ag_rows; /* NULL, or space for DTAG_PAGE rows */
	size_t ag_n;
	size_t ag_next; /* row to return next */
};

/* Fetches the next rows, at most DTAG_PAGE.  Returns their number, or -1. */
ssize_t dt_aggrows_page(struct dt *, struct dtioc_aggrow *rows);
void dt_aggrows_free(struct dt_aggrows *);

#endif /* LIB_AGG_H */
