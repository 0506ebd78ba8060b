/* SPDX-License-Identifier: ISC */
/* The threads of a snapshot (DTIOCTHREADS). */
#ifndef LIB_THREADS_H
#define LIB_THREADS_H

#include <sys/types.h>

struct dt;

/*
 * Stores further threads in a buffer of DTTI_PAGE bytes.  Returns their bytes,
 * 0: there are no more, or -1.
 */
ssize_t dt_threads_page(struct dt *, void *buf);

#endif /* LIB_THREADS_H */
