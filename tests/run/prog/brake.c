/* SPDX-License-Identifier: ISC */
/*
 * brake cost|rest|burst|race [-n ROUNDS]
 *
 * The cost that dtd measures, and how it stops a session.
 *
 * cost		the reported cost is roughly the slowdown of a loop of calls
 * rest		while no session records, no timer runs and no statistics are on
 * burst	a storm that is over before the next measurement stops no
 *		session
 * race		sessions that stop, start, disable and close while dtd stops
 *		them: each run adds up, and each stopped run has its note
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define CALLS	2000	     /* between two reads of the clock */
#define WARM	200000000LL  /* ns of CPU time, to measure a call */
#define WINDOWS 3500000000LL /* ns: four windows of dtd */
#define ALL	1000000.0    /* dtfs_cost of the whole machine */
#define FACTOR	2.0	     /* allowed error of the cost */
#define STACKS	(DTEVT_KSTACK | DTEVT_USTACK)
#define ENTRY	"syscall:getppid:entry"

/* Counters of the calling child, in shared memory. */
struct load {
	volatile int64_t ld_calls;
	volatile int64_t ld_nsecs; /* CPU time of these calls */
};

static int64_t
used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Makes calls until it is killed. */
static pid_t
storm(struct load *ld)
{
	pid_t pid = prog_fork();
	int i;

	if (pid != 0)
		return pid;
	for (;;) {
		for (i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		ld->ld_calls += CALLS;
		ld->ld_nsecs = used();
	}
}

static void
storm_end(pid_t pid)
{
	if (kill(pid, SIGKILL) == -1 || waitpid(pid, NULL, 0) != pid)
		err(1, "storm");
}

static void
fullstat(struct dt *dt, struct dtioc_fullstat *fs)
{
	if (dt_ioctl(dt, DTIOCGFULLSTAT, fs) == -1)
		errx(1, "statistics: %s", dt_error(dt));
}

/* Reads to END.  Returns the number of events. */
static uint64_t
read_all(struct dt *dt)
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while ((r = dt_next(dt, &ev, PROG_DEADLINE * 1000)) == 1)
		n++;
	if (r == 0)
		errx(1, "no END came");
	if (errno != ENODATA)
		err(1, "read");
	return n;
}

/*
 * cost
 */

static struct prog_dtd *daemon_of;

static int
was_measured(void *arg)
{
	struct dtioc_fullstat fs;

	fullstat(arg, &fs);
	return fs.dtfs_costrun != UINT64_MAX;
}

static int
is_warm(void *arg)
{
	const struct load *ld = arg;

	return ld->ld_nsecs > WARM;
}

/* Reads for nsecs. */
static void
read_for(struct dt *dt, int64_t nsecs)
{
	int64_t end = prog_now() + nsecs;
	struct dt_event ev;

	while (prog_now() < end)
		if (dt_next(dt, &ev, 10) == -1)
			err(1, "read");
}

/*
 * Returns the factor between the reported cost and the CPU time that the
 * child's calls took more than before.
 */
static double
compare(struct dt *dt, const struct load *ld, double plain)
{
	double share, calls, nsecs, begin = prog_now();
	struct dtioc_fullstat fs;

	prog_record(dt, 1);
	calls = ld->ld_calls;
	nsecs = ld->ld_nsecs;
	read_for(dt, WINDOWS);
	calls = ld->ld_calls - calls;
	nsecs = ld->ld_nsecs - nsecs;
	fullstat(dt, &fs);
	share = (nsecs - calls * plain) / (prog_now() - begin) /
	    sysconf(_SC_NPROCESSORS_ONLN);
	prog_record(dt, 0);
	read_all(dt);
	printf("slower: %.0f, measured: %.0f millionths\n", share * ALL,
	    (double)fs.dtfs_costrun);
	return share * ALL / fs.dtfs_costrun;
}

static void
brake_cost(long rounds)
{
	struct dt *dt = prog_open(daemon_of, 0);
	struct load *ld = prog_shared(sizeof(*ld));
	pid_t pid = storm(ld);
	double plain, by;

	prog_wait(is_warm, ld, "CPU time");
	plain = (double)ld->ld_nsecs / ld->ld_calls;
	prog_filter(dt, pid);
	prog_enable(dt, ENTRY, STACKS, 0);
	do
		by = compare(dt, ld, plain);
	while (!(by < FACTOR && by > 1 / FACTOR) && rounds-- > 1);
	if (!(by < FACTOR && by > 1 / FACTOR))
		errx(1, "the figure is off by %.2f", by);
	storm_end(pid);
	dt_close(dt);
	printf("brake cost: as it is\n");
}

