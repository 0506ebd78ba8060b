/* SPDX-License-Identifier: ISC */
/*
 * Collects unwind tables: the reply of a symbolizer, whose messages are checked
 * like input from a stranger.  A table that reaches its user is sorted, begins at
 * 0, and has no other rules and kinds of rules than wire/unwind.h names.
 */
#ifndef DAEMON_SYM_TABLE_BUF_H
#define DAEMON_SYM_TABLE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

/*
 * Takes the table of a page: the index in the request, its rows and then its
 * rules.  nrows 0: it has none.
 */
typedef void table_buf_fn(void *arg, uint32_t page, const void *table,
    uint32_t nrows, uint32_t nrules);

struct table_buf {
	table_buf_fn *tbf_fn;
	void *tbf_arg;
	uint32_t tbf_page; /* the next one */
	uint32_t tbf_nrows, tbf_nrules;
	uint32_t tbf_nbytes; /* received bytes of the table */
	char *tbf_bytes;
	uint32_t tbf_max;
};

#define TABLE_BUF_BYTES(nrows, nrules) \
	((nrows) * sizeof(struct unwind_row) + \
	    (nrules) * sizeof(struct unwind_rule))

/* Takes a message of n bytes (struct symrep_table).  EIO: invalid; ENOMEM. */
int table_buf_take(struct table_buf *, const void *msg, size_t n);
void table_buf_free(struct table_buf *);

#endif /* DAEMON_SYM_TABLE_BUF_H */
