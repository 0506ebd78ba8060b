/* SPDX-License-Identifier: ISC */
/*
 * A recorder: writes the raw events of a session to recordings.  rec_writer.c
 * writes all events, flight.c the newest ones.
 */
#ifndef CLI_RECORDING_RECORDER_H
#define CLI_RECORDING_RECORDER_H

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/base/hash.h"
#include "cli/calls/calls.h"
#include "cli/opts/opts.h"
#include "cli/out/out_ledger.h"
#include "cli/result/consumer.h"
#include "cli/sym/name_cache.h"

struct recorder;

/* The functions of a kind of recorder; rki_save may be NULL. */
struct recorder_kind {
	void (*rki_begin)(struct recorder *);
	void (*rki_enabled)(struct recorder *, const struct probe *);
	void (*rki_event)(struct recorder *, const struct dt_event *);
	/*
	 * meaning of numbers in records: the path of a descriptor (AT_FDCWD: of
	 * the working directory), of a cgroup
	 */
	void (*rki_file)(struct recorder *, uint32_t pid, int fd,
	    const char *path);
	void (*rki_cgroup)(struct recorder *, uint64_t id, const char *path);
	/*
	 * makes the events so far durable while the recording continues; the
	 * ledger is a snapshot
	 */
	void (*rki_save)(struct recorder *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* writes what it has collected; may return 1 to keep it, unless urgent */
	int (*rki_flush)(struct recorder *, int urgent);
	void (*rki_ledger)(struct recorder *, const struct dt_ledger *,
	    const struct ledger_run *);
	void (*rki_free)(struct recorder *);
};

/* As dt_lowwater(), of the source of events. */
typedef uint64_t recorder_lowwater(const void *source);

struct recorder {
	const struct recorder_kind *rcd_kind;
	const struct opts *rcd_opts;
	struct name_cache *rcd_names;
	recorder_lowwater *rcd_lowwater; /* NULL: events arrive in order */
	const void *rcd_source;		 /* argument of rcd_lowwater */
	struct calls *rcd_calls;	 /* known descriptors, or NULL */
	struct hash rcd_cgroups;	 /* ids whose path was written */
	uint64_t rcd_lastcgroup;	 /* cgroup of the last event */
	struct buf rcd_buf;		 /* of the file */
	struct ledger_newest rcd_newest; /* statistics of --last */
	uint64_t rcd_unwritten; /* events that were accepted, but not written */
	int rcd_isfull;		/* no more events are accepted */
	int rcd_isreported;	/* it, or its user, has printed why */
	void *rcd_priv;		/* of the kind */
};

extern const struct recorder_kind recorder_file, recorder_flight;

/*
 * Creates the recording of -o; exits if it cannot.  lowwater, called with
 * source: of events that are unsorted; NULL: they arrive in order.
 */
void recorder_open(struct recorder *, const struct opts *, struct name_cache *,
    recorder_lowwater *lowwater, const void *source);
struct consumer recorder_consumer(struct recorder *);
/*
 * Sets the source of known descriptors, which each new file repeats; NULL:
 * none.
 */
void recorder_follow(struct recorder *, struct calls *);
void recorder_enabled(struct recorder *, const struct probe *);
/* These return 0, or -1 when the recording is full or has failed. */
int recorder_event(struct recorder *, const struct dt_event *);
int recorder_ledger(struct recorder *, const struct dt_ledger *,
    const struct ledger_run *);
/* Called when no event is pending.  Returns 1 if it wants another call soon. */
int recorder_idle(struct recorder *);
/* Returns 0, or the errno of a failure. */
int recorder_close(struct recorder *);

/* Implements rki_file for procs_each(): the argument is a struct recorder. */
void recorder_path(void *, uint32_t pid, int fd, const char *path);

#endif /* CLI_RECORDING_RECORDER_H */
