/* SPDX-License-Identifier: ISC */
/*
 * A cache of probes: the entries of all lists received, and the descriptions
 * requested.
 */
#ifndef LIB_PROBE_H
#define LIB_PROBE_H

#include <pthread.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

#include "common/hash.h"

struct dt;

struct dt_probes {
	pthread_mutex_t pr_lock;
	struct hash pr_infos; /* [pr_lock] struct dtioc_probe_info */
	struct hash pr_descs; /* [pr_lock] struct dt_probe_desc */
};

void dt_probes_init(struct dt_probes *);
void dt_probes_free(struct dt_probes *);

/* Caches the entries of a list that a client requested. */
int dt_probes_learn(struct dt *, const struct dtioc_probe_info *, uint32_t n);

/*
 * Returns the number of arguments that a probe declares; -1: ENOENT, or as
 * dt_ioctl().
 */
int dt_probes_nargs(struct dt *, uint32_t pbn);

#endif /* LIB_PROBE_H */
