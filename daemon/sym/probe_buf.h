/* SPDX-License-Identifier: ISC */
/*
 * Collects places to probe: the reply of a symbolizer, whose messages are
 * checked like input from a stranger.
 */
#ifndef DAEMON_SYM_PROBE_BUF_H
#define DAEMON_SYM_PROBE_BUF_H

#include <stddef.h>

#include "daemon/sym/file_probes.h"

#define PROBE_BUF_BYTES (32U << 20) /* of strings */

struct probe_buf {
	struct file_probes pbf_found;
	uint32_t pbf_max; /* sites that were requested */
	size_t pbf_maxsites, pbf_maxargs, pbf_maxbytes;
};

/*
 * Takes a message of n bytes (struct symrep_probes).  EIO: invalid; ENOMEM.
 */
int probe_buf_take(struct probe_buf *, const void *msg, size_t n);

#endif /* DAEMON_SYM_PROBE_BUF_H */
