/* SPDX-License-Identifier: ISC */
/*
 * The session of a view: few probes that the kernel counts by key, and
 * snapshots of the counts.
 */
#ifndef CLI_TOP_TOP_SESSION_H
#define CLI_TOP_TOP_SESSION_H

#include <stdint.h>

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/opts/opts.h"
#include "cli/sym/name_cache.h"

/* Selects hits. */
struct top_filter {
	uint32_t tof_pids[OPTS_MAXPIDS];
	unsigned int tof_npids;	   /* 0: all processes */
	uint64_t tof_cgroup;	   /* 0: all */
	char tof_call[DTNAMESIZE]; /* a system call; "": all */
};

struct top_session {
	struct dt *tos_dt; /* NULL: the view needs none */
	struct name_cache tos_names;
	struct top_filter tos_filter;
	struct hash tos_calls; /* pbn of a return -> struct top_call */
	int tos_hassums;       /* dtd reports its CPU time */
	const char *tos_note;  /* why dtd stopped it, or NULL */
};

/* A call that is counted. */
struct top_call {
	char tcl_name[DTNAMESIZE];
	int tcl_arg; /* of the caller of top_session_calls() */
};

/* The hits of a key, on all CPUs. */
struct top_count {
	uint64_t tcn_words[DTAG_NWORDS];
	uint64_t tcn_count;
	uint64_t tcn_nvalues; /* hits with a value */
	double tcn_sum;
	int64_t tcn_max;
};

/* Opens a session; exits on failure. */
void top_session_open(struct top_session *, const struct opts *,
    const struct top_filter *, int openflags);
void top_session_close(struct top_session *);
/* Enables the clock of this rate; returns its probe. */
uint32_t
top_session_clock(struct top_session *, unsigned int hz, uint64_t evtflags);
/*
 * Enables a system call as a pair that is counted by keys, with a value.
 * Returns 0 if it does not exist here, or was enabled before.
 */
void top_session_calls(struct top_session *, const char *pattern, int arg,
    const struct dt_opd *keys, unsigned int nkeys, enum dt_opd_kind value);
void top_session_count(struct top_session *, uint32_t pbn,
    const struct dt_opd *keys, unsigned int nkeys, enum dt_opd_kind value);
/* Starts recording. */
void top_session_start(struct top_session *);
/* Calls the function for each key since the last snapshot. */
void top_session_snapshot(struct top_session *,
    void (*fn)(void *, const struct top_count *), void *arg);
/*
 * Handles that dt_next() has failed with errno: sets tos_note if dtd has stopped
 * the session because of its cost; exits if dtd has exited.
 */
void top_session_ended(struct top_session *);
/* An operand of a key. */
struct dt_opd top_opd(enum dt_opd_kind);

#endif /* CLI_TOP_TOP_SESSION_H */
