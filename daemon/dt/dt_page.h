/* SPDX-License-Identifier: ISC */
/* Fills one page of a list, the reply to a command. */
#ifndef DAEMON_DT_DT_PAGE_H
#define DAEMON_DT_DT_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/device/cdevsw.h"
#include "wire/wire.h"

/*
 * A page being filled: at most pg_max entries from pg_first on, as many as fit.
 */
struct dt_page {
	struct wire_list *pg_list;
	uint32_t pg_first;
	uint32_t pg_max;
	size_t pg_size; /* of one entry */
};

void dt_page_init(struct dt_page *, struct op *, uint32_t first, uint32_t max,
    size_t size);
/* Returns the next entry, zeroed, or NULL if it is not on this page. */
void *dt_page_next(struct dt_page *);
void dt_page_done(const struct dt_page *, struct op *);

#endif /* DAEMON_DT_DT_PAGE_H */
