/* SPDX-License-Identifier: ISC */
/*
 * The kinds of clients of crowd.c: each is run by a separate process until
 * its parent sends a byte.  Their loads are paced and of known size.
 */
#ifndef CROWD_CLIENT_H
#define CROWD_CLIENT_H

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/prog.h"

#define PACE	    10	/* ms between two batches of a load */
#define BATCH	    20	/* calls per batch */
#define AHEAD	    300 /* maximum of calls not yet read */
#define BUDGET	    (1U << 20)
#define KILL_PERIOD 1000 /* ms, in which ten are killed */
#define NKILLED	    10
#define NAMES	    16 /* addresses per request for symbols */

/* A client's results: shared, written by the client alone. */
struct client {
	const struct sort *cl_sort;
	uint64_t cl_rounds;  /* sessions, or requests */
	uint64_t cl_events;  /* read */
	uint64_t cl_dropped; /* by its own fault */
	uint64_t cl_now;     /* events of this round */
	uint64_t cl_answer;  /* ns, longest wait for a reply */
};

/* A kind of client, and how many there are. */
struct sort {
	const char *so_name;
	void (*so_run)(int sock, struct client *);
	unsigned int so_nload, so_nsoak;
};

static const struct prog_dtd *pd;
static int verbose;
static int64_t round_nsecs; /* length of a client's session */

/*
 * Shared by the clients
 */

/* Returns whether the client must end; waits at most msecs for that. */
static int
is_over(int sock, int msecs)
{
	struct pollfd pfd = { .fd = sock, .events = POLLIN };

	return poll(&pfd, 1, msecs) != 0;
}

/* Sends a command and notes how long its reply took. */
static int
ask(struct client *cl, struct dt *dt, unsigned long cmd, void *arg)
{
	int64_t start = prog_now();
	int r = dt_ioctl(dt, cmd, arg);
	uint64_t nsecs = prog_now() - start;

	if (nsecs > cl->cl_answer)
		cl->cl_answer = nsecs;
	return r;
}

/* A load and its reader: shared. */
struct load {
	uint64_t lo_made; /* calls; when it has ended */
	uint64_t lo_read; /* those that have been read */
};

/*
 * Calls close(2), in batches, until it receives a byte.  It is never further
 * ahead than a ring can hold: then a loss is the daemon's fault, however long a
 * reader waits.
 */
static void
load_run(int sock, void *arg)
{
	struct load *lo = arg;
	uint64_t n = 0;
	int i;

	/* events of one CPU arrive in order */
	prog_pin(getpid() % prog_ncpu());
	(void)prog_hear(sock); /* recorded from now on */
	while (!is_over(sock, PACE)) {
		if (n > __atomic_load_n(&lo->lo_read, __ATOMIC_RELAXED) + AHEAD)
			continue;
		for (i = 0; i < BATCH; i++)
			syscall(SYS_close,
			    CALLS_FIRST | (n++ & (CALLS_MAX - 1)));
	}
	lo->lo_made = n;
	prog_tell(sock, 'e');
	(void)prog_hear(sock);
}

/* Stops the load and returns the number of its calls. */
static uint64_t
load_end(struct prog_child *load, const struct load *lo)
{
	prog_tell(load->pc_sock, 'q');
	if (prog_hear(load->pc_sock) != 'e')
		errx(1, "a load has ended before");
	return lo->lo_made;
}

/* Checks that fired equals the load, and that nothing is lost. */
static void
expect_exact(struct client *cl, const struct dt_ledger *dl, uint64_t made)
{
	if (dl->dl_fired != made || dl->dl_read != made || dl->dl_dropped ||
	    dl->dl_recursed)
		errx(1,
		    "%s: made %llu, fired %llu, read %llu, dropped %llu, "
		    "recursed %llu",
		    cl->cl_sort->so_name, (unsigned long long)made,
		    (unsigned long long)dl->dl_fired,
		    (unsigned long long)dl->dl_read,
		    (unsigned long long)dl->dl_dropped,
		    (unsigned long long)dl->dl_recursed);
	cl->cl_events += dl->dl_read;
	cl->cl_rounds++;
}

/* Reads for a time; returns the number of events. */
static uint64_t
read_round(int sock, struct dt *dt, uint64_t *count)
{
	int64_t end = prog_now() + round_nsecs;
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while (prog_now() < end && !is_over(sock, 0)) {
		if ((r = dt_next(dt, &ev, 100)) == -1)
			err(1, "dt_next: %s", dt_error(dt));
		n += r > 0;
		__atomic_store_n(count, n, __ATOMIC_RELAXED);
	}
	return n;
}

