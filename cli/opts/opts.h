/* SPDX-License-Identifier: ISC */
/*
 * The command line of a subcommand.  An option is a row in a table: those of
 * recording are in opts_recording.c, those of pairs in opts_pair.c, a
 * subcommand's own in its file.  Letters follow perf(1) and bpftrace(8) where
 * these have one.
 */
#ifndef CLI_OPTS_OPTS_H
#define CLI_OPTS_OPTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <dev/dt/dtvar.h>
#include <dt/evt.h>

struct cmd;

#define OPTS_MAXUNTIL 16
#define OPTS_MAXPIDS  8
#define OPTS_MAXHZ    5000 /* the device: periods of >= 200 us */

/* Selects hits, with the filter of the device. NULL: unset. */
struct opts_select {
	const char *ose_cgroup;		 /* --cgroup */
	const char *ose_if;		 /* --if */
	char *ose_joined;		 /* and opts_and(), if it was called */
	const char *ose_path;		 /* --path */
	uint32_t ose_pids[OPTS_MAXPIDS]; /* -p */
	unsigned int ose_npids;
};

/* The processes that are recorded. */
struct opts_whose {
	int owh_self;	   /* --self: dt and dtd, too */
	int owh_noinherit; /* --no-inherit: the command without its children */
	int owh_all;	   /* --all: all processes, not the command's only */
};

/* Patterns of the probes that end the recording (--until). */
struct opts_until {
	const char *oun_patterns[OPTS_MAXUNTIL];
	unsigned int oun_n;
};

/* Limits that the user changes. */
struct opts_limits {
	uint64_t oli_buffer;	/* --buffer, bytes; 0: the default */
	uint64_t oli_buffermax; /* --buffer-max, bytes; 0: the default */
	int oli_nolimit;	/* --no-limit */
	int oli_force;		/* --force */
};

/* Pairs of probes. */
struct opts_pair {
	int opa_isslower;	       /* --slower: calls are pairs */
	uint64_t opa_slower;	       /* --slower, ns */
	const char *opa_from, *opa_to; /* --from, --to; NULL: no pair */
	const char *opa_key;	       /* --key */
};

/* Type of the file of -o. */
enum opts_filekind {
	FILE_DT = 0, /* a recording */
	FILE_TEXT,   /* the output of other runs: text, or JSON */
	FILE_FOLDED,
	FILE_SVG,
	FILE_HTML,
	FILE_PPROF,
	FILE_SPEEDSCOPE,
	FILE_FIREFOX,
	FILE_KCOV, /* places of dt kcov */
};

/* The file that is written. */
struct opts_file {
	const char *ofi_name; /* -o; NULL: none */
	enum opts_filekind ofi_kind;
	int ofi_embed;	     /* --embed-symbols */
	uint64_t ofi_max;    /* --max-size, bytes; 0: a share of the free
			      * space */
	unsigned int ofi_n;  /* --rotate: number of files; 0: one */
	uint64_t ofi_last;   /* --last, ns; 0: all */
	uint64_t ofi_memory; /* --memory, bytes; 0: the default */
};

/* How dt trace prints a call. */
struct opts_trace {
	int otr_is;    /* as strace, without names of arguments */
	int otr_isall; /* all processes: print their names */
	enum opts_trace_time {
		OPTS_TRACE_NOTIME = 0,
		OPTS_TRACE_SECONDS, /* -t */
		OPTS_TRACE_MICRO,   /* -tt */
		OPTS_TRACE_EPOCH,   /* -ttt */
	} otr_time;
	int otr_isrelative;	/* -r */
	int otr_hasduration;	/* -T */
	int otr_isfile;		/* -o */
	unsigned int otr_quiet; /* -q, -qq, ...; from 2 on: no exits */
	int otr_nosignals;	/* -e signal=none */
	enum {
		OPTS_TRACE_EXIT = 0x1,
		OPTS_TRACE_EXITGROUP = 0x2,
	} otr_hides; /* calls that are traced but not selected */
};

/* Other machines that run the command. */
struct opts_hosts {
	const char *ohs_names; /* -H; NULL: this machine only */
	const char *ohs_ssh;   /* --ssh; NULL: the default */
};

