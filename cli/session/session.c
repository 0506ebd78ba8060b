/* SPDX-License-Identifier: ISC */
/*
 * The course of a session: open, enable, record, read until something ends it,
 * stop, read the rest, print the ledger.
 *
 * A session ends by -d, the end of the command, a signal, an event of a probe
 * of --until, a subcommand that has enough, or an output without a reader.
 * With a command, the first signal is left to the command and ends the
 * recording only through its end; the second ends the recording; the third
 * kills dt (sigs.c).
 *
 * With -o, SIGUSR1 writes the events up to it and the recording continues, see
 * cso_save of consumer.h.  Without -o, SIGUSR1 has its default action.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/hash.h"
#include "cli/base/sigs.h"
#include "cli/out/out_ledger.h"
#include "cli/procs/call_effects.h"
#include "cli/session/attach_cost.h"
#include "cli/session/progress.h"
#include "cli/session/refusal.h"
#include "cli/session/session.h"
#include "cli/session/session_ledger.h"
#include "cli/session/session_loop.h"
#include "cli/sym/cgroup.h"
#include "common/clock.h"

#define SESSION_MAXBUDGET (UINT64_C(64) << 20) /* default of --buffer-max */
#define SESSION_AHEAD	  16 /* times as much is read ahead at most */
#define SESSION_FREE	  2  /* part of the free memory that this may take */

/* Start */

static void
session_filter(struct session *ss)
{
	struct dtioc_filter fi = ss->ss_opts->o_filter;

	if (ss->ss_opts->o_command != NULL && !ss->ss_opts->o_whose.owh_all &&
	    fi.dtfi_set == 0 && ss->ss_opts->o_select.ose_npids == 0) {
		fi.dtfi_set = DTFI_PID | DTFI_ONEXEC;
		if (!ss->ss_opts->o_whose.owh_noinherit)
			fi.dtfi_set |= DTFI_CHILDREN;
		fi.dtfi_pid = ss->ss_command.cd_pid;
	}
	if (ss->ss_opts->o_select.ose_cgroup != NULL) {
		fi.dtfi_set |= DTFI_CGROUP;
		cgroup_find(ss->ss_opts->o_select.ose_cgroup, &fi.dtfi_cgroup,
		    &fi.dtfi_cgrouplevel);
	}
	if (fi.dtfi_set != 0 && dt_ioctl(ss->ss_dt, DTIOCSFILTER, &fi) == -1)
		refusal_ioctl(ss->ss_dt, "filter");
}

/* Sets the daemon's path filter, which takes the beginning of a long prefix. */
static void
session_path(struct session *ss)
{
	struct dtioc_path ph = { 0 };

	if (ss->ss_opts->o_select.ose_path == NULL)
		return;
	strncpy(ph.dtph_prefix, ss->ss_opts->o_select.ose_path,
	    sizeof(ph.dtph_prefix) - 1);
	if (dt_ioctl(ss->ss_dt, DTIOCSPATH, &ph) == -1 && errno != ENOTTY)
		refusal_ioctl(ss->ss_dt, "--path");
}

/*
 * Checks that the ids of the filter exist, since a filter for others would wait
 * forever.
 */
static void
session_check_ids(const struct opts *o)
{
	const struct dtioc_filter *fi = &o->o_filter;
	const struct opts_select *ose = &o->o_select;
	unsigned int i;

	for (i = 0; i < ose->ose_npids; i++)
		if (ose->ose_pids[i] > 0 && kill(ose->ose_pids[i], 0) == -1 &&
		    errno == ESRCH)
			errx(1, "there is no process %u", ose->ose_pids[i]);
	if (fi->dtfi_set & DTFI_TID && fi->dtfi_tid > 0 &&
	    kill(fi->dtfi_tid, 0) == -1 && errno == ESRCH)
		errx(1, "there is no thread %u", fi->dtfi_tid);
}

/*
 * Sets the initial size and the limit of the rings.  An older daemon has rings
 * of a fixed size.
 */
