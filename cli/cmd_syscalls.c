/* SPDX-License-Identifier: ISC */
/*
 * dt syscalls: a row per system call with its errors and times.  The kernel
 * joins entry and return and counts them by call, errno and time; calls that
 * never return are counted at their entry.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/file_sink.h"
#include "cli/opts/cmd.h"
#include "cli/procs/call_effects.h"
#include "cli/session/refusal.h"
#include "cli/session/session.h"
#include "cli/session/session_count.h"
#include "cli/stat/syscall_rows.h"
#include "cli/trace/syscall_class.h"

struct syscalls_run {
	struct session syr_session;
	struct session_ops syr_ops;
	struct out syr_out;
	struct file_sink syr_sink; /* with -o */
	struct session_count syr_counts;
	int syr_isbypid;
};

/* Counts a call, if the kernel does not. */
static int
syscalls_event(void *arg, const struct dt_event *ev)
{
	struct syscalls_run *sy = arg;

	count_event(&sy->syr_counts.ssc_count, ev);
	return 0;
}

static uint64_t
syscalls_idle(void *arg, uint64_t now)
{
	struct syscalls_run *sy = arg;

	return session_count_idle(&sy->syr_counts, now);
}

static void
syscalls_print(void *arg, uint64_t nsecs)
{
	struct syscalls_run *sy = arg;
	struct count *ta = &sy->syr_counts.ssc_count;
	struct out_syscalls ol;
	struct out_counts ot;

	session_count_snapshot(&sy->syr_counts,
	    sy->syr_session.ss_lastint + nsecs);
	count_result(ta, &ot, nsecs, sy->syr_ops.so_nsecs != 0);
	syscall_rows_make(&ol, &ot, sy->syr_isbypid);
	out_syscalls(&sy->syr_out, &ol);
	syscall_rows_free(&ol);
	count_next(ta, &ot);
}

static int
syscalls_returns(const struct dtioc_probe_info *pi)
{
	switch (call_effects_kind(call_effects_find(pi))) {
	case EFFECTS_EXIT:
	case EFFECTS_EXITALL:
	case EFFECTS_JUMP:
		return 0;
	default:
		return 1;
	}
}

/*
 * Enables the entry of a call that never returns.  It has no result that a
 * condition could select.
 */
static int
syscalls_enable_entry(struct session *ss, const struct dtioc_probe_info *pi)
{
	static const char *const results[] = { "retval", "errno", "duration" };
	char name[3 * DTNAMESIZE];
	unsigned int i;

	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (ss->ss_cond != NULL &&
		    cond_uses(ss->ss_cond, results[i]) != NULL)
			return 0;
	snprintf(name, sizeof(name), "%s:%s:%s", pi->dtpi_prov, pi->dtpi_func,
	    pi->dtpi_name);
	session_enable_all(ss, name, 0);
	return 0;
}

/* Enables the calls of a pattern. */
static void
syscalls_enable(struct session *ss, const char *pattern)
{
	const struct dtioc_probe_info *ret;
	struct dtioc_probe_info *pi;
	struct hash halves;
	ssize_t i, n = dt_lookup(ss->ss_dt, pattern, &pi);

	if (n == -1)
		refusal_ioctl(ss->ss_dt, pattern);
	session_halves(&halves, pi, n);
	for (i = 0; i < n; i++) {
		if (strcmp(pi[i].dtpi_name, "entry") != 0 ||
		    (ret = session_other(&halves, &pi[i])) == NULL)
			continue;
		if ((syscalls_returns(&pi[i])
			    ? session_pair_call(ss, &pi[i], ret)
			    : syscalls_enable_entry(ss, &pi[i])) == -1)
			refusal_ioctl(ss->ss_dt, pi[i].dtpi_func);
	}
	hash_clear(&halves);
	free(pi);
}

