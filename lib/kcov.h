/* SPDX-License-Identifier: ISC */
/*
 * kcov state of a handle: whether the runtime of this process records for it.
 */
#ifndef LIB_KCOV_H
#define LIB_KCOV_H

#include <pthread.h>
#include <sys/types.h>

struct dt;
struct dt_kcov_runtime;

struct dt_kcov {
	pthread_mutex_t k_lock;
	const struct dt_kcov_runtime *k_runtime; /* [k_lock] or NULL */
	int k_record; /* [k_lock] handle of the runtime */
};

/* Also in a child made by fork(2): none of its threads enabled the session. */
void dt_kcov_init(struct dt_kcov *);
void dt_kcov_free(struct dt_kcov *); /* stops recording */

/* ioctls that carry the calling thread. */
int dt_kcov_enable(struct dt *, void *arg);
int dt_kcov_enablethread(struct dt *, void *arg);
int dt_kcov_disable(struct dt *, void *arg);

/* mmap() of dt/compat.h.  Returns MAP_FAILED like mmap(2). */
void *
dt_kcov_map(struct dt *, void *addr, size_t nbytes, int prot, int flags, off_t);
ssize_t dt_kcov_read(struct dt *, void *buf, size_t nbytes, int timeout);

#endif /* LIB_KCOV_H */
