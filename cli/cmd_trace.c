/* SPDX-License-Identifier: ISC */
/* dt trace: the system calls of a command or process, as strace(1) prints them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/opts/cmd.h"
#include "cli/recording/record_run.h"
#include "cli/trace/syscall_class.h"

struct trace_opts {
	struct opts tro_common;
	const char *tro_expr;	/* -e */
	const char *tro_output; /* -o */
	int tro_issyscalls;	/* -c */
	int tro_isbypid;	/* --by-process */
	int tro_stacks;		/* -k */
	int tro_isfailed;	/* -Z */
	int tro_isgood;		/* -z */
	int tro_unused;		/* options that change nothing */
	unsigned int tro_bytes; /* -s */
	uint64_t tro_count;	/* -n */
};

/* -e signal=none: no signals */
static const char *
trace_set_signals(struct opts *o, const char *arg)
{
	o->o_print.opi_trace.otr_nosignals = strcmp(arg, "none") == 0;
	return o->o_print.opi_trace.otr_nosignals || strcmp(arg, "all") == 0
	    ? NULL
	    : "signal= should be all or none";
}

static const char *
trace_set_expr(struct opts *o, const char *arg)
{
	if (strncmp(arg, "signal=", 7) == 0)
		return trace_set_signals(o, arg + 7);
	((struct trace_opts *)o)->tro_expr = arg;
	return syscall_class_check(arg);
}

/* -Z and -z */
static void
trace_condition(struct trace_opts *to)
{
	if ((to->tro_isfailed &&
		opts_and(&to->tro_common, "errno != 0") == -1) ||
	    (to->tro_isgood && opts_and(&to->tro_common, "errno == 0") == -1))
		err(1, NULL);
}

/* The probes of -e.  Those that exit are not printed unless they are selected. */
static void
trace_probes(struct trace_opts *to)
{
	struct opts_trace *tr = &to->tro_common.o_print.opi_trace;
	const struct opts *o = &to->tro_common;
	unsigned int i;

	syscall_class_probes(&to->tro_common, to->tro_expr);
	if (strcmp(o->o_args[0], SYSCALL_CLASS_ALL) == 0)
		return;
	tr->otr_hides = OPTS_TRACE_EXIT | OPTS_TRACE_EXITGROUP;
	for (i = 0; i < o->o_nargs; i++) {
		if (strcmp(o->o_args[i], "syscall:exit") == 0)
			tr->otr_hides &= ~OPTS_TRACE_EXIT;
		if (strcmp(o->o_args[i], "syscall:exit_group") == 0)
			tr->otr_hides &= ~OPTS_TRACE_EXITGROUP;
	}
}

