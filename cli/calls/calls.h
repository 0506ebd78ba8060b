/* SPDX-License-Identifier: ISC */
/*
 * Path of an event from the device or a recording to the output: updates what
 * is known of processes, applies --path, and joins entry and return of a call
 * where the format wants that.  Live sessions and reports share it, so a
 * recording prints as it did live.
 */
#ifndef CLI_CALLS_CALLS_H
#define CLI_CALLS_CALLS_H

#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

#include "cli/opts/opts.h"
#include "cli/procs/procs.h"
#include "cli/result/consumer.h"
#include "cli/sym/name_cache.h"

struct calls;

/*
 * Copies the consumer.  NULL: none; the result of calls_event() is what --path
 * passes.  Exits if memory runs out.
 */
struct calls *
calls_open(const struct opts *, struct name_cache *, const struct consumer *);
void calls_close(struct calls *);

/*
 * Starts lookups of processes in /proc.  Called when all probes are enabled,
 * recording has started and the command still waits.  Reads the descriptors of
 * the command (0: none) and of the process of -p at once.
 */
void calls_live(struct calls *, pid_t command);
/*
 * Returns whether the calls of these probes show all changes of descriptors and
 * directories.  Otherwise events need DTEVT_PATHS: /proc is read some
 * milliseconds later, when a descriptor may be another file.
 */
int calls_knowpaths(const struct opts *, struct name_cache *);
/*
 * Returns the DTEVT_* that events of a probe need so that calls can be
 * followed; for so_moreflags, whose argument it takes.
 */
uint64_t calls_evtflags(void *, const struct dtioc_probe_info *);

/*
 * Handles an event.  Returns 1 if it passes --path; 0 if it does not, or if the
 * return of its call decides; -1 if the output has failed, or has what
 * calls_limit() allows.
 */
int calls_event(struct calls *, const struct dt_event *);
/*
 * Called when no event has arrived until now (CLOCK_MONOTONIC, ns): prints
 * calls that have been pending for long.  Returns the time of its next call, 0:
 * none.
 */
uint64_t calls_idle(struct calls *, uint64_t now);
/* Prints the pending calls after the last event.  Returns 0 or -1. */
int calls_end(struct calls *);

/* The state of processes, for printing arguments. */
struct procs *calls_procs(struct calls *);
/*
 * Without an output: the function receives the entries that calls_event() left
 * undecided because they could not read their path, once their return has read
 * it and it passes --path.
 */
void calls_late(struct calls *, void (*)(void *, const struct dt_event *),
    void *arg);
/*
 * Limits the calls, and other events, that are passed to the output: to n, at
 * least 1, without events of probes that do not count.
 */
void calls_limit(struct calls *, uint64_t n);
void calls_uncounted(struct calls *, uint32_t pbn);
/*
 * Counts of events: printed; filtered by --path; and filtered because their
 * path is unknown, which the second count includes.  If events were lost, the
 * third count includes the other events of their calls.
 */
uint64_t calls_shown(const struct calls *);
uint64_t calls_filtered(const struct calls *);
uint64_t calls_unknown(const struct calls *, uint64_t lost);

#endif /* CLI_CALLS_CALLS_H */
