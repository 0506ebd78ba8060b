/* SPDX-License-Identifier: ISC */
/*
 * The way of a session: open, enable, record, read until something ends it,
 * stop, read the rest, tell the ledger.
 *
 * What ends it: -d, the end of the command, a signal, a subcommand that has
 * enough, an output that nobody reads.  With a command, the first signal is
 * the command's affair and ends the recording only through its end; the
 * second ends the recording; the one after that is deadly (sigs.c).
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "deny.h"
#include "ledger.h"
#include "session.h"
#include "sigs.h"

#define SESSION_BATCH	 4096	   /* events between two looks around */
#define SESSION_KEPT	 250000000 /* ns: the output wants to be called */
#define SESSION_MINNSECS 200000	   /* the least period of a clock */
#define SESSION_HZ	 99	   /* for a clock whose name tells no rate */

static uint64_t
session_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/*
 * Before
 */

static void
session_filter(struct session *ss)
{
	struct dtioc_filter fi = ss->ss_opts->o_filter;

	if (ss->ss_opts->o_command != NULL && fi.dtfi_set == 0) {
		fi.dtfi_set = DTFI_PID;
		if (!ss->ss_opts->o_noinherit)
			fi.dtfi_set |= DTFI_CHILDREN;
		fi.dtfi_pid = ss->ss_command.co_pid;
	}
	if (fi.dtfi_set != 0 && dt_ioctl(ss->ss_dt, DTIOCSFILTER, &fi) == -1)
		deny_ioctl(ss->ss_dt, "filter");
}

/* What the daemon leaves out need not be left out here; one that can't has
 * all of it left out here.  Of a long prefix the daemon takes the beginning. */
static void
session_path(struct session *ss)
{
	struct dtioc_path ph = { 0 };

	if (ss->ss_opts->o_path == NULL)
		return;
	strncpy(ph.dtph_prefix, ss->ss_opts->o_path,
	    sizeof(ph.dtph_prefix) - 1);
	if (dt_ioctl(ss->ss_dt, DTIOCSPATH, &ph) == -1 && errno != ENOTTY)
		deny_ioctl(ss->ss_dt, "--path");
}

/* A filter for what doesn't exist would wait for ever. */
static void
session_check_ids(const struct dtioc_filter *fi)
{
	if (fi->dtfi_set & DTFI_PID && fi->dtfi_pid > 0 &&
	    kill(fi->dtfi_pid, 0) == -1 && errno == ESRCH)
		errx(1, "there is no process %u", fi->dtfi_pid);
	if (fi->dtfi_set & DTFI_TID && fi->dtfi_tid > 0 &&
	    kill(fi->dtfi_tid, 0) == -1 && errno == ESRCH)
		errx(1, "there is no thread %u", fi->dtfi_tid);
}

void
session_open(struct session *ss, const struct opts *opts,
    const struct session_ops *ops, void *arg)
{
	uint64_t budget = opts->o_budget ? opts->o_budget : ops->so_budget;
	int on = 1;

	memset(ss, 0, sizeof(*ss));
	ss->ss_opts = opts;
	ss->ss_ops = ops;
	ss->ss_arg = arg;
	command_init(&ss->ss_command);
	session_check_ids(&opts->o_filter);
	ss->ss_dt = deny_open(NULL, ops->so_openflags);
	if (opts->o_self && dt_ioctl(ss->ss_dt, DTIOCSELF, &on) == -1)
		deny_ioctl(ss->ss_dt, "--self");
	if (opts->o_nolimit && dt_ioctl(ss->ss_dt, DTIOCNOLIMIT, &on) == -1)
		deny_ioctl(ss->ss_dt, "--no-limit");
	if (budget != 0 && dt_ioctl(ss->ss_dt, DTIOCSBUDGET, &budget) == -1)
		deny_ioctl(ss->ss_dt, opts->o_budget ? "--buffer" : "buffer");
	/* the daemon prepares what the filter asks for while it enables */
	if (opts->o_command != NULL)
		command_start(&ss->ss_command, opts->o_command);
	session_filter(ss);
	session_path(ss);
	names_init(&ss->ss_names, ss->ss_dt);
	out_open(&ss->ss_out, opts, &ss->ss_names);
}

