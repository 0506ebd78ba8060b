/* SPDX-License-Identifier: ISC */
/*
 * Tables of the programs whose rows are shared: requests with the same content
 * have one row, in all sessions.  A row without references is free.  Row 0 is
 * unused.  Control thread only; the maps exist.
 */
#ifndef DAEMON_DT_DT_ROW_TABLE_H
#define DAEMON_DT_DT_ROW_TABLE_H

#include <stdint.h>
#include <sys/types.h>

struct reason;

enum dt_row_kind {
	DT_ROW_COND, /* struct dt_cond_entry */
	DT_ROW_READ, /* struct dt_readrow */
	DT_NROWKIND
};

/* Stores the number of a row with this content: ENOSPC. */
int dt_row_get(enum dt_row_kind, uid_t, const void *row, uint16_t *line,
    struct reason *);
/* Drops a reference to a row that no program reads; 0 is fine. */
void dt_row_put(enum dt_row_kind, uint16_t line);

#endif /* DAEMON_DT_DT_ROW_TABLE_H */