static void
session_buffer(struct session *ss)
{
	const struct opts *o = ss->ss_opts;
	uint64_t budget = o->o_limits.oli_buffer ? o->o_limits.oli_buffer
						 : ss->ss_ops->so_budget;

	ss->ss_maxbudget = o->o_limits.oli_buffermax ? o->o_limits.oli_buffermax
						     : SESSION_MAXBUDGET;
	if (budget != 0 && dt_ioctl(ss->ss_dt, DTIOCSBUDGET, &budget) == -1)
		refusal_ioctl(ss->ss_dt,
		    o->o_limits.oli_buffer ? "--buffer" : "buffer");
	if (dt_ioctl(ss->ss_dt, DTIOCSMAXBUDGET, &ss->ss_maxbudget) != -1)
		return;
	if (o->o_limits.oli_buffermax != 0 || errno != ENOTTY)
		refusal_ioctl(ss->ss_dt, "--buffer-max");
	ss->ss_maxbudget = 0;
}

static int
session_read_ahead(void *arg)
{
	struct session *ss = arg;

	if (dt_readahead(ss->ss_dt, ss->ss_ahead) == 0)
		return 0;
	ss->ss_hasahead = 1;
	return 1;
}

/*
 * Sets how much is read ahead.  The traced programs run while dt prints, and
 * may make more events meanwhile than the rings of a user may keep.
 */
static void
session_ahead(struct session *ss)
{
	const uint64_t max = ss->ss_opts->o_limits.oli_buffermax;
	uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) *
	    sysconf(_SC_PAGESIZE) / SESSION_FREE;

	if (!ss->ss_ops->so_readsahead)
		return;
	ss->ss_ahead = SESSION_AHEAD * (max != 0 ? max : SESSION_MAXBUDGET);
	if (ss->ss_ahead > room)
		ss->ss_ahead = room;
	sigs_meanwhile(dt_fd(ss->ss_dt), session_read_ahead, ss);
}

void
session_open(struct session *ss, const struct opts *opts,
    const struct session_ops *ops, void *arg)
{
	int on = 1;

	memset(ss, 0, sizeof(*ss));
	ss->ss_opts = opts;
	ss->ss_ops = ops;
	ss->ss_arg = arg;
	command_init(&ss->ss_command);
	session_cond_open(ss);
	session_check_ids(opts);
	sigs_early();
	if (opts->o_file.ofi_name != NULL)
		sigs_hold();
	/* events younger than the trigger have to follow it */
	ss->ss_dt = refusal_open(opts->o_socket,
	    (opts->o_until.oun_n ? DT_OPEN_ORDERED : ops->so_openflags) |
		(opts->o_socket != NULL ? DT_OPEN_SERVICE : 0));
	stack_wait_init(&ss->ss_events, ss->ss_dt);
	if (opts->o_whose.owh_self && dt_ioctl(ss->ss_dt, DTIOCSELF, &on) == -1)
		refusal_ioctl(ss->ss_dt, "--self");
	if (opts->o_limits.oli_nolimit &&
	    dt_ioctl(ss->ss_dt, DTIOCNOLIMIT, &on) == -1)
		refusal_ioctl(ss->ss_dt, "--no-limit");
	session_buffer(ss);
	session_ahead(ss);
	/* the daemon prepares the filter while dt enables probes */
	if (opts->o_command != NULL)
		command_start(&ss->ss_command, opts->o_command);
	session_filter(ss);
	name_cache_init(&ss->ss_names, ss->ss_dt);
	ss->ss_names.nm_symflags = opts->o_print.opi_lines ? DT_SYM_LINES : 0;
}

void
session_consume(struct session *ss, const struct consumer *consumer)
{
	ss->ss_consumer = *consumer;
}

/* Starts the recording, without the probes that the kernel refuses. */
static void
session_record(struct session *ss)
{
	int on = 1;

	while (dt_ioctl(ss->ss_dt, DTIOCRECORD, &on) == -1)
		if (errno != EADDRNOTAVAIL || session_drop_refused(ss) == 0)
			refusal_ioctl(ss->ss_dt, "recording");
}

static void
session_start(struct session *ss)
{
	const struct opts *o = ss->ss_opts;

	/* a signal during these seconds ends dt at once */
	if (ss->ss_nfuncs > ATTACH_COST_FUNCS)
		attach_cost_start(ss->ss_dt, ss->ss_nfuncs);
	else
		sigs_init(o->o_command != NULL ? 2 : 1);
	session_record(ss);
	attach_cost_stop();
	sigs_init(o->o_command != NULL ? 2 : 1);
	ss->ss_start = ss->ss_lastint = clock_monotonic();
	if (ss->ss_ops->so_started != NULL)
		ss->ss_ops->so_started(ss->ss_arg);
	progress_begin(ss);
	command_go(&ss->ss_command);
	name_cache_ahead(&ss->ss_names);
	if (o->o_command == NULL && o->o_duration == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "Recording... Ctrl-C stops\n");
}

