/* SPDX-License-Identifier: ISC */
/*
 * Counts the hits of a session by key: the kernel counts them if it can,
 * otherwise they become events, which are counted here.
 */
#ifndef CLI_SESSION_SESSION_COUNT_H
#define CLI_SESSION_SESSION_COUNT_H

#include <stdint.h>

#include "cli/session/session.h"
#include "cli/stat/count.h"
#include "cli/stat/kernel_count.h"

/* Where hits are counted. */
enum session_where {
	SESSION_COUNT_ANY, /* in the kernel, if it can */
	SESSION_COUNT_KERNEL,
	SESSION_COUNT_CLIENT,
};

struct session_count {
	struct session *ssc_session;
	struct count ssc_count;
	struct kernel_count ssc_kernel;
	int ssc_iskernel; /* ssc_kernel counts hits */
};

/*
 * Called after the probes were enabled and before session_run(); ssc_count was
 * initialized.  Reports with -v where hits are counted; exits if that is not
 * what was requested.
 */
void session_count_start(struct session_count *, struct session *,
    enum session_where);
/* Counts an event. */
void session_count_event(struct session_count *, const struct dt_event *);
/* After the last event. */
void session_count_end(struct session_count *);
/* Adds the counts of the kernel up to now, at the end of an interval. */
void session_count_snapshot(struct session_count *, uint64_t now);
/* For so_idle: adds the counts when they are due.  Returns the next time. */
uint64_t session_count_idle(struct session_count *, uint64_t now);
void session_count_free(struct session_count *);

#endif /* CLI_SESSION_SESSION_COUNT_H */
