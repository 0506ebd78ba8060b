/* SPDX-License-Identifier: ISC */
/*
 * suspend daemon|client|killed [-t MSECS]
 *
 * Processes that are stopped (SIGSTOP) for some time, while a load makes known
 * calls.
 *
 * daemon	the daemon: events that do not fit are dropped and counted, the
 *		rest arrive in order, and pending requests get replies
 * client	a client: it loses some of its own events, and no other client
 *		loses any
 * killed	clients in every state, killed in it: nothing of them is left,
 *		and meanwhile others are served
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/daemon.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/raw.h"
#include "tests/run/prog/seq.h"
#include "tests/run/prog/state.h"

#define BATCH	 200 /* calls, then a pause */
#define PAUSE	 1   /* ms */
#define MAXBUSY	 30  /* % of a CPU, with a client that is stopped */
#define SETTLING 50  /* measurements of that, at most */

static long msecs = 2000; /* how long to stop */

static void
nap(long ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void
send_signal(pid_t pid, int sig)
{
	if (kill(pid, sig) == -1)
		err(1, "kill %d", (int)pid);
}

/* Waits until it is stopped. */
static void
stop(pid_t pid)
{
	int status;

	send_signal(pid, SIGSTOP);
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		errx(1, "process %d does not stop", (int)pid);
}

/*
 * The load: makes calls and counts them, until it receives a byte.
 */

struct load {
	struct prog_child lo_child;
	uint64_t lo_calls; /* shared */
	int lo_end;	   /* shared */
};

static void
load_run(int sock, void *arg)
{
	struct load *lo = arg;
	int i;

	prog_pin(0);	 /* the order of one CPU */
	prog_hear(sock); /* start */
	while (!__atomic_load_n(&lo->lo_end, __ATOMIC_SEQ_CST)) {
		for (i = 0; i < BATCH; i++)
			syscall(SYS_close, CALLS_FIRST | (lo->lo_calls + i));
		__atomic_add_fetch(&lo->lo_calls, BATCH, __ATOMIC_SEQ_CST);
		nap(PAUSE);
	}
	prog_tell(sock, 'e');
	prog_hear(sock);
}

static struct load *
load_start(void)
{
	struct load *lo = prog_shared(sizeof(*lo));
	struct prog_child pc;

	prog_child_start(&pc, load_run, lo);
	lo->lo_child = pc;
	return lo;
}

static void
load_go(struct load *lo)
{
	prog_tell(lo->lo_child.pc_sock, 'g');
}

/* When this returns, no call is in progress. */
static void
load_end(struct load *lo)
{
	__atomic_store_n(&lo->lo_end, 1, __ATOMIC_SEQ_CST);
	if (prog_hear(lo->lo_child.pc_sock) != 'e')
		errx(1, "the load does not end");
}

/* Checks the sums after the end, and that events were lost. */
static void
check_loss(const char *who, const struct load *lo, const struct dt_ledger *dl)
{
	if (dl->dl_fired != 2 * lo->lo_calls)
		errx(1, "%s: fired %llu, calls %llu", who, dl->dl_fired,
		    (unsigned long long)lo->lo_calls);
	if (dl->dl_dropped == 0)
		errx(1, "%s: nothing was lost: it was not stopped", who);
}

/*
 * daemon
 */

/*
 * Sends a request while the daemon is stopped, and gets the reply afterwards.
 */
static void
asker_run(int sock, void *arg)
{
	struct dt *dt = prog_open(arg, 0);
	struct dtioc_fullstat fs;

	prog_tell(sock, 'r');
	prog_hear(sock);
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "the answer: %s", dt_error(dt));
	prog_tell(sock, 'a');
	prog_hear(sock);
	dt_close(dt);
}

/* Reads events for a time. */
static void
read_some(struct calls *cl, struct dt *dt, long ms)
{
	int64_t end = prog_now() + ms * INT64_C(1000000);

	while (prog_now() < end)
		calls_read(cl, dt, 10000, 10);
}

static void
suspend_daemon(struct prog_dtd *dtd)
{
	struct load *lo = load_start();
	struct prog_child asker;
	struct dt_ledger dl;
	struct calls cl;
	int64_t start;
	struct dt *dt;

	calls_init(&cl, 0);
	dt = calls_open(dtd, lo->lo_child.pc_pid, SEQ_BUDGET, 0);
	prog_child_start(&asker, asker_run, dtd);
	if (prog_hear(asker.pc_sock) != 'r')
		errx(1, "nobody to ask");
	load_go(lo);
	read_some(&cl, dt, 100);
	stop(dtd->pd_pid);
	prog_tell(asker.pc_sock, 'a');
	read_some(&cl, dt, msecs);
	start = prog_now();
	send_signal(dtd->pd_pid, SIGCONT);
	if (prog_hear(asker.pc_sock) != 'a')
		errx(1, "what was asked meanwhile has no answer");
	printf("daemon: answers after %.1f ms\n", (prog_now() - start) / 1e6);
	read_some(&cl, dt, 100);
	load_end(lo);
	calls_finish(&cl, dt, "daemon", &dl);
	check_loss("daemon", lo, &dl);
	dt_close(dt);
	prog_child_end(&asker);
	prog_child_end(&lo->lo_child);
}

