/* SPDX-License-Identifier: ISC */
/*
 * conserve slow|kill|nested [-g] [-n HITS] [-f HZ]
 *
 * Whether every hit is accounted for: fired equals the known size of the load,
 * and equals read plus dropped plus recursed exactly, for each session.
 *
 * slow		the reader takes a small part of the events
 * kill		the client is killed: between two halves of the load, so that
 *		the number is known, and once more in the middle of it
 * nested	ticks of a fast clock interrupt system calls while their stacks
 *		are put together
 *
 * With -g rings may grow, and must have grown when the load ends.
 *
 * Meanwhile a session with another filter loses no event: its own load never
 * exceeds what a ring holds before the reader has read it.
 *
 * The load is close(2) of descriptors that do not exist.  The number counts up,
 * so each event shows its position in the load.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/prog.h"

#define NREPORTS     200	   /* of a load's progress */
#define READ_PART    4000	   /* fraction of hits read per report */
#define SMALL_BUDGET (256UL << 10) /* bytes: drops soon */
#define GROWN_BUDGET (16UL << 20)  /* bytes, for -g */

static int grows; /* -g */

/* A load's parameters and progress, in shared memory. */
struct load {
	unsigned int ld_nthreads;
	long ld_ncalls; /* of each thread, in all parts */
	int ld_halves;	/* waits in the middle */
	long ld_done[CALLS_THREADS];
	int ld_sock;
	pthread_barrier_t ld_barrier;
};

struct thread_arg {
	struct load *ta_load;
	unsigned int ta_num;
};

/* Makes calls from to to, and counts them. */
static void
load_calls(struct load *ld, unsigned int num, long from, long to)
{
	long fd = CALLS_FIRST | (long)num << CALLS_SHIFT;
	long i, report = ld->ld_ncalls / NREPORTS + 1;

	for (i = from; i < to; i++) {
		if (syscall(SYS_close, fd + i) != -1 || errno != EBADF)
			errx(1, "close of nothing");
		ld->ld_done[num]++;
		if (num == 0 && i % report == 0)
			prog_tell(ld->ld_sock, 'p');
	}
}

static void *
load_thread(void *arg)
{
	struct thread_arg *ta = arg;
	struct load *ld = ta->ta_load;
	long half = ld->ld_halves ? ld->ld_ncalls / 2 : 0;

	prog_pin(ta->ta_num);
	load_calls(ld, ta->ta_num, 0, half);
	pthread_barrier_wait(&ld->ld_barrier); /* all have arrived */
	if (ld->ld_halves && ta->ta_num == 0) {
		prog_tell(ld->ld_sock, 'h');
		prog_hear(ld->ld_sock);
	}
	pthread_barrier_wait(&ld->ld_barrier); /* all may continue */
	load_calls(ld, ta->ta_num, half, ld->ld_ncalls);
	return NULL;
}

/* The child: waits for a byte, makes its calls, sends 'e'. */
static void
load_run(int sock, void *arg)
{
	struct load *ld = arg;
	struct thread_arg ta[CALLS_THREADS];
	pthread_t t[CALLS_THREADS];
	unsigned int i;

	ld->ld_sock = sock;
	pthread_barrier_init(&ld->ld_barrier, NULL, ld->ld_nthreads);
	prog_hear(sock);
	for (i = 0; i < ld->ld_nthreads; i++) {
		ta[i] = (struct thread_arg){ ld, i };
		if (pthread_create(&t[i], NULL, load_thread, &ta[i]) != 0)
			errx(1, "pthread_create");
	}
	for (i = 0; i < ld->ld_nthreads; i++)
		pthread_join(t[i], NULL);
	prog_tell(sock, 'e');
	prog_hear(sock); /* until the parent has read all */
}

/* Starts a load of nhits hits, two per call, which waits for a byte. */
static struct load *
load_start(struct prog_child *pc, long nhits, int halves)
{
	struct load *ld = prog_shared(sizeof(*ld));

	ld->ld_nthreads = prog_ncpu() < 2 ? 1 : 2;
	ld->ld_ncalls = nhits / 2 / ld->ld_nthreads;
	ld->ld_halves = halves;
	prog_child_start(pc, load_run, ld);
	return ld;
}

static uint64_t
load_done(const struct load *ld)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < ld->ld_nthreads; i++)
		n += ld->ld_done[i];
	return n;
}

/* The session whose ledger is tested. */
static struct dt *
tested_open(const struct prog_dtd *pd, pid_t pid, size_t budget, uint64_t flags)
{
	prog_maxbudget = grows ? GROWN_BUDGET : 0;
	return calls_open(pd, pid, budget, flags);
}

static void
expect_fired(const char *who, uint64_t fired, uint64_t hits)
{
	if (fired != hits)
		errx(1, "%s: fired %llu, but the load made %llu hits", who,
		    (unsigned long long)fired, (unsigned long long)hits);
}

