/* SPDX-License-Identifier: ISC */
/*
 * Output.  A subcommand passes values to the writer below and never prints; a
 * format is a file out_NAME.c with one struct out_format, and a row in the
 * table of out.c.  A format does not print values for which it has no function.
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
#include "cli/result/call.h"
#include "cli/result/kcov.h"
#include "cli/result/profile.h"
#include "cli/stat/keys.h"
#include "cli/sym/frames.h"
#include "cli/sym/names.h"

struct out;
struct calls;

struct out_format {
	const char *f_name;
	int f_joins;   /* prints entry and return of a call as one */
	int f_isexact; /* profiles distinguish processes and addresses */
	void (*f_begin)(struct out *);
	void (*f_probe)(struct out *, const struct probe *);
	void (*f_prov)(struct out *, const struct dtioc_prov_info *);
	void (*f_enabled)(struct out *, const struct probe *);
	void (*f_event)(struct out *, const struct call *);
	/*
	 * meaning of numbers in records: the path of a descriptor (AT_FDCWD: of
	 * the working directory), of a cgroup
	 */
	void (*f_file)(struct out *, uint32_t pid, int fd, const char *path);
	void (*f_cgroup)(struct out *, uint64_t id, const char *path);
	void (*f_counts)(struct out *, const struct out_counts *);
	void (*f_profile)(struct out *, const struct out_profile *);
	void (*f_kcov)(struct out *, const struct out_kcov *);
	void (*f_doctor)(struct out *, const struct out_doctor *);
	void (*f_ledger)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/*
	 * makes the events so far durable while the recording continues; the
	 * ledger is a snapshot
	 */
	void (*f_save)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/*
	 * writes what it has collected outside the buffer; may return 1 to keep
	 * it for a while, unless urgent
	 */
	int (*f_flush)(struct out *, int urgent);
	void (*f_free)(struct out *);
};

struct out {
	const struct out_format *out_format;
	const struct opts *out_opts;
	struct names *out_names;
	struct columns out_columns; /* columns before events */
	struct hash out_cgroups;    /* ids whose path was printed */
	uint64_t out_lastcgroup;    /* cgroup of the last event */
	struct buf out_buf;
	int out_colour;	   /* use escape sequences */
	uint64_t out_late; /* events so far that arrived after younger ones */
	struct ledger_newest out_newest; /* statistics of a file with --last */
	/*
	 * for the format: no older event will arrive (dt_lowwater()); 0: events
	 * arrive in order, or unknown
	 */
	uint64_t out_lowwater;
	/*
	 * for the format, when it starts a new file: calls out_file_path() for
	 * all known descriptors; may be NULL
	 */
	void (*out_again)(void *);
	void *out_againarg;
	int out_isfull;		/* the format accepts no more events */
	int out_istold;		/* the format, or its user, has reported why,
				 * if that is a failure */
	uint64_t out_unwritten; /* events that it accepted but could not
				 * write */
	void *out_priv;		/* for the format */
};

extern const struct out_format out_text;
extern const struct out_format out_json;
extern const struct out_format out_folded;
extern const struct out_format out_svg;
extern const struct out_format out_html;
extern const struct out_format out_pprof;
extern const struct out_format out_file;
extern const struct out_format out_flight;

/*
 * Connects the path of events (cli/calls/calls.h) to this output, and ends it.
 */
struct calls *out_trace(struct out *);
void out_trace_close(struct out *, struct calls *);

/*
 * Selects the format by the options and opens the output; exits if it cannot
 * create a file.
 */
void out_open(struct out *, const struct opts *, struct names *);
/* Returns whether the output is full or has failed. */
int out_isover(const struct out *);
/* Each returns 0, or -1 when the output is full or has failed. */
int out_probe(struct out *, const struct probe *);
int out_prov(struct out *, const struct dtioc_prov_info *);
int out_enabled(struct out *, uint32_t pbn);
int out_event(struct out *, const struct call *);
int out_file_path(struct out *, uint32_t pid, int fd, const char *path);
int out_cgroup_path(struct out *, uint64_t id, const char *path);
int out_counts(struct out *, const struct out_counts *);
int out_profile(struct out *, const struct out_profile *);
int out_kcov(struct out *, const struct out_kcov *);
int out_doctor(struct out *, const struct out_doctor *);
int
out_ledger(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* Makes the events so far durable while the recording continues. */
int out_save(struct out *, const struct dt_ledger *, const struct ledger_run *);
/*
 * Called when no event is pending: flushes what may be flushed.  Returns 1 if
 * the format kept something and wants another call soon.
 */
int out_idle(struct out *);
/* Flushes and closes.  Returns 0, or the errno of a failure. */
int out_close(struct out *);

#endif /* CLI_OUT_OUT_H */
