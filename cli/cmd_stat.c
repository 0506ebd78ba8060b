/* SPDX-License-Identifier: ISC */
/*
 * dt stat: counts hits by probe and process, or by other keys.  The kernel
 * counts them if it can; otherwise hits become events, which are counted here.
 */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/file_sink.h"
#include "cli/calls/calls.h"
#include "cli/opts/cmd.h"
#include "cli/session/session.h"
#include "cli/session/session_count.h"
#include "cli/session/session_learn.h"
#include "cli/stat/half.h"

/* Default keys for pairs whose hits may be of two threads. */
#define STAT_PAIRKEYS "probe,to.pid,to.comm"

struct stat_opts {
	struct opts sto_common;
	struct count_opts sto_count;
	uint64_t sto_interval;	      /* -i, ns */
	enum session_where sto_where; /* --count-in */
};

struct stat_run {
	struct session sta_session;
	struct session_ops sta_ops;
	struct out sta_out;
	struct file_sink sta_sink; /* with -o */
	struct session_count sta_counts;
	struct calls *sta_trace; /* state for paths; NULL without --path */
	struct halves sta_halves;
};

static int
stat_event(void *arg, const struct dt_event *ev)
{
	struct stat_run *st = arg;

	if (st->sta_trace != NULL &&
	    (calls_event(st->sta_trace, ev) == 0 ||
		half_is_other(&st->sta_halves, st->sta_counts.ssc_count.cnt_by,
		    &st->sta_session.ss_names, ev)))
		return 0;
	session_count_event(&st->sta_counts, ev);
	return 0;
}

/* Counts an entry whose path its return has read. */
static void
stat_late(void *arg, const struct dt_event *ev)
{
	struct stat_run *st = arg;

	count_event(&st->sta_counts.ssc_count, ev);
}

static uint64_t
stat_idle(void *arg, uint64_t now)
{
	return session_count_idle(&((struct stat_run *)arg)->sta_counts, now);
}

static void
stat_print(void *arg, uint64_t nsecs)
{
	struct stat_run *st = arg;
	struct count *ta = &st->sta_counts.ssc_count;
	struct out_counts ot;

	session_count_snapshot(&st->sta_counts,
	    st->sta_session.ss_lastint + nsecs);
	if (st->sta_session.ss_stop != 0)
		session_count_end(&st->sta_counts);
	count_result(ta, &ot, nsecs, st->sta_ops.so_nsecs != 0);
	out_counts(&st->sta_out, &ot);
	count_next(ta, &ot);
	if (ta->cnt_istotal) /* it may run for months */
		cgroups_trim(&st->sta_session.ss_names.nm_cgroups);
}

static void
stat_started(void *arg)
{
	struct stat_run *st = arg;

	calls_live(st->sta_trace, st->sta_session.ss_command.cd_pid);
}

/* Reduces the name of an entry or a return to the name of its call. */
static void
stat_pattern(char *pattern)
{
	char *colon = strrchr(pattern, ':');

	if (colon != NULL &&
	    (strcmp(colon, ":entry") == 0 || strcmp(colon, ":return") == 0))
		*colon = '\0';
}

/* A call is counted by both of its probes, even if only one is requested. */
static void
stat_patterns(const struct opts *o, const struct keys *by)
{
	unsigned int i;

	for (i = 0; i < o->o_nargs && keys_wants_calls(by); i++)
		stat_pattern(o->o_args[i]);
}

/*
 * Passes all probes to keys, and determines for which of them calls are
 * counted.
 */
static void
stat_learn_all(struct stat_run *st, struct keys *by)
{
	struct session *ss = &st->sta_session;
	const struct opts *o = ss->ss_opts;
	char why[1024], *pattern;
	unsigned int i;
	int known;

	for (i = 0; i < o->o_nargs; i++)
		session_learn(ss, by, o->o_args[i]);
	if (o->o_pair.opa_from != NULL) {
		session_learn(ss, by, o->o_pair.opa_from);
		session_learn(ss, by, o->o_pair.opa_to);
	}
	known = key_check(by, why, sizeof(why)) == 0;
	for (i = 0; i < o->o_nargs && !known; i++) {
		/* arguments that a call writes belong to its entry */
		if ((pattern = strdup(o->o_args[i])) == NULL)
			err(1, NULL);
		stat_pattern(pattern);
		session_learn(ss, by, pattern);
		free(pattern);
	}
	if (!known &&
	    (!keys_wants_calls(by) || key_check(by, why, sizeof(why)) == -1))
		errx(1, "%s", why);
}

