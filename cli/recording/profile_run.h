/* SPDX-License-Identifier: ISC */
/*
 * A session whose events are added to a profile, or with -o FILE.dt written to
 * a recording; for profile and offcpu.
 */
#ifndef CLI_RECORDING_PROFILE_RUN_H
#define CLI_RECORDING_PROFILE_RUN_H

#include <time.h>

#include "cli/out/out.h"
#include "cli/profile/profile.h"
#include "cli/recording/recorder.h"
#include "cli/session/session.h"

struct profile_run {
	struct session prn_session;
	struct session_ops prn_ops;
	struct out prn_out;	      /* unless it records */
	struct recorder prn_recorder; /* with -o FILE.dt */
	struct profile prn_profile;
	struct timespec prn_start; /* CLOCK_REALTIME */
	int prn_isrecording;
	/* adds an event to the profile; set by profile_run_open() */
	void (*prn_add)(struct profile_run *, const struct dt_event *);
	void *prn_arg; /* for prn_add */
};

/*
 * Opens the session.  The caller enables probes, may change the fields above,
 * and calls profile_run_end(), which records, prints and frees everything; it
 * returns the exit status.
 */
void profile_run_open(struct profile_run *, const struct opts *, int withidle,
    void (*add)(struct profile_run *, const struct dt_event *), void *arg);
int profile_run_end(struct profile_run *);

/* The row of -o, and what cmd_check has to check for it. */
#define PROFILE_OPT_OUTPUT \
	OPT_ROW_OUTPUT("FILE", \
	    "write a file: .svg, .html, .folded, .pb.gz or .dt", \
	    opts_check_any)
const char *profile_run_check(const struct opts *);

#endif /* CLI_RECORDING_PROFILE_RUN_H */
