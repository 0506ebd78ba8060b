/* SPDX-License-Identifier: ISC */
/* User stacks of threads of a snapshot. */
#ifndef DAEMON_DT_DT_THREADS_USER_H
#define DAEMON_DT_DT_THREADS_USER_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

struct dt_client;
struct dt_enabled;
struct dt_where_thread;

struct thread_user {
	const struct dt_where_thread *thu_thread;
	struct dt_rec_stack thu_stack; /* thu_pcs has its addresses */
	uint64_t *thu_pcs;	       /* NULL: none; free(3) */
	uint32_t thu_copy;	       /* number of the copy */
	int thu_iscopied;
	int thu_isdone; /* thu_stack is final */
};

/*
 * w: prepares unwind tables for the session, before the snapshot.  Returns
 * whether there are any.
 */
int dt_threads_tables(struct dt_enabled *);
/* w: finds the user stacks of n threads, whose thu_thread is set. */
void dt_threads_walk(const struct dt_client *, struct thread_user *, size_t n);

#endif /* DAEMON_DT_DT_THREADS_USER_H */