/* Sets the sections of events that keys and --path need. */
static void
stat_flags(struct stat_run *st, struct keys *by)
{
	struct session_ops *ops = &st->sta_ops;
	struct session *ss = &st->sta_session;
	const struct opts *o = ss->ss_opts;

	if (key_wants_probes(by) || keys_wants_unit(by))
		stat_learn_all(st, by);
	stat_patterns(o, by);
	ops->so_evtflags = keys_evtflags(by);
	ops->so_wantsargs = key_wants_probes(by);
	ops->so_wantsfirst = key_wants_first(by) ||
	    (ops->so_evtflags & (DTEVT_STRINGS | DTEVT_MEMORY | DTEVT_DATA));
	if (o->o_select.ose_path == NULL)
		return;
	ops->so_evtflags |= DTEVT_FUNCARGS | DTEVT_STRINGS | DTEVT_PATHS;
	ops->so_moreflags = calls_evtflags;
	ops->so_started = stat_started;
	st->sta_trace = calls_open(o, &ss->ss_names, NULL);
	calls_late(st->sta_trace, stat_late, st);
}

static const char *
stat_check_prometheus(const struct stat_opts *so)
{
	const struct opts *o = &so->sto_common;
	const struct count_opts *co = &so->sto_count;

	if (o->o_command != NULL)
		return "--prometheus reads standard input, as COMMAND may";
	if (o->o_print.opi_json || so->sto_interval != 0)
		return "--prometheus excludes --json and --interval";
	if (o->o_file.ofi_name != NULL)
		return "--prometheus prints to standard output; it excludes -o";
	if (co->cno_avg || co->cno_min || co->cno_max || co->cno_quantiles)
		return "--prometheus prints a counter or, with --hist, a "
		       "histogram";
	return NULL;
}

/* Checks the options of pairs, and that no key is ambiguous. */
static const char *
stat_check(const struct opts *o)
{
	const char *by = ((const struct stat_opts *)o)->sto_count.cno_by;
	const char *bad = opts_check_pair(o);

	if (bad == NULL && o->o_print.opi_prometheus != NULL)
		bad = stat_check_prometheus((const struct stat_opts *)o);
	if (bad == NULL && o->o_pair.opa_from != NULL && by != NULL)
		bad = key_check_sides(by, o->o_pair.opa_key);
	return bad;
}

/* Calls that the kernel joins are not joined here. */
static int
stat_haspairs(const struct opts *o)
{
	return o->o_pair.opa_isslower || o->o_pair.opa_from != NULL;
}

static void
stat_session(struct stat_run *st, const struct stat_opts *so, struct keys *by)
{
	const struct opts *opts = &so->sto_common;
	struct session *ss = &st->sta_session;
	struct consumer consumer;

	st->sta_ops = (struct session_ops){
		.so_event = stat_event,
		.so_interval = stat_print,
		.so_idle = stat_idle,
		.so_nsecs = so->sto_interval,
		.so_islines = opts->o_print.opi_prometheus != NULL,
	};
	/* only the arguments show later whether calls are counted */
	if (opts->o_select.ose_path != NULL ||
	    ((keys_wants_calls(by) || key_wants_probes(by)) &&
		!stat_haspairs(opts)))
		st->sta_ops.so_openflags = DT_OPEN_ORDERED;
	session_open(ss, opts, &st->sta_ops, st);
	out_open(&st->sta_out, opts, &ss->ss_names);
	out_file_begin(&st->sta_out, &st->sta_sink);
	consumer = out_consumer(&st->sta_out);
	session_consume(ss, &consumer);
	stat_patterns(opts, by);
	stat_flags(st, by);
	/* with --path both: some paths can be read only at the return */
	if (opts->o_select.ose_path == NULL)
		st->sta_ops.so_half = keys_half(by);
	session_enable_args(ss);
	session_count_start(&st->sta_counts, ss, so->sto_where);
	session_run(ss);
	if (st->sta_trace != NULL) {
		calls_end(st->sta_trace);
		ss->ss_filtered = calls_filtered(st->sta_trace);
		ss->ss_unknown = calls_unknown(st->sta_trace,
		    ledger_lost(&ss->ss_ledger));
	}
	calls_close(st->sta_trace);
}

/* Whether durations are known, and no option selects what is printed of them. */
static int
stat_istimes(const struct stat_opts *so)
{
	const struct opts *o = &so->sto_common;
	const struct count_opts *co = &so->sto_count;

	return stat_haspairs(o) && o->o_print.opi_prometheus == NULL &&
	    co->cno_sum == NULL && !count_wants_value(co) &&
	    !keys_names(co->cno_by, "duration");
}

/* The kernel measures durations, so they need pairs. */
static void
stat_durations(struct stat_opts *so)
{
	struct opts_pair *oa = &so->sto_common.o_pair;
	struct count_opts *co = &so->sto_count;

	co->cno_times = stat_istimes(so);
	if (count_wants_value(co) && co->cno_sum == NULL)
		co->cno_sum = "duration";
	if (co->cno_hist && co->cno_by == NULL)
		co->cno_by = "probe";
	if (oa->opa_from != NULL && co->cno_by == NULL &&
	    key_isambiguous("comm", oa->opa_key))
		co->cno_by = STAT_PAIRKEYS;
	if (oa->opa_from == NULL &&
	    ((co->cno_sum != NULL && strcmp(co->cno_sum, "duration") == 0) ||
		keys_names(co->cno_by, "duration")))
		oa->opa_isslower = 1;
}