/* Checks that rings which may grow have grown, within their maximum. */
static void
expect_grown(struct dt *dt, const char *who)
{
	struct dtioc_fullstat fs;

	if (!grows)
		return;
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "fullstat");
	if (fs.dtfs_ringbytes * fs.dtfs_nrings <= SMALL_BUDGET ||
	    fs.dtfs_ringbytes > GROWN_BUDGET)
		errx(1, "%s: the largest ring has %llu bytes", who,
		    (unsigned long long)fs.dtfs_ringbytes);
	printf("%s: rings have grown\n", who);
}

/* slow: for each of the load's reports the reader takes a few events. */
static void
conserve_slow(const struct prog_dtd *pd, long nhits)
{
	struct beside *bs = beside_start(pd);
	struct prog_child pc;
	struct dt_ledger dl;
	struct calls rd;
	struct load *ld;
	struct dt *dt;

	calls_init(&rd, 0);
	ld = load_start(&pc, nhits, 0);
	dt = tested_open(pd, pc.pc_pid, SMALL_BUDGET, 0);
	prog_tell(pc.pc_sock, 'g');
	while (prog_hear(pc.pc_sock) == 'p')
		calls_read(&rd, dt, nhits / READ_PART + 1, 0);
	expect_grown(dt, "slow");
	calls_finish(&rd, dt, "slow", &dl);
	expect_fired("slow", dl.dl_fired, 2 * load_done(ld));
	if (dl.dl_dropped == 0 || dl.dl_read == 0)
		errx(1, "the reader was not too slow");
	dt_close(dt);
	prog_child_end(&pc);
	beside_stop(bs);
}

/*
 * kill
 */

struct client_arg {
	const struct prog_dtd *ca_pd;
	pid_t ca_pid;
};

/* Records, reads some events, and waits to be killed. */
static void
client_run(int sock, void *arg)
{
	const struct client_arg *ca = arg;
	struct calls rd;
	struct dt *dt;

	calls_init(&rd, 0);
	dt = tested_open(ca->ca_pd, ca->ca_pid, SMALL_BUDGET, 0);
	prog_tell(sock, 'r');
	while (prog_hear(sock) == 'p')
		calls_read(&rd, dt, 100, 0);
}

static void
client_kill(struct prog_child *client)
{
	if (kill(client->pc_pid, SIGKILL) == -1 ||
	    waitpid(client->pc_pid, NULL, 0) == -1)
		err(1, "kill");
	close(client->pc_sock);
}

/* Returns the hits of a killed client, from the daemon's log. */
static uint64_t
killed_ledger(const struct prog_dtd *pd, pid_t pid, const char *who)
{
	unsigned long long fired, nread, dropped, recursed, counted, mapfull;
	char line[256], open[64], close[64];
	unsigned int slot;

	snprintf(open, sizeof(open), "process %d of", (int)pid);
	prog_dtd_line(pd, NULL, open, line, sizeof(line));
	if (sscanf(line, "dtd: open %u:", &slot) != 1)
		errx(1, "not understood: %s", line);
	/* The slot may have been another session's before. */
	snprintf(close, sizeof(close), "close %u:", slot);
	prog_dtd_line(pd, open, close, line, sizeof(line));
	if (sscanf(line,
		"dtd: close %*u: fired %llu, read %llu, dropped "
		"%llu, recursed %llu, counted %llu, mapfull %llu",
		&fired, &nread, &dropped, &recursed, &counted, &mapfull) != 6)
		errx(1, "not understood: %s", line);
	printf("%s: %s", who, line);
	if (fired != nread + dropped + recursed + counted + mapfull)
		errx(1, "%s: the sum does not hold", who);
	return fired;
}

/* Lets the load continue until it sends stop; the client reads its share. */
static void
feed(struct prog_child *load, struct prog_child *client, int stop, int max)
{
	int byte, n = 0;

	while ((byte = prog_hear(load->pc_sock)) != stop) {
		if (byte == -1)
			errx(1, "the load has ended");
		if (client != NULL)
			prog_tell(client->pc_sock, 'p');
		if (++n == max)
			return;
	}
}

/* Between two halves: all hits of the first are known. */
static void
kill_at_rest(const struct prog_dtd *pd, long nhits)
{
	struct prog_child load, client;
	struct client_arg ca = { pd, 0 };
	struct load *ld = load_start(&load, nhits, 1);
	uint64_t fired;

	ca.ca_pid = load.pc_pid;
	prog_child_start(&client, client_run, &ca);
	if (prog_hear(client.pc_sock) != 'r')
		errx(1, "the client does not start");
	prog_tell(load.pc_sock, 'g');
	feed(&load, &client, 'h', 0);
	client_kill(&client);
	fired = killed_ledger(pd, client.pc_pid, "at rest");
	expect_fired("at rest", fired, 2 * load_done(ld));
	prog_tell(load.pc_sock, 'g');
	feed(&load, NULL, 'e', 0);
	prog_child_end(&load);
}

