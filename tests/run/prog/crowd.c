/* SPDX-License-Identifier: ISC */
/*
 * crowd load|soak [-s SECONDS] [-v]
 *
 * Many clients of one daemon for some time, each in a separate process.
 * Loads are paced and of known size: a client's ledger shows exactly the events
 * of its load, and a client loses events only by its own fault.  Afterwards the
 * daemon holds the same resources as before.
 *
 * load		100 clients: 16 that record, one that never reads, one that
 *		floods the daemon with commands, some that are killed (ten per
 *		second), and others that send a command at times.  Reports the
 *		longest stall of the daemon's threads.
 * soak		fewer clients of all kinds, which start and end; reports the
 *		memory of the daemon and of its objects in the kernel over time
 *
 * The report is text on stdout; with -v, clients print their progress.
 */
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/crowd_client.h"
#include "tests/run/prog/daemon.h"
#include "tests/run/prog/held.h"
#include "tests/run/prog/prog.h"

#define SECOND	     INT64_C(1000000000)
#define MAXCLIENTS   128
#define FIRST_ROUNDS 60	 /* s */
#define KEPT	     120 /* s; for which exited processes are kept */
#define SETTLE	     240 /* s; they and symbols are kept, and names-idle */

static struct client *clients;		       /* shared */
static struct prog_child children[MAXCLIENTS]; /* in the same order */
static unsigned int nclients;
static int soaking;

/*
 * All clients
 */

static void
client_run(int sock, void *arg)
{
	struct client *cl = arg;

	cl->cl_sort->so_run(sock, cl);
	if (verbose)
		printf("%s: %llu rounds, %llu events, %llu dropped\n",
		    cl->cl_sort->so_name, (unsigned long long)cl->cl_rounds,
		    (unsigned long long)cl->cl_events,
		    (unsigned long long)cl->cl_dropped);
}

static void
crowd_start(void)
{
	unsigned int i, n;
	size_t k;

	for (k = 0; k < NSORTS; k++) {
		n = soaking ? sorts[k].so_nsoak : sorts[k].so_nload;
		for (i = 0; i < n; i++) {
			clients[nclients].cl_sort = &sorts[k];
			prog_child_start(&children[nclients], client_run,
			    &clients[nclients]);
			nclients++;
		}
	}
}

static void
crowd_stop(void)
{
	unsigned int i;

	for (i = 0; i < nclients; i++)
		prog_tell(children[i].pc_sock, 'q');
	for (i = 0; i < nclients; i++)
		prog_child_end(&children[i]);
}

static void
report_clients(void)
{
	struct client sum;
	unsigned int i, n;
	size_t k;

	for (k = 0; k < NSORTS; k++) {
		memset(&sum, 0, sizeof(sum));
		for (i = n = 0; i < nclients; i++) {
			if (clients[i].cl_sort != &sorts[k])
				continue;
			n++;
			sum.cl_rounds += clients[i].cl_rounds;
			sum.cl_events += clients[i].cl_events;
			sum.cl_dropped += clients[i].cl_dropped;
			if (clients[i].cl_answer > sum.cl_answer)
				sum.cl_answer = clients[i].cl_answer;
		}
		if (n > 0)
			printf("%-10s %3u clients, %8llu rounds, %10llu "
			       "events, %8llu lost, longest answer %.1f ms\n",
			    sorts[k].so_name, n,
			    (unsigned long long)sum.cl_rounds,
			    (unsigned long long)sum.cl_events,
			    (unsigned long long)sum.cl_dropped,
			    sum.cl_answer / 1e6);
	}
}

static void
report_stalls(void)
{
	struct dt *dt = prog_open(pd, 0);
	struct dtioc_stall sl;

	if (dt_ioctl(dt, DTIOCGSTALL, &sl) == -1)
		errx(1, "DTIOCGSTALL: %s", dt_error(dt));
	printf("longest pass of the control thread: %.2f ms (%.2f ms of CPU; "
	       "goal 20)\n",
	    sl.dtsl_control / 1e6, sl.dtsl_controlcpu / 1e6);
	printf("longest pass of the data thread: %.2f ms (%.2f ms of CPU; "
	       "goal 2), between two: %.2f ms\n",
	    sl.dtsl_data / 1e6, sl.dtsl_datacpu / 1e6, sl.dtsl_datagap / 1e6);
	dt_close(dt);
	if (sl.dtsl_controlcpu == 0 || sl.dtsl_datacpu == 0)
		errx(1, "stalls are not measured");
}