/* The units of clock probes: profile:hz:97 has 97 periods in a second. */
static const struct {
	const char *unit;
	uint64_t nsecs; /* one of it; 0: a part of a second */
} session_units[] = {
	{ "hz", 0 },
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
};

static int
session_isclock(const char *prov)
{
	return strcmp(prov, "profile") == 0 || strcmp(prov, "interval") == 0;
}

/* The period that a unit and a number make, or 0. */
static uint64_t
session_nsecs(const char *unit, const char *number)
{
	uint64_t v;
	size_t i;

	for (i = 0; i < sizeof(session_units) / sizeof(session_units[0]); i++)
		if (strcmp(unit, session_units[i].unit) == 0 &&
		    opts_number(number, 1, 1000000, &v) == 0)
			return session_units[i].nsecs != 0
			    ? v * session_units[i].nsecs
			    : 1000000000 / v;
	return 0;
}

/*
 * The period of a probe: -F, or what the pattern says, or its name; 0 if it is
 * no clock.
 */
static uint64_t
session_period(const struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t asked)
{
	uint64_t nsecs;

	if (!session_isclock(pi->dtpi_prov))
		return 0;
	if (ss->ss_opts->o_hz != 0)
		return 1000000000 / ss->ss_opts->o_hz;
	if (asked != 0)
		return asked;
	nsecs = session_nsecs(pi->dtpi_func, pi->dtpi_name);
	return nsecs != 0 ? nsecs : 1000000000 / SESSION_HZ;
}

/*
 * The device has one clock of a kind, whose name says a rate that nobody asked
 * for.  So a pattern like interval:hz:10 is the clock's provider and a period:
 * returns that, 0 for other patterns, and puts a pattern for the clock into
 * name.
 */
static uint64_t
session_clock(const char *pattern, char *name, size_t size)
{
	char prov[DTNAMESIZE], unit[DTNAMESIZE], number[DTNAMESIZE];
	uint64_t nsecs;
	int end = 0;

	if (sscanf(pattern, "%63[^:]:%63[^:]:%63[^:]%n", prov, unit, number,
		&end) != 3 ||
	    pattern[end] != '\0' || !session_isclock(prov) ||
	    (nsecs = session_nsecs(unit, number)) == 0)
		return 0;
	if (nsecs < SESSION_MINNSECS)
		errx(1, "%s: a clock's period is 200 microseconds at least",
		    pattern);
	snprintf(name, size, "%s:*:*", prov);
	return nsecs;
}

/* Returns 1, 0 if it was enabled before, -1 with errno. */
static int
session_enable_one(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period)
{
	struct dtioc_req rq = {
		.dtrq_pbn = pi->dtpi_pbn,
		.dtrq_evtflags = ss->ss_ops->so_evtflags,
		.dtrq_nsecs = session_period(ss, pi, period),
	};

	if (ss->ss_ops->so_moreflags != NULL)
		rq.dtrq_evtflags |= ss->ss_ops->so_moreflags(ss->ss_arg, pi);
	if (dt_ioctl(ss->ss_dt, DTIOCPRBENABLE, &rq) == -1)
		return errno == EEXIST ? 0 : -1; /* two globs meet */
	ss->ss_nenabled++;
	names_add_info(&ss->ss_names, pi);
	out_enabled(&ss->ss_out, pi->dtpi_pbn);
	return 1;
}

/* A glob may hold probes that don't work here: they are left out, if only
 * some do. */
