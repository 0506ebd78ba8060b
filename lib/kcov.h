/* SPDX-License-Identifier: ISC */
/*
 * What a handle of kcov knows: whether this process records for it by itself.
 */
#ifndef LIB_KCOV_H
#define LIB_KCOV_H

#include <pthread.h>
#include <sys/types.h>

struct dt;
struct dt_kcov_runtime;

struct dt_kcov {
	pthread_mutex_t k_lock;
	const struct dt_kcov_runtime *k_runtime; /* [k_lock] NULL: it doesn't */
	int k_record; /* [k_lock] the runtime's handle */
};

void dt_kcov_init(struct dt_kcov *);
void dt_kcov_free(struct dt_kcov *); /* nothing is recorded any more */

/* Commands that tell who calls, see ioctl.c. */
int dt_kcov_enable(struct dt *, void *arg);
int dt_kcov_enablethread(struct dt *, void *arg);
int dt_kcov_disable(struct dt *, void *arg);

/* dt_mmap() of compat.c: as mmap(2) has it, MAP_FAILED. */
void *
dt_kcov_map(struct dt *, void *addr, size_t nbytes, int prot, int flags, off_t);
ssize_t dt_kcov_read(struct dt *, void *buf, size_t nbytes, int timeout);

#endif /* LIB_KCOV_H */