/* Stops, and reads the rest; n were read before. */
static void
finish(struct dt *dt, uint64_t n, struct dt_ledger *dl)
{
	struct dt_event ev;
	int r;

	prog_record(dt, 0);
	while ((r = dt_next(dt, &ev, PROG_DEADLINE * 1000)) > 0)
		n++;
	if (r == 0 || errno != ENODATA)
		errx(1, "the end does not come: %s", dt_error(dt));
	prog_ledger(dt, NULL, n, dl);
	dt_close(dt);
}

/*
 * The clients
 */

/* Records each call of its load, with arguments, in order. */
static void
record_round(int sock, struct client *cl)
{
	struct load *lo = prog_shared(sizeof(*lo));
	int64_t end = prog_now() + round_nsecs;
	struct prog_child load;
	struct dt_ledger dl;
	struct calls seen;
	struct dt *dt;

	calls_init(&seen, 1);
	prog_child_start(&load, load_run, lo);
	dt = calls_open(pd, load.pc_pid, BUDGET, 0);
	prog_tell(load.pc_sock, 'r');
	while (prog_now() < end && !is_over(sock, 0)) {
		if (!calls_read(&seen, dt, 100, 100))
			errx(1, "a recording has ended");
		__atomic_store_n(&lo->lo_read, seen.cl_nread / 2,
		    __ATOMIC_RELAXED);
	}
	load_end(&load, lo);
	calls_finish(&seen, dt, NULL, &dl);
	expect_exact(cl, &dl, 2 * lo->lo_made);
	dt_close(dt);
	prog_child_end(&load);
	munmap(lo, sizeof(*lo));
}

static void
run_record(int sock, struct client *cl)
{
	while (!is_over(sock, 0))
		record_round(sock, cl);
}

/* Two probes as one event: each call of its load. */
static void
pair_round(int sock, struct client *cl)
{
	struct dt_opd tid = { .op_kind = DT_OPD_TID, .op_size = 4 };
	struct dtioc_pair pa = { .dtpa_nkeys = 1 };
	struct load *lo = prog_shared(sizeof(*lo));
	struct prog_child load;
	struct dt_ledger dl;
	struct dt *dt;
	uint64_t n;

	prog_child_start(&load, load_run, lo);
	dt = prog_open(pd, 0);
	prog_budget(dt, BUDGET);
	prog_filter(dt, load.pc_pid);
	prog_enable_wait(dt, CALLS_ENTRY, DTEVT_FUNCARGS);
	prog_enable(dt, CALLS_RETURN, 0, 0);
	pa.dtpa_from = prog_probe(dt, CALLS_ENTRY);
	pa.dtpa_to = prog_probe(dt, CALLS_RETURN);
	pa.dtpa_fromkey[0] = pa.dtpa_tokey[0] = tid;
	if (dt_ioctl(dt, DTIOCSPAIR, &pa) == -1)
		errx(1, "pair: %s", dt_error(dt));
	prog_record(dt, 1);
	prog_tell(load.pc_sock, 'r');
	n = read_round(sock, dt, &lo->lo_read);
	load_end(&load, lo);
	finish(dt, n, &dl);
	expect_exact(cl, &dl, lo->lo_made);
	prog_child_end(&load);
	munmap(lo, sizeof(*lo));
}

static void
run_pair(int sock, struct client *cl)
{
	while (!is_over(sock, 0))
		pair_round(sock, cl);
}

/* A probe whose hits are not counted otherwise: the ledger adds up. */
static void
any_round(int sock, struct client *cl, const char *probe, uint64_t flags,
    uint64_t nsecs)
{
	struct dt_ledger dl;
	struct dt *dt = prog_open(pd, 0);
	uint64_t n;

	prog_budget(dt, BUDGET);
	prog_enable(dt, probe, flags, nsecs);
	prog_record(dt, 1);
	n = read_round(sock, dt, &cl->cl_now);
	finish(dt, n, &dl);
	cl->cl_events += dl.dl_read;
	cl->cl_dropped += dl.dl_dropped;
	cl->cl_rounds++;
}

static void
run_profile(int sock, struct client *cl)
{
	while (!is_over(sock, 0))
		any_round(sock, cl, "profile:hz:97",
		    DTEVT_KSTACK | DTEVT_USTACK, 10000000);
}

static void
run_tracepoint(int sock, struct client *cl)
{
	while (!is_over(sock, 0))
		any_round(sock, cl, "tracepoint:sched:sched_process_fork",
		    DTEVT_EXECNAME, 0);
}

/* Records all processes and never reads. */
static void
run_stuck(int sock, struct client *cl)
{
	struct dt_ledger dl;
	struct dt *dt = prog_open(pd, 0);

	prog_budget(dt, BUDGET);
	prog_enable_wait(dt, CALLS_ENTRY, DTEVT_FUNCARGS);
	prog_record(dt, 1);
	(void)is_over(sock, -1);
	finish(dt, 0, &dl);
	cl->cl_events += dl.dl_read;
	cl->cl_dropped += dl.dl_dropped;
	cl->cl_rounds++;
}