/* While the load runs: at least the reported hits have fired. */
static void
kill_at_work(const struct prog_dtd *pd, long nhits)
{
	struct prog_child load, client;
	struct client_arg ca = { pd, 0 };
	struct load *ld = load_start(&load, nhits, 0);
	uint64_t fired, before;

	ca.ca_pid = load.pc_pid;
	prog_child_start(&client, client_run, &ca);
	if (prog_hear(client.pc_sock) != 'r')
		errx(1, "the client does not start");
	prog_tell(load.pc_sock, 'g');
	feed(&load, &client, 'e', NREPORTS / 3);
	before = 2 * ld->ld_ncalls / NREPORTS * (NREPORTS / 3 - 1);
	client_kill(&client);
	fired = killed_ledger(pd, client.pc_pid, "killed");
	feed(&load, NULL, 'e', 0);
	if (fired < before || fired > 2 * load_done(ld))
		errx(1, "killed: not %llu to %llu", (unsigned long long)before,
		    (unsigned long long)(2 * load_done(ld)));
	prog_child_end(&load);
}

static void
conserve_kill(const struct prog_dtd *pd, long nhits)
{
	struct beside *bs = beside_start(pd);

	kill_at_rest(pd, nhits);
	kill_at_work(pd, nhits);
	beside_stop(bs);
}

/* Reads all ticks, to the end of the recording. */
static uint64_t
read_ticks(struct dt *dt)
{
	struct dt_event ev;
	uint64_t n = 0;

	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1)
		n++;
	if (errno != ENODATA)
		err(1, "clock: %s", dt_error(dt));
	return n;
}

/*
 * nested: a session of the clock and one of the calls, which is read all the
 * time; its dropped events are counted.  With -g it is read from the middle of
 * the load on: how full a ring gets with a prompt reader depends on the
 * scheduler, but half of the load fits neither in the first rings nor in the
 * socket.
 */
static void
conserve_nested(const struct prog_dtd *pd, long nhits, long hz)
{
	const uint64_t stacks = DTEVT_KSTACK | DTEVT_USTACK;
	struct dt *calls, *clock = prog_open(pd, 0);
	struct beside *bs = beside_start(pd);
	struct calls rd;
	struct dt_ledger dl_calls, dl_clock;
	struct prog_child pc;
	struct load *ld;
	int nreports = 0;

	calls_init(&rd, 0);
	ld = load_start(&pc, nhits, 0);
	calls = tested_open(pd, pc.pc_pid, grows ? SMALL_BUDGET : 4 << 20,
	    stacks);
	prog_filter(clock, pc.pc_pid);
	prog_enable(clock, "profile:hz:97", stacks, 1000000000 / hz);
	prog_record(clock, 1);
	prog_tell(pc.pc_sock, 'g');
	while (prog_hear(pc.pc_sock) == 'p')
		if (!grows || ++nreports > NREPORTS / 2)
			calls_read(&rd, calls, 1000, 0);
	expect_grown(calls, "calls");
	calls_finish(&rd, calls, "calls", &dl_calls);
	prog_record(clock, 0);
	prog_ledger(clock, "clock", read_ticks(clock), &dl_clock);
	expect_fired("calls", dl_calls.dl_fired, 2 * load_done(ld));
	if (dl_clock.dl_recursed == 0)
		errx(1, "no tick met a scratch in use");
	dt_close(calls);
	dt_close(clock);
	prog_child_end(&pc);
	beside_stop(bs);
}

static void
usage(void)
{
	fprintf(stderr,
	    "usage: conserve slow|kill|nested [-g] [-n hits] "
	    "[-f hz]\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long nhits = 1000000, hz = 5000;
	struct prog_dtd pd;
	int ch;

	optind = 2;
	while ((ch = getopt(argc, argv, "f:gn:")) != -1) {
		if (ch == 'n')
			nhits = prog_number(optarg, CALLS_MAX);
		else if (ch == 'f')
			hz = prog_number(optarg, 5000);
		else if (ch == 'g')
			grows = 1;
		else
			usage();
	}
	prog_init("conserve", 600);
	prog_dtd_start(&pd, NULL);
	if (strcmp(what, "slow") == 0)
		conserve_slow(&pd, nhits);
	else if (strcmp(what, "kill") == 0)
		conserve_kill(&pd, nhits);
	else if (strcmp(what, "nested") == 0)
		conserve_nested(&pd, nhits, hz);
	else
		usage();
	prog_dtd_stop(&pd);
	printf("conserve %s: exact\n", what);
	return 0;
}
