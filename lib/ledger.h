/* SPDX-License-Identifier: ISC */
/*
 * The ledger that the last END block told.
 */
#ifndef LIB_LEDGER_H
#define LIB_LEDGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "evt.h"

struct dt_ends {
	pthread_mutex_t en_lock;
	uint64_t en_runs;	    /* [en_lock] starts that succeeded */
	bool en_valid;		    /* [en_lock] an END has been read */
	struct dt_ledger en_ledger; /* [en_lock] what it said */
};

void dt_ends_init(struct dt_ends *);
void dt_ends_free(struct dt_ends *);

/* Before DTIOCRECORD 1, so that its END can't come first; and if it failed. */
void dt_ends_start(struct dt_ends *);
void dt_ends_unstart(struct dt_ends *);

/* An END block was read. */
void dt_ends_end(struct dt_ends *, const struct dt_ledger *);

#endif /* LIB_LEDGER_H */
