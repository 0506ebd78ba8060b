/* SPDX-License-Identifier: ISC */
/*
 * Resolves the numbers of a record: probes by pbn, kernel functions by address,
 * cgroups, users.  Live, the answers come from the daemon; in a report, from
 * the file. Callers need not distinguish the two.
 */
#ifndef CLI_SYM_NAMES_H
#define CLI_SYM_NAMES_H

#include <stdint.h>

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/base/machine.h"
#include "cli/base/probe.h"
#include "cli/sym/cgroup.h"

struct rec_symbols;

#define NAMES_NLAST 64

struct names {
	struct dt *nm_dt;      /* NULL: only added names */
	struct hash nm_probes; /* pbn -> struct probe */
	struct hash nm_infos;  /* pbn -> struct dtioc_probe_info */
	struct hash nm_ksyms;  /* pc -> struct names_ksym */
	struct hash nm_users;  /* uid -> name, or NULL */
	struct cgroups nm_cgroups;
	enum machine nm_machine;      /* machine of the probes */
	int nm_ishere;		      /* users are those of this machine */
	struct rec_symbols *nm_umaps; /* in a report: symbols of processes; or
				   * NULL */
	unsigned int nm_symflags;     /* DT_SYM_*: details of user frames */
	const struct probe *nm_last[NAMES_NLAST]; /* probes found last, by
						   * pbn */
};

void names_init(struct names *, struct dt *);
void names_free(struct names *);
/* Returns the probe, or NULL if it is unknown.  Lives as long as names. */
const struct probe *names_probe(struct names *, uint32_t pbn);
/*
 * Called before the first event: requests from the daemon what that event would
 * need, if that is not much.
 */
void names_ahead(struct names *);
/*
 * Returns the probe of this name if it was added, because it is enabled or in
 * the recording; else NULL.
 */
const struct probe *names_find(struct names *, const char *prov,
    const char *func, const char *name);
/* Returns the kernel function at pc, or NULL. */
const char *names_ksym(struct names *, uint64_t pc, uint64_t *offset);
/* Returns the user name of this uid here, or NULL. */
const char *names_user(struct names *, uint32_t uid);
/* Requests many symbols at once. */
void names_prefetch(struct names *, const uint64_t *, size_t);
/*
 * Adds a probe's name without its arguments, in case the daemon has exited when
 * they are requested.  Copies.
 */
void names_add_info(struct names *, const struct dtioc_probe_info *);
/* Copy; added names take precedence over the daemon's. */
void names_add_probe(struct names *, const struct dt_probe_desc *);
void names_add_ksym(struct names *, uint64_t pc, const char *, uint64_t offset);

#endif /* CLI_SYM_NAMES_H */
