/* SPDX-License-Identifier: ISC */
/*
 * A client that uses every request from open to close while a call may fail in
 * the daemon; afterwards nothing may be left in the daemon.
 */
#ifndef SEQ_H
#define SEQ_H

#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/held.h"
#include "tests/run/prog/prog.h"

#define SEQ_NHITS  100
#define SEQ_BUDGET 1		/* bytes: rounded up to the smallest rings */
#define SEQ_RING   (64UL << 10) /* bytes of each ring */

static struct prog_dtd *pd; /* NULL: private ones */
static struct held base;    /* of the service, at rest */
static struct held usual;   /* of a daemon that records */

enum step {
	STEP_OPEN,
	STEP_SETTINGS,
	STEP_ENABLE,
	STEP_CLOCK,
	STEP_INTERVAL,
	STEP_COUNT,
	STEP_RECORD,
	STEP_STOP,
	STEP_READ,
	STEP_SNAPSHOT,
	NSTEPS
};

static const char *const steps[NSTEPS] = { "open", "settings", "enable",
	"enable a clock", "enable an interval", "count", "record", "stop",
	"read", "snapshot" };

struct seq {
	const char *sq_what; /* that fails in the daemon, NULL: none */
	int64_t sq_nth;	     /* number of that call */
	/*
	 * Called when a step has failed with an error: ends the program if the
	 * error is wrong, returns whether the step may fail again.
	 */
	int (*sq_failure)(const struct seq *, enum step, int error);
	void (*sq_opened)(const struct seq *); /* after the settings, or NULL */
	struct dt *sq_dt;
	const char *sq_probe;
	long sq_call;	   /* number of the call that hits it */
	unsigned int sq_n; /* hits that were read */
	int sq_errno;	   /* of the step that failed */
	unsigned int sq_failed[NSTEPS];
};

static int
step_open(struct seq *sq)
{
	sq->sq_dt = pd != NULL ? dt_open(pd->pd_sock, DT_OPEN_SERVICE)
			       : dt_open("/nonexistent/dt", DT_OPEN_PRIVATE);
	return sq->sq_dt == NULL ? -1 : 0;
}

static int
step_settings(struct seq *sq)
{
	const struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_CHILDREN,
		.dtfi_pid = getpid() };
	uint64_t budget = SEQ_BUDGET;
	int self = 1;

	return dt_ioctl(sq->sq_dt, DTIOCSELF, &self) == -1 ||
		dt_ioctl(sq->sq_dt, DTIOCSFILTER, (void *)&fi) == -1 ||
		dt_ioctl(sq->sq_dt, DTIOCSBUDGET, &budget) == -1
	    ? -1
	    : 0;
}

static int
enable(struct seq *sq, const char *name, uint64_t nsecs)
{
	struct dtioc_req rq = { .dtrq_nsecs = nsecs };
	struct dtioc_probe_info *info;

	if (dt_lookup(sq->sq_dt, name, &info) != 1)
		return -1;
	rq.dtrq_pbn = info->dtpi_pbn;
	free(info);
	return dt_ioctl(sq->sq_dt, DTIOCPRBENABLE, &rq);
}

static int
step_enable(struct seq *sq)
{
	return enable(sq, sq->sq_probe, 0);
}

/* Two clocks that do not tick during the test. */
static int
step_clock(struct seq *sq)
{
	return enable(sq, "profile:hz:97", UINT64_C(1000000000000));
}

static int
step_interval(struct seq *sq)
{
	return enable(sq, "interval:hz:1", UINT64_C(1000000000000));
}

/* The ticks of the first clock. */
static int
step_count(struct seq *sq)
{
	struct dtioc_agg ia = { .dtag_maxrows = 10 };
	struct dtioc_probe_info *info;

	if (dt_lookup(sq->sq_dt, "profile:hz:97", &info) != 1)
		return -1;
	ia.dtag_pbn = info->dtpi_pbn;
	free(info);
	return dt_ioctl(sq->sq_dt, DTIOCSAGG, &ia);
}

