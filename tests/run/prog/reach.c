/* SPDX-License-Identifier: ISC */
/*
 * reach [-n MESSAGES] [-s SEED] [-v]
 *
 * Nearly valid messages reach every command in every state of a connection.
 * The daemon's own table of commands is linked into this program: a new command
 * is tested, or the test fails and names it.  The
 * expected reply follows from the message's bytes and from whether a session is
 * open; each reply is compared with it.  A message has reached its command if
 * the reply has the command, the tag and an error that no earlier check
 * returns.
 *
 * Prints a table of commands and states: messages that reached the command,
 * messages that were refused before.  A cell that no message reached is a
 * failure, unless the table gives a reason why none can.
 */
#include <sys/auxv.h>
#include <sys/resource.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/daemon.h"
#include "tests/run/prog/held.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/reach/reach.h"

#define RING_BYTES (64U << 20) /* of all sessions, by configuration */
/*
 * kB: rings count twice, plus the memory of the connections and the daemon's
 * own.
 */
#define MAXRSS	 (2 * (RING_BYTES >> 10) + 64 * 128 + (48 << 10))
#define MAXOPENS 64

static const struct prog_dtd *pd;
static struct beside *beside;
static struct raw monitor = { .rw_sock = -1, .rw_data = -1 };

/* Symbols that the daemon links from main.c; they are never called. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

static void
hear_ahead(struct raw *rw, const struct trial *tr, const struct rstate *rs)
{
	int error;

	if (tr->tr_ahead == 0)
		return;
	if ((error = raw_reply(rw)) != 0)
		errx(1, "%s: the command ahead: %s", rs->rs_name,
		    error == -1 ? "hung up" : strerror(error));
}

/* Reads the reply and compares it with the expected one. */
static void
trial_read(struct raw *rw, const struct trial *tr, const struct rstate *rs)
{
	int error;

	hear_ahead(rw, tr, rs);
	if (tr->tr_fate == FATE_CUT) {
		shutdown(rw->rw_sock, SHUT_WR);
		if (raw_reply(rw) != -1)
			errx(1, "%s: a reply to a part of a message",
			    rs->rs_name);
		table_count(tr, rs, -1);
		return;
	}
	if (rs->rs_flags & SHUT_OUT)
		shutdown(rw->rw_sock, SHUT_WR);
	error = raw_reply(rw);
	if (error == -1 || !trial_is_due(tr, rw, error))
		errx(1, "%s, %s: %s (fate %d)", tr->tr_cmd->cm_name,
		    rs->rs_name, error == -1 ? "hung up" : strerror(error),
		    tr->tr_fate);
	if (rw->rw_hdr.wh_command != tr->tr_hdr.wh_command ||
	    rw->rw_hdr.wh_tag != tr->tr_hdr.wh_tag)
		errx(1, "%s, %s: the reply to another", tr->tr_cmd->cm_name,
		    rs->rs_name);
	table_count(tr, rs, error);
}

/*
 * A cell
 */

/* While starved, the daemon gets no new descriptors. */
static void
starve(int on)
{
	static struct rlimit before;
	struct rlimit rl = { .rlim_cur = 3 };

	if (on) {
		if (prlimit(pd->pd_pid, RLIMIT_NOFILE, NULL, &before) == -1)
			err(1, "prlimit");
		rl.rlim_max = before.rlim_max;
	} else
		rl = before;
	if (prlimit(pd->pd_pid, RLIMIT_NOFILE, &rl, NULL) == -1)
		err(1, "prlimit");
}

/* Sessions that are ending take a while; their limit is not tested here. */
static int
has_room(void *arg)
{
	return fullstat(arg).dtfs_nopen < MAXOPENS;
}

struct at {
	struct raw at_raw;
	int at_there;		      /* the state is reached */
	struct dtioc_fullstat at_sig; /* the statistics at that time */
};

static void
go_there(struct at *at, const struct rstate *rs)
{
	int error;

	if (monitor.rw_sock == -1 && raw_open(&monitor, pd->pd_sock) != 0)
		errx(1, "no monitor");
	prog_wait(has_room, &monitor, "the end of opens");
	if ((error = raw_connect(&at->at_raw, pd->pd_sock)) != 0)
		errx(1, "connect: %s", strerror(error));
	rs->rs_reach(&at->at_raw);
	if ((rs->rs_flags & NO_OPEN) == 0)
		at->at_sig = fullstat(&at->at_raw);
	if (rs->rs_flags & STARVED)
		starve(1);
	at->at_there = 1;
}

static void
leave(struct at *at, const struct rstate *rs)
{
	if (at->at_there && (rs->rs_flags & STARVED))
		starve(0);
	raw_close(&at->at_raw);
	at->at_there = 0;
}

/* Returns whether the message has left the connection in its state. */
static int
is_still_there(struct at *at, const struct trial *tr, const struct rstate *rs)
{
	struct dtioc_fullstat fs;

	if (tr->tr_fate <= FATE_LONG || tr->tr_nfds > 0 ||
	    tr->tr_len != sizeof(tr->tr_hdr) + tr->tr_hdr.wh_length ||
	    (rs->rs_flags & (SHUT_OUT | CLOSE_OUT)) || rs->rs_ahead != NULL ||
	    tr->tr_hdr.wh_command == WIRE_OPEN)
		return 0;
	if (rs->rs_flags & NO_OPEN)
		return 1;
	fs = fullstat(&at->at_raw);
	return fs.dtfs_nenabled == at->at_sig.dtfs_nenabled &&
	    fs.dtfs_recording == at->at_sig.dtfs_recording &&
	    fs.dtfs_nrings == at->at_sig.dtfs_nrings &&
	    fs.dtfs_runs == at->at_sig.dtfs_runs;
}

