/* SPDX-License-Identifier: ISC */
/* The threads of a snapshot that a client has not fetched yet. */
#ifndef DAEMON_DT_DT_THREADS_H
#define DAEMON_DT_DT_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Letters as in dt_softc.h. */
struct dt_threads {
	uint8_t *dth_rows; /* [co] struct dtioc_thread, and addresses */
	size_t dth_nbytes; /* [c] */
	size_t dth_next;   /* [c] offset of the next one to send */
};

void dt_threads_close(struct dt_threads *); /* w */

#endif /* DAEMON_DT_DT_THREADS_H */
