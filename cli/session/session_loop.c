/* SPDX-License-Identifier: ISC */
/*
 * The main loop of a recording session: waits for events, the command, a signal
 * or a timeout, and passes events on; session.c prints what ended it.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/session/progress.h"
#include "cli/session/session.h"
#include "cli/session/session_ledger.h"
#include "cli/session/session_loop.h"
#include "common/clock.h"

#define SESSION_BATCH 4096	/* events between checks of signals and time */
#define SESSION_READS 256	/* events between two reads ahead */
#define SESSION_KEPT  250000000 /* ns until the next flush of the output */
#define SESSION_LINES 64	/* bytes of stdin that are read at once */
#define SESSION_SAVE  100000000 /* ns by which most events are late at most */

/*
 * Ends the recording if the event is one of --until.  Returns whether it is
 * hidden.
 */
static int
session_trigger(struct session *ss, const struct dt_event *ev)
{
	const struct hash_entry *e = hash_find(&ss->ss_until,
	    &ev->ev_rec->dr_pbn, sizeof(ev->ev_rec->dr_pbn));

	if (e == NULL)
		return 0;
	ss->ss_full = 1;
	ss->ss_trigger = name_cache_probe(&ss->ss_names, ev->ev_rec->dr_pbn);
	ss->ss_triggerpid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL)
		snprintf(ss->ss_triggercomm, sizeof(ss->ss_triggercomm), "%s",
		    ev->ev_comm);
	return e->he_count != 0 && ss->ss_ops->so_hidesuntil;
}

/*
 * Handles a dt_next() without an event, which returned n.  Returns like
 * session_batch().
 */
static int
session_no_event(struct session *ss, int n)
{
	if (n == 0)
		return 0;
	if (errno == EINTR)
		return 1;
	if (errno != ENODATA) {
		warnx("the recording failed: %s", dt_error(ss->ss_dt));
		ss->ss_broken = 1;
	}
	return -1;
}

/*
 * Passes on the pending events, up to a batch.  Returns 1 if there may be more,
 * 0 if not, -1 if the recording was stopped and all is read, or if it broke.
 */
static int
session_batch(struct session *ss)
{
	struct dt_event ev;
	unsigned int i;
	int n;

	ss->ss_hasahead = 0;
	if (ss->ss_full)
		stack_wait_end(&ss->ss_events);
	stack_wait_request(&ss->ss_events, clock_monotonic());
	for (i = 0; i < SESSION_BATCH; i++) {
		if (ss->ss_ahead != 0 && i % SESSION_READS == 0)
			dt_readahead(ss->ss_dt, ss->ss_ahead);
		n = ss->ss_haswaits ? stack_wait_next(&ss->ss_events, &ev)
				    : dt_next(ss->ss_dt, &ev, 0);
		if (n != 1)
			return session_no_event(ss, n);
		if (ss->ss_full)
			continue;
		ss->ss_lasttime = ev.ev_rec->dr_time;
		if (ss->ss_until.ha_n != 0 && session_trigger(ss, &ev))
			continue;
		ss->ss_shown++;
		n = ss->ss_calls != NULL
		    ? calls_event(ss->ss_calls, &ev)
		    : ss->ss_ops->so_event(ss->ss_arg, &ev);
		if (n == -1) {
			ss->ss_full = 1;
			break; /* the rest is dropped after the last output */
		}
	}
	return 1;
}

/* Losses of such hits are no reason for a larger buffer. */
void
session_counted(struct session *ss, uint64_t n)
{
	ss->ss_shown += n;
	ss->ss_checked += n;
}

void
session_interval(struct session *ss, uint64_t now)
{
	if (ss->ss_ops->so_interval == NULL)
		return;
	ss->ss_ops->so_interval(ss->ss_arg, now - ss->ss_lastint);
	ss->ss_lastint = now;
}

