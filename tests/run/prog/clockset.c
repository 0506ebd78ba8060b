/* SPDX-License-Identifier: ISC */
/*
 * clockset live|hits FILE|compare FILE JSON
 *
 * Sets the clock an hour forward and back, in guests of tests/vm only.
 *
 * live		during a recording: each event has the time that the clock
 *		showed at the hit, before and after the clock was set; the order
 *		is that of the monotonic clock.  This includes events that were
 *		unread when the clock was set.
 * hits		makes hits for another program's recording, and writes to FILE
 *		the clock's times around each hit
 * compare	checks that each event of JSON (dt report -j) has a time between
 *		those in FILE
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define HOUR	 3600
#define NSEC	 INT64_C(1000000000)
#define PROMISE	 (NSEC / 10) /* time until the daemon notices, dt(4) */
#define SLOWNESS 10	     /* factor for slow machines */
/*
 * The two clocks are not read at the same time, and a guest may lose its CPU
 * between the reads.
 */
#define SLACK	(5 * NSEC / 1000)
#define BACKLOG 60000		/* hits, more than the data socket holds */
#define GUEST	"/run/vm.guest" /* tests/vm/init.c */

static const int deltas[] = { HOUR, -HOUR, -HOUR, HOUR, 2 * HOUR, -2 * HOUR };

#define NDELTAS (sizeof(deltas) / sizeof(deltas[0]))

static int64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

static void
set_clock(int delta)
{
	struct timespec ts;

	if (access(GUEST, F_OK) == -1)
		errx(1, "this is no guest: its clock is not touched");
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += delta;
	if (clock_settime(CLOCK_REALTIME, &ts) == -1)
		err(1, "clock_settime");
}

static void
nap(int64_t nsecs)
{
	const struct timespec ts = { nsecs / NSEC, nsecs % NSEC };

	nanosleep(&ts, NULL);
}

/* A hit, and the times before and after it. */
struct hit {
	int64_t hi_before, hi_after;
};

static struct hit
make_hit(void)
{
	struct hit hi = { .hi_before = now() };

	syscall(SYS_getppid);
	hi.hi_after = now();
	return hi;
}

static int
is_in(const struct hit *hi, int64_t time)
{
	return time >= hi->hi_before - SLACK && time <= hi->hi_after + SLACK;
}

/*
 * live
 */

static struct dt *
open_live(const struct prog_dtd *pd, int flags)
{
	struct dt *dt = prog_open(pd, flags);
	int self = 1;

	prog_filter(dt, getpid());
	if (dt_ioctl(dt, DTIOCSELF, &self) == -1)
		err(1, "DTIOCSELF");
	prog_enable(dt, "syscall:getppid:entry", 0, 0);
	prog_record(dt, 1);
	return dt;
}

/* Reads an event; 0 if none arrives. */
static int64_t
poll_event(struct dt *dt, int msecs)
{
	static uint64_t last; /* by the monotonic clock */
	struct dt_event ev;
	int r;

	if ((r = dt_next(dt, &ev, msecs)) == -1)
		errx(1, "no event: %s", dt_error(dt));
	if (r == 0)
		return 0;
	if (ev.ev_rec->dr_time < last)
		errx(1, "the order of records is not that of time");
	last = ev.ev_rec->dr_time;
	return ev.ev_realtime.tv_sec * NSEC + ev.ev_realtime.tv_nsec;
}

static int64_t
read_event(struct dt *dt)
{
	int64_t time = poll_event(dt, PROG_DEADLINE * 1000);

	if (time == 0)
		errx(1, "an event does not come");
	return time;
}

static void
expect_in(const struct hit *hi, int64_t time, const char *what)
{
	if (!is_in(hi, time))
		errx(1, "%s: an event is %.6f s beside", what,
		    (time - hi->hi_before) / 1e9);
}

/* Makes hits until one has the new time; returns the time until then. */
static int64_t
until_known(struct dt *dt)
{
	int64_t start = prog_now();
	struct hit hi;

	do {
		hi = make_hit();
		if (prog_now() - start > PROMISE * SLOWNESS)
			errx(1, "the new time does not come");
	} while (!is_in(&hi, read_event(dt)));
	return prog_now() - start;
}

/*
 * A slow reader, whose events wait in the socket and the rings while the clock
 * is set: each event has its own time.
 */