void
session_enable(struct session *ss, const char *pattern)
{
	struct dtioc_probe_info *pi;
	char what[3 * DTNAMESIZE], why[256] = "", clock[DTNAMESIZE + 8];
	uint64_t period = session_clock(pattern, clock, sizeof(clock));
	ssize_t i, n, nfailed = 0;

	n = dt_lookup(ss->ss_dt, period != 0 ? clock : pattern, &pi);
	if (n == -1) {
		if (errno == ENOENT)
			deny_nomatch(ss->ss_dt, pattern);
		deny_ioctl(ss->ss_dt, pattern);
	}
	for (i = 0; i < n; i++) {
		if (session_enable_one(ss, &pi[i], period) != -1)
			continue;
		snprintf(what, sizeof(what), "%s:%s:%s", pi[i].dtpi_prov,
		    pi[i].dtpi_func, pi[i].dtpi_name);
		if (errno == EPERM || n == 1 ||
		    (nfailed == i && nfailed == n - 1))
			deny_ioctl(ss->ss_dt, what);
		if (nfailed++ == 0)
			snprintf(why, sizeof(why), "%s: %s", what,
			    dt_error(ss->ss_dt));
	}
	if (nfailed > 0)
		warnx("%zd of the %zd probes of '%s' were left out, the first "
		      "was %s",
		    nfailed, n, pattern, why);
	free(pi);
}

/*
 * Meanwhile
 */

/* Hands out what is there, up to a batch.  Returns 1 if there may be more, 0
 * if not, -1 if the recording was stopped and all is read, or it broke. */
static int
session_batch(struct session *ss)
{
	struct dt_event ev;
	unsigned int i;
	int n;

	for (i = 0; i < SESSION_BATCH; i++) {
		if ((n = dt_next(ss->ss_dt, &ev, 0)) == 0)
			return 0;
		if (n == -1 && errno == EINTR)
			return 1;
		if (n == -1 && errno == ENODATA)
			return -1;
		if (n == -1) {
			warnx("the recording broke off: %s",
			    dt_error(ss->ss_dt));
			ss->ss_broken = 1;
			return -1;
		}
		if (ss->ss_full)
			continue;
		ss->ss_shown++;
		if (ss->ss_ops->so_event(ss->ss_arg, &ev) == -1)
			ss->ss_full = 1;
	}
	return 1;
}

static void
session_interval(struct session *ss, uint64_t now)
{
	if (ss->ss_ops->so_interval == NULL)
		return;
	ss->ss_ops->so_interval(ss->ss_arg, now - ss->ss_lastint);
	ss->ss_lastint = now;
}

/* Nanoseconds until the clock ends something, -1 if it doesn't.  idle: when
 * ss_ops wants to be called. */
static int64_t
session_timeout(const struct session *ss, uint64_t now, uint64_t idle, int kept)
{
	const struct opts *o = ss->ss_opts;
	uint64_t next = idle != 0 ? idle : UINT64_MAX, t;

	if (ss->ss_stop == 0 && o->o_duration != 0) {
		t = ss->ss_start + o->o_duration;
		next = t < next ? t : next;
	}
	if (ss->ss_stop == 0 && o->o_interval != 0) {
		t = ss->ss_lastint + o->o_interval;
		next = t < next ? t : next;
	}
	if (kept && now + SESSION_KEPT < next)
		next = now + SESSION_KEPT;
	if (next == UINT64_MAX)
		return -1;
	return next > now ? next - now : 0;
}

/* Nothing has come: what there is may go out.  Returns as above. */
static int64_t
session_idle(struct session *ss)
{
	uint64_t now = session_now(), idle = 0;
	int kept;

	if (ss->ss_ops->so_idle != NULL)
		idle = ss->ss_ops->so_idle(ss->ss_arg, now);
	kept = out_idle(&ss->ss_out);
	return session_timeout(ss, now, idle, kept);
}

/*
 * Waits for events (unless there are some), the command, a closed output, a
 * signal, or the time that is next.
 */
