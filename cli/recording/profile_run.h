/* SPDX-License-Identifier: ISC */
/*
 * A session whose hits are added to a profile, or with -o FILE.dt written to a
 * recording; for profile and offcpu.
 */
#ifndef CLI_RECORDING_PROFILE_RUN_H
#define CLI_RECORDING_PROFILE_RUN_H

#include <time.h>

#include "cli/base/file_sink.h"
#include "cli/out/out.h"
#include "cli/profile/profile.h"
#include "cli/recording/profile_count.h"
#include "cli/recording/recorder.h"
#include "cli/session/session.h"

struct profile_run {
	struct session prn_session;
	struct session_ops prn_ops;
	struct out prn_out;	      /* unless it records */
	struct file_sink prn_sink;    /* of prn_out, with -o FILE.txt */
	struct recorder prn_recorder; /* with -o FILE.dt */
	struct profile prn_profile;
	struct timespec prn_start;	 /* CLOCK_REALTIME */
	int prn_isrecording, prn_istext; /* the file of -o */
	/*
	 * Stores the weight of an event, or returns -1: it has none.  Set by
	 * profile_run_open().
	 */
	int (
	    *prn_weigh)(void *, const struct dt_event *, struct profile_hits *);
	void *prn_arg; /* of prn_weigh */
	/* keys by which the kernel may count stacks; NULL: only events */
	struct keys *prn_keys;
	struct profile_count prn_count;
};

/*
 * Opens the session.  The caller enables probes, may change the fields above,
 * and calls profile_run_end(), which records, prints and frees everything; it
 * returns the exit status.
 */
void profile_run_open(struct profile_run *, const struct opts *, int withidle,
    int (*weigh)(void *, const struct dt_event *, struct profile_hits *),
    void *arg);
int profile_run_end(struct profile_run *);

/* The rows of the output, and what cmd_check has to check for them. */
#define PROFILE_OPT_ROWS \
	OPT_GROUP("Output"), \
	    OPT_ROW_TOP("print at most N functions or stacks (default 10)"), \
	    OPT_ROW_LINES("print source lines and inlined functions"), \
	    OPT_ROWS_CALLS, OPT_ROW_FOLDED, OPT_ROW_NOPAGER, \
	    OPT_ROW_OUTPUT("FILE", \
		"write FILE: .svg .html .folded .pb.gz .json .firefox.json .txt .dt", \
		opts_check_any), \
	    OPT_ROW_VERBOSE("report where hits are counted"), \
	    OPT_GROUP("With -o FILE.dt"), OPT_ROWS_RECORDING
const char *profile_run_check(const struct opts *);

#endif /* CLI_RECORDING_PROFILE_RUN_H */