/*
 * rest
 */

/*
 * Returns how many descriptors of the daemon have link in their link and info
 * in their fdinfo.
 */
static int
count_fds(const struct prog_dtd *pd, const char *link, const char *info)
{
	char path[PROG_PATH], name[PROG_PATH + 300], text[2000];
	struct dirent *de;
	ssize_t len;
	int n = 0;
	DIR *d;
	FILE *f;

	if ((d = opendir(prog_proc(path, sizeof(path), pd->pd_pid, "fd"))) ==
	    NULL)
		err(1, "%s", path);
	while ((de = readdir(d)) != NULL) {
		snprintf(name, sizeof(name), "%s/%s", path, de->d_name);
		if ((len = readlink(name, text, sizeof(text) - 1)) == -1)
			continue;
		text[len] = '\0';
		snprintf(name, sizeof(name), "%sinfo/%s", path, de->d_name);
		if (strstr(text, link) == NULL ||
		    (f = fopen(name, "re")) == NULL)
			continue;
		len = fread(text, 1, sizeof(text) - 1, f);
		text[len] = '\0';
		fclose(f);
		n += strstr(text, info) != NULL;
	}
	closedir(d);
	return n;
}

/*
 * Returns the number of armed timers, except the one that waits for a change of
 * the clock.
 */
static int
count_timers(void *arg)
{
	return count_fds(arg, "timerfd", "") -
	    count_fds(arg, "timerfd", "it_value: (0, 0)") - 1;
}

static int
is_ticking(void *arg)
{
	return count_timers(arg) == 1;
}

static int
is_at_rest(void *arg)
{
	return count_timers(arg) == 0 && count_fds(arg, "bpf-stats", "") == 0;
}

static int
is_counting(void *arg)
{
	return count_fds(arg, "bpf-stats", "") == 1;
}

static void
brake_rest(long rounds)
{
	struct prog_dtd *pd = daemon_of;
	struct dtioc_fullstat fs;
	struct dt *dt = prog_open(pd, 0);

	(void)rounds;
	prog_enable(dt, ENTRY, 0, 0);
	if (!is_at_rest(pd))
		errx(1, "the timer runs before anybody records");
	prog_record(dt, 1);
	prog_wait(is_ticking, pd, "the timer");
	prog_wait(is_counting, pd, "the kernel's statistics");
	prog_wait(was_measured, dt, "a measurement");
	prog_record(dt, 0);
	prog_wait(is_at_rest, pd, "the rest");
	fullstat(dt, &fs);
	if (fs.dtfs_cost != 0)
		errx(1, "nobody records, and the cost is %llu",
		    (unsigned long long)fs.dtfs_cost);
	dt_close(dt);
	printf("brake rest: at rest\n");
}

/*
 * burst
 */

static int
is_above(void *arg)
{
	struct dtioc_fullstat fs;

	fullstat(arg, &fs);
	return fs.dtfs_cost != UINT64_MAX && fs.dtfs_cost > fs.dtfs_costlimit;
}

static int
is_below(void *arg)
{
	struct dtioc_fullstat fs;

	fullstat(arg, &fs);
	return fs.dtfs_cost <= fs.dtfs_costlimit;
}

#define BURST_LATE \
	500000000 /* ns: the next window can begin only after this time */

/*
 * Runs a storm that ends with the first window above the limit.  Returns -1 if
 * that was detected so late that another window may be above it.
 */
static int
burst_once(void)
{
	pid_t pid = storm(prog_shared(sizeof(struct load)));
	struct dt *dt = prog_open(daemon_of, 0);
	struct dtioc_fullstat fs;
	struct dt_ledger dl;
	int64_t start;
	int late;

	prog_filter(dt, pid);
	prog_enable(dt, ENTRY, STACKS, 0);
	start = prog_now();
	prog_record(dt, 1);
	prog_wait(is_above, dt, "a measurement above the limit");
	storm_end(pid);
	late = prog_now() - start > BURST_LATE;
	prog_wait(is_below, dt, "another one");
	fullstat(dt, &fs);
	if (!fs.dtfs_recording && !late)
		errx(1, "stopped by a burst");
	prog_record(dt, 0);
	prog_ledger(dt, NULL, read_all(dt), &dl);
	if (dt_note(dt) != NULL && !late)
		errx(1, "note: %s", dt_note(dt));
	dt_close(dt);
	return late ? -1 : 0;
}

