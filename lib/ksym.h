/* SPDX-License-Identifier: ISC */
/*
 * The kernel's names of addresses, remembered.
 */
#ifndef LIB_KSYM_H
#define LIB_KSYM_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/hash.h"

struct dt_ksyms {
	pthread_mutex_t ks_lock;
	bool ks_denied;		/* [ks_lock] the daemon said EPERM */
	struct dt_map ks_pcs;	/* [ks_lock] address -> function */
	struct dt_map ks_funcs; /* [ks_lock] its start -> function */
};

void dt_ksyms_init(struct dt_ksyms *);
void dt_ksyms_free(struct dt_ksyms *);

#endif /* LIB_KSYM_H */
