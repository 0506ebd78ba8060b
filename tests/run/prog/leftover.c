/* SPDX-License-Identifier: ISC */
/*
 * leftover closed|ended|killed|stopped|private [-r ROUNDS]
 *
 * Leftovers, as the kernel reports them: ids of BPF programs, maps (including
 * those inside a map of maps) and links, and the daemon's descriptors.
 *
 * closed	sessions leave nothing however they end; with no session
 *		recording, nothing is attached
 * ended	after the daemon has ended, nothing is left
 * killed	the same after kill -9 of the daemon
 * stopped	the same, if it was stopped (SIGSTOP) before
 * private	a private daemon ends with its killed client, and the same
 *
 * Other users may trace on this machine at the same time: the tests compare
 * only ids that the daemon held, directly or through its objects.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/held.h"
#include "tests/run/prog/prog.h"

#define NCLIENTS 4

/* A daemon, its expected resources, and the difference. */
struct expected {
	pid_t ex_pid;
	const struct held *ex_base;
	struct held ex_now;
	char ex_what[200]; /* a difference */
};

static int
is_as_before(void *arg)
{
	struct expected *ex = arg;

	held_get(&ex->ex_now, ex->ex_pid);
	return !held_differs(ex->ex_base, &ex->ex_now, ex->ex_what,
	    sizeof(ex->ex_what));
}

/*
 * Returns the number of perf events of the process: clocks, and those that
 * tracepoints are attached to.
 */