static int
stat_run(struct opts *opts)
{
	struct stat_opts *so = (struct stat_opts *)opts;
	const struct count_opts *co = &so->sto_count;
	struct stat_run *st = calloc(1, sizeof(*st));
	struct keys *by;
	int status;
	char why[256];

	if (st == NULL)
		err(1, NULL);
	if (opts->o_print.opi_prometheus != NULL) {
		so->sto_count.cno_istotal = 1;
		if (co->cno_by == NULL)
			so->sto_count.cno_by = KEY_NONAMES;
	}
	stat_durations(so);
	by = keys_alloc(co->cno_by, co->cno_sum, &st->sta_session.ss_names, why,
	    sizeof(why));
	if (by == NULL)
		errx(2, "%s", why);
	count_init(&st->sta_counts.ssc_count, by, co);
	stat_session(st, so, by);
	session_count_free(&st->sta_counts);
	halves_free(&st->sta_halves);
	status = out_file_status(&st->sta_out, &st->sta_sink,
	    session_end(&st->sta_session));
	free(st);
	return status;
}

static const char *
stat_count_in(struct opts *o, const char *arg)
{
	struct stat_opts *so = (struct stat_opts *)o;

	if (strcmp(arg, "kernel") == 0)
		so->sto_where = SESSION_COUNT_KERNEL;
	else if (strcmp(arg, "client") == 0)
		so->sto_where = SESSION_COUNT_CLIENT;
	else
		return "should be kernel or client";
	return NULL;
}

static const char *
stat_prometheus(struct opts *o, const char *arg)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	(void)o;
	if (arg[0] == '\0' || arg[strspn(arg, chars)] != '\0' ||
	    isdigit((unsigned char)arg[0]))
		return "should be the name of a metric: letters, digits and _";
	return NULL;
}

static const struct opt stat_opts[] = {
	OPT_GROUP("Counts"),
	COUNT_OPT_ROWS(offsetof(struct stat_opts, sto_count)),
	OPT_ROW_TOP("print at most N rows"),
	OPT_ROW_OUTPUT("FILE", "write to FILE in place of stdout; x.json: JSON",
	    opts_check_text),
	{ 'i', "interval", "TIME",
	    "print the counts every TIME, for example 500ms", OPT_TIME,
	    OPT_OF(struct stat_opts, sto_interval), 1000000, 0,
	    "should be a time of 1ms or more" },
	{ 0, "prometheus", "NAME",
	    "print totals for Prometheus at each line of the input", OPT_STRING,
	    OPT(o_print.opi_prometheus), .opt_check = stat_prometheus },
	{ 0, "socket", "PATH", "connect to dtd at this socket", OPT_STRING,
	    OPT(o_socket) },
	OPT_ROW_HZ("set the rate of clock probes"),
	{ 0, "count-in", "WHERE",
	    "count in the kernel or the client (default: kernel)", OPT_CALL,
	    .opt_check = stat_count_in },
	OPT_ROW_VERBOSE("report where hits are counted"),
	{ 0 },
};

const struct cmd cmd_stat = {
	.cmd_name = "stat",
	.cmd_args = "[--by KEY,KEY] [--sum ARG] [-i TIME] PROBE ... "
		    "[-- COMMAND]",
	.cmd_what = "count events by probe and process, or by other keys",
	.cmd_run = stat_run,
	.cmd_size = sizeof(struct stat_opts),
	.cmd_opts = stat_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS | CMD_PAIRS |
	    CMD_HOSTS,
	.cmd_check = stat_check,
	.cmd_examples =
	    "  # count the system calls of a command\n"
	    "  dt stat 'syscall:*' -- ls\n"
	    "  # count opened files by process, for a second\n"
	    "  dt stat -d 1 syscall:openat\n"
	    "  # print the counts of each second, for three seconds\n"
	    "  dt stat -i 1 -d 3 'syscall:*'\n"
	    "  # count failed calls by errno\n"
	    "  dt stat --by probe,errno 'syscall:*' -- ls\n"
	    "  # count reads of 4 kB or more\n"
	    "  dt stat -d 1 --if 'retval >= 4k' syscall:read\n"
	    "  # count page faults by the function that causes them\n"
	    "  dt stat -d 1 --by ustack --top 5 "
	    "tracepoint:exceptions:page_fault_user\n"
	    "  # print how long reads take\n"
	    "  dt stat -d 1 --hist --by comm syscall:read\n"
	    "  # print how many bytes each process reads\n"
	    "  dt stat -d 1 --by comm --sum retval syscall:read\n",
};
