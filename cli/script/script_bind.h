/* SPDX-License-Identifier: ISC */
/* Binds clauses to the probes of a session. */
#ifndef CLI_SCRIPT_SCRIPT_BIND_H
#define CLI_SCRIPT_SCRIPT_BIND_H

#include "cli/base/hash.h"
#include "cli/script/script_run.h"
#include "cli/script/script_target.h"
#include "cli/session/session.h"

/* A clause that a hit executes. */
struct bound_clause {
	const struct clause *bc_clause;
	struct script_hit bc_hit;
};

/* A probe of dt that the script uses. */
struct bound {
	struct dtioc_probe_info bo_info;
	uint64_t bo_period;
	uint64_t bo_evtflags;
	const struct probe *bo_probe, *bo_entry;
	struct bound_clause *bo_clauses; /* in the order of the script */
	unsigned int bo_nclauses;
	struct dt_read *bo_reads; /* DT_READ_MAX, or NULL */
	unsigned int bo_nreads;
	int bo_iscounted;	  /* in the kernel */
	const char *bo_condition; /* in the kernel, or NULL */
	int bo_isexact;		  /* it decides as the predicate does */
	struct bound *bo_other;	  /* with which the kernel joins it, or NULL */
	int bo_isreturn;	  /* the other one is its entry */
};

struct script_bind {
	struct script *sbi_script;
	struct session *sbi_session;
	struct hash sbi_hash;	   /* pbn -> struct bound */
	struct bound **sbi_bounds; /* in the order of the script */
	unsigned int sbi_n;
	char sbi_nomatch[640]; /* pattern without a probe, or "" */
	char sbi_why[300];     /* why a value cannot be read, or "" */
	int sbi_mayread;       /* the client has the right to set reads */
};

/*
 * Finds the probes of a clause's name.  Returns 0, or -1 with the script's
 * error; fails like session_enable() for other reasons.
 */
int script_bind(struct script_bind *, const struct clause *,
    const struct script_probe *, const struct script_target *);
/* Returns whether a value is used as a number only. */
int script_bind_isnumber(const struct node *parent, const struct node *kid);
/*
 * Returns the flags of events that have what str() of a value returns, whatever
 * type it has; 0: no event has it.
 */
uint64_t script_bind_str(const struct bound *, const struct node *value);
/* Enables all probes. */
void script_bind_enable(struct script_bind *);
void script_bind_free(struct script_bind *);

#endif /* CLI_SCRIPT_SCRIPT_BIND_H */
