/* SPDX-License-Identifier: ISC */
/*
 * dt record: prints each event, or writes all to a file for dt report.
 */
#include "cmd.h"
#include "session.h"

struct record {
	struct session rc_session;
	uint64_t rc_left; /* events still wanted, with -n */
};

static int
record_event(void *arg, const struct dt_event *ev)
{
	struct record *rc = arg;
	struct session *ss = &rc->rc_session;
	struct out_event oe = { .oe_ev = ev };

	oe.oe_probe = names_probe(&ss->ss_names, ev->ev_rec->dr_pbn);
	if (oe.oe_probe != NULL && out_event(&ss->ss_out, &oe) == -1)
		return -1;
	return ss->ss_opts->o_count != 0 && --rc->rc_left == 0 ? -1 : 0;
}

static int
record_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | DTEVT_FUNCARGS |
		    (opts->o_stacks ? DTEVT_KSTACK | DTEVT_USTACK : 0),
		.so_openflags = DT_OPEN_ORDERED,
		.so_event = record_event,
	};
	struct record rc = { .rc_left = opts->o_count };
	struct columns cs;
	unsigned int i;

	columns_parse(&cs, opts->o_columns);
	ops.so_evtflags |= columns_evtflags(&cs);
	session_open(&rc.rc_session, opts, &ops, &rc);
	for (i = 0; i < opts->o_nargs; i++)
		session_enable(&rc.rc_session, opts->o_args[i]);
	session_run(&rc.rc_session);
	return session_end(&rc.rc_session);
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
record_set_file(struct opts *o, const char *arg)
{
	o->o_file = arg;
	return *arg == '\0' ? "should be the name of a file, or -" : NULL;
}

static const struct opt record_opts[] = {
	{ 'g', "stacks", NULL, record_set_stacks,
	    "with the stacks of kernel and program" },
	{ 0, "columns", "LIST", opts_set_columns,
	    "show these in front, as time,comm,uid; or add +uid,cgroup" },
	{ 'n', "count", "COUNT", record_set_count, "end after so many events" },
	{ 'o', "output", "FILE.dt", record_set_file,
	    "write a recording, for dt report; - is stdout" },
	{ 'F', "freq", "HZ", opts_set_hz, "rate of clock probes" }, { 0 }
};

const struct cmd cmd_record = {
	.cmd_name = "record",
	.cmd_args = "[-g] [-n COUNT] PROBE ... [-- COMMAND]",
	.cmd_what = "print each event, or write a file",
	.cmd_run = record_run,
	.cmd_opts = record_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS,
	.cmd_examples = "  # which files a command looks for, and finds\n"
			"  dt record syscall:openat -- cat /etc/hostname\n"
			"  # the next 5 system calls\n"
			"  dt record -n 5 'syscall:*:entry'\n"
			"  # how it came to a call\n"
			"  dt record -g -n 1 syscall:openat:entry -- ls\n"
			"  # a file for dt report\n"
			"  dt record -o ls.dt 'syscall:*' -- ls\n",
};