static long
perf_events(pid_t pid)
{
	char dir[64], path[400], to[64];
	struct dirent *de;
	long n = 0;
	ssize_t len;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	if ((d = opendir(dir)) == NULL)
		err(1, "%s", dir);
	while ((de = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		len = readlink(path, to, sizeof(to) - 1);
		if (len > 0) {
			to[len] = '\0';
			n += strstr(to, "[perf_event]") != NULL;
		}
	}
	closedir(d);
	return n;
}

static int
has_events(struct expected *ex, long most)
{
	held_get(&ex->ex_now, ex->ex_pid);
	return ex->ex_now.he_ids[LINK].is_n == 0 &&
	    perf_events(ex->ex_pid) <= most;
}

/*
 * Leaves out the events that follow processes, one per CPU: symbols can be
 * requested until the session closes.
 */
static int
is_stopped(void *arg)
{
	return has_events(arg, sysconf(_SC_NPROCESSORS_ONLN));
}

static int
is_detached(void *arg)
{
	return has_events(arg, 0);
}

/* Waits for the expected state; prints the difference if it never occurs. */
static void
expect(struct expected *ex, int (*fn)(void *), const char *what)
{
	int64_t end = prog_now() + 20 * INT64_C(1000000000);
	const struct timespec pause = { 0, 5000000 };

	while (!fn(ex)) {
		if (prog_now() > end)
			errx(1, "%s: %s", what,
			    ex->ex_what[0] != '\0' ? ex->ex_what
						   : "something is attached");
		nanosleep(&pause, NULL);
	}
}

/* Waits until the kernel has none of these ids. */
struct gone {
	const struct held *go_held;
	enum kind go_kind;
	uint32_t go_id;
};

static int
is_gone(void *arg)
{
	struct gone *go = arg;
	const struct ids *is;
	unsigned int i, k;

	for (k = 0; k < NKIND; k++) {
		is = &go->go_held->he_ids[k];
		for (i = 0; i < is->is_n; i++)
			if (id_exists(k, is->is_id[i])) {
				go->go_kind = k;
				go->go_id = is->is_id[i];
				return 0;
			}
	}
	return 1;
}

static void
expect_gone(const struct held *he)
{
	struct gone go = { .go_held = he };
	int64_t end = prog_now() + 20 * INT64_C(1000000000);
	const struct timespec pause = { 0, 5000000 };

	while (!is_gone(&go)) {
		if (prog_now() > end)
			errx(1, "%s %u is left", kinds[go.go_kind], go.go_id);
		nanosleep(&pause, NULL);
	}
}

/* Removes from from the ids in without. */
static void
held_subtract(struct held *from, const struct held *without)
{
	unsigned int i, k, n;
	struct ids *is;

	for (k = 0; k < NKIND; k++) {
		is = &from->he_ids[k];
		for (i = n = 0; i < is->is_n; i++)
			if (!ids_have(&without->he_ids[k], is->is_id[i]))
				is->is_id[n++] = is->is_id[i];
		is->is_n = n;
	}
}

static void
held_print(const char *when, const struct held *he)
{
	printf("%s: %u programs, %u maps, %u links, %u descriptors\n", when,
	    he->he_ids[PROG].is_n, he->he_ids[MAP].is_n, he->he_ids[LINK].is_n,
	    he->he_nfds);
}

/* Opens a session with a probe of every kind that this daemon has. */
static void
record_all(struct dt *dt)
{
	prog_enable(dt, "profile:hz:97", DTEVT_KSTACK | DTEVT_USTACK, 10000000);
	prog_enable(dt, "interval:hz:1", DTEVT_KSTACK, 10000000);
	prog_enable(dt, "syscall:getppid:entry", DTEVT_KSTACK, 0);
	prog_enable(dt, "syscall:getppid:return", 0, 0);
	prog_enable(dt, "tracepoint:task:task_rename", DTEVT_FUNCARGS, 0);
	prog_enable(dt, "tracepoint:sched:sched_switch", DTEVT_STRINGS, 0);
	prog_enable(dt, "rawtracepoint:task_rename:hit", 0, 0);
	prog_record(dt, 1);
}

/* A client that records until it is killed or receives a byte. */
static void
client_run(int sock, void *arg)
{
	struct dt *dt = prog_open(arg, 0);

	record_all(dt);
	prog_tell(sock, 'r');
	if (prog_hear(sock) == 'c')
		dt_close(dt);
	/* otherwise the exit closes the session */
}

static void
client_start(struct prog_child *pc, struct prog_dtd *pd)
{
	prog_child_start(pc, client_run, pd);
	if (prog_hear(pc->pc_sock) != 'r')
		errx(1, "a client does not record");
}

/* Ends client i in the i-th way. */
static void
client_end(struct prog_child *pc, unsigned int i)
{
	switch (i % 3) {
	case 0:
		prog_tell(pc->pc_sock, 'c');
		prog_child_end(pc);
		return;
	case 1:
		prog_tell(pc->pc_sock, 'x');
		prog_child_end(pc);
		return;
	default:
		if (kill(pc->pc_pid, SIGKILL) == -1 ||
		    waitpid(pc->pc_pid, NULL, 0) == -1)
			err(1, "kill");
		close(pc->pc_sock);
	}
}

/* Sessions that stopped, and are still open: nothing is attached for them. */
static void
closed_stopped(struct prog_dtd *pd, struct expected *ex)
{
	struct dt *dt[NCLIENTS];
	unsigned int i;

	for (i = 0; i < NCLIENTS; i++) {
		dt[i] = prog_open(pd, 0);
		record_all(dt[i]);
	}
	held_get(&ex->ex_now, pd->pd_pid);
	held_print("recording", &ex->ex_now);
	/* entry, return, three tracepoints, and a clock per CPU for each */
	if (ex->ex_now.he_ids[LINK].is_n != 5 + NCLIENTS * prog_ncpu())
		errx(1, "%u links", ex->ex_now.he_ids[LINK].is_n);
	for (i = 0; i < NCLIENTS; i++)
		prog_record(dt[i], 0);
	ex->ex_what[0] = '\0';
	expect(ex, is_stopped, "stopped");
	held_print("stopped", &ex->ex_now);
	for (i = 0; i < NCLIENTS; i++)
		dt_close(dt[i]);
}

/* Sessions that end while they record. */
static void
closed_recording(struct prog_dtd *pd, struct expected *ex)
{
	struct prog_child pc[NCLIENTS];
	struct held during;
	unsigned int i;

	for (i = 0; i < NCLIENTS; i++)
		client_start(&pc[i], pd);
	held_get(&during, pd->pd_pid);
	for (i = 0; i < NCLIENTS; i++)
		client_end(&pc[i], i);
	expect(ex, is_as_before, "closed");
	held_subtract(&during, ex->ex_base);
	expect_gone(&during);
}

/* Opens a first session, which creates everything that is created once. */
static void
warm_up(struct prog_dtd *pd, struct held *base)
{
	struct expected ex = { .ex_pid = pd->pd_pid };
	struct dt *dt = prog_open(pd, 0);
	char line[128];

	record_all(dt);
	dt_close(dt);
	prog_dtd_line(pd, NULL, "close 0", line, sizeof(line));
	expect(&ex, is_detached, "warm up");
	held_get(base, pd->pd_pid);
}

static void
leftover_closed(long rounds)
{
	static struct held base;
	static struct expected ex;
	struct prog_dtd pd;
	long i;

	prog_dtd_start(&pd, NULL);
	warm_up(&pd, &base);
	held_print("before", &base);
	ex.ex_pid = pd.pd_pid;
	ex.ex_base = &base;
	for (i = 0; i < rounds; i++) {
		closed_stopped(&pd, &ex);
		expect(&ex, is_as_before, "closed after the stop");
		closed_recording(&pd, &ex);
	}
	held_print("after", &ex.ex_now);
	prog_dtd_stop(&pd);
	expect_gone(&base);
}

/*
 * The daemon ends by sig while clients record: they get an error or END, and
 * nothing is left.
 */
static void
leftover_ended(int sig, int stopped)
{
	static struct held during;
	struct prog_child pc[2];
	struct prog_dtd pd;
	struct dt_event ev;
	int nend = 0, r;
	struct dt *dt;

	prog_dtd_start(&pd, NULL);
	dt = prog_open(&pd, 0);
	record_all(dt);
	client_start(&pc[0], &pd);
	client_start(&pc[1], &pd);
	held_get(&during, pd.pd_pid);
	held_print("recording", &during);
	if (stopped &&
	    (kill(pd.pd_pid, SIGSTOP) == -1 ||
		waitpid(pd.pd_pid, NULL, WUNTRACED) != pd.pd_pid))
		err(1, "stop");
	if (sig == SIGTERM) {
		prog_dtd_stop(&pd);
		if (access(pd.pd_sock, F_OK) == 0)
			errx(1, "its socket is left");
	} else if (kill(pd.pd_pid, sig) == -1 ||
	    waitpid(pd.pd_pid, NULL, 0) == -1)
		err(1, "kill");
	expect_gone(&during);
	/* a daemon that ends by SIGTERM sends END first */
	while ((r = dt_next(dt, &ev, PROG_DEADLINE * 1000)) == 1 ||
	    (sig == SIGTERM && errno == ENODATA && nend++ == 0))
		continue;
	if (r != -1 || errno != EPIPE)
		err(1, "a client of a daemon that is gone");
	dt_close(dt);
	client_end(&pc[0], 0);
	client_end(&pc[1], 1);
}

/*
 * private
 */

static void
private_run(int sock, void *arg)
{
	struct dt *dt = dt_open("/nonexistent/dt", DT_OPEN_PRIVATE);

	(void)arg;
	if (dt == NULL)
		err(1, "dt_open: %s", dt_error(NULL));
	record_all(dt);
	prog_tell(sock, 'r');
	prog_hear(sock);
}

/* Returns the only child of a process. */
static pid_t
child_of(pid_t parent)
{
	char path[64];
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
	    (int)parent);
	if ((f = fopen(path, "re")) == NULL || fscanf(f, "%d", &pid) != 1)
		errx(1, "%s: no child", path);
	fclose(f);
	return pid;
}

