/* SPDX-License-Identifier: ISC */
/*
 * The way of a session: open, enable, record, read until something ends it,
 * stop, read the rest, tell the ledger.
 *
 * What ends it: -d, the end of the command, a signal, an event of a probe of
 * --until, a subcommand that has enough, an output that nobody reads.  With a
 * command, the first signal is the command's affair and ends the recording
 * only through its end; the second ends the recording; the one after that is
 * deadly (sigs.c).
 *
 * With -o, SIGUSR1 ends nothing: what has happened up to it is written, see
 * f_save of out.h.  Without, it is what it is for every program.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "cgroup.h"
#include "deny.h"
#include "follow.h"
#include "ledger.h"
#include "many.h"
#include "map.h"
#include "period.h"
#include "session.h"
#include "sigs.h"

#define SESSION_BATCH 4096	/* events between two looks around */
#define SESSION_KEPT  250000000 /* ns: the output wants to be called */
#define SESSION_SAVE  100000000 /* ns: an event comes no later, mostly */

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
	if (ss->ss_opts->o_cgroup != NULL) {
		fi.dtfi_set |= DTFI_CGROUP;
		cgroup_find(ss->ss_opts->o_cgroup, &fi.dtfi_cgroup,
		    &fi.dtfi_cgrouplevel);
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

	if (ss->ss_opts->o_path == NULL || follow_needsall(&ss->ss_names))
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
	session_cond_open(ss);
	session_check_ids(&opts->o_filter);
	if (opts->o_file != NULL)
		sigs_hold();
	/* what is younger than the trigger shall come behind it */
	ss->ss_dt = deny_open(NULL,
	    opts->o_nuntil ? DT_OPEN_ORDERED : ops->so_openflags);
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
	names_init(&ss->ss_names, ss->ss_dt);
	out_open(&ss->ss_out, opts, &ss->ss_names);
}

int
session_enable_one(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period, int hidden)
{
	struct dtioc_req rq = {
		.dtrq_pbn = pi->dtpi_pbn,
		.dtrq_evtflags = hidden ? DTEVT_EXECNAME
					: ss->ss_ops->so_evtflags,
		.dtrq_nsecs = period_of(pi, ss->ss_opts->o_hz, period),
	};

	if (ss->ss_ops->so_moreflags != NULL && !hidden)
		rq.dtrq_evtflags |= ss->ss_ops->so_moreflags(ss->ss_arg, pi);
	if (dt_ioctl(ss->ss_dt, DTIOCPRBENABLE, &rq) == -1)
		return errno == EEXIST ? 0 : -1; /* two globs meet */
	ss->ss_nenabled++;
	names_add_info(&ss->ss_names, pi);
	out_enabled(&ss->ss_out, pi->dtpi_pbn);
	return 1;
}

/* Enables one; for --until, its events are what ends the recording. */
static int
session_add(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period, int isuntil)
{
	int hidden = isuntil && ss->ss_ops->so_hidesuntil, n;

	if ((n = session_enable_one(ss, pi, period, hidden)) == -1 || !isuntil)
		return n;
	map_get(&ss->ss_until, &pi->dtpi_pbn, sizeof(pi->dtpi_pbn))
	    ->me_count |= n;
	return n;
}

/* Enables the i-th of n probes, with its condition. */
static int
session_add_cond(struct session *ss, const struct dtioc_probe_info *pi,
    size_t n, size_t i, uint64_t period)
{
	struct dt_cond co;
	int added;

	if (ss->ss_cond == NULL)
		return session_add(ss, &pi[i], period, 0);
	if (!session_cond_make(ss, pi, n, i, &co))
		return 0;
	if ((added = session_add(ss, &pi[i], period, 0)) == 1)
		session_cond_set(ss, &pi[i], &co);
	return added;
}

/* A glob may hold probes that don't work here: they are left out, if only
 * some do. */
