/* SPDX-License-Identifier: ISC */
/*
 * Caches what the numbers of a record name: probes by pbn, kernel functions by
 * address, cgroups, users.  Live, the names are requested from the daemon; in a
 * report, they come from the file.  Callers need not distinguish the two.
 */
#ifndef CLI_SYM_NAME_CACHE_H
#define CLI_SYM_NAME_CACHE_H

#include <stdint.h>

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/base/machine.h"
#include "cli/base/probe.h"
#include "cli/sym/cgroup.h"

struct rec_symbols;

#define NAME_CACHE_NLAST 64

struct name_cache {
	struct dt *nm_dt;      /* NULL: only added names */
	struct hash nm_probes; /* pbn -> struct probe */
	struct hash nm_infos;  /* pbn -> struct dtioc_probe_info */
	struct hash nm_calls;  /* pbn of probes that stand for a whole call */
	struct hash nm_ksyms;  /* pc -> struct name_cache_ksym */
	struct hash nm_users;  /* uid -> name, or NULL */
	struct cgroups nm_cgroups;
	enum machine nm_machine;      /* machine of the probes */
	int nm_ishere;		      /* users are those of this machine */
	struct rec_symbols *nm_umaps; /* in a report: symbols of processes; or
				   * NULL */
	unsigned int nm_symflags;     /* DT_SYM_*: details of user frames */
	const struct probe *nm_last[NAME_CACHE_NLAST]; /* probes found last, by
						   * pbn */
};

void name_cache_init(struct name_cache *, struct dt *);
void name_cache_free(struct name_cache *);
/* Returns the probe, or NULL if it is unknown.  Lives as long as the cache. */
const struct probe *name_cache_probe(struct name_cache *, uint32_t pbn);
/*
 * The probe is enabled for both of its call: tables print its name without
 * "entry" or "return".
 */
void name_cache_add_call(struct name_cache *, uint32_t pbn);
int name_cache_iscall(const struct name_cache *, uint32_t pbn);
/*
 * Called before the first event: requests from the daemon what that event would
 * need, if that is not much.
 */
void name_cache_ahead(struct name_cache *);
/*
 * Returns the probe of this name if it was added, because it is enabled or in
 * the recording; else NULL.
 */
const struct probe *name_cache_find(struct name_cache *, const char *prov,
    const char *func, const char *name);
/* Returns the kernel function at pc, or NULL. */
const char *name_cache_ksym(struct name_cache *, uint64_t pc, uint64_t *offset);
/* Returns the first frame of a kernel stack that is not of the tracing itself. */
unsigned int
name_cache_kfirst(struct name_cache *, const struct dt_rec_stack *);
/* Returns the user name of this uid here, or NULL. */
const char *name_cache_user(struct name_cache *, uint32_t uid);
/* Requests many symbols at once. */
void name_cache_prefetch(struct name_cache *, const uint64_t *, size_t);
/*
 * Adds a probe's name without its arguments, in case the daemon has exited when
 * they are requested.  Copies.
 */
void name_cache_add_info(struct name_cache *, const struct dtioc_probe_info *);
/* Copy; added names take precedence over the daemon's. */
void name_cache_add_probe(struct name_cache *, const struct dt_probe_desc *);
void name_cache_add_ksym(struct name_cache *, uint64_t pc, const char *,
    uint64_t offset);

#endif /* CLI_SYM_NAME_CACHE_H */