/* Returns the nanoseconds from now to a time, -1 if that is UINT64_MAX. */
static int64_t
session_until(uint64_t time, uint64_t now)
{
	if (time == UINT64_MAX)
		return -1;
	return time > now ? (int64_t)(time - now) : 0;
}

/*
 * Returns the nanoseconds until the next timeout, -1 if there is none. idle:
 * time at which ss_ops wants to be called.
 */
static int64_t
session_timeout(const struct session *ss, uint64_t now, uint64_t idle, int kept)
{
	const struct opts *o = ss->ss_opts;
	uint64_t next = idle != 0 ? idle : UINT64_MAX, t;

	if (ss->ss_stop == 0 && o->o_duration != 0) {
		t = ss->ss_start + o->o_duration;
		next = t < next ? t : next;
	}
	if (ss->ss_stop == 0 && ss->ss_ops->so_nsecs != 0) {
		t = ss->ss_lastint + ss->ss_ops->so_nsecs;
		next = t < next ? t : next;
	}
	if (ss->ss_saveat != 0 && ss->ss_saveat + SESSION_SAVE < next)
		next = ss->ss_saveat + SESSION_SAVE;
	if (kept && now + SESSION_KEPT < next)
		next = now + SESSION_KEPT;
	/* the last events may have been the end of a burst */
	if (ss->ss_stop == 0 && ss->ss_shown != ss->ss_checked &&
	    losses_due(&ss->ss_losing) < next)
		next = losses_due(&ss->ss_losing);
	if (progress_due(ss) < next)
		next = progress_due(ss);
	if (stack_wait_due(&ss->ss_events) < next)
		next = stack_wait_due(&ss->ss_events);
	return session_until(next, now);
}

/*
 * Called without pending events, or after the last one that is wanted: flushes
 * the output.  Returns as above.
 */
static int64_t
session_idle(struct session *ss)
{
	uint64_t now = clock_monotonic(), idle = 0;
	int kept;

	if (ss->ss_calls != NULL)
		idle = calls_idle(ss->ss_calls, now);
	else if (ss->ss_ops->so_idle != NULL)
		idle = ss->ss_ops->so_idle(ss->ss_arg, now);
	kept = ss->ss_consumer.cns_ops->cso_idle(ss->ss_consumer.cns_arg);
	return session_timeout(ss, now, idle, kept);
}

/* Ends an interval for each line of stdin. */
static void
session_lines(struct session *ss)
{
	char text[SESSION_LINES];
	ssize_t i, n = read(STDIN_FILENO, text, sizeof(text));

	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		ss->ss_eof = 1;
	for (i = 0; i < n; i++)
		if (text[i] == '\n')
			session_interval(ss, clock_monotonic());
}

/*
 * Waits for events (unless some are pending), the command, a closed output, a
 * line of stdin, a signal, or the next timeout.
 */
static void
session_wait(struct session *ss, int busy)
{
	/* first: the output may switch to another file (--rotate) */
	int64_t nsecs = busy && !ss->ss_full ? 0 : session_idle(ss);
	const struct consumer *cn = &ss->ss_consumer;
	struct pollfd pfd[] = {
		{ .fd = busy ? -1 : dt_fd(ss->ss_dt), .events = POLLIN },
		{ .fd = ss->ss_command.cd_pidfd, .events = POLLIN },
		{ .fd = ss->ss_full ? -1 : cn->cns_ops->cso_fd(cn->cns_arg) },
		{ .fd = ss->ss_ops->so_islines ? STDIN_FILENO : -1,
		    .events = POLLIN },
	};

	if (cn->cns_ops->cso_isover(cn->cns_arg))
		ss->ss_full = 1;
	/* the socket is not readable for what was read while dt wrote */
	if (sigs_poll(pfd, 4, ss->ss_full || ss->ss_hasahead ? 0 : nsecs) == -1)
		return;
	/* a pipe without a reader reports it before a write */
	if (pfd[2].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		ss->ss_full = 1;
		cn->cns_ops->cso_hangup(cn->cns_arg);
	}
	if (pfd[1].revents != 0)
		command_wait(&ss->ss_command, 0);
	if (pfd[3].revents != 0)
		session_lines(ss);
}