/* Sends commands without a pause. */
static void
run_flood(int sock, struct client *cl)
{
	struct dt *dt = prog_open(pd, 0);
	struct dtioc_stat st;
	int i;

	do
		for (i = 0; i < 100; i++, cl->cl_rounds++)
			if (ask(cl, dt, DTIOCGSTATS, &st) == -1)
				errx(1, "flood: %s", dt_error(dt));
	while (!is_over(sock, 0));
	dt_close(dt);
}

/* Keeps a session, and sends a command at times. */
static void
run_idle(int sock, struct client *cl)
{
	struct dt *dt = prog_open(pd, 0);
	struct dtioc_stat st;

	do {
		if (ask(cl, dt, DTIOCGSTATS, &st) == -1)
			errx(1, "idle: %s", dt_error(dt));
		cl->cl_rounds++;
	} while (!is_over(sock, 500));
	dt_close(dt);
}

/* Resolves addresses of its own code and of the kernel. */
static void
run_names(int sock, struct client *cl)
{
	struct dt *dt = prog_open(pd, 0);
	struct dt_frames fs;
	uint64_t pcs[NAMES];
	unsigned int i;

	do {
		for (i = 0; i < NAMES; i++)
			pcs[i] = (uintptr_t)run_names + cl->cl_rounds % 512 + i;
		if (dt_symbolize(dt, getpid(), prog_now(), pcs, NAMES, 0,
			&fs) == -1)
			errx(1, "names: %s", dt_error(dt));
		cl->cl_events += fs.df_n;
		cl->cl_rounds++;
		dt_frames_free(&fs);
	} while (!is_over(sock, 100));
	dt_close(dt);
}

/*
 * dt(1) records a command into a file and reads the file.  It finds the daemon
 * through the service's socket.
 */
static void
run_file(int sock, struct client *cl)
{
	static const char script[] =
	    "mount -t tmpfs none /run && mkdir /run/dt && "
	    "mount --bind \"$1\" /run/dt && "
	    "dt record --strict -o \"$1/soak.dt\" 'syscall:*' -- "
	    "sh -c 'i=0; while [ $i -lt 50 ]; do i=$((i + 1)); "
	    "env true; done' && "
	    "dt report \"$1/soak.dt\" | tail -n 1 >/dev/null";
	pid_t pid;
	int st, fd;

	do {
		if ((pid = prog_fork()) == 0) {
			fd = open("/dev/null", O_WRONLY);
			if (!verbose && dup2(fd, STDERR_FILENO) == -1)
				_exit(126);
			execlp("unshare", "unshare", "-m", "sh", "-c", script,
			    "sh", pd->pd_dir, (char *)NULL);
			_exit(127);
		}
		if (waitpid(pid, &st, 0) != pid || st != 0)
			errx(1, "dt record, dt report: status %#x", st);
		cl->cl_rounds++;
	} while (!is_over(sock, 1000));
}

/* A client to be killed: it records its own parent. */
static void
victim_run(int sock, void *arg)
{
	struct client *cl = arg;
	struct dt *dt = prog_open(pd, 0);

	prog_budget(dt, BUDGET / 16);
	prog_tell(sock, 'o');
	prog_enable_wait(dt, CALLS_ENTRY, DTEVT_FUNCARGS);
	if (cl->cl_rounds % 2)
		prog_enable(dt, "profile:hz:97", DTEVT_USTACK, 10000000);
	prog_record(dt, 1);
	prog_tell(sock, 'r');
	(void)prog_hear(sock);
}

/* Has ten clients killed per second: while they open, enable, start, record. */
static void
run_killed(int sock, struct client *cl)
{
	struct prog_child pc;

	while (!is_over(sock, KILL_PERIOD / NKILLED)) {
		prog_child_start(&pc, victim_run, cl);
		if (cl->cl_rounds % 4 > 0)
			(void)prog_hear(pc.pc_sock);
		if (cl->cl_rounds % 4 > 1)
			(void)prog_hear(pc.pc_sock);
		if (kill(pc.pc_pid, SIGKILL) == -1 ||
		    waitpid(pc.pc_pid, NULL, 0) == -1)
			err(1, "kill");
		close(pc.pc_sock);
		cl->cl_rounds++;
	}
}

static const struct sort sorts[] = {
	{ "record", run_record, 16, 4 },
	{ "stuck", run_stuck, 1, 1 },
	{ "flood", run_flood, 1, 0 },
	{ "killed", run_killed, 1, 1 },
	{ "idle", run_idle, 81, 8 },
	{ "profile", run_profile, 0, 1 },
	{ "tracepoint", run_tracepoint, 0, 1 },
	{ "pair", run_pair, 0, 2 },
	{ "names", run_names, 0, 2 },
	{ "file", run_file, 0, 1 },
};

#define NSORTS (sizeof(sorts) / sizeof(sorts[0]))

#endif /* CROWD_CLIENT_H */
