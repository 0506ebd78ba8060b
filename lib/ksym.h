/* SPDX-License-Identifier: ISC */
/* A cache of the kernel's symbols. */
#ifndef LIB_KSYM_H
#define LIB_KSYM_H

#include <pthread.h>
#include <stdbool.h>

#include "common/hash.h"

struct dt_ksyms {
	pthread_mutex_t kss_lock;
	bool kss_denied;       /* [kss_lock] the daemon returned EPERM */
	struct hash kss_pcs;   /* [kss_lock] address -> function */
	struct hash kss_funcs; /* [kss_lock] start -> function */
};

void dt_ksyms_init(struct dt_ksyms *);
void dt_ksyms_free(struct dt_ksyms *);

#endif /* LIB_KSYM_H */