static int
step_record(struct seq *sq)
{
	int on = 1;

	return dt_ioctl(sq->sq_dt, DTIOCRECORD, &on);
}

static int
step_stop(struct seq *sq)
{
	int on = 0;

	return dt_ioctl(sq->sq_dt, DTIOCRECORD, &on);
}

static int
step_read(struct seq *sq)
{
	struct dt_event ev;
	int r;

	while ((r = dt_next(sq->sq_dt, &ev, PROG_DEADLINE * 1000)) == 1)
		sq->sq_n++;
	if (r == 0)
		errx(1, "the end of a recording does not come");
	return r == -1 && errno == ENODATA ? 0 : -1;
}

/* If it is repeated, rows may be left. */
static int
step_snapshot(struct seq *sq)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	int r;

	if (dt_ioctl(sq->sq_dt, DTIOCAGGSNAP, &as) == -1 && errno != EBUSY)
		return -1;
	while ((r = dt_agg_next(sq->sq_dt, &row)) == 1)
		errx(1, "a row of a clock that does not tick");
	return r;
}

static int (*const step_fns[NSTEPS])(struct seq *) = { step_open, step_settings,
	step_enable, step_clock, step_interval, step_count, step_record,
	step_stop, step_read, step_snapshot };

static pid_t
daemon_pid(void)
{
	char path[64];
	int pid;
	FILE *f;

	if (pd != NULL)
		return pd->pd_pid;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
	    (int)getpid());
	if ((f = fopen(path, "re")) == NULL || fscanf(f, "%d", &pid) != 1)
		errx(1, "no private daemon");
	fclose(f);
	return pid;
}

/* Returns the first descriptor that usual does not have, by name. */
static const char *
unusual_fd(const struct held *now)
{
	unsigned int i;

	for (i = 0; i < now->he_nfds && i < usual.he_nfds; i++)
		if (strcmp(now->he_fds[i], usual.he_fds[i]) != 0)
			return now->he_fds[i];
	return i < now->he_nfds ? now->he_fds[i] : "(one less)";
}

/* Returns whether all kinds have as many objects as usual; their ids differ. */
static int
is_usual(const struct held *now)
{
	int k;

	for (k = 0; k < NKIND; k++)
		if (now->he_ids[k].is_n != usual.he_ids[k].is_n)
			return 0;
	return now->he_nfds == usual.he_nfds;
}

/*
 * While recording: all clients of a run hold the same as the first.  Waits for
 * temporary resources to be released.
 */
static void
check_usual(const struct seq *sq)
{
	int64_t end = prog_now() + 10 * INT64_C(1000000000);
	static struct held now;

	for (;;) {
		held_get(&now, daemon_pid());
		if (usual.he_nfds == 0)
			usual = now;
		if (is_usual(&now))
			return;
		if (prog_now() > end)
			errx(1,
			    "%s %lld: %u programs, %u maps, %u links, %u "
			    "descriptors, usual are %u, %u, %u, %u: %s",
			    sq->sq_what, (long long)sq->sq_nth,
			    now.he_ids[PROG].is_n, now.he_ids[MAP].is_n,
			    now.he_ids[LINK].is_n, now.he_nfds,
			    usual.he_ids[PROG].is_n, usual.he_ids[MAP].is_n,
			    usual.he_ids[LINK].is_n, usual.he_nfds,
			    unusual_fd(&now));
		usleep(2000);
	}
}

/* Runs one step; a failed step is repeated.  Returns 0 or -1. */
static int
run_step(struct seq *sq, enum step step, int again)
{
	int try, for_good;

	for (try = 0; try < 2; try++) {
		if (step_fns[step](sq) == 0)
			return 0;
		sq->sq_failed[step]++;
		/* a client that was refused and closed must begin again */
		if (try == 1 && errno == EPIPE)
			return -1;
		sq->sq_errno = errno;
		if (sq->sq_what == NULL)
			err(1, "%s: %s", steps[step], dt_error(sq->sq_dt));
		for_good = sq->sq_failure(sq, step, sq->sq_errno);
		if (!again || (try == 1 && for_good))
			return -1;
	}
	errx(1, "%s %lld: %s fails again: %s", sq->sq_what,
	    (long long)sq->sq_nth, steps[step], dt_error(sq->sq_dt));
}