static void
session_enable_all(struct session *ss, const char *pattern, int isuntil)
{
	struct dtioc_probe_info *pi;
	char what[3 * DTNAMESIZE], why[256] = "", clock[DTNAMESIZE + 8];
	uint64_t period = period_clock(pattern, clock, sizeof(clock));
	ssize_t i, n, nfailed = 0;

	n = dt_lookup(ss->ss_dt, period != 0 ? clock : pattern, &pi);
	if (n == -1) {
		if (errno == ENOENT)
			deny_nomatch(ss->ss_dt, pattern);
		deny_ioctl(ss->ss_dt, pattern);
	}
	ss->ss_nfuncs += many_count(pi, n);
	if (ss->ss_nfuncs > MANY_FUNCS && !ss->ss_opts->o_force)
		many_refuse(ss->ss_dt, pattern, ss->ss_nfuncs);
	for (i = 0; i < n; i++) {
		if ((isuntil ? session_add(ss, &pi[i], period, 1)
			     : session_add_cond(ss, pi, n, i, period)) != -1)
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

void
session_enable(struct session *ss, const char *pattern)
{
	if (ss->ss_opts->o_isslower)
		session_pair_calls(ss, pattern);
	else
		session_enable_all(ss, pattern, 0);
}

/*
 * Meanwhile
 */

/* Whether this event ends the recording, as one of --until does. */
static int
session_triggers(struct session *ss, const struct dt_event *ev, int *hidden)
{
	const struct map_entry *e;

	*hidden = 0;
	if (ss->ss_until.mp_n == 0 ||
	    (e = map_find(&ss->ss_until, &ev->ev_rec->dr_pbn,
		 sizeof(ev->ev_rec->dr_pbn))) == NULL)
		return 0;
	*hidden = e->me_count != 0 && ss->ss_ops->so_hidesuntil;
	ss->ss_trigger = names_probe(&ss->ss_names, ev->ev_rec->dr_pbn);
	ss->ss_triggerpid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL)
		snprintf(ss->ss_triggercomm, sizeof(ss->ss_triggercomm), "%s",
		    ev->ev_comm);
	return 1;
}

static void
session_event(struct session *ss, const struct dt_event *ev)
{
	int hidden;

	ss->ss_lasttime = ev->ev_rec->dr_time;
	ss->ss_out.out_lowwater = dt_lowwater(ss->ss_dt);
	if (session_triggers(ss, ev, &hidden))
		ss->ss_full = 1;
	if (hidden)
		return;
	ss->ss_shown++;
	if (ss->ss_ops->so_event(ss->ss_arg, ev) == -1)
		ss->ss_full = 1;
}

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
		if (!ss->ss_full)
			session_event(ss, &ev);
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
	if (ss->ss_saveat != 0 && ss->ss_saveat + SESSION_SAVE < next)
		next = ss->ss_saveat + SESSION_SAVE;
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
	ss->ss_out.out_lowwater = dt_lowwater(ss->ss_dt);
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

	if (out_isover(&ss->ss_out))
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

/*
 * A new SIGUSR1: all that had happened before it shall be written, so a
 * younger event is waited for, or a while without any.
 */
static void
session_save(struct session *ss, int busy)
{
	uint64_t now = session_now();
	struct ledger_run lr;
	struct dt_ledger dl;

	if (sigs_saves() != ss->ss_nsaves) {
		ss->ss_nsaves = sigs_saves();
		ss->ss_saveat = now;
	}
	if (ss->ss_saveat == 0 ||
	    (ss->ss_lasttime < ss->ss_saveat &&
		(busy || now < ss->ss_saveat + SESSION_SAVE)))
		return;
	dl = account_sofar(ss);
	lr = account_run(ss);
	lr.lr_end = ss->ss_saveat;
	ss->ss_saveat = 0;
	if (out_save(&ss->ss_out, &dl, &lr) == -1)
		ss->ss_full = 1;
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
		session_save(ss, busy);
	}
}

static void
session_start(struct session *ss)
{
	const struct opts *o = ss->ss_opts;
	int on = 1;

	/* what takes seconds a signal ends as it ends any program */
	if (ss->ss_nfuncs > MANY_FUNCS)
		many_start(ss->ss_dt, ss->ss_nfuncs);
	else
		sigs_init(o->o_command != NULL ? 2 : 1);
	if (dt_ioctl(ss->ss_dt, DTIOCRECORD, &on) == -1)
		deny_ioctl(ss->ss_dt, "recording");
	many_stop();
	sigs_init(o->o_command != NULL ? 2 : 1);
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
	unsigned int i;

	if (ss->ss_nenabled == 0)
		errx(1, "no probe is enabled");
	for (i = 0; i < ss->ss_opts->o_nuntil; i++)
		session_enable_all(ss, ss->ss_opts->o_until[i], 1);
	session_path(ss);
	session_start(ss);
	session_loop(ss);
	session_stop(ss);
	session_interval(ss, ss->ss_stop);
}

/*
 * After
 */

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
	struct ledger_run lr = account_run(ss);
	int error;

	ss->ss_out.out_late = lr.lr_late;
	if (!ss->ss_broken)
		out_ledger(&ss->ss_out, &ss->ss_ledger, &lr);
	if ((error = out_close(&ss->ss_out)) != 0 && error != EPIPE &&
	    !ss->ss_out.out_istold)
		warnx("output: %s", strerror(error));
	lr.lr_newest = ss->ss_out.out_newest;
	lr.lr_shown -= ss->ss_out.out_unwritten;
	if (!ss->ss_broken)
		account_print(ss, &lr);
	map_clear(&ss->ss_until);
	names_free(&ss->ss_names);
	dt_close(ss->ss_dt);
	session_cond_close(ss);
	session_wait_command(ss);
	return session_status(ss, error);
}