static void
backlog(struct dt *dt, int delta)
{
	struct hit hi = make_hit();
	int64_t time;
	long i, n = 0;

	for (i = 0; i < BACKLOG; i++)
		syscall(SYS_getppid);
	hi.hi_after = now();
	nap(2 * SLACK);
	set_clock(delta);
	nap(PROMISE);
	for (; (time = poll_event(dt, 1000)) != 0; n++)
		expect_in(&hi, time, "backlog");
	hi = make_hit();
	expect_in(&hi, read_event(dt), "behind it");
	printf("backlog: %ld events\n", n);
	if (n < BACKLOG / 4)
		errx(1, "too few to have waited");
}

static void
live(const struct prog_dtd *pd, int flags, const char *what)
{
	struct dt *dt = open_live(pd, flags);
	struct hit unread[2];
	int64_t took, max = 0;
	struct hit hi;
	size_t i;

	for (i = 0; i < NDELTAS; i++) {
		hi = make_hit();
		expect_in(&hi, read_event(dt), "before");
		/* reads these after the clock was set */
		unread[0] = make_hit();
		nap(10 * NSEC / 1000); /* dtd sends the first hit */
		unread[1] = make_hit();
		nap(2 * SLACK);
		set_clock(deltas[i]);
		nap(PROMISE);
		expect_in(&unread[0], read_event(dt), "unread");
		expect_in(&unread[1], read_event(dt), "unread");
		if ((took = until_known(dt)) > max)
			max = took;
		hi = make_hit();
		expect_in(&hi, read_event(dt), "after");
	}
	backlog(dt, HOUR);
	backlog(dt, -HOUR);
	if (dt_late(dt) != 0)
		errx(1, "%llu events are late",
		    (unsigned long long)dt_late(dt));
	prog_record(dt, 0);
	dt_close(dt);
	printf("%s: %zu times, a new event after %.1f ms at most\n", what,
	    NDELTAS, max / 1e6);
}

/*
 * hits, compare
 */

static void
hits(const char *path)
{
	struct hit hi;
	FILE *f;
	size_t i;

	if ((f = fopen(path, "we")) == NULL)
		err(1, "%s", path);
	for (i = 0; i < 2 * NDELTAS; i++) {
		hi = make_hit();
		fprintf(f, "%lld %lld\n", (long long)hi.hi_before,
		    (long long)hi.hi_after);
		if (i % 2 == 0)
			continue;
		nap(2 * SLACK);
		set_clock(deltas[i / 2]);
		nap(PROMISE);
	}
	if (fclose(f) != 0)
		err(1, "%s", path);
}

/* Returns the next event of a file with one event per line. */
static int
json_time(FILE *f, int64_t *time)
{
	char line[4096];
	long long t;
	char *p;

	while (fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, "syscall:getppid:entry") != NULL &&
		    (p = strstr(line, "\"time\":")) != NULL &&
		    sscanf(p + 7, "%lld", &t) == 1) {
			*time = t;
			return 1;
		}
	return 0;
}

static void
compare(const char *path, const char *json)
{
	FILE *f = fopen(path, "re"), *j = fopen(json, "re");
	long long before, after;
	struct hit hi;
	int64_t time;
	int n = 0;

	if (f == NULL || j == NULL)
		err(1, "%s, %s", path, json);
	while (fscanf(f, "%lld %lld", &before, &after) == 2) {
		if (!json_time(j, &time))
			errx(1, "%d events, and no more", n);
		hi = (struct hit){ before, after };
		expect_in(&hi, time, json);
		n++;
	}
	if (n == 0 || json_time(j, &time))
		errx(1, "%d hits, and more events", n);
	printf("compare: %d events\n", n);
	fclose(f);
	fclose(j);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct prog_dtd pd;

	prog_init("clockset", 600);
	if (strcmp(what, "live") == 0) {
		prog_dtd_start(&pd, NULL);
		live(&pd, DT_OPEN_ORDERED, "ordered");
		prog_pin(0); /* events of one CPU need no sorting */
		live(&pd, 0, "live");
		prog_dtd_stop(&pd);
	} else if (strcmp(what, "hits") == 0 && argc == 3)
		hits(argv[2]);
	else if (strcmp(what, "compare") == 0 && argc == 4)
		compare(argv[2], argv[3]);
	else
		errx(2, "usage: clockset live|hits file|compare file json");
	return 0;
}
