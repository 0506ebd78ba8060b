/* SPDX-License-Identifier: ISC */
/*
 * The command line of a subcommand.  An option is a row in a table: those of
 * recording are in opts_recording.c, those of pairs in opts_pair.c, a
 * subcommand's own in its file.  Letters follow perf(1) and bpftrace(8) where
 * these have one.
 */
#ifndef CLI_OPTS_OPTS_H
#define CLI_OPTS_OPTS_H

#include <stdint.h>
#include <stdio.h>

#include <dev/dt/dtvar.h>
#include <sys/kcov.h>

struct cmd;

#define OPTS_MAXUNTIL 16

/* View of report. */
enum view {
	VIEW_RECORD = 0,
	VIEW_STAT,
	VIEW_PROFILE,
};

/* Code that kcov covers. */
enum opts_kcov {
	KCOV_AUTO = 0, /* the command's if it can record, else the kernel's */
	KCOV_KERNEL,
	KCOV_PROGRAM,
};

/* Type of the file of -o. */
enum opts_file {
	FILE_DT = 0, /* a recording */
	FILE_FOLDED,
	FILE_SVG,
	FILE_HTML,
	FILE_PPROF,
	FILE_KCOV, /* places of dt kcov */
};

/* Values of the options; 0 or NULL where not given. */
struct opts {
	const struct cmd *o_cmd;
	/* options of recording */
	struct dtioc_filter o_filter; /* -p -t -u --comm */
	uint64_t o_duration;	      /* -d, ns */
	uint64_t o_budget;	      /* --buffer, bytes; 0: the default */
	uint64_t o_maxbudget;	      /* --buffer-max, bytes; 0: the default */
	int o_self;		      /* --self */
	int o_noinherit;	      /* --no-inherit */
	int o_nolimit;		      /* --no-limit */
	int o_force;		      /* --force */
	int o_strict;		      /* --strict */
	const char *o_path;	      /* --path; NULL: unset */
	const char *o_if;	      /* --if; NULL: unset */
	unsigned int o_hz;	      /* -F; 0: the probe's own rate */
	const char *o_cgroup;	      /* --cgroup; NULL: unset */
	int o_isslower;		      /* --slower: calls are pairs of probes */
	uint64_t o_slower;	      /* --slower, ns */
	const char *o_from, *o_to;    /* --from, --to; NULL: no pair */
	const char *o_key;	      /* --key */
	const char *o_until[OPTS_MAXUNTIL]; /* --until: patterns */
	unsigned int o_nuntil;
	/* output */
	int o_json;	    /* -j */
	int o_verbose;	    /* -v */
	int o_folded;	    /* -f */
	const char *o_file; /* -o */
	enum opts_file o_filekind;
	uint64_t o_maxsize;    /* --max-size, bytes; 0: a share of the free
			     * space */
	unsigned int o_rotate; /* --rotate: number of files; 0: one */
	/* options of one subcommand */
	int o_stacks;	       /* record -g */
	uint64_t o_count;      /* record -n; 0: no limit */
	int o_data;	       /* record --data */
	int o_nojoin;	       /* record, report --no-join */
	uint64_t o_last;       /* record --last, ns; 0: all */
	uint64_t o_memory;     /* record --memory, bytes; 0: the default */
	uint64_t o_interval;   /* stat -i, ns */
	unsigned int o_top;    /* --top */
	int o_idle;	       /* profile --idle */
	int o_lines;	       /* --lines */
	int o_embed;	       /* --embed-symbols */
	int o_nolookup;	       /* report --no-lookup */
	const char *o_symfs;   /* report --symfs; NULL: local files */
	enum view o_view;      /* report --stat, --profile */
	const char *o_columns; /* record --columns; NULL: the default ones */
	const char *o_by;      /* stat --by; NULL: its default */
	const char *o_sum;     /* stat --sum */
	int o_hist;	       /* stat --hist */
	/* kcov -f: as in struct kio_funcs; "": the device's default */
	char o_globs[KIO_FUNCS_LEN];
	enum opts_kcov o_kcov; /* kcov --user, --kernel */
	int o_cmp;	       /* kcov --cmp */
	int o_order;	       /* kcov --order */
	const char *o_diff;    /* kcov --diff; NULL: no comparison */
	uint64_t o_maxkeys;    /* stat --max-keys; 0: the default */
	/* operands */
	char **o_args; /* probes, patterns, files */
	unsigned int o_nargs;
	char **o_command; /* arguments after --, or NULL */
	int o_help;	  /* -h: other options were not parsed */
};

/* One option. */
struct opt {
	int opt_letter; /* 0: long only */
	const char *opt_long;
	const char *opt_arg; /* name of its argument, or NULL */
	/* Returns NULL, or an error such as "should be a number". */
	const char *(*opt_set)(struct opts *, const char *);
	const char *opt_help;
};

/*
 * Parses the arguments of a subcommand (argv[0] is its name). Returns 0, or -1
 * with a message in why.  Permutes argv.
 */
int opts_parse(struct opts *, const struct cmd *, int argc, char **argv,
    char *why, size_t nwhy);
/* Prints the options of a subcommand, a line each. */
void opts_help(FILE *, const struct cmd *);

/*
 * opts_value.c, for opt_set: numbers from min to max, durations, sizes. Return
 * 0 or -1.
 */
int opts_number(const char *, uint64_t min, uint64_t max, uint64_t *);
int opts_nsecs(const char *, uint64_t *);
int opts_span(const char *, uint64_t *); /* with a unit: 500ms, 30s, 5m, 1h */
int opts_latency(const char *, uint64_t *); /* 100ns, 20us, 1.5ms, 2s; the unit
					 * is required */
int opts_size(const char *, uint64_t *);

/* opts_shared.c: options that several subcommands share. */
const char *opts_set_json(struct opts *, const char *);
const char *opts_set_strict(struct opts *, const char *);
const char *opts_set_verbose(struct opts *, const char *);
const char *opts_set_hz(struct opts *, const char *);
const char *opts_set_path(struct opts *, const char *);
const char *opts_set_nojoin(struct opts *, const char *);
const char *opts_set_file(struct opts *, const char *);
const char *opts_set_embed(struct opts *, const char *);
const char *opts_set_lines(struct opts *, const char *);
/*
 * Set the output file of a profile by its suffix: a drawing; a drawing or a
 * recording.
 */
const char *opts_set_drawing(struct opts *, const char *);
const char *opts_set_any(struct opts *, const char *);
const char *opts_set_maxsize(struct opts *, const char *);
const char *opts_set_rotate(struct opts *, const char *);
const char *opts_set_top(struct opts *, const char *);
const char *opts_set_folded(struct opts *, const char *);
const char *opts_set_idle(struct opts *, const char *);
const char *opts_set_by(struct opts *, const char *);
const char *opts_set_sum(struct opts *, const char *);
const char *opts_set_hist(struct opts *, const char *);
const char *opts_set_maxkeys(struct opts *, const char *);

/* Options common to CMD_RECORDS and CMD_PAIRS, terminated by zeros. */
extern const struct opt opts_recording[], opts_probes[], opts_pairs[];
/*
 * Returns how --slower, --from, --to and --key contradict each other, or NULL;
 * the cmd_check of subcommands with these options.
 */
const char *opts_check_pair(const struct opts *);

#define OPTS_MAXKEYS 100000000 /* the user provides the memory */
#define OPTS_MAXHZ   5000      /* the device: periods of >= 200 us */

#endif /* CLI_OPTS_OPTS_H */
