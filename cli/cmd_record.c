/* SPDX-License-Identifier: ISC */
/* dt record: prints each event, or writes all events to a file for dt report. */
#include "cli/opts/cmd.h"
#include "cli/out/out_text_event.h"
#include "cli/recording/flight_buffer.h"
#include "cli/recording/record_run.h"

struct record_opts {
	struct opts rco_common;
	int rco_stacks;	       /* -g */
	int rco_data;	       /* --data */
	const char *rco_texts; /* --str; NULL: none */
	uint64_t rco_count;    /* -n; 0: no limit */
};

static int
record_cmd(struct opts *opts)
{
	const struct record_opts *ro = (struct record_opts *)opts;
	const struct record_how how = {
		.rhw_evtflags = (ro->rco_data ? DTEVT_DATA : 0) |
		    (ro->rco_stacks ? opts_stackflags(opts) : 0),
		.rhw_texts = ro->rco_texts,
		.rhw_count = ro->rco_count,
	};

	return record_run(opts, &how);
}

static const char *
record_check(const struct opts *o)
{
	if (o->o_hosts.ohs_names != NULL && opts_isrecording(o))
		return "-o writes a recording of one machine; it excludes -H";
	return opts_check_pair(o);
}

static const struct opt record_opts[] = {
	OPT_GROUP("Events"),
	{ 'g', "stacks", NULL, "record kernel and user stacks", OPT_FLAG,
	    OPT_OF(struct record_opts, rco_stacks) },
	OPT_ROW_CALLGRAPH,
	{ 0, "data", NULL, "record the first bytes that are read or written",
	    OPT_FLAG, OPT_OF(struct record_opts, rco_data) },
	{ 0, "str", "LIST", "record text that arguments or retval point to",
	    OPT_STRING, OPT_OF(struct record_opts, rco_texts) },
	{ 'n', "count", "COUNT", "stop after COUNT calls or other events",
	    OPT_NUMBER, OPT_OF(struct record_opts, rco_count), 1 },
	OPT_ROW_HZ("set the rate of clock probes"),
	OPT_GROUP("Output"),
	{ 0, "columns", "LIST", "print these columns: time,comm; or add: +uid",
	    OPT_STRING, OPT(o_print.opi_columns), .opt_check = columns_option },
	OPT_ROW_NOJOIN,
	OPT_ROW_LINES("with -g: print source lines and inlined functions"),
	OPT_ROW_OUTPUT("FILE",
	    "write .txt, .json or a recording (.dt; - is stdout)",
	    opts_check_events),
	OPT_GROUP("With -o FILE.dt"),
	{ 0, "last", "TIME", "keep only the newest events, for example 30s",
	    OPT_TIME, OPT(o_file.ofi_last) },
	{ 0, "memory", "SIZE",
	    "with --last: use at most SIZE bytes (default 64M)", OPT_SIZE,
	    OPT(o_file.ofi_memory), FLIGHT_BUFFER_MINMEM, 0,
	    "should be bytes, at least 1M (for example 64M)" },
	OPT_ROWS_RECORDING,
	{ 0 },
};

const struct cmd cmd_record = {
	.cmd_name = "record",
	.cmd_args = "[-g] [-n COUNT] PROBE ... [-- COMMAND]",
	.cmd_what = "print each event, or write a recording",
	.cmd_run = record_cmd,
	.cmd_size = sizeof(struct record_opts),
	.cmd_opts = record_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS | CMD_PAIRS |
	    CMD_HOSTS,
	.cmd_check = record_check,
	.cmd_examples =
	    "  # print the files that a command opens, and failures\n"
	    "  dt record syscall:openat -- cat /etc/hostname\n"
	    "  # print only files below /etc\n"
	    "  dt record --if 'path == \"/etc/*\"' syscall:openat -- "
	    "cat /etc/hostname\n"
	    "  # print the next 5 system calls\n"
	    "  dt record -n 5 'syscall:*:entry'\n"
	    "  # print calls that take a millisecond or longer\n"
	    "  dt record --slower 1ms 'syscall:*' -- sleep 0.1\n"
	    "  # print the stacks of a call\n"
	    "  dt record -g -n 1 syscall:openat:entry -- ls\n"
	    "  # keep the events apart from what the command prints\n"
	    "  dt record -o opens.txt syscall:openat -- ls\n"
	    "  # write a recording for dt report\n"
	    "  dt record -o ls.dt 'syscall:*' -- ls\n"
	    "  # keep the last 30 seconds before a program exits\n"
	    "  dt record --last 30s --until syscall:exit_group:entry "
	    "-o x.dt 'syscall:*'\n",
};