void
session_signal(struct session *ss)
{
	int byprocess, n = sigs_count(&ss->ss_signo, &byprocess);

	if (n == ss->ss_nsignals)
		return;
	ss->ss_nsignals = n;
	if (ss->ss_command.cd_pid == 0 || ss->ss_command.cd_ended)
		return;
	/* the terminal sent it to the command as well, unless that hung up */
	if (byprocess || ss->ss_signo != SIGINT)
		command_kill(&ss->ss_command, ss->ss_signo);
	ss->ss_left = n > 1;
}

/*
 * Handles a new SIGUSR1: all earlier events have to be written, so it waits for
 * a younger event, or for a while without any.
 */
static void
session_save(struct session *ss, int busy)
{
	uint64_t now = clock_monotonic();
	struct ledger_run lr;
	struct dt_ledger dl;

	if (sigs_saves() != ss->ss_nsaves) {
		ss->ss_nsaves = sigs_saves();
		ss->ss_saveat = now;
	}
	if (ss->ss_saveat == 0 ||
	    (ss->ss_lasttime < ss->ss_saveat &&
		(busy || now < ss->ss_saveat + SESSION_SAVE ||
		    stack_wait_due(&ss->ss_events) != UINT64_MAX)))
		return;
	dl = session_ledger_sofar(ss);
	lr = session_ledger_run(ss);
	lr.lr_end = ss->ss_saveat;
	ss->ss_saveat = 0;
	if (ss->ss_consumer.cns_ops->cso_save(ss->ss_consumer.cns_arg, &dl,
		&lr) == -1)
		ss->ss_full = 1;
}

static int
session_is_over(const struct session *ss, uint64_t now)
{
	const struct opts *o = ss->ss_opts;

	if (ss->ss_full || ss->ss_eof)
		return 1;
	if (o->o_duration != 0 && now >= ss->ss_start + o->o_duration)
		return 1;
	if (ss->ss_command.cd_pid != 0)
		return ss->ss_command.cd_ended || ss->ss_left;
	return ss->ss_nsignals > 0;
}

/* Without new events there are no new losses. */
static void
session_losing(struct session *ss, uint64_t now)
{
	if (ss->ss_shown == ss->ss_checked || now < losses_due(&ss->ss_losing))
		return;
	ss->ss_checked = ss->ss_shown;
	losses_check(&ss->ss_losing, ss->ss_dt, now);
}

void
session_loop(struct session *ss)
{
	uint64_t now, nsecs = ss->ss_ops->so_nsecs;
	int busy = 0;

	for (;;) {
		session_wait(ss, busy);
		session_signal(ss);
		now = clock_monotonic();
		if (session_is_over(ss, now))
			return;
		if (nsecs != 0 && now >= ss->ss_lastint + nsecs)
			session_interval(ss, now);
		session_losing(ss, now);
		progress_show(ss, now);
		if ((busy = session_batch(ss)) == -1) {
			ss->ss_ended = 1; /* by the daemon, if not broken */
			return;
		}
		session_save(ss, busy);
	}
}

void
session_drain(struct session *ss)
{
	struct pollfd pfd = { .fd = dt_fd(ss->ss_dt), .events = POLLIN };
	uint64_t due;
	int n, off = 0;

	/*
	 * dtd has exited: its last messages are still readable, possibly with
	 * an END
	 */
	if (dt_ioctl(ss->ss_dt, DTIOCRECORD, &off) == -1 && errno != EPIPE)
		errx(1, "cannot stop the recording: %s", dt_error(ss->ss_dt));
	ss->ss_stop = clock_monotonic();
	while ((n = session_batch(ss)) != -1) {
		due = stack_wait_due(&ss->ss_events);
		sigs_poll(&pfd, 1,
		    n == 0 ? session_until(due, clock_monotonic()) : 0);
	}
}
