/* SPDX-License-Identifier: ISC */
/*
 * Caches what symbolizers found for queries, by file and query.  Any thread.
 */
#ifndef DAEMON_SYM_PROBE_CACHE_H
#define DAEMON_SYM_PROBE_CACHE_H

#include "daemon/sym/file_probes.h"
#include "daemon/sym/symbol_cache.h"

#define PROBE_CACHE_BYTES (4 << 20)

/* Copies a cached reply.  Returns 0 if it is not cached, or memory runs out. */
int probe_cache_get(const struct symbol_key *, const struct probe_query *,
    struct file_probes *);
/* Stores a copy.  Replies that are large are not cached. */
void probe_cache_put(const struct symbol_key *, const struct probe_query *,
    const struct file_probes *);
/* Removes what no query has used for this many seconds. */
void probe_cache_trim(int seconds);

#endif /* DAEMON_SYM_PROBE_CACHE_H */