static void
leftover_private(void)
{
	static struct held during;
	struct prog_child pc;
	int status;
	pid_t dtd;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) == -1)
		err(1, "prctl");
	prog_child_start(&pc, private_run, NULL);
	if (prog_hear(pc.pc_sock) != 'r')
		errx(1, "the client does not record");
	dtd = child_of(pc.pc_pid);
	held_get(&during, dtd);
	held_print("recording", &during);
	client_end(&pc, 2);
	/* orphans become our children now */
	if (waitpid(dtd, &status, 0) != dtd)
		err(1, "the private daemon");
	if (status != 0)
		errx(1, "the private daemon ended with status %#x", status);
	expect_gone(&during);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long rounds = 3;
	int ch;

	optind = 2;
	while ((ch = getopt(argc, argv, "r:")) != -1)
		if (ch == 'r')
			rounds = prog_number(optarg, 100000);
	prog_init("leftover", 3600);
	if (strcmp(what, "closed") == 0)
		leftover_closed(rounds);
	else if (strcmp(what, "ended") == 0)
		leftover_ended(SIGTERM, 0);
	else if (strcmp(what, "killed") == 0)
		leftover_ended(SIGKILL, 0);
	else if (strcmp(what, "stopped") == 0)
		leftover_ended(SIGKILL, 1);
	else if (strcmp(what, "private") == 0)
		leftover_private();
	else
		errx(2,
		    "usage: leftover closed|ended|killed|stopped|private "
		    "[-r rounds]");
	printf("leftover %s: nothing\n", what);
	return 0;
}
