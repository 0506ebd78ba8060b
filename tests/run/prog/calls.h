/* SPDX-License-Identifier: ISC */
/*
 * Calls that can be accounted for: close(2) of descriptors that do not exist.
 * The number counts up, so each event shows its position in the load.  Also a
 * client that runs next to each test: its own load never exceeds what a ring
 * holds, so it must lose no event whatever the test does to the daemon.
 */
#ifndef CALLS_H
#define CALLS_H

#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define CALLS_ENTRY   "syscall:close:entry"
#define CALLS_RETURN  "syscall:close:return"
#define CALLS_THREADS 4
#define CALLS_FIRST   0x40000000L /* never an open descriptor */
#define CALLS_SHIFT   26	  /* limits the calls per thread */
#define CALLS_MAX     (1L << CALLS_SHIFT)
#define BESIDE_BATCH  500 /* calls in progress at once */
/* Numbers of calls start again here, between two batches. */
#define BESIDE_CALLS (CALLS_MAX / BESIDE_BATCH * BESIDE_BATCH)

/*
 * The calls of each thread that a reader has read: entries count up, and a
 * return follows its own entry, or another one if events were lost.
 */
struct calls {
	uint64_t cl_nread;
	int64_t cl_last[CALLS_THREADS]; /* of entries */
	uint64_t cl_time[CALLS_THREADS];
	int cl_complete; /* no event may be missing */
};

static inline void
calls_init(struct calls *cl, int complete)
{
	unsigned int i;

	memset(cl, 0, sizeof(*cl));
	cl->cl_complete = complete;
	for (i = 0; i < CALLS_THREADS; i++)
		cl->cl_last[i] = -1;
}

static inline void
calls_entry(struct calls *cl, const struct dt_event *ev)
{
	int64_t n = ev->ev_args[0] & (CALLS_MAX - 1);
	unsigned int num = (ev->ev_args[0] - CALLS_FIRST) >> CALLS_SHIFT;

	if (num >= CALLS_THREADS)
		errx(1, "a call that nobody made: %#llx",
		    (unsigned long long)ev->ev_args[0]);
	if (n <= cl->cl_last[num] ||
	    (cl->cl_complete && n != cl->cl_last[num] + 1))
		errx(1, "thread %u: call %lld after %lld", num, (long long)n,
		    (long long)cl->cl_last[num]);
	cl->cl_last[num] = n;
	if (ev->ev_rec->dr_time < cl->cl_time[num])
		errx(1, "thread %u: its time goes back", num);
	cl->cl_time[num] = ev->ev_rec->dr_time;
}

static inline void
calls_event(struct calls *cl, const struct dt_event *ev)
{
	cl->cl_nread++;
	if (ev->ev_nargs == 1)
		calls_entry(cl, ev);
	else if (ev->ev_ret == NULL || ev->ev_ret->drr_retval != -1 ||
	    ev->ev_ret->drr_error != EBADF)
		errx(1, "a return without the error that it had");
}

/* Reads at most max events; returns 0 at the end of the recording. */
static inline int
calls_read(struct calls *cl, struct dt *dt, uint64_t max, int timeout)
{
	struct dt_event ev;
	uint64_t n;
	int r;

	for (n = 0; n < max; n++) {
		r = dt_next(dt, &ev, timeout);
		if (r == 0)
			return 1;
		if (r == -1 && errno == ENODATA)
			return 0;
		if (r == -1)
			err(1, "dt_next: %s", dt_error(dt));
		calls_event(cl, &ev);
	}
	return 1;
}

/* Stops and reads the remaining events.  who NULL: prints nothing. */
static inline void
calls_finish(struct calls *cl, struct dt *dt, const char *who,
    struct dt_ledger *dl)
{
	prog_record(dt, 0);
	while (calls_read(cl, dt, UINT64_MAX, PROG_DEADLINE * 1000))
		errx(1, "the end of a recording does not come");
	prog_ledger(dt, who, cl->cl_nread, dl);
}

static inline struct dt *
calls_open(const struct prog_dtd *pd, pid_t pid, uint64_t budget,
    uint64_t evtflags)
{
	struct dt *dt = prog_open(pd, 0);

	prog_budget(dt, budget);
	prog_filter(dt, pid);
	prog_enable_wait(dt, CALLS_ENTRY, DTEVT_FUNCARGS | evtflags);
	prog_enable(dt, CALLS_RETURN, evtflags, 0);
	prog_record(dt, 1);
	return dt;
}

/*
 * The client next to the test: one session that records all the time, and short
 * sessions.
 */
