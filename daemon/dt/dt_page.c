/* SPDX-License-Identifier: ISC */
/* Fills pages of lists, see dt_page.h. */
#include <string.h>

#include "daemon/dt/dt_page.h"

void
dt_page_init(struct dt_page *pg, struct op *op, uint32_t first, uint32_t max,
    size_t size)
{
	size_t fits = (OP_MAXOUT - sizeof(*pg->pg_list)) / size;

	pg->pg_list = op->op_out;
	pg->pg_list->wl_total = pg->pg_list->wl_count = 0;
	pg->pg_first = first;
	pg->pg_max = max < fits ? max : fits;
	pg->pg_size = size;
}

void *
dt_page_next(struct dt_page *pg)
{
	uint32_t i = pg->pg_list->wl_total++;
	char *p;

	if (i < pg->pg_first || pg->pg_list->wl_count == pg->pg_max)
		return NULL;
	p = (char *)(pg->pg_list + 1) + pg->pg_list->wl_count++ * pg->pg_size;
	return memset(p, 0, pg->pg_size);
}

void
dt_page_done(const struct dt_page *pg, struct op *op)
{
	op->op_outlen = sizeof(*pg->pg_list) +
	    pg->pg_list->wl_count * pg->pg_size;
}
