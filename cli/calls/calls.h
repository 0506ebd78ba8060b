/* SPDX-License-Identifier: ISC */
/*
 * The way of an event from the device, or from a recording, to the output:
 * what is known of processes follows it, --path may leave it out, entry and
 * return of a call become one line where the format wants that.  Live and in a
 * report it is the same, so a recording reads as it did when it was made.
 */
#ifndef CLI_CALLS_CALLS_H
#define CLI_CALLS_CALLS_H

#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

#include "cli/opts/opts.h"
#include "cli/procs/procs.h"
#include "cli/result/event.h"
#include "cli/sym/names.h"

struct calls;

/* What receives the events, usually an output. */
struct calls_sink {
	int tk_joins;	 /* it wants entry and return of a call as one */
	int tk_hasfiles; /* it records what descriptors mean */
	/* 0, or -1: it has failed */
	int (*tk_event)(void *arg, const struct out_event *);
	int (*tk_file)(void *arg, uint32_t pid, int fd, const char *path);
	void *tk_arg;
};

/* Copies the sink.  NULL: nothing is printed, and the caller finds out by
 * calls_event() what --path lets through.  Exits if memory runs out. */
struct calls *
calls_open(const struct opts *, struct names *, const struct calls_sink *);
/* Calls tk_file for each descriptor that is known: a file that begins anew has
 * to have them all.  The argument is a struct calls. */
void calls_again(void *);
void calls_close(struct calls *);

/* All probes are enabled, recording has begun, and the command still waits: from
 * now on processes are looked up in /proc.  What the command (0: none) and the
 * process that is asked for by number have open is read at once. */
void calls_live(struct calls *, pid_t command);
/* What an event of this probe shall carry so that calls can be followed; for
 * so_moreflags, which the argument is of. */
uint64_t calls_evtflags(void *, const struct dtioc_probe_info *);

/* An event.  Returns 1 if --path lets it through; 0 if not, or if that is
 * decided when its call returns; -1 if the output has failed. */
int calls_event(struct calls *, const struct dt_event *);
/* Nothing has come until now (CLOCK_MONOTONIC, ns): calls that go on for long
 * are shown.  Returns the time when it wants to be called again, 0: not. */
uint64_t calls_idle(struct calls *, uint64_t now);
/* No further event comes: calls that have not returned are shown.  0 or -1. */
int calls_end(struct calls *);

/* What is known of processes, for who prints arguments. */
struct procs *calls_procs(struct calls *);
/*
 * Without an output: the function gets entries that calls_event() had to leave
 * undecided, as they could not read their path, once their return has read it
 * and it is within --path.
 */
void calls_late(struct calls *, void (*)(void *, const struct dt_event *),
    void *arg);
/*
 * Counts of events: shown, left out by --path, and left out because the path
 * is unknown, which the second count includes.  If events were lost, the third
 * count includes the other events of their calls.
 */
uint64_t calls_shown(const struct calls *);
uint64_t calls_filtered(const struct calls *);
uint64_t calls_untold(const struct calls *, uint64_t lost);

#endif /* CLI_CALLS_CALLS_H */