static void
one_trial(struct at *at, const struct command *cm, const struct rstate *rs,
    int first)
{
	static struct trial tr;

	if (!at->at_there)
		go_there(at, rs);
	trial_make(&tr, &at->at_raw, cm, rs, first);
	trial_send(&at->at_raw, &tr);
	if (rs->rs_flags & CLOSE_OUT) {
		tr.tr_fate = FATE_CUT;
		table_count(&tr, rs, -1);
	} else
		trial_read(&at->at_raw, &tr, rs);
	if (!is_still_there(at, &tr, rs))
		leave(at, rs);
}

static void
check_rss(unsigned int *max)
{
	unsigned int kb = prog_dtd_rss(pd);

	if (kb > MAXRSS && !DAEMON_SANITIZED)
		errx(1, "the daemon has %u kB, more than %u", kb, MAXRSS);
	if (kb > *max)
		*max = kb;
}

static void
run_state(const struct rstate *rs, long nmessages)
{
	static struct at at;
	const struct command *cm;
	unsigned int max = 0;
	long i;

	at.at_raw.rw_sock = at.at_raw.rw_data = -1;
	beside_quiet(beside, (rs->rs_flags & STARVED) != 0);
	for (cm = commands; cm < commands + ncommands; cm++) {
		for (i = 0; i < nmessages; i++)
			one_trial(&at, cm, rs, i == 0);
		check_rss(&max);
	}
	leave(&at, rs);
}

/* Symbols of this program's code, and of the kernel's mappings in it. */
static void
warm_names(struct dt *dt)
{
	uint64_t pcs[] = { (uintptr_t)warm_names,
		getauxval(AT_SYSINFO_EHDR) + 0x1000 };
	struct dt_frames fs;

	if (dt_symbolize(dt, getpid(), prog_now(), pcs, 2, 0, &fs) == -1)
		errx(1, "names: %s", dt_error(dt));
	dt_frames_free(&fs);
}

/*
 * First sessions create everything that is created once; then it is counted.
 */
static void
warm_up(struct held *base)
{
	struct dtioc_getaux ga = { .dtga_pid = getpid() };
	struct dtioc_threads th = { .dtth_npids = 1,
		.dtth_pids = { getpid() } };
	struct dt *dt = prog_open(pd, 0);
	char line[128];

	prog_load_all(dt, 0);
	if (dt_ioctl(dt, DTIOCGETAUXBASE, &ga) == -1) /* loads a program, too */
		errx(1, "GETAUXBASE: %s", dt_error(dt));
	if (dt_ioctl(dt, DTIOCTHREADS, &th) == -1) /* likewise */
		errx(1, "THREADS: %s", dt_error(dt));
	prog_record(dt, 1);
	warm_names(dt);
	states_init(dt);
	dt_close(dt);
	prog_dtd_line(pd, NULL, "close 0", line, sizeof(line));
	daemon_warm_tables(pd);
	held_get_resting(base, pd->pd_pid);
}

struct look {
	const struct held *lo_base;
	struct held lo_now;
	char lo_what[200];
};

static int
is_as_before(void *arg)
{
	struct look *lo = arg;

	held_get(&lo->lo_now, pd->pd_pid);
	return !held_exceeds(lo->lo_base, &lo->lo_now, lo->lo_what,
	    sizeof(lo->lo_what));
}

static void
expect_as_before(const struct held *base)
{
	static struct look lo;
	int64_t end = prog_now() + 20 * INT64_C(1000000000);
	const struct timespec pause = { 0, 5000000 };

	lo.lo_base = base;
	while (!is_as_before(&lo)) {
		if (prog_now() > end)
			errx(1, "the daemon is not as before: %s", lo.lo_what);
		nanosleep(&pause, NULL);
	}
}

int
main(int argc, char **argv)
{
	static struct held base;
	struct prog_dtd dtd;
	long nmessages = 8, seed = 1;
	char conf[64];
	size_t s;
	int ch;

	while ((ch = getopt(argc, argv, "n:s:")) != -1) {
		if (ch == 'n')
			nmessages = prog_number(optarg, 1000000);
		else if (ch == 's')
			seed = prog_number(optarg, 1000000000);
		else
			errx(2, "usage: reach [-n messages] [-s seed]");
	}
	messages_seed(seed);
	prog_init("reach", 3600);
	commands_init();
	snprintf(conf, sizeof(conf), "ring-bytes = %u\n", RING_BYTES);
	prog_dtd_start(&dtd, conf);
	pd = &dtd;
	warm_up(&base);
	beside = beside_start(pd);
	for (s = 0; s < NRSTATES; s++)
		run_state(&rstates[s], nmessages);
	beside_stop(beside);
	table_print();
	table_check();
	raw_close(&monitor);
	expect_as_before(&base);
	prog_dtd_stop(&dtd);
	printf("reach: %zu commands in %d states\n", ncommands, NRSTATES);
	return 0;
}