static void
session_wait(struct session *ss, int busy)
{
	struct pollfd pfd[] = {
		{ .fd = busy ? -1 : dt_fd(ss->ss_dt), .events = POLLIN },
		{ .fd = ss->ss_command.co_pidfd, .events = POLLIN },
		{ .fd = ss->ss_full ? -1 : ss->ss_out.out_buf.b_fd },
	};
	int64_t nsecs = busy ? 0 : session_idle(ss);

	if (ss->ss_out.out_buf.b_error)
		ss->ss_full = 1;
	if (sigs_poll(pfd, 3, ss->ss_full ? 0 : nsecs) == -1)
		return;
	/* no reader: a pipe says so, before anything is written to it */
	if (pfd[2].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		ss->ss_full = 1;
		ss->ss_out.out_buf.b_error = EPIPE;
	}
	if (pfd[1].revents != 0)
		command_wait(&ss->ss_command, 0);
}

/* A new signal: with a command, the first is its affair. */
static void
session_signal(struct session *ss)
{
	int byprocess, n = sigs_count(&ss->ss_signo, &byprocess);

	if (n == ss->ss_nsignals)
		return;
	ss->ss_nsignals = n;
	if (ss->ss_command.co_pid == 0 || ss->ss_command.co_ended)
		return;
	/* from the terminal it got the same, unless that hung up */
	if (byprocess || ss->ss_signo != SIGINT)
		command_kill(&ss->ss_command, ss->ss_signo);
	ss->ss_left = n > 1;
}

static int
session_is_over(const struct session *ss, uint64_t now)
{
	const struct opts *o = ss->ss_opts;

	if (ss->ss_full)
		return 1;
	if (o->o_duration != 0 && now >= ss->ss_start + o->o_duration)
		return 1;
	if (ss->ss_command.co_pid != 0)
		return ss->ss_command.co_ended || ss->ss_left;
	return ss->ss_nsignals > 0;
}

static void
session_loop(struct session *ss)
{
	const struct opts *o = ss->ss_opts;
	uint64_t now;
	int busy = 0;

	for (;;) {
		session_wait(ss, busy);
		session_signal(ss);
		now = session_now();
		if (session_is_over(ss, now))
			return;
		if (o->o_interval != 0 && now >= ss->ss_lastint + o->o_interval)
			session_interval(ss, now);
		if ((busy = session_batch(ss)) == -1) {
			ss->ss_ended = 1; /* by the daemon, if not broken */
			return;
		}
	}
}

static void
session_start(struct session *ss)
{
	const struct opts *o = ss->ss_opts;
	int on = 1;

	sigs_init(o->o_command != NULL ? 2 : 1);
	if (dt_ioctl(ss->ss_dt, DTIOCRECORD, &on) == -1)
		deny_ioctl(ss->ss_dt, "recording");
	ss->ss_start = ss->ss_lastint = session_now();
	if (ss->ss_ops->so_started != NULL)
		ss->ss_ops->so_started(ss->ss_arg);
	command_go(&ss->ss_command);
	if (o->o_command == NULL && o->o_duration == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "Recording... Ctrl-C ends\n");
}

/* Stops, and reads what the rings hold still.  Signals are let in, as the
 * output may stand still. */
static void
session_drain(struct session *ss)
{
	struct pollfd pfd = { .fd = dt_fd(ss->ss_dt), .events = POLLIN };
	int n, off = 0;

	if (dt_ioctl(ss->ss_dt, DTIOCRECORD, &off) == -1)
		errx(1, "the recording can't be stopped: %s",
		    dt_error(ss->ss_dt));
	ss->ss_stop = session_now();
	while ((n = session_batch(ss)) != -1)
		sigs_poll(&pfd, 1, n == 0 ? -1 : 0);
}

/* The daemon may have stopped it already, and then all has been read. */
static void
session_stop(struct session *ss)
{

	ss->ss_stop = session_now();
	if (ss->ss_signo == SIGINT && isatty(STDERR_FILENO))
		fputc('\n', stderr); /* behind the terminal's ^C */
	if (ss->ss_broken)
		return;
	if (dt_ioctl(ss->ss_dt, DTIOCGFULLSTAT, &ss->ss_stat) == -1)
		memset(&ss->ss_stat, 0, sizeof(ss->ss_stat));
	if (!ss->ss_ended)
		session_drain(ss);
	if (!ss->ss_broken && dt_ledger(ss->ss_dt, &ss->ss_ledger) == -1)
		errx(1, "no ledger came: %s", dt_error(ss->ss_dt));
}