/*
 * Resources of the daemon
 */

/* Returns the memory of the daemon's maps and programs, in kB. */
static unsigned long
bpf_kb(const struct prog_dtd *d)
{
	char path[300], dir[32], line[128];
	unsigned long n, sum = 0;
	struct dirent *de;
	FILE *f;
	DIR *dp;

	if ((dp = opendir(prog_proc(dir, sizeof(dir), d->pd_pid, "fdinfo"))) ==
	    NULL)
		err(1, "%s", dir);
	while ((de = readdir(dp)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		if ((f = fopen(path, "re")) == NULL)
			continue;
		while (fgets(line, sizeof(line), f) != NULL)
			if (sscanf(line, "memlock: %lu", &n) == 1)
				sum += n >> 10;
		fclose(f);
	}
	closedir(dp);
	return sum;
}

struct memory {
	unsigned int me_rss, me_fds;
	unsigned int me_peak; /* private memory, the most of a quarter */
	unsigned long me_bpf;
};

static void
memory_get(const char *when, struct memory *me)
{
	unsigned int own = prog_dtd_kb(pd, "RssAnon");

	me->me_rss = prog_dtd_rss(pd);
	me->me_fds = daemon_nfds(pd);
	me->me_bpf = bpf_kb(pd);
	if (me->me_peak < own)
		me->me_peak = own;
	printf("%-8s RSS %u kB, private %u kB (at most %u), %u descriptors, "
	       "BPF objects %lu kB\n",
	    when, me->me_rss, own, me->me_peak, me->me_fds, me->me_bpf);
}

/* Symbol caches are released when unused for some time. */
static void
memory_settle(const struct memory *start)
{
	int64_t end = prog_now() + SETTLE * SECOND;

	while (!DAEMON_SANITIZED &&
	    prog_dtd_rss(pd) > start->me_rss + PROG_SLACK_KB &&
	    prog_now() < end)
		poll(NULL, 0, 500);
}

struct expected {
	struct held ex_base, ex_now;
	int64_t ex_since; /* time of the base */
	char ex_what[200];
};

static int
is_as_before(void *arg)
{
	struct expected *ex = arg;
	const struct held *base = &ex->ex_base, *now = &ex->ex_now;
	/* a symbolizer that is unused for half a minute has ended */
	int isold = soaking || prog_now() - ex->ex_since > 30 * SECOND;

	held_get(&ex->ex_now, pd->pd_pid);
	return !(isold ? held_exceeds : held_differs)(base, now, ex->ex_what,
	    sizeof(ex->ex_what));
}

static void
expect_as_before(struct expected *ex)
{
	const struct timespec pause = { 0, 20000000 };
	int64_t end = prog_now() + SETTLE * SECOND;

	while (!is_as_before(ex)) {
		if (prog_now() > end)
			errx(1, "afterwards: %s", ex->ex_what);
		nanosleep(&pause, NULL);
	}
	printf("afterwards: %u programs, %u maps, %u links, %u descriptors, "
	       "no more than before\n",
	    ex->ex_now.he_ids[PROG].is_n, ex->ex_now.he_ids[MAP].is_n,
	    ex->ex_now.he_ids[LINK].is_n, ex->ex_now.he_nfds);
}

/*
 * Waits until its part of the time is over; a client that ends early has
 * printed its failure.  Returns the most memory of the daemon's own.
 */
static unsigned int
wait_until(int64_t end)
{
	const struct timespec pause = { 0, 50000000 };
	unsigned int kb, peak = 0;
	pid_t pid;

	while (prog_now() < end) {
		if ((kb = prog_dtd_kb(pd, "RssAnon")) > peak)
			peak = kb;
		if ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			errx(1, "client %d has ended", (int)pid);
		nanosleep(&pause, NULL);
	}
	return peak;
}

/*
 * Waits until all clients but the stuck one have ended their first round:
 * memory grows until then, later on a busy machine.
 */
static void
wait_first_rounds(void)
{
	int64_t end = prog_now() + FIRST_ROUNDS * SECOND;
	unsigned int i;

	for (i = 0; i < nclients; i++)
		while (clients[i].cl_sort->so_run != run_stuck &&
		    __atomic_load_n(&clients[i].cl_rounds, __ATOMIC_RELAXED) ==
			0) {
			if (prog_now() > end)
				errx(1, "client %u (%s): no round in %d s", i,
				    clients[i].cl_sort->so_name, FIRST_ROUNDS);
			(void)wait_until(prog_now() + SECOND / 20);
		}
}

/*
 * Memory varies with the clients, but must not grow over time, except while the
 * first processes that have exited are kept.  In a few seconds a peak depends on
 * which clients a busy machine runs at once.
 */
static void
expect_flat(long seconds, const struct memory *start, const struct memory *me,
    const struct memory *after)
{
	/* the first quarter that begins after that time */
	long first = seconds > KEPT ? (4 * KEPT + seconds - 1) / seconds : 0;
	int isgrown = first < 3 &&
	    me[3].me_peak > me[first].me_peak + PROG_SLACK_KB / 2;

	if (DAEMON_SANITIZED)
		return;
	if ((seconds >= 10 && isgrown) ||
	    after->me_rss > start->me_rss + PROG_SLACK_KB)
		errx(1, "the daemon's memory grows");
	if (after->me_bpf > start->me_bpf)
		errx(1, "the kernel's memory for the daemon grows");
}

static void
crowd(long seconds)
{
	static const char *const parts[] = { "quarter", "half", "3/4", "end" };
	struct memory start = { 0 }, after = { 0 }, me[4];
	struct daemon_fds before;
	struct expected *ex = calloc(1, sizeof(*ex));
	int64_t begin;
	int i;

	if (ex == NULL)
		err(1, NULL);
	daemon_warm(pd, &before);
	if (soaking) { /* loads everything once */
		round_nsecs = 2 * SECOND;
		crowd_start();
		(void)wait_until(prog_now() + 3 * SECOND);
		crowd_stop();
		memset(clients, 0, nclients * sizeof(*clients));
		nclients = 0;
	}
	round_nsecs = soaking && seconds > 40 ? 10 * SECOND
					      : seconds * SECOND / 4;
	held_get_resting(&ex->ex_base, pd->pd_pid);
	ex->ex_since = prog_now();
	memory_get("start", &start);
	crowd_start();
	wait_first_rounds();
	begin = prog_now();
	for (i = 0; i < 4; i++) {
		me[i].me_peak = wait_until(
		    begin + seconds * SECOND * (i + 1) / 4);
		memory_get(parts[i], &me[i]);
	}
	crowd_stop();
	printf("%u clients, %.1f s\n", nclients, (prog_now() - begin) / 1e9);
	report_clients();
	report_stalls();
	expect_as_before(ex);
	memory_settle(&start);
	memory_get("after", &after);
	expect_flat(seconds, &start, me, &after);
	free(ex);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct prog_dtd dtd;
	long seconds = 4;
	int ch, bad;

	soaking = strcmp(what, "soak") == 0;
	bad = !soaking && strcmp(what, "load") != 0;
	optind = 2;
	while (!bad && (ch = getopt(argc, argv, "s:v")) != -1) {
		if (ch == 's')
			seconds = prog_number(optarg, 1000000);
		else if (ch == 'v')
			verbose = 1;
		else
			bad = 1;
	}
	if (bad)
		errx(2, "usage: crowd load|soak [-s seconds] [-v]");
	prog_init("crowd", seconds + 600);
	clients = prog_shared(MAXCLIENTS * sizeof(*clients));
	prog_dtd_start(&dtd, "ring-bytes = 256M\n");
	pd = &dtd;
	crowd(seconds);
	prog_dtd_stop(&dtd);
	printf("crowd %s: nothing is lost, nothing is left\n", what);
	return 0;
}
