/* SPDX-License-Identifier: ISC */
/*
 * A cache of the daemon's replies about addresses.  Entries are added and
 * never changed or removed: frames returned to the client point into the cache
 * and hold a reference to it.  A handle whose cache is full starts a new one.
 */
#ifndef LIB_SYM_CACHE_H
#define LIB_SYM_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "common/hash.h"

struct dt_sym_cache;
struct dt_syms;

#define CACHE_MAX (64U << 20) /* bytes; above it a new cache is started */

/* The frames of an address. */
struct dt_answer {
	uint64_t an_until; /* end of its validity, if an_passing */
	bool an_passing;   /* the code there may get another symbol */
	uint32_t an_n;	   /* at least 1 */
	struct dt_frame an_frames[];
};

/* The code of a process, or of the kernel, during one generation. */
struct dt_view {
	struct dt_view *vw_next; /* other generations of the same process */
	uint64_t vw_gen;
	uint64_t vw_from;
	uint64_t vw_until;
	struct hash vw_pcs; /* address -> struct dt_answer */
};

/* The handle's cache. */
struct dt_names {
	pthread_mutex_t nm_lock;
	struct dt_sym_cache *nm_cache; /* [nm_lock] NULL: none yet */
};

void dt_names_init(struct dt_names *);
void dt_names_free(struct dt_names *);

struct dt_sym_cache *dt_sym_cache_alloc(void);
struct dt_sym_cache *dt_sym_cache_hold(struct dt_sym_cache *);
void dt_sym_cache_release(struct dt_sym_cache *); /* NULL is allowed */
size_t dt_sym_cache_size(const struct dt_sym_cache *);

/*
 * Returns the view of a key (process and flags) at a time, else the one that
 * ends last, or NULL.
 */
struct dt_view *
dt_sym_cache_view(const struct dt_sym_cache *, uint64_t key, uint64_t nsecs);
bool dt_view_covers(const struct dt_view *, uint64_t nsecs);

/* Finds or creates the view of a reply.  NULL: ENOMEM. */
struct dt_view *
dt_sym_cache_enter(struct dt_sym_cache *, uint64_t key, const struct dt_syms *);

/* Returns the cached frames of an address at a time, or NULL. */
const struct dt_answer *
dt_view_get(const struct dt_view *, uint64_t pc, uint64_t nsecs);

/* Adds a reply; pcs are in the order of the request. -1: ENOMEM. */
int dt_sym_cache_write(struct dt_sym_cache *, struct dt_view *,
    const uint64_t *pcs, size_t npcs, const struct dt_syms *);

#endif /* LIB_SYM_CACHE_H */