/* The trace is on stderr, as the command's own output is on stdout. */
static void
trace_open(struct opts *o)
{
	const struct trace_opts *to = (const struct trace_opts *)o;
	struct opts_print *pr = &o->o_print;

	if (to->tro_issyscalls && to->tro_output != NULL)
		o->o_file.ofi_name = to->tro_output;
	else if (to->tro_output != NULL) {
		pr->opi_fd = open(to->tro_output,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (pr->opi_fd == -1)
			err(1, "%s", to->tro_output);
	} else if (!pr->opi_json && pr->opi_wire == OPTS_NOWIRE)
		pr->opi_fd = STDERR_FILENO;
}

static void
trace_output(struct trace_opts *to)
{
	struct opts_print *pr = &to->tro_common.o_print;

	pr->opi_trace.otr_is = 1;
	pr->opi_trace.otr_isall = to->tro_common.o_command == NULL &&
	    to->tro_common.o_select.ose_npids == 0 &&
	    to->tro_common.o_filter.dtfi_set == 0;
	pr->opi_trace.otr_isfile = to->tro_output != NULL;
	trace_open(&to->tro_common);
}

/* -c: dt syscalls, of the same probes */
static int
trace_count(struct trace_opts *to)
{
	struct syscalls_opts so = { .syo_isbypid = to->tro_isbypid };

	trace_open(&to->tro_common);
	so.syo_common = to->tro_common;
	so.syo_common.o_cmd = &cmd_syscalls;
	return cmd_syscalls.cmd_run(&so.syo_common);
}

/*
 * The probes of signals and exits.  JSON has calls only; --path selects calls
 * with paths.
 */
static const char *const *
trace_also(const struct trace_opts *to)
{
	static const char *const exits[] = { "syscall:exit:entry",
		"syscall:exit_group:entry",
		"tracepoint:sched:sched_process_exit",
		"tracepoint:signal:signal_generate",
		"tracepoint:signal:signal_deliver", NULL };
	const struct opts *o = &to->tro_common;

	return o->o_print.opi_json || o->o_select.ose_path != NULL ||
		(o->o_print.opi_trace.otr_nosignals &&
		    o->o_print.opi_trace.otr_quiet >= 2)
	    ? NULL
	    : exits;
}

static int
trace_run(struct opts *opts)
{
	struct trace_opts *to = (struct trace_opts *)opts;
	const struct record_how how = {
		.rhw_evtflags = (to->tro_bytes > 0 ? DTEVT_DATA : 0) |
		    (to->tro_stacks ? opts_stackflags(opts) : 0),
		.rhw_budget = RECORD_BUDGET, /* a command makes bursts */
		.rhw_count = to->tro_count,
		.rhw_also = trace_also(to),
	};

	trace_condition(to);
	trace_probes(to);
	if (to->tro_issyscalls)
		return trace_count(to);
	trace_output(to);
	return record_run(opts, &how);
}

static const char *
trace_check(const struct opts *o)
{
	const struct trace_opts *to = (const struct trace_opts *)o;

	if (to->tro_isfailed && to->tro_isgood)
		return "-z and -Z exclude each other";
	if (to->tro_issyscalls && (to->tro_stacks || to->tro_count != 0))
		return "-c counts calls and prints none: it excludes -k and -n";
	if (to->tro_issyscalls && o->o_select.ose_path != NULL)
		return "-c excludes --path: dt stat --by probe --path PREFIX "
		       "'syscall:*' counts such calls";
	if (to->tro_isbypid && !to->tro_issyscalls)
		return "--by-process needs -c";
	return NULL;
}

#define TRACE_FLAG(letter, txt, member) \
	{ \
		letter, NULL, NULL, txt, OPT_FLAG, \
		    OPT_OF(struct trace_opts, tro_##member) \
	}
#define TRACE_TIME(letter, txt, kind) \
	{ \
		letter, NULL, NULL, txt, OPT_CALL, .opt_check = trace_##kind \
	}

/* -t, -tt and -ttt */
static const char *
trace_more_time(struct opts *o, const char *arg)
{
	struct opts_trace *tr = &o->o_print.opi_trace;

	(void)arg;
	if (tr->otr_time < OPTS_TRACE_EPOCH)
		tr->otr_time++;
	return NULL;
}

/* -q and -qq */
static const char *
trace_more_quiet(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_print.opi_trace.otr_quiet++;
	return NULL;
}

static const struct opt trace_opts[] = {
	OPT_GROUP("Calls"),
	{ 'e', NULL, "EXPR",
	    "trace these: open,close or %file or !futex or /^get/", OPT_CALL,
	    .opt_check = trace_set_expr },
	TRACE_FLAG('Z', "print failed calls only", isfailed),
	TRACE_FLAG('z', "print successful calls only", isgood),
	{ 'n', "count", "COUNT", "stop after COUNT calls", OPT_NUMBER,
	    OPT_OF(struct trace_opts, tro_count), 1 },
	OPT_GROUP("Output"),
	TRACE_TIME('t',
	    "print the time; -tt with microseconds, -ttt in seconds",
	    more_time),
	{ 'r', NULL, NULL, "print the time since the call before", OPT_FLAG,
	    OPT(o_print.opi_trace.otr_isrelative) },
	{ 'T', NULL, NULL, "print how long each call took", OPT_FLAG,
	    OPT(o_print.opi_trace.otr_hasduration) },
	{ 's', NULL, "SIZE",
	    "print the bytes read or written; 0: none (default)", OPT_UINT,
	    OPT_OF(struct trace_opts, tro_bytes), 0, 1 << 20 },
	TRACE_FLAG('k', "print kernel and user stacks", stacks),
	OPT_ROW_CALLGRAPH,
	TRACE_FLAG('c', "count the calls, like dt syscalls", issyscalls),
	{ 0, "by-process", NULL, "with -c: print a row per call and process",
	    OPT_FLAG, OPT_OF(struct trace_opts, tro_isbypid) },
	{ 'o', "output", "FILE",
	    "write to FILE in place of stderr; x.json: JSON", OPT_STRING,
	    OPT_OF(struct trace_opts, tro_output),
	    .opt_check = opts_check_errtext },
	OPT_GROUP("For users of strace"),
	TRACE_FLAG('f', "follow child processes: always, see --no-inherit",
	    unused),
	TRACE_FLAG('y', "print the paths of descriptors: always", unused),
	TRACE_TIME('q', "-qq: do not print how processes end", more_quiet),
	OPT_GROUP("Processes"),
	OPT_ROW_PIDS,
	OPT_ROW_PATH,
	{ 0 },
};

const struct cmd cmd_trace = {
	.cmd_name = "trace",
	.cmd_args = "[-p PID] [-e EXPR] [COMMAND ...]",
	.cmd_what = "print system calls as strace does",
	.cmd_run = trace_run,
	.cmd_size = sizeof(struct trace_opts),
	.cmd_opts = trace_opts,
	.cmd_flags = CMD_RECORDS | CMD_RUNS | CMD_OPTIONAL | CMD_HOSTS,
	.cmd_output = trace_open,
	.cmd_check = trace_check,
	.cmd_examples =
	    "  # print the system calls of a command and its descendants\n"
	    "  dt trace ls /\n"
	    "  # print its failed calls on files, with the time that they took\n"
	    "  dt trace -Z -T -e %file cat /etc/hostname\n"
	    "  # print the next 5 calls of the whole machine, except futex\n"
	    "  dt trace -n 5 -e '!futex'\n"
	    "  # count the calls on files that a command makes\n"
	    "  dt trace -c -e %file ls /\n",
};
