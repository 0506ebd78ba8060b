/* SPDX-License-Identifier: ISC */
/* The socket on which a handle requests sums over all sessions. */
#ifndef LIB_SESSION_SUMS_H
#define LIB_SESSION_SUMS_H

#include <pthread.h>
#include <stdint.h>

struct dt_session_sums {
	pthread_mutex_t as_lock;
	int as_fd;	 /* [as_lock] -1: none yet */
	uint64_t as_tag; /* [as_lock] tag of the last request */
};

void dt_session_sums_init(struct dt_session_sums *);
void dt_session_sums_free(struct dt_session_sums *);

#endif /* LIB_SESSION_SUMS_H */