/* The daemon may have stopped it already, and then everything was read. */
static void
session_stop(struct session *ss)
{

	ss->ss_stop = clock_monotonic();
	if (ss->ss_signo == SIGINT && isatty(STDERR_FILENO))
		fputc('\n', stderr); /* after the terminal's ^C */
	if (ss->ss_broken)
		return;
	if (dt_ioctl(ss->ss_dt, DTIOCGFULLSTAT, &ss->ss_stat) == -1)
		memset(&ss->ss_stat, 0, sizeof(ss->ss_stat));
	/* older daemons do not know the request */
	if (ss->ss_ops->so_wantspending)
		(void)dt_ioctl(ss->ss_dt, DTIOCGPENDING, &ss->ss_pending);
	if (!ss->ss_ended)
		session_drain(ss);
	if (!ss->ss_broken && dt_ledger(ss->ss_dt, &ss->ss_ledger) == -1)
		errx(1, "no ledger: %s", dt_error(ss->ss_dt));
}

void
session_run(struct session *ss)
{
	unsigned int i;

	if (ss->ss_nenabled == 0)
		errx(1, "no probe is enabled");
	for (i = 0; i < ss->ss_opts->o_until.oun_n; i++)
		session_enable_all(ss, ss->ss_opts->o_until.oun_patterns[i], 1);
	session_path(ss);
	session_start(ss);
	session_loop(ss);
	progress_hide(ss);
	session_stop(ss);
	session_interval(ss, ss->ss_stop);
}

uint64_t
session_lowwater(const void *arg)
{
	const struct session *ss = arg;

	return stack_wait_lowwater(&ss->ss_events);
}

/* End */

/* Waits for the status of a command that runs longer than the recording. */
static void
session_wait_command(struct session *ss)
{
	struct pollfd pfd = { .events = POLLIN };

	if (ss->ss_command.cd_pid == 0)
		return;
	if (!command_wait(&ss->ss_command, 0) && !ss->ss_left &&
	    isatty(STDERR_FILENO))
		fprintf(stderr, "Waiting for the command to end...\n");
	while (!command_wait(&ss->ss_command, 0) && !ss->ss_left) {
		pfd.fd = ss->ss_command.cd_pidfd;
		sigs_poll(&pfd, 1, -1);
		session_signal(ss);
	}
}

static int
session_status(const struct session *ss, int outerror)
{
	if (ss->ss_broken || (outerror != 0 && outerror != EPIPE))
		return 1;
	if (ss->ss_left && !ss->ss_command.cd_ended)
		return 128 + ss->ss_signo;
	if (ss->ss_command.cd_status != 0)
		return ss->ss_command.cd_status;
	if (ss->ss_ledger.dl_flags & (DT_LEDGER_STOPPED | DT_LEDGER_ENDED))
		return 1;
	if (ss->ss_opts->o_strict && ledger_lost(&ss->ss_ledger) > 0)
		return 3;
	/*
	 * ends as other programs do whose output has no reader: the shell
	 * reports 141 and prints nothing
	 */
	if (outerror == EPIPE)
		sigs_die(SIGPIPE);
	return 0;
}

int
session_end(struct session *ss)
{
	const struct consumer *cn = &ss->ss_consumer;
	struct ledger_run lr = session_ledger_run(ss);
	int error, isreported;

	if (!ss->ss_broken)
		cn->cns_ops->cso_ledger(cn->cns_arg, &ss->ss_ledger, &lr);
	error = cn->cns_ops->cso_close(cn->cns_arg, &lr, &isreported);
	if (error != 0 && error != EPIPE && !isreported)
		warnx("%s: %s",
		    ss->ss_opts->o_file.ofi_name != NULL
			? ss->ss_opts->o_file.ofi_name
			: "output",
		    strerror(error));
	if (!ss->ss_broken)
		session_ledger_print(ss, &lr);
	else
		session_ledger_broken(&lr);
	hash_clear(&ss->ss_until);
	free(ss->ss_probes);
	name_cache_free(&ss->ss_names);
	stack_wait_free(&ss->ss_events);
	sigs_meanwhile(-1, NULL, NULL);
	dt_close(ss->ss_dt);
	session_cond_close(ss);
	session_wait_command(ss);
	return session_status(ss, error);
}
