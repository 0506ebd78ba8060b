/* SPDX-License-Identifier: ISC */
/*
 * User stacks by unwind tables. A probe that requests them makes all user stacks
 * of its session use tables, until the session is closed.
 */
#ifndef DAEMON_DT_DT_TABLES_H
#define DAEMON_DT_DT_TABLES_H

#include <stdatomic.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_pcb.h"

/* How the user stacks of a session are found. */
enum dt_tables {
	DT_TABLES_NONE,	  /* by frame pointers */
	DT_TABLES_WANTED, /* a probe being enabled requests tables */
	DT_TABLES_HELD,	  /* by tables, with unwind_hold() */
	DT_TABLES_FAILED, /* by frame pointers, since that failed */
};

static inline int
dt_tables_iswanted(const struct dt_enabled *en)
{
	return atomic_load(&en->den_tables) == DT_TABLES_WANTED;
}

static inline int
dt_tables_isheld(const struct dt_enabled *en)
{
	return atomic_load(&en->den_tables) == DT_TABLES_HELD;
}

/*
 * Returns whether the session needs programs with tables, for user stacks or for
 * reads.
 */
static inline int
dt_tables_isneeded(const struct dt_enabled *en)
{
	return dt_tables_isheld(en) || en->den_hasreads;
}

/* Notes that a probe being enabled requests them. */
void dt_tables_request(struct dt_enabled *, const struct dt_pcb *,
    const struct dtioc_req *);
/* Returns whether the session uses them, or will if they are available. */
int dt_tables_isrequested(const struct dt_enabled *);
/* w: makes tables available, or else frame pointers are used. */
void dt_tables_hold(struct dt_enabled *);
/* w: before a start, loads programs that the session's probes still need. */
int dt_tables_load(struct dt_enabled *, struct reason *);
/* w: notes that a probe uses frame pointers, since its program was refused. */
void dt_tables_failed(struct dt_enabled *);
void dt_tables_close(struct dt_enabled *); /* w */

#endif /* DAEMON_DT_DT_TABLES_H */