static void
syscalls_count(struct syscalls_run *sy)
{
	static const struct count_opts co = { .cno_avg = 1,
		.cno_quantiles = 1 };
	struct keys *by;
	char why[256];

	by = keys_alloc(sy->syr_isbypid ? SYSCALL_ROWS_BYPID
					: SYSCALL_ROWS_KEYS,
	    "duration", &sy->syr_session.ss_names, why, sizeof(why));
	if (by == NULL)
		errx(1, "%s", why);
	count_init(&sy->syr_counts.ssc_count, by, &co);
	sy->syr_ops.so_evtflags = keys_evtflags(by);
}

static int
syscalls_run(struct opts *opts)
{
	const struct syscalls_opts *so = (struct syscalls_opts *)opts;
	struct syscalls_run *sy = calloc(1, sizeof(*sy));
	struct session *ss;
	struct consumer consumer;
	unsigned int i;
	int status;

	if (sy == NULL)
		err(1, NULL);
	if (opts->o_nargs == 0)
		syscall_class_probes(opts, so->syo_expr);
	ss = &sy->syr_session;
	sy->syr_isbypid = so->syo_isbypid;
	sy->syr_ops = (struct session_ops){
		.so_event = syscalls_event,
		.so_interval = syscalls_print,
		.so_idle = syscalls_idle,
		.so_nsecs = so->syo_interval,
		.so_wantspending = 1,
		.so_hidesuntil = 1,
	};
	opts->o_pair.opa_isslower = 1; /* --if may use the duration */
	session_open(ss, opts, &sy->syr_ops, sy);
	syscalls_count(sy);
	out_open(&sy->syr_out, opts, &ss->ss_names);
	out_file_begin(&sy->syr_out, &sy->syr_sink);
	consumer = out_consumer(&sy->syr_out);
	session_consume(ss, &consumer);
	for (i = 0; i < opts->o_nargs; i++)
		syscalls_enable(ss, opts->o_args[i]);
	session_count_start(&sy->syr_counts, ss, SESSION_COUNT_ANY);
	session_run(ss);
	session_count_free(&sy->syr_counts);
	status = out_file_status(&sy->syr_out, &sy->syr_sink, session_end(ss));
	free(sy);
	return status;
}

static const char *
syscalls_set_expr(struct opts *o, const char *arg)
{
	((struct syscalls_opts *)o)->syo_expr = arg;
	return syscall_class_check(arg);
}

static const struct opt syscalls_opts[] = {
	OPT_GROUP("Calls"),
	{ 'e', NULL, "EXPR",
	    "count these: open,close or %file or !futex or /^get/", OPT_CALL,
	    .opt_check = syscalls_set_expr },
	{ 'P', "by-process", NULL, "print a row per call and process", OPT_FLAG,
	    OPT_OF(struct syscalls_opts, syo_isbypid) },
	{ 'i', "interval", "TIME",
	    "print the calls every TIME, for example 500ms", OPT_TIME,
	    OPT_OF(struct syscalls_opts, syo_interval), 1000000, 0,
	    "should be a time of 1ms or more" },
	OPT_ROW_TOP("print at most N rows"),
	OPT_ROW_OUTPUT("FILE", "write to FILE in place of stdout; x.json: JSON",
	    opts_check_text),
	OPT_ROW_VERBOSE("report where calls are counted"),
	{ 0 },
};

const struct cmd cmd_syscalls = {
	.cmd_name = "syscalls",
	.cmd_args = "[-P] [-e EXPR] [-i TIME] [-p PID] [-- COMMAND]",
	.cmd_what = "count system calls with their errors and times",
	.cmd_run = syscalls_run,
	.cmd_size = sizeof(struct syscalls_opts),
	.cmd_opts = syscalls_opts,
	.cmd_flags = CMD_RECORDS | CMD_HOSTS,
	.cmd_examples =
	    "  # count the system calls of a command and its descendants\n"
	    "  dt syscalls -- ls /\n"
	    "  # count the calls of each process, for a second\n"
	    "  dt syscalls -P -d 1\n"
	    "  # print the slowest calls of each second, for three seconds\n"
	    "  dt syscalls -i 1 -d 3 --top 5\n",
};
