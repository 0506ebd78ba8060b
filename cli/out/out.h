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
#include "cli/dtfile/block.h"
#include "cli/opts/opts.h"
#include "cli/out/out_text_event.h"
#include "cli/out/out_ledger.h"
#include "cli/result/counts.h"
#include "cli/result/doctor.h"
#include "cli/result/consumer.h"
#include "cli/result/kcov.h"
#include "cli/result/profile.h"
#include "cli/result/syscalls.h"
#include "cli/result/where.h"
#include "cli/stat/key.h"
#include "cli/sym/frames.h"
#include "cli/sym/name_cache.h"

struct file_sink;
struct out;

/* Does a format show the thread and the time of each hit of a profile? */
enum out_time {
	OUT_NOTIME = 0,
	OUT_WANTSTIME, /* if hits are events: the kernel may count them */
	OUT_NEEDSTIME,
};

/* Index of out_colours. */
enum out_colour {
	OUT_NOCOLOUR, /* "" */
	OUT_BOLD,
	OUT_RED,
	OUT_GREEN,
	OUT_YELLOW,
	OUT_PLAIN, /* ends the others */
	OUT_NCOLOURS
};

struct out_format {
	const char *f_name;
	const char *f_opens;  /* a program for its file, or NULL */
	unsigned int f_flags; /* CONSUMER_*, of calls */
	int f_isexact;	      /* profiles distinguish processes and addresses */
	enum out_time f_time;
	void (*f_begin)(struct out *);
	void (*f_head)(struct out *, const struct block_head *);
	void (*f_probe)(struct out *, const struct probe *);
	void (*f_prov)(struct out *, const struct dtioc_prov_info *);
	void (*f_tool)(struct out *, const char *name, const char *what);
	/* a consumer's cns_call, whose argument is the struct out */
	int (*f_call)(void *, const struct call *);
	void (*f_counts)(struct out *, const struct out_counts *);
	void (*f_syscalls)(struct out *, const struct out_syscalls *);
	void (*f_profile)(struct out *, const struct out_profile *);
	void (*f_where)(struct out *, const struct out_where *);
	void (*f_kcov)(struct out *, const struct out_kcov *);
	void (*f_doctor)(struct out *, const struct out_doctor *);
	void (*f_ledger)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
};

struct out {
	const struct out_format *out_format;
	const struct opts *out_opts;
	struct name_cache *out_names;
	struct columns out_columns; /* columns before events */
	struct buf out_buf;
	char out_colours[OUT_NCOLOURS][8]; /* escape sequences, or "" */
	int out_isterminal;
};

extern const struct out_format out_text;
extern const struct out_format out_json;
extern const struct out_format out_folded;
extern const struct out_format out_svg;
extern const struct out_format out_html;
extern const struct out_format out_pprof;
extern const struct out_format out_speedscope;
extern const struct out_format out_firefox;
extern const struct out_format out_prometheus;
extern const struct out_format out_wire, out_wire_exact; /* out_wire.h */

/* Sets the escape sequences; off: none. */
void out_set_colours(struct out *, int on);
/* The consumer that prints calls. */
struct consumer out_consumer(struct out *);

/*
 * Selects the format by the options and opens the output; exits if it cannot
 * create a file.
 */
void out_open(struct out *, const struct opts *, struct name_cache *);
/* Shows text for people with the pager, if stdout is a terminal. */
void out_page(const struct out *);
/*
 * Enclose output that is written to the file of -o, except drawings, which
 * out_profile() writes; without -o they do nothing.
 * out_file_end() follows out_close(), or writes what is left itself.  Returns
 * 0, or the errno of a failure.
 */
void out_file_begin(struct out *, struct file_sink *);
int out_file_end(struct out *, struct file_sink *);
/* The same at the end of a command, whose exit status it takes and returns. */
int out_file_status(struct out *, struct file_sink *, int status);
/* Each returns 0, or -1 when the output has failed. */
int out_head(struct out *, const struct block_head *);
int out_probe(struct out *, const struct probe *);
int out_prov(struct out *, const struct dtioc_prov_info *);
int out_tool(struct out *, const char *name, const char *what);
int out_counts(struct out *, const struct out_counts *);
int out_syscalls(struct out *, const struct out_syscalls *);
int out_profile(struct out *, const struct out_profile *);
int out_where(struct out *, const struct out_where *);
int out_kcov(struct out *, const struct out_kcov *);
int out_doctor(struct out *, const struct out_doctor *);
int
out_ledger(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* Prints the schema of JSON lines.  Returns 0, or the errno of a failure. */
int out_schema(void);
/* Flushes and closes.  Returns 0, or the errno of a failure. */
int out_close(struct out *);

#endif /* CLI_OUT_OUT_H */
