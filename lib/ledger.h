/* SPDX-License-Identifier: ISC */
/*
 * The ledger that the last END block told, and the note that came before it.
 */
#ifndef LIB_LEDGER_H
#define LIB_LEDGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

struct dt_ends {
	pthread_mutex_t en_lock;
	uint64_t en_runs;		/* [en_lock] starts that succeeded */
	bool en_valid;			/* [en_lock] an END has been read */
	struct dt_ledger en_ledger;	/* [en_lock] what it said */
	char en_next[WIRE_MAXNOTE + 1]; /* [en_lock] of the END to come */
	char en_note[WIRE_MAXNOTE + 1]; /* [en_lock] of this END; or "" */
};

void dt_ends_init(struct dt_ends *);
void dt_ends_free(struct dt_ends *);

/* Before DTIOCRECORD 1, so that its END can't come first; and if it failed. */
void dt_ends_start(struct dt_ends *);
void dt_ends_unstart(struct dt_ends *);

/* A NOTE block was read. */
void dt_ends_note(struct dt_ends *, const char *);
/* An END block was read. */
void dt_ends_end(struct dt_ends *, const struct dt_ledger *);

#endif /* LIB_LEDGER_H */
