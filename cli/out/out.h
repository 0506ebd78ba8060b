/* SPDX-License-Identifier: ISC */
/*
 * Output.  A subcommand hands values to the writer below and never prints;
 * a format is a file out_NAME.c with one struct out_format, and a row in the
 * table of out.c.  What a format has no function for, it does not show.
 */
#ifndef CLI_OUT_OUT_H
#define CLI_OUT_OUT_H

#include <stdint.h>
#include <time.h>

#include <libdt.h>
#include <sys/kcov.h>

#include "cli/base/buf.h"
#include "cli/base/hist.h"
#include "cli/opts/opts.h"
#include "cli/out/columns.h"
#include "cli/out/ledger.h"
#include "cli/result/counts.h"
#include "cli/result/doctor.h"
#include "cli/result/event.h"
#include "cli/result/kcov.h"
#include "cli/result/profile.h"
#include "cli/stat/keys.h"
#include "cli/sym/frames.h"
#include "cli/sym/names.h"

struct out;
struct calls;

struct out_format {
	const char *f_name;
	int f_joins;   /* entry and return of a call in one line */
	int f_isexact; /* profiles tell processes and addresses apart */
	void (*f_begin)(struct out *);
	void (*f_probe)(struct out *, const struct probe *);
	void (*f_prov)(struct out *, const struct dtioc_prov_info *);
	void (*f_enabled)(struct out *, const struct probe *);
	void (*f_event)(struct out *, const struct out_event *);
	/* what the numbers of records meant: of a descriptor (AT_FDCWD: of the
	 * working directory), of a cgroup */
	void (*f_file)(struct out *, uint32_t pid, int fd, const char *path);
	void (*f_cgroup)(struct out *, uint64_t id, const char *path);
	void (*f_counts)(struct out *, const struct out_counts *);
	void (*f_profile)(struct out *, const struct out_profile *);
	void (*f_kcov)(struct out *, const struct out_kcov *);
	void (*f_doctor)(struct out *, const struct out_doctor *);
	void (*f_ledger)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* the recording goes on, but what there is shall be safe now; the
	 * ledger is of this moment */
	void (*f_save)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* passes on what it has collected apart from the buffer; unless that
	 * is urgent it may keep it back for a while, and returns 1 then */
	int (*f_flush)(struct out *, int urgent);
	void (*f_free)(struct out *);
};

struct out {
	const struct out_format *out_format;
	const struct opts *out_opts;
	struct names *out_names;
	struct columns out_columns; /* in front of events */
	struct hash out_cgroups;    /* ids whose path was handed on */
	uint64_t out_lastcgroup;    /* the one of the last event */
	struct buf out_buf;
	int out_colour;	   /* escape sequences are welcome */
	uint64_t out_late; /* events so far that came after younger ones */
	struct ledger_newest out_newest; /* that a file has of them */
	/* for the format: no event that is older than this will come any more
	 * (dt_lowwater()); 0: events come in order, or it isn't known */
	uint64_t out_lowwater;
	/* for the format, when it begins anew: calls out_file_path() with all
	 * descriptors that are known; may be NULL */
	void (*out_again)(void *);
	void *out_againarg;
	int out_isfull;		/* the format takes no more events */
	int out_istold;		/* and has told why, if that is a failure; or
				   who uses the format tells it */
	uint64_t out_unwritten; /* events that it took, and could not keep */
	void *out_priv;		/* the format's */
};

extern const struct out_format out_text;
extern const struct out_format out_json;
extern const struct out_format out_folded;
extern const struct out_format out_svg;
extern const struct out_format out_html;
extern const struct out_format out_pprof;
extern const struct out_format out_file;
extern const struct out_format out_flight;

/* The way of events to this output, and its end: a trace of
 * cli/calls/calls.h. */
struct calls *out_trace(struct out *);
void out_trace_close(struct out *, struct calls *);

/* Chooses the format by the options and opens the output; exits if a file
 * can't be made. */
void out_open(struct out *, const struct opts *, struct names *);
/* Whether no more can be put out: it is full, or has failed. */
int out_isover(const struct out *);
/* Each returns 0, or -1 when the output is over. */
int out_probe(struct out *, const struct probe *);
int out_prov(struct out *, const struct dtioc_prov_info *);
int out_enabled(struct out *, uint32_t pbn);
int out_event(struct out *, const struct out_event *);
int out_file_path(struct out *, uint32_t pid, int fd, const char *path);
int out_cgroup_path(struct out *, uint64_t id, const char *path);
int out_counts(struct out *, const struct out_counts *);
int out_profile(struct out *, const struct out_profile *);
int out_kcov(struct out *, const struct out_kcov *);
int out_doctor(struct out *, const struct out_doctor *);
int
out_ledger(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* What there is shall be safe, the recording goes on. */
int out_save(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* Nothing happens at the moment: what there is may go out.  Returns 1 if the
 * format kept something back, and wants to be called again soon. */
int out_idle(struct out *);
/* Flushes and closes.  0, or the errno with which the output failed. */
int out_close(struct out *);

#endif /* CLI_OUT_OUT_H */