struct beside {
	struct prog_child bs_child;
	const struct prog_dtd *bs_pd;
	uint64_t bs_calls;    /* read by the long session, shared */
	uint64_t bs_sessions; /* correct short sessions, shared */
	int bs_quiet;	      /* no short sessions, shared */
};

#define BESIDE_SESSION 8 /* batches between short sessions */

/* Makes a batch for each byte that it receives. */
static inline void
beside_load(int sock, void *arg)
{
	long i, n = 0;

	(void)arg;
	prog_pin(prog_ncpu() - 1);
	while (prog_hear(sock) == 'b')
		for (i = 0; i < BESIDE_BATCH; i++)
			syscall(SYS_close, CALLS_FIRST | (n++ % BESIDE_CALLS));
}

static inline void
beside_batch(struct calls *cl, struct dt *dt)
{
	uint64_t want = cl->cl_nread + 2 * BESIDE_BATCH;

	if (cl->cl_last[0] == BESIDE_CALLS - 1)
		cl->cl_last[0] = -1;
	calls_read(cl, dt, 2 * BESIDE_BATCH, PROG_DEADLINE * 1000);
	if (cl->cl_nread != want)
		errx(1, "beside: %llu events are missing",
		    (unsigned long long)(want - cl->cl_nread));
}

/* Makes a batch that a second session records, too. */
static inline void
beside_session(struct beside *bs, struct prog_child *load, struct calls *cl,
    struct dt *dt)
{
	struct dt *other = calls_open(bs->bs_pd, load->pc_pid, 1 << 20, 0);
	struct dt_ledger dl;
	struct calls theirs;

	calls_init(&theirs, 1);
	theirs.cl_last[0] = cl->cl_last[0];
	prog_tell(load->pc_sock, 'b');
	beside_batch(cl, dt);
	beside_batch(&theirs, other);
	calls_finish(&theirs, other, NULL, &dl);
	if (dl.dl_fired != 2 * BESIDE_BATCH || dl.dl_read != dl.dl_fired)
		errx(1, "beside: a short open has fired %llu", dl.dl_fired);
	dt_close(other);
	bs->bs_sessions++;
}

/* Runs a client in a separate process until its parent ends it. */
static inline void
beside_run(int sock, void *arg)
{
	struct pollfd pfd = { .fd = sock, .events = POLLIN };
	struct beside *bs = arg;
	struct prog_child load;
	struct dt_ledger dl;
	struct calls cl;
	struct dt *dt;

	calls_init(&cl, 1);
	prog_child_start(&load, beside_load, NULL);
	dt = calls_open(bs->bs_pd, load.pc_pid, 4 << 20, 0);
	prog_tell(sock, 'r');
	do {
		if (!__atomic_load_n(&bs->bs_quiet, __ATOMIC_SEQ_CST) &&
		    bs->bs_calls / BESIDE_BATCH % BESIDE_SESSION == 0)
			beside_session(bs, &load, &cl, dt);
		else {
			prog_tell(load.pc_sock, 'b');
			beside_batch(&cl, dt);
		}
		bs->bs_calls += BESIDE_BATCH;
	} while (poll(&pfd, 1, 0) == 0);
	prog_child_end(&load);
	calls_finish(&cl, dt, "beside", &dl);
	if (dl.dl_fired != 2 * bs->bs_calls || dl.dl_read != dl.dl_fired)
		errx(1, "beside: %llu calls", (unsigned long long)bs->bs_calls);
	dt_close(dt);
}

static inline struct beside *
beside_start(const struct prog_dtd *pd)
{
	struct beside *bs = prog_shared(sizeof(*bs));
	struct prog_child pc;

	bs->bs_pd = pd;
	prog_child_start(&pc, beside_run, bs);
	bs->bs_child = pc;
	if (prog_hear(pc.pc_sock) != 'r')
		errx(1, "beside does not start");
	return bs;
}

/*
 * Allows or forbids the short sessions.  After it returned, no short session is
 * open if they are forbidden.
 */
static inline void
beside_quiet(struct beside *bs, int on)
{
	uint64_t calls = __atomic_load_n(&bs->bs_calls, __ATOMIC_SEQ_CST);

	__atomic_store_n(&bs->bs_quiet, on, __ATOMIC_SEQ_CST);
	while (on &&
	    __atomic_load_n(&bs->bs_calls, __ATOMIC_SEQ_CST) <
		calls + 2 * BESIDE_BATCH)
		usleep(2000);
}

static inline void
beside_stop(struct beside *bs)
{
	prog_tell(bs->bs_child.pc_sock, 'q');
	prog_child_end(&bs->bs_child);
	printf("beside: %llu short opens\n",
	    (unsigned long long)bs->bs_sessions);
}

#endif /* CALLS_H */
