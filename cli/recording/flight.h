/* SPDX-License-Identifier: ISC */
/* State shared by flight.c and flight_file.c. */
#ifndef CLI_RECORDING_FLIGHT_H
#define CLI_RECORDING_FLIGHT_H

#include <pthread.h>

#include "cli/calls/calls.h"
#include "cli/recording/recorder.h"
#include "cli/procs/effects.h"
#include "cli/recording/flight_buffer.h"

/*
 * A file that is being written.  c: constant during that; l: guarded by
 * fli_lock; the rest belongs to the writing thread.
 */
struct flight_file {
	struct opts ff_opts;	     /* options of ff_recorder */
	struct recorder ff_recorder; /* of kind recorder_file */
	struct names ff_names;	     /* names of ff_recorder, in a thread */
	struct calls *ff_before;     /* state before the first record; NULL once
				  * written */
	struct flight_reader ff_reader;
	const struct flight_chunk *ff_chunk; /* [l] read next, or NULL */
	uint64_t ff_from;	    /* [c] time of the oldest record wanted */
	struct dt_ledger ff_ledger; /* [c] */
	int ff_hasledger;	    /* [c] */
	struct ledger_run ff_run;   /* [c] */
	struct ledger_newest ff_newest;
};

/* c: constant after begin; m: of the main thread. */
struct flight {
	struct flight_buffer fli_newest; /* [m] its older chunks are shared */
	struct opts fli_opts;		 /* [c] options to follow all calls */
	struct calls *fli_before;	 /* [m] state before fli_newest */
	struct hash fli_followed;	 /* [m] pbn -> nothing: probes of
					  * such calls */
	struct hash fli_cgroups;	 /* [m] id -> path */
	char *fli_name;			 /* [c] name of an incomplete file */
	uint32_t *fli_pbns;		 /* [m] enabled probes */
	size_t fli_npbns, fli_maxpbns;	 /* [m] */
	int fli_isdone;			 /* [m] fli_file is the last one */
	int fli_ison;			 /* [m] fli_thread writes fli_file */
	pthread_t fli_thread;		 /* [m] */
	pthread_mutex_t fli_lock;
	pthread_cond_t fli_moves; /* ff_chunk has changed */
	struct flight_file fli_file;
};

/* flight_file.c */
/* Checks whether a file can be created.  Returns 0, or -1 with errno. */
int flight_try(const char *name);
void flight_forget(struct flight *fl);
/* For flight_buffer.h */
void flight_gone(void *arg, const struct flight_item *it);
/* Reports the result of a file while the recording continues. */
void flight_tell(const struct recorder *rcd, int error);
/*
 * The writing thread.  Signals are blocked in it, as they are outside of
 * sigs_poll().  The thread that reads events has priority.
 */
void *flight_main(void *arg);
/* Waits for the end of the thread, if there is one. */
void flight_join(struct flight *fl);
/* Returns whether the oldest chunk may be dropped, for flight_buffer.h. */
int flight_leaves(void *arg, const struct flight_chunk *nc, int wait);
/* Writes an open file.  Returns 0 or an errno. */
int flight_write(struct recorder *rcd);
/* Starts a file.  Returns 0 or an errno. */
int flight_open(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr);

#endif /* CLI_RECORDING_FLIGHT_H */
