/* SPDX-License-Identifier: ISC */
/* The ledger of the last END block, and the note before it. */
#ifndef LIB_RUN_END_H
#define LIB_RUN_END_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

struct dt_ends {
	pthread_mutex_t en_lock;
	uint64_t en_runs;		/* [en_lock] successful starts */
	bool en_valid;			/* [en_lock] an END has been read */
	struct dt_ledger en_ledger;	/* [en_lock] ledger of the last END */
	char en_next[WIRE_MAXNOTE + 1]; /* [en_lock] note of the next END */
	char en_note[WIRE_MAXNOTE + 1]; /* [en_lock] of the last END, or "" */
};

void dt_ends_init(struct dt_ends *);
void dt_ends_free(struct dt_ends *);

/*
 * Count a start, before DTIOCRECORD 1 so that its END cannot precede it; and
 * undo this if the ioctl failed.
 */
void dt_ends_start(struct dt_ends *);
void dt_ends_unstart(struct dt_ends *);

/* Returns whether no run is in progress: each one's END has been read. */
bool dt_ends_isover(struct dt_ends *);

/* Stores the note of a NOTE block. */
void dt_ends_note(struct dt_ends *, const char *);
/* Stores the ledger of an END block. */
void dt_ends_end(struct dt_ends *, const struct dt_ledger *);

#endif /* LIB_RUN_END_H */