static void
check_ledger(const struct seq *sq)
{
	struct dt_ledger dl;

	prog_ledger(sq->sq_dt, NULL, sq->sq_n, &dl);
	if (dl.dl_fired != SEQ_NHITS || dl.dl_read != SEQ_NHITS)
		errx(1, "%s %lld: fired %llu, read %llu, made %d",
		    sq->sq_what != NULL ? sq->sq_what : "clean",
		    (long long)sq->sq_nth, dl.dl_fired, dl.dl_read, SEQ_NHITS);
}

/* Runs all steps, up to a failure. */
static void
run_seq(struct seq *sq, int again)
{
	int step, i;

	for (step = 0; step < NSTEPS; step++) {
		if (run_step(sq, step, again) == -1)
			break;
		if (step == STEP_SETTINGS && sq->sq_opened != NULL)
			sq->sq_opened(sq);
		if (step == STEP_RECORD) {
			for (i = 0; i < SEQ_NHITS; i++)
				syscall(sq->sq_call);
			if (again)
				check_usual(sq);
		}
	}
	if (step == NSTEPS)
		check_ledger(sq);
	dt_close(sq->sq_dt);
}

/* Checks the opens and closes in the daemon's log. */
static int
all_closed(void *arg)
{
	char line[256];
	FILE *f = fopen(pd->pd_log, "re");
	int n = 0;

	(void)arg;
	if (f == NULL)
		err(1, "%s", pd->pd_log);
	while (fgets(line, sizeof(line), f) != NULL)
		n += strncmp(line, "dtd: open ", 10) == 0 &&
			strstr(line, ": process ") != NULL
		    ? 1
		    : -(strncmp(line, "dtd: close ", 11) == 0);
	fclose(f);
	return n == 0;
}

struct look {
	struct held lo_now;
	char lo_what[200];
};

static int
is_as_before(void *arg)
{
	struct look *lo = arg;

	held_get(&lo->lo_now, pd->pd_pid);
	return !held_differs(&base, &lo->lo_now, lo->lo_what,
	    sizeof(lo->lo_what));
}

static void
expect_as_before(const char *what, int64_t nth)
{
	static struct look lo;
	int64_t end = prog_now() + 20 * INT64_C(1000000000);

	if (pd == NULL)
		return; /* it has ended */
	while (!is_as_before(&lo)) {
		if (prog_now() > end)
			errx(1, "after %s %lld: %s", what, (long long)nth,
			    lo.lo_what);
		usleep(2000);
	}
}

/* Another client, with another probe. */
static void
run_clean(void)
{
	struct seq sq = { .sq_probe = "syscall:getuid:entry",
		.sq_call = SYS_getuid };

	run_seq(&sq, 0);
	if (pd != NULL)
		prog_wait(all_closed, NULL, "the end of a clean client");
}

/*
 * Opens a first session, which creates everything that is created once.  tight:
 * the limit of ring bytes allows one session at a time, so rings must be
 * released.
 */
static void
seq_start(struct prog_dtd *dtd, int tight)
{
	struct seq sq = { .sq_probe = "syscall:getppid:entry",
		.sq_call = SYS_getppid };
	char conf[64];
	struct dt *dt;

	snprintf(conf, sizeof(conf), "ring-bytes = %lu\n",
	    SEQ_RING * libbpf_num_possible_cpus());
	prog_dtd_start(dtd, tight ? conf : NULL);
	pd = dtd;
	dt = prog_open(pd, 0);
	prog_budget(dt, SEQ_BUDGET);
	prog_load_all(dt, 0);
	dt_close(dt);
	prog_wait(all_closed, NULL, "the end of who has everything loaded");
	run_seq(&sq, 0);
	prog_wait(all_closed, NULL, "the end of the first client");
	held_get_resting(&base, pd->pd_pid);
}

#endif /* SEQ_H */
