/* SPDX-License-Identifier: ISC */
/*
 * dt record: prints each event, or writes all events to a file for dt report.
 */
#include "cli/calls/calls.h"
#include "cli/opts/cmd.h"
#include "cli/out/columns.h"
#include "cli/recording/flight_buffer.h"
#include "cli/session/session.h"

/*
 * Bytes of rings when writing a file: the writer may have to wait for the disk,
 * or for a CPU that the traced programs occupy.  The default of 4 MB lasts 20
 * ms at three million events per second on two CPUs, and less with more CPUs.
 */
#define RECORD_BUDGET (16 << 20)

struct record {
	struct session rc_session;
	struct calls *rc_trace;
};

static int
record_event(void *arg, const struct dt_event *ev)
{
	struct record *rc = arg;
	uint64_t count = rc->rc_session.ss_opts->o_count;

	if (calls_event(rc->rc_trace, ev) == -1)
		return -1;
	return count != 0 && calls_shown(rc->rc_trace) >= count ? -1 : 0;
}

static uint64_t
record_idle(void *arg, uint64_t now)
{
	struct record *rc = arg;

	return calls_idle(rc->rc_trace, now);
}

static void
record_started(void *arg)
{
	struct record *rc = arg;

	calls_live(rc->rc_trace, rc->rc_session.ss_command.cd_pid);
}

/*
 * A recording is sorted when it is read.  But --path depends on the preceding
 * calls, and --last on the newest of all events, so with these it is sorted
 * here, too.
 */
static int
record_openflags(const struct opts *opts)
{
	return opts->o_file != NULL && opts->o_path == NULL && opts->o_last == 0
	    ? DT_OPEN_LOWWATER
	    : DT_OPEN_ORDERED;
}

static int
record_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | DTEVT_FUNCARGS | DTEVT_STRINGS |
		    DTEVT_MEMORY | (opts->o_data ? DTEVT_DATA : 0) |
		    (opts->o_path != NULL ? DTEVT_PATHS : 0) |
		    (opts->o_stacks ? DTEVT_KSTACK | DTEVT_USTACK : 0),
		.so_openflags = record_openflags(opts),
		.so_budget = opts->o_file != NULL ? RECORD_BUDGET : 0,
		.so_moreflags = calls_evtflags,
		.so_wantsargs = !opts->o_nojoin,
		.so_wantsfirst = 1,
		.so_started = record_started,
		.so_idle = record_idle,
		.so_event = record_event,
	};
	struct record rc = { 0 };
	struct session *ss = &rc.rc_session;
	struct columns cs;

	columns_parse(&cs, opts->o_columns);
	ops.so_evtflags |= columns_evtflags(&cs);
	session_open(ss, opts, &ops, &rc);
	rc.rc_trace = out_trace(&ss->ss_out);
	session_enable_args(ss);
	session_run(ss);
	calls_end(rc.rc_trace);
	ss->ss_filtered = calls_filtered(rc.rc_trace);
	ss->ss_untold = calls_untold(rc.rc_trace, ledger_lost(&ss->ss_ledger));
	out_trace_close(&ss->ss_out, rc.rc_trace);
	return session_end(ss);
}

static const char *
record_set_stacks(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_stacks = 1;
	return NULL;
}

static const char *
record_set_count(struct opts *o, const char *arg)
{
	return opts_number(arg, 1, UINT64_MAX, &o->o_count) == -1
	    ? "should be a number, 1 or more"
	    : NULL;
}

static const char *
record_set_data(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_data = 1;
	return NULL;
}

static const char *
record_set_last(struct opts *o, const char *arg)
{
	return opts_span(arg, &o->o_last) == -1
	    ? "should be a time, as 30s, 500ms or 5m"
	    : NULL;
}

static const char *
record_set_memory(struct opts *o, const char *arg)
{
	return opts_size(arg, &o->o_memory) == -1 ||
		o->o_memory < FLIGHT_BUFFER_MINMEM
	    ? "should be bytes, as 64M, and 1M at least"
	    : NULL;
}

static const struct opt record_opts[] = {
	{ 'g', "stacks", NULL, record_set_stacks,
	    "with the stacks of kernel and program" },
	{ 0, "lines", NULL, opts_set_lines,
	    "with -g: with source lines and inlined functions" },
	{ 0, "columns", "LIST", columns_option,
	    "show these in front, as time,comm; or add: +uid" },
	{ 'n', "count", "COUNT", record_set_count, "end after so many events" },
	{ 'o', "output", "FILE.dt", opts_set_file,
	    "write a recording, for dt report; - is stdout" },
	{ 0, "data", NULL, record_set_data,
	    "with the first bytes of what is read and written" },
	{ 0, "no-join", NULL, opts_set_nojoin,
	    "calls and their results apart, as they come" },
	{ 0, "last", "TIME", record_set_last,
	    "with -o: keep the newest events only, as 30s or 5m" },
	{ 0, "memory", "SIZE", record_set_memory,
	    "with --last: memory for them (64M)" },
	{ 0, "max-size", "SIZE", opts_set_maxsize,
	    "with -o: end when the file has so much, as 4G" },
	{ 0, "embed-symbols", NULL, opts_set_embed,
	    "with -o: names of programs' code, too, not the kernel's only" },
	{ 0, "rotate", "N", opts_set_rotate,
	    "with -o: then go on in a new file, and keep N" },
	{ 'F', "freq", "HZ", opts_set_hz, "rate of clock probes" }, { 0 }
};

const struct cmd cmd_record = {
	.cmd_name = "record",
	.cmd_args = "[-g] [-n COUNT] PROBE ... [-- COMMAND]",
	.cmd_what = "print each event, or write a file",
	.cmd_run = record_run,
	.cmd_opts = record_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS | CMD_PAIRS,
	.cmd_check = opts_check_pair,
	.cmd_examples =
	    "  # which files a command looks for, and finds\n"
	    "  dt record syscall:openat -- cat /etc/hostname\n"
	    "  # only those below /etc\n"
	    "  dt record --if 'path == \"/etc/*\"' syscall:openat -- "
	    "cat /etc/hostname\n"
	    "  # the next 5 system calls\n"
	    "  dt record -n 5 'syscall:*:entry'\n"
	    "  # which of its calls take a millisecond\n"
	    "  dt record --slower 1ms 'syscall:*' -- sleep 0.1\n"
	    "  # how it came to a call\n"
	    "  dt record -g -n 1 syscall:openat:entry -- ls\n"
	    "  # a file for dt report\n"
	    "  dt record -o ls.dt 'syscall:*' -- ls\n"
	    "  # what came in the 30 seconds before a program ended\n"
	    "  dt record --last 30s --until syscall:exit_group:entry "
	    "-o x.dt 'syscall:*'\n",
};
