/* SPDX-License-Identifier: ISC */
/*
 * State shared by the files of dt report: cmd_report.c reads the file,
 * report_items.c handles its items, report_select.c selects events,
 * report_view.c and report_profile.c show them, report_print.c prints how the
 * recording ended.
 */
#ifndef CLI_RECORDING_REPORT_H
#define CLI_RECORDING_REPORT_H

#include "cli/calls/calls.h"
#include "cli/dtfile/block.h"
#include "cli/out/out_ledger.h"
#include "cli/out/out.h"
#include "cli/profile/profile.h"
#include "cli/profile/waits.h"
#include "cli/profile/weigh.h"
#include "cli/recording/replay.h"
#include "cli/stat/count.h"
#include "cli/stat/half.h"
#include "cli/sym/name_cache.h"

struct report;

/* View of the events. */
enum report_kind {
	VIEW_RECORD = 0,
	VIEW_STAT,
	VIEW_PROFILE,
	VIEW_OFFCPU,
};

/* Kinds of events that a profile with threads and times distinguishes. */
enum report_value {
	REPORT_SAMPLES,
	REPORT_WAITS,
	REPORT_CALLS,
	REPORT_HITS,
	REPORT_NVALUES,
};

struct report_opts {
	struct opts rpo_common;
	enum report_kind rpo_view; /* --stat, --profile, --offcpu */
	struct count_opts rpo_count;
	struct opts_processes rpo_processes; /* -p */
	int rpo_schema;			     /* --schema */
	int rpo_idle;			     /* --idle */
	const char *rpo_on;		     /* --on; NULL: all events */
	int rpo_nolookup;		     /* --no-lookup */
	const char *rpo_symfs;		     /* --symfs; NULL: local files */
};

/* Handlers of events, by rpo_view; rv_probe may be NULL. */
struct report_view {
	void (*rv_begin)(struct report *, const struct report_opts *);
	void (*rv_probe)(struct report *, const struct probe *);
	int (*rv_event)(struct report *, const struct dt_event *);
	void (*rv_end)(struct report *, const struct report_opts *);
};
extern const struct report_view report_views[];

struct report {
	const struct report_opts *rpt_opts; /* NULL: all events */
	const struct report_view *rpt_view;
	struct count *rpt_tally;    /* --stat */
	struct profile rpt_profile; /* --profile, --offcpu */
	/* --profile, with threads and times; in place of rpt_profile */
	struct profile rpt_values[REPORT_NVALUES];
	struct buf rpt_text;		   /* of a call, for rpt_values */
	const char *rpt_on;		   /* --on; NULL: all events */
	const struct probe *rpt_lastprobe; /* of the last event */
	int rpt_ison;			   /* whether it matches rpt_on */
	int rpt_isweighed;		   /* rpt_weigh adds the events */
	struct halves rpt_halves;	   /* --stat */
	struct weigh rpt_weigh;
	struct waits rpt_waits;
	struct name_cache rpt_names;
	struct out rpt_out;
	struct calls *rpt_trace;
	uint64_t rpt_nevents; /* that were selected */
	uint64_t rpt_nread;   /* all events of the recording */
	uint64_t rpt_first;   /* time of the recording's first event */
	uint64_t rpt_late;    /* events that follow younger ones */
	uint64_t
	    rpt_oldest; /* CLOCK_MONOTONIC time of the first selected one */
	uint64_t rpt_youngest;
	struct timespec rpt_start; /* CLOCK_REALTIME start of the recording */
	struct dt_ledger rpt_ledger;
	int rpt_hasledger;
	struct block_stop rpt_stop; /* bs_why 0: none */
};

/* report_profile.c: the functions of two views */
void report_profile_begin(struct report *, const struct report_opts *);
void report_profile_probe(struct report *, const struct probe *);
int report_profile_event(struct report *, const struct dt_event *);
void report_profile_end(struct report *, const struct report_opts *);
void report_offcpu_begin(struct report *, const struct report_opts *);
int report_offcpu_event(struct report *, const struct dt_event *);
void report_offcpu_end(struct report *, const struct report_opts *);

/* report_items.c */
/* Returns the error in a record, or NULL. */
const char *report_verify(void *arg, const struct dt_rec *rec);
/* Handles an item.  Returns 0, or -1 to end. */
int report_item(struct report *rp, const struct block_item *it);

/* report_select.c */
const char *report_set_processes(struct opts *, const char *);
int report_isselected(const struct report *, const struct dt_event *);

/* report_print.c */
void report_print_ledger(struct report *rp, const struct ledger_run *lr);
/* Prints why the file ends before the recording, if it does. */
void report_print_stop(const struct report *rp, const char *name);
void report_damage(const char *name, const char *bad, uint64_t offset,
    uint64_t nevents);

#endif /* CLI_RECORDING_REPORT_H */