/*
 * client
 */

struct client_arg {
	const struct prog_dtd *ca_dtd;
	struct load *ca_load;
};

/* Reads until the load has ended. */
static void
client_run(int sock, void *arg)
{
	struct client_arg *ca = arg;
	struct dt_ledger dl;
	struct calls cl;
	struct dt *dt;

	calls_init(&cl, 0);
	dt = calls_open(ca->ca_dtd, ca->ca_load->lo_child.pc_pid, SEQ_BUDGET,
	    DTEVT_EXECNAME | DTEVT_KSTACK);
	prog_tell(sock, 'r');
	while (!__atomic_load_n(&ca->ca_load->lo_end, __ATOMIC_SEQ_CST))
		calls_read(&cl, dt, 10000, 10);
	prog_hear(sock); /* after all calls have been made */
	calls_finish(&cl, dt, "client", &dl);
	check_loss("client", ca->ca_load, &dl);
	dt_close(dt);
}

static void
suspend_client(struct prog_dtd *dtd)
{
	struct client_arg ca = { dtd, load_start() };
	struct beside *bs = beside_start(dtd);
	struct prog_child client;

	prog_child_start(&client, client_run, &ca);
	if (prog_hear(client.pc_sock) != 'r')
		errx(1, "the client does not record");
	load_go(ca.ca_load);
	nap(100);
	stop(client.pc_pid);
	nap(msecs);
	send_signal(client.pc_pid, SIGCONT);
	nap(100);
	load_end(ca.ca_load);
	prog_tell(client.pc_sock, 'e');
	prog_child_end(&client);
	prog_child_end(&ca.ca_load->lo_child);
	beside_stop(bs); /* it has lost nothing */
}

/*
 * killed
 */

static void
state_run(int sock, void *arg)
{
	static struct raw rw;
	const struct state *st = arg;

	if (raw_connect(&rw, pd->pd_sock) != 0)
		errx(1, "connect");
	st->st_reach(&rw);
	prog_tell(sock, 'r');
	prog_hear(sock);
}

/* It waits for a client that reads nothing, and is otherwise idle. */
static void
expect_calm(const char *name)
{
	double busy;
	int try;

	for (try = 0; (busy = daemon_busy(pd)) > MAXBUSY; try++)
		if (try == SETTLING)
			errx(1, "%s: the daemon uses %.0f %% of a CPU", name,
			    busy);
}

static void
suspend_killed(struct prog_dtd *dtd)
{
	struct prog_child pc;
	struct dt *dt;
	size_t i;

	(void)dtd;
	for (i = 0; i < NSTATES; i++) {
		prog_child_start(&pc, state_run, (void *)&states[i]);
		if (prog_hear(pc.pc_sock) != 'r')
			errx(1, "%s is not reached", states[i].st_name);
		stop(pc.pc_pid);
		if (states[i].st_reach == state_stuffed ||
		    states[i].st_reach == state_unread)
			expect_calm(states[i].st_name);
		dt = prog_open(pd, 0);
		prog_probe(dt, CALLS_ENTRY);
		dt_close(dt);
		send_signal(pc.pc_pid, SIGKILL);
		if (waitpid(pc.pc_pid, NULL, 0) != pc.pc_pid)
			err(1, "waitpid");
		close(pc.pc_sock);
		expect_as_before(states[i].st_name, 0);
	}
	printf("killed: %zu states\n", NSTATES);
}

static const struct test {
	const char *te_name;
	void (*te_run)(struct prog_dtd *);
} tests[] = {
	{ "daemon", suspend_daemon },
	{ "client", suspend_client },
	{ "killed", suspend_killed },
};

#define NTESTS (sizeof(tests) / sizeof(tests[0]))

static void
find_probes(void)
{
	struct dt *dt = prog_open(pd, 0);

	pbn_entry = prog_probe(dt, "syscall:getppid:entry");
	pbn_return = prog_probe(dt, "syscall:getppid:return");
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct prog_dtd dtd;
	size_t i = 0;
	int ch;

	while (i < NTESTS && strcmp(name, tests[i].te_name) != 0)
		i++;
	optind = 2;
	while (i < NTESTS && (ch = getopt(argc, argv, "t:")) != -1)
		if (ch == 't')
			msecs = prog_number(optarg, 600000);
	if (i == NTESTS)
		errx(2, "usage: suspend daemon|client|killed [-t msecs]");
	prog_init("suspend", 1800);
	seq_start(&dtd, 0);
	find_probes();
	tests[i].te_run(&dtd);
	prog_wait(all_closed, NULL, "the end of all clients");
	expect_as_before("all", 0);
	run_clean();
	prog_dtd_stop(&dtd);
	printf("suspend %s: nothing is left\n", name);
	return 0;
}