/* Options of printing. */
struct opts_print {
	int opi_fd; /* 0: stdout */
	enum {
		OPTS_NOWIRE = 0,
		OPTS_WIRE,	 /* for the dt that merges it (-H) */
		OPTS_WIRE_EXACT, /* with the addresses of a profile */
	} opi_wire;
	struct opts_trace opi_trace;
	int opi_json;	 /* -j */
	int opi_folded;	 /* -f */
	int opi_verbose; /* -v */
	int opi_nojoin;	 /* --no-join */
	int opi_lines;	 /* --lines */
	int opi_nopager; /* --no-pager */
	enum {
		OPTS_CALLS = 0, /* the default */
		OPTS_TREE,
		OPTS_STACKS,
	} opi_calls;		 /* --tree, --stacks */
	unsigned int opi_top;	 /* --top; 0: the default */
	const char *opi_columns; /* --columns; NULL: the default ones */
	/* --prometheus: name of the metric; NULL: another format */
	const char *opi_prometheus;
};

/*
 * Values of the options that several subcommands have; 0 or NULL where not
 * given.  The options of a subcommand with more begin with this struct.
 */
struct opts {
	const struct cmd *o_cmd;
	const char *o_socket; /* --socket; NULL: the default, or a private
			       * dtd */
	struct dtioc_filter o_filter; /* -p -t -u --comm */
	struct opts_select o_select;
	struct opts_pair o_pair;
	unsigned int o_hz;   /* -F; 0: the probe's own rate */
	uint64_t o_duration; /* -d, ns */
	struct opts_until o_until;
	struct opts_limits o_limits;
	struct opts_whose o_whose;
	int o_isfp;   /* --call-graph fp */
	int o_strict; /* --strict */
	struct opts_print o_print;
	struct opts_file o_file;
	struct opts_hosts o_hosts;
	char **o_args; /* probes, patterns, files */
	unsigned int o_nargs;
	char **o_command; /* arguments after --, or NULL */
	int o_help;	  /* -h: other options were not parsed */
};

/* Type of an option's value. */
enum opt_type {
	OPT_END = 0, /* the end of a table */
	OPT_HEAD,    /* no option: opt_help is the heading of a group */
	OPT_CALL,    /* opt_check stores the value */
	OPT_FLAG,    /* int or enum: opt_min, or 1 if that is 0 */
	OPT_STRING,  /* const char * */
	OPT_UINT,    /* unsigned int */
	OPT_NUMBER,  /* uint64_t */
	OPT_TIME,    /* uint64_t, ns, not 0: 10 (seconds), 500ms, 5m */
	OPT_LATENCY, /* uint64_t, ns; with a unit: 100ns, 20us, 1.5ms */
	OPT_SIZE,    /* uint64_t, bytes: 512k, 16M, 1G */
};

/* A row of a table of options, which a row of zeros ends. */
struct opt {
	int opt_letter;	      /* 0: long only */
	const char *opt_long; /* NULL: letter only */
	const char *opt_arg;  /* name of its argument, or NULL */
	const char *opt_help; /* imperative: "print ..." */
	enum opt_type opt_type;
	size_t opt_offset; /* of the value in the subcommand's options */
	uint64_t opt_min;
	uint64_t opt_max;	/* 0: none */
	const char *opt_expect; /* error for other values; NULL: the type's */
	/*
	 * Called before the value is stored; may be NULL.  Returns NULL, or an
	 * error such as "should be a number".
	 */
	const char *(*opt_check)(struct opts *, const char *);
};

/* opt_offset of a row */
#define OPT_OF(type, member) .opt_offset = offsetof(type, member)
#define OPT(member)	     OPT_OF(struct opts, member)
/* clang-format off */
#define OPT_GROUP(txt) { .opt_type = OPT_HEAD, .opt_help = txt }

/* Rows that several subcommands have in their tables. */
#define OPT_ROW_FLAG(name, txt, member) \
	{ 0, name, NULL, txt, OPT_FLAG, OPT(member) }
#define OPT_ROW_JSON \
	{ 'j', "json", NULL, "print JSON, one object per line", OPT_FLAG, \
	    OPT(o_print.opi_json) }