void
session_run(struct session *ss)
{
	if (ss->ss_nenabled == 0)
		errx(1, "no probe is enabled");
	session_start(ss);
	session_loop(ss);
	session_stop(ss);
	session_interval(ss, ss->ss_stop);
}

/*
 * After
 */

static struct ledger_run
session_ledger_run(const struct session *ss)
{
	struct ledger_run lr = {
		.lr_shown = ss->ss_shown - ss->ss_filtered,
		.lr_filtered = ss->ss_filtered,
		.lr_ringbytes = ss->ss_stat.dtfs_ringbytes,
		.lr_nrings = ss->ss_stat.dtfs_nrings,
		.lr_late = dt_late(ss->ss_dt),
		.lr_hasstacks = (ss->ss_ops->so_evtflags &
				    (DTEVT_KSTACK | DTEVT_USTACK)) != 0,
		.lr_note = dt_note(ss->ss_dt),
	};

	if (ss->ss_stat.dtfs_runs != 0 && /* it was told */
	    ss->ss_stat.dtfs_costrun != UINT64_MAX) {
		lr.lr_cost = ss->ss_stat.dtfs_costrun;
		lr.lr_ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	}
	return lr;
}

static void
session_print_ledger(struct session *ss, const struct ledger_run *lr)
{
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	ledger_text(&b, &ss->ss_ledger, lr);
	if (ss->ss_opts->o_strict &&
	    ss->ss_ledger.dl_flags & DT_LEDGER_MISSED_UNKNOWN)
		buf_str(&b,
		    "dt: --strict: this kernel does not tell how many "
		    "events it skipped itself; none of them count\n");
	buf_flush(&b);
	buf_free(&b);
}

/* A recording that ended before its command: its status is waited for. */
static void
session_wait_command(struct session *ss)
{
	struct pollfd pfd = { .events = POLLIN };

	if (ss->ss_command.co_pid == 0)
		return;
	if (!command_wait(&ss->ss_command, 0) && !ss->ss_left &&
	    isatty(STDERR_FILENO))
		fprintf(stderr, "Waiting for the command to end...\n");
	while (!command_wait(&ss->ss_command, 0) && !ss->ss_left) {
		pfd.fd = ss->ss_command.co_pidfd;
		sigs_poll(&pfd, 1, -1);
		session_signal(ss);
	}
}

static int
session_status(const struct session *ss, int outerror)
{
	if (ss->ss_broken || (outerror != 0 && outerror != EPIPE))
		return 1;
	if (ss->ss_left && !ss->ss_command.co_ended)
		return 128 + ss->ss_signo;
	if (ss->ss_command.co_status != 0)
		return ss->ss_command.co_status;
	if (ss->ss_ledger.dl_flags & DT_LEDGER_STOPPED)
		return 1;
	if (ss->ss_opts->o_strict && ledger_lost(&ss->ss_ledger) > 0)
		return 3;
	/* as any program whose output nobody reads: the shell says 141, and
	 * prints nothing */
	if (outerror == EPIPE)
		sigs_die(SIGPIPE);
	return 0;
}

int
session_end(struct session *ss)
{
	struct ledger_run lr = session_ledger_run(ss);
	int error;

	ss->ss_out.out_late = lr.lr_late;
	if (!ss->ss_broken)
		out_ledger(&ss->ss_out, &ss->ss_ledger, &lr);
	if ((error = out_close(&ss->ss_out)) != 0 && error != EPIPE)
		warnx("output: %s", strerror(error));
	if (!ss->ss_broken)
		session_print_ledger(ss, &lr);
	names_free(&ss->ss_names);
	dt_close(ss->ss_dt);
	session_wait_command(ss);
	return session_status(ss, error);
}