static void
brake_burst(long rounds)
{
	(void)rounds;
	while (burst_once() == -1)
		continue; /* the case has a time limit */
	printf("brake burst: goes on\n");
}

/*
 * race
 */

/* The client's action while the daemon stops its session. */
enum move {
	MOVE_WAIT,
	MOVE_STOP,
	MOVE_START, /* restarts: both runs share one END */
	MOVE_DISABLE,
	MOVE_CLOSE,
	NMOVES
};

/*
 * Reads until the daemon's log reports that it is stopping a session.  Returns
 * 0 if the report was late: the END has been read already.
 */
static int
race_await(struct dt *dt, const char *log, uint64_t *nread)
{
	int64_t end = prog_now() + PROG_DEADLINE * INT64_C(1000000000);
	char line[400];
	struct dt_event ev;
	FILE *f;
	int r = 1, found = 0;

	if ((f = fopen(log, "re")) == NULL || fseek(f, 0, SEEK_END) == -1)
		err(1, "%s", log);
	while (!found && r != -1 && prog_now() < end) {
		while (prog_now() < end && (r = dt_next(dt, &ev, 0)) == 1)
			if (++*nread % 64 == 0)
				break;
		if (r == -1 && errno != ENODATA)
			err(1, "read");
		clearerr(f);
		while (fgets(line, sizeof(line), f) != NULL)
			found |= strstr(line, "is stopped: " ENTRY) != NULL;
	}
	fclose(f);
	if (!found && r != -1)
		errx(1, "the open is not stopped");
	return r != -1;
}

static void
race_move(struct dt *dt, enum move move)
{
	struct dtioc_req rq = { .dtrq_pbn = prog_probe(dt, ENTRY) };

	switch (move) {
	case MOVE_STOP:
		prog_record(dt, 0);
		break;
	case MOVE_START:
		prog_record(dt, 1);
		prog_record(dt, 0);
		break;
	case MOVE_DISABLE:
		if (dt_ioctl(dt, DTIOCPRBDISABLE, &rq) == -1)
			errx(1, "disable: %s", dt_error(dt));
		break;
	default:
		break;
	}
}

/* Returns whether the action was in time. */
static int
race_round(const struct prog_dtd *pd, enum move move)
{
	struct dt *dt = prog_open(pd, 0);
	struct dt_ledger dl;
	uint64_t nread = 0;
	int stopped, intime;

	prog_enable(dt, ENTRY, STACKS, 0);
	prog_record(dt, 1);
	intime = race_await(dt, pd->pd_log, &nread);
	if (move != MOVE_CLOSE) {
		race_move(dt, move);
		if (intime || move == MOVE_START)
			nread += read_all(dt);
		if (move == MOVE_START && dt_ledger(dt, &dl) == -1)
			nread += read_all(dt); /* the runs have separate ENDs */
		prog_ledger(dt, NULL, nread, &dl);
		stopped = (dl.dl_flags & DT_LEDGER_STOPPED) != 0;
		if (stopped != (dt_note(dt) != NULL) ||
		    stopped != (move != MOVE_START))
			errx(1, "flags %#llx, note %s", dl.dl_flags,
			    dt_note(dt) != NULL ? dt_note(dt) : "none");
	}
	dt_close(dt);
	return intime;
}

static void
brake_race(long rounds)
{
	int intime = 0;
	pid_t pid = storm(prog_shared(sizeof(struct load)));
	long i;

	for (i = 0; i < rounds; i++)
		intime += race_round(daemon_of, i % NMOVES);
	storm_end(pid);
	printf("brake race: all adds up, %d of %ld were in time\n", intime,
	    rounds);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name, *conf;
		void (*fn)(long);
	} rows[] = {
		{ "cost", "cost-limit = 0\n", brake_cost },
		{ "rest", "", brake_rest },
		{ "burst", "cost-limit = 5\n", brake_burst },
		{ "race", "cost-limit = 0.5\n", brake_race },
	};
	struct prog_dtd pd;
	long rounds = 10;
	unsigned int i;
	int ch;

	prog_init("brake", 600);
	while ((ch = getopt(argc, argv, "n:")) != -1)
		if (ch == 'n')
			rounds = prog_number(optarg, 100000);
		else
			return 2;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (optind >= argc || strcmp(argv[optind], rows[i].name) != 0)
			continue;
		prog_dtd_start(&pd, rows[i].conf);
		daemon_of = &pd;
		rows[i].fn(rounds);
		prog_dtd_stop(&pd);
		return 0;
	}
	errx(2, "usage: brake cost|rest|burst|race [-n rounds]");
}