#define OPT_ROW_VERBOSE(txt) \
	{ 'v', "verbose", NULL, txt, OPT_FLAG, OPT(o_print.opi_verbose) }
#define OPT_ROW_STRICT(txt) OPT_ROW_FLAG("strict", txt, o_strict)
#define OPT_ROW_TOP(txt) \
	{ 0, "top", "N", txt, OPT_UINT, OPT(o_print.opi_top), 1, 1000000 }
#define OPT_ROW_HZ(txt) \
	{ 'F', "freq", "HZ", txt, OPT_UINT, OPT(o_hz), 1, OPTS_MAXHZ, \
	    "should be ticks per second, from 1 to 5000" }
#define OPT_ROW_CALLGRAPH \
	{ 0, "call-graph", "HOW", \
	    "unwind user stacks by table (default) or fp", \
	    OPT_CALL, .opt_check = opts_check_callgraph }
#define OPT_ROW_NOPAGER \
	OPT_ROW_FLAG("no-pager", "print to the terminal, without a pager", \
	    o_print.opi_nopager)
#define OPT_ROW_LINES(txt) OPT_ROW_FLAG("lines", txt, o_print.opi_lines)
#define OPT_ROWS_CALLS \
	{ 0, "tree", NULL, "print all calls of 1 % or more as a tree", \
	    OPT_FLAG, OPT(o_print.opi_calls), OPTS_TREE }, \
	{ 0, "stacks", NULL, "print whole stacks, the heaviest first", \
	    OPT_FLAG, OPT(o_print.opi_calls), OPTS_STACKS }
#define OPT_ROW_NOJOIN \
	OPT_ROW_FLAG("no-join", "print a call and its result separately", \
	    o_print.opi_nojoin)
#define OPT_ROW_PIDS \
	{ 'p', "pid", "PROCESS", \
	    "trace these processes only: 123, or 1,2, or sshd", OPT_CALL, \
	    .opt_check = opts_set_pids }
#define OPT_ROW_PATH \
	{ 0, "path", "PREFIX", \
	    "select calls with paths that begin with PREFIX", OPT_STRING, \
	    OPT(o_select.ose_path), .opt_check = opts_check_path }
#define OPT_ROW_FOLDED \
	{ 'f', "folded", NULL, "print folded stacks, for flame graphs", \
	    OPT_FLAG, OPT(o_print.opi_folded) }
#define OPT_ROW_FORCE \
	OPT_ROW_FLAG("force", \
	    "trace more than 1,000 functions of the kernel", o_limits.oli_force)
#define OPT_ROW_NOLIMIT \
	OPT_ROW_FLAG("no-limit", \
	    "continue regardless of the cost (right ADMIN)", o_limits.oli_nolimit)
#define OPT_ROW_OUTPUT(arg, txt, check) \
	{ 'o', "output", arg, txt, OPT_STRING, OPT(o_file.ofi_name), \
	    .opt_check = check }
/* Rows of the recording that -o writes. */
#define OPT_ROWS_RECORDING \
	{ 0, "max-size", "SIZE", \
	    "stop when the recording has SIZE bytes, such as 4G", OPT_SIZE, \
	    OPT(o_file.ofi_max), OPTS_MINFILE, 0, \
	    "should be bytes, at least 1M (for example 512M)" }, \
	{ 0, "rotate", "N", "continue in a new file, and keep the last N", \
	    OPT_UINT, OPT(o_file.ofi_n), 2, OPTS_MAXFILES, \
	    "should be a number of files, from 2 to 1000" }, \
	OPT_ROW_FLAG("embed-symbols", "also write the symbols of user code", \
	    o_file.ofi_embed)
/* clang-format on */

#define OPTS_MINFILE  (1 << 20) /* minimum of --max-size: probes have to fit */
#define OPTS_MAXFILES 1000

/*
 * Parses the arguments of a subcommand (argv[0] is its name) into its options,
 * of cmd_size bytes.  Returns 0, or -1 with a message in why.  Permutes argv.
 * Either way, opts_end() frees what was added to them.
 */
int opts_parse(struct opts *, const struct cmd *, int argc, char **argv,
    char *why, size_t nwhy);
#define OPTS_MAX 64 /* rows of one subcommand */

