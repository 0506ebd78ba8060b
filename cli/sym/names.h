/* SPDX-License-Identifier: ISC */
/*
 * What the numbers of a record mean: probes by pbn, kernel functions by
 * address, cgroups, users.  Live they come from the daemon, in a report from the file; who
 * prints doesn't know which.
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
	struct dt *nm_dt;      /* NULL: all was added by hand */
	struct hash nm_probes; /* pbn -> struct probe */
	struct hash nm_infos;  /* pbn -> struct dtioc_probe_info */
	struct hash nm_ksyms;  /* pc -> struct names_ksym */
	struct hash nm_users;  /* uid -> name, or NULL */
	struct cgroups nm_cgroups;
	enum machine nm_machine; /* where the probes are */
	int nm_ishere;		 /* users are those of this machine */
	struct rec_symbols
	    *nm_umaps;		  /* in a report: code of processes; or NULL */
	unsigned int nm_symflags; /* DT_SYM_*: what of user frames is told */
	const struct probe *nm_last[NAMES_NLAST]; /* found last, by pbn */
};

void names_init(struct names *, struct dt *);
void names_free(struct names *);
/* The probe, or NULL if nobody has heard of it.  Lives as long as names. */
const struct probe *names_probe(struct names *, uint32_t pbn);
/* While the first event is waited for: what it would have to ask the daemon, if
 * that is not much. */
void names_ahead(struct names *);
/* The probe of this name, if it is among those that were added: that are
 * enabled, or in the recording.  NULL: it is not. */
const struct probe *names_find(struct names *, const char *prov,
    const char *func, const char *name);
/* The kernel function at pc, or NULL. */
const char *names_ksym(struct names *, uint64_t pc, uint64_t *offset);
/* The user of this number here, or NULL. */
const char *names_user(struct names *, uint32_t uid);
/* Asks for many at once. */
void names_prefetch(struct names *, const uint64_t *, size_t);
/* What is known of a probe should the daemon be gone when it is asked for:
 * its name, not its arguments.  Copies. */
void names_add_info(struct names *, const struct dtioc_probe_info *);
/* Copies; what was added goes before what the daemon would say. */
void names_add_probe(struct names *, const struct dt_probe_desc *);
void names_add_ksym(struct names *, uint64_t pc, const char *, uint64_t offset);

#endif /* CLI_SYM_NAMES_H */