/*
 * Calls a function for each option, with its row, and for each operand, with
 * NULL, in their order.  Returns the index of the command in argv, or -1 if an
 * option is wrong.
 */
typedef void opts_scan_fn(void *, const struct opt *, const char *value);
int
opts_scan(const struct cmd *, int argc, char **argv, opts_scan_fn *, void *);

/* Stores all rows of a subcommand, at most OPTS_MAX; returns their number. */
unsigned int opts_collect(const struct cmd *, const struct opt **rows);
/* Prints the options of a subcommand, one per line. */
void opts_help(FILE *, const struct cmd *);

/*
 * opts_value.c: numbers from min to max, durations, sizes.  Return 0 or -1.
 */
int opts_number(const char *, uint64_t min, uint64_t max, uint64_t *);
/* ns, us, ms, s, m or h; unit: ns of a number without, 0: it needs one */
int opts_time(const char *, double unit, uint64_t *);
int opts_size(const char *, uint64_t *);
/* Parses and stores the value of a row.  Returns NULL, or the error. */
const char *opts_value(struct opts *, const struct opt *, const char *);

/*
 * opts_file.c: the file of -o.  Its suffix selects the format where there are
 * several.  opts_check_text(): text or JSON, which go to stdout without -o;
 * opts_check_errtext(): to stderr; opts_check_events(): text, JSON or a
 * recording; opts_check_any(): all formats of a profile.
 */
const char *opts_check_name(struct opts *, const char *);
const char *opts_check_text(struct opts *, const char *);
const char *opts_check_errtext(struct opts *, const char *);
const char *opts_check_events(struct opts *, const char *);
const char *opts_check_any(struct opts *, const char *);
/*
 * After all options: applies -j to the format.  Returns how the options of a
 * file contradict each other, or NULL.
 */
const char *opts_end_file(struct opts *);
int opts_isrecording(const struct opts *);

/*
 * Tables of the options that CMD_RECORDS, CMD_PROBES, CMD_PAIRS and CMD_HOSTS
 * add.
 */
extern const struct opt opts_filters[], opts_paths[], opts_recording[],
    opts_functions[], opts_pairs[], opts_hosts[];
/* opts_hosts.c: returns NULL, or why a command cannot print what -o names. */
const char *opts_check_hosts(const struct opts *);
const char *opts_check_path(struct opts *, const char *);
/*
 * Calls a function for each part of a list with commas.  Returns what the value
 * should be, or NULL.
 */
typedef const char *opts_word_fn(struct opts *, const char *word, size_t len);
const char *opts_each_word(struct opts *, const char *list, opts_word_fn *);

/*
 * Processes by number, or by name, of which 15 bytes count.  opts_processes.c:
 * adds one; a number is least or more.  Returns what is wrong, or NULL.
 */
#define OPTS_NPIDS  32
#define OPTS_NNAMES 16
struct opts_processes {
	uint32_t opc_pids[OPTS_NPIDS];
	uint32_t opc_npids;
	uint32_t opc_nnames;
	char opc_names[OPTS_NNAMES][16];
};
const char *opts_processes_add(struct opts_processes *, const char *word,
    size_t n, uint32_t least);
/* opts_pids.c: -p; then, after all options, the condition of several. */
const char *opts_set_pids(struct opts *, const char *);
/*
 * Calls a function for each process that has this name now, of which 15 bytes
 * count.  Returns its error, or that there is none, or NULL.
 */
typedef const char *opts_pid_fn(void *, uint32_t pid);
const char *opts_named(const char *, size_t len, opts_pid_fn *, void *);
const char *opts_end_pids(struct opts *);
/* Adds a part to the condition of --if.  Returns 0, or -1: out of memory. */
int opts_and(struct opts *, const char *part);
void opts_end(struct opts *);
const char *opts_check_callgraph(struct opts *, const char *);
/* Returns the DTEVT_* of stacks, by --call-graph. */
uint64_t opts_stackflags(const struct opts *);
/*
 * Returns how --slower, --from, --to and --key contradict each other, or NULL;
 * the cmd_check of subcommands with these options.
 */
const char *opts_check_pair(const struct opts *);

#endif /* CLI_OPTS_OPTS_H */
