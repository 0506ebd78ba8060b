/* SPDX-License-Identifier: ISC */
/*
 * hostile states|idle|flood|churn|deaf|passed|match [-n NUMBER]
 *
 * Hostile clients: the client next to the test must be served without a fault,
 * and afterwards the daemon must hold no more descriptors than before.
 *
 * states	closes connections in every state, n times, in different ways
 * idle		stays in each state: the daemon must be idle
 * flood	n connections of another user at once, and n in a row
 * churn	n sessions with rings in a row, each closed before it is used,
 *		without a pause
 * deaf		n clients that record everything and never read
 * passed	sends unexpected descriptors, some of which take long to close
 * match	looks up costly patterns, n times: the control thread, for which
 *		all clients wait, must do little of it
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <netinet/in.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/daemon.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/raw.h"
#include "tests/run/prog/state.h"

#define RING_BYTES (64U << 20) /* of all sessions, by configuration */
#define RING_USER  (8U << 20)  /* per user */
/*
 * kB: rings count twice, 512 connections have a request and a reply each, plus
 * the daemon's own memory.
 */
#define MAXRSS	(2 * (RING_BYTES >> 10) + 512 * 128 + (48 << 10))
#define NOBODY	65534
#define LINGER	20 /* s, maximum length of a close */
#define MAXWAIT 5  /* s, maximum wait for a reply then */

static const struct prog_dtd *pd;

static void
check_rss(void)
{
	unsigned int kb = prog_dtd_rss(pd);

	printf("the daemon has %u kB\n", kb);
	if (kb > MAXRSS && !DAEMON_SANITIZED)
		errx(1, "more than %u kB", MAXRSS);
}

static void
reach(struct raw *rw, const struct state *st)
{
	int error = raw_connect(rw, pd->pd_sock);

	if (error != 0)
		errx(1, "connect: %s", strerror(error));
	st->st_reach(rw);
}

/* Runs one client in a separate process and kills it. */
static void
client_run(int sock, void *arg)
{
	struct raw rw;

	reach(&rw, arg);
	prog_tell(sock, 'r');
	prog_hear(sock);
}

static void
reach_and_kill(const struct state *st)
{
	struct prog_child pc;

	prog_child_start(&pc, client_run, (void *)st);
	if (prog_hear(pc.pc_sock) != 'r')
		errx(1, "%s: is not reached", st->st_name);
	if (kill(pc.pc_pid, SIGKILL) == -1 || waitpid(pc.pc_pid, NULL, 0) == -1)
		err(1, "kill");
	close(pc.pc_sock);
}

/* Ends a client in the given way. */
static void
end_client(struct raw *rw, long way)
{
	if (way % 3 == 1 && rw->rw_sock != -1)
		shutdown(rw->rw_sock, SHUT_RDWR);
	if (way % 3 == 2 && rw->rw_data != -1) {
		close(rw->rw_data); /* the other order */
		rw->rw_data = -1;
	}
	raw_close(rw);
}

static void
hostile_states(long n)
{
	static struct raw rw;
	size_t i;
	long r;

	for (r = 0; r < n; r++)
		for (i = 0; i < NSTATES; i++) {
			if (r % 4 == 3) {
				reach_and_kill(&states[i]);
				continue;
			}
			reach(&rw, &states[i]);
			end_client(&rw, r);
		}
	printf("%zu states, %ld times\n", NSTATES, n);
	check_rss();
}

/*
 * idle
 */

static int
is_calm(void *arg)
{
	double *busy = arg;

	*busy = daemon_busy(pd);
	return *busy < 10;
}

/* Tests each state alone, so that no state hides the load of another. */
static void
hostile_idle(long n)
{
	static struct raw rw;
	double busy;
	size_t i;
	int try;

	(void)n;
	for (i = 0; i < NSTATES; i++) {
		reach(&rw, &states[i]);
		/* pending work ends within some of these */
		for (try = 0; !is_calm(&busy) && try < 30; try++)
			continue;
		if (try == 30)
			errx(1, "%s: the daemon uses %.0f %% of a CPU",
			    states[i].st_name, busy);
		raw_close(&rw);
	}
}

/*
 * flood
 */

/*
 * As another user; enters the folder first, because that user may lack access.
 */
static void
become_nobody(void)
{
	raw_namespaces();
	if (chdir(pd->pd_dir) == -1 || setgid(NOBODY) == -1 ||
	    setuid(NOBODY) == -1)
		err(1, "user %d", NOBODY);
}

/* Connects and keeps the connections it gets. */
static void
flood_run(int sock, void *arg)
{
	static struct raw rw;
	long i, n = *(long *)arg, refused = 0, served = 0;
	int *kept = calloc(n, sizeof(*kept));
	struct rlimit rl;

	if (kept == NULL || getrlimit(RLIMIT_NOFILE, &rl) == -1)
		err(1, "limit");
	if (rl.rlim_max < (rlim_t)n + 64)
		rl.rlim_max = n + 64; /* root is allowed to */
	rl.rlim_cur = n + 64;
	if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
		err(1, "%ld descriptors", n);
	become_nobody();
	for (i = 0; i < n; i++) {
		kept[i] = -1;
		if (raw_connect(&rw, "dt") != 0)
			continue;
		raw_send_open(&rw);
		switch (raw_reply(&rw)) {
		case 0:
			served++;
			close(rw.rw_data);
			kept[i] = rw.rw_sock;
			break;
		case EMFILE:
			refused++;
			kept[i] = rw.rw_sock;
			break;
		default:
			raw_close(&rw);
		}
	}
	printf("flood: %ld served, %ld refused\n", served, refused);
	if (refused == 0 || served == 0)
		errx(1, "flood: no limit was met");
	prog_tell(sock, 'f');
	prog_hear(sock);
}

/* Connects and exits at once. */
static void
knock_run(int sock, void *arg)
{
	long i, n = *(long *)arg;
	struct raw rw;

	(void)sock;
	become_nobody();
	for (i = 0; i < n; i++) {
		if (raw_connect(&rw, "dt") != 0)
			continue;
		if (i % 2)
			(void)raw_send(&rw, "junk junk junk junk junk junk",
			    29);
		raw_close(&rw);
	}
}

/* Another user is served after the flood. */
static void
after_run(int sock, void *arg)
{
	static struct raw rw;
	int error;

	(void)sock;
	(void)arg;
	become_nobody();
	if ((error = raw_open(&rw, "dt")) != 0)
		errx(1, "after the flood: %d", error);
}

static void
hostile_flood(long n)
{
	struct prog_child flood, knock;
	struct dt *dt;

	prog_child_start(&flood, flood_run, &n);
	if (prog_hear(flood.pc_sock) != 'f')
		errx(1, "the flood has ended");
	check_rss();
	dt = prog_open(pd, 0); /* root is served during the flood */
	prog_probe(dt, CALLS_ENTRY);
	prog_child_start(&knock, knock_run, &n);
	prog_child_end(&knock);
	prog_probe(dt, CALLS_RETURN);
	dt_close(dt);
	prog_child_end(&flood);
}

static void
flood_after(void)
{
	struct prog_child pc;

	prog_child_start(&pc, after_run, NULL);
	prog_child_end(&pc);
}

/*
 * churn: closing takes longer than opening, and a session counts until its
 * close has completed.  An open then waits, and is not refused.  The rings are
 * small, because they have their own limit.
 */
static void
hostile_churn(long n)
{
	const uint64_t budget = 1;
	static struct raw rw;
	int error;
	long i;

	for (i = 0; i < n; i++) {
		if ((error = raw_open(&rw, pd->pd_sock)) != 0)
			errx(1, "open %ld: %s", i,
			    error == -1 ? "hung up" : strerror(error));
		send_message(&rw, DTIOCSBUDGET, &budget, sizeof(budget));
		send_enable(&rw, pbn_entry);
		raw_close(&rw);
	}
	printf("churn: %ld opens\n", n);
}

/*
 * deaf
 */

/* Records everything of all processes, and never reads. */
static void
deaf_run(int sock, void *arg)
{
	const struct wire_page wg = { 0, 300 };
	static struct raw rw;
	struct dtioc_req rq;
	uint32_t i;

	(void)arg;
	if (raw_connect(&rw, pd->pd_sock) != 0)
		errx(1, "connect");
	state_open(&rw);
	for (i = 0; i < 700; i++) {
		rq = (struct dtioc_req){ .dtrq_pbn = pbn_entry % 2 + 2 * i,
			.dtrq_evtflags = DTEVT_FUNCARGS | DTEVT_EXECNAME };
		send_message(&rw, DTIOCPRBENABLE, &rq, sizeof(rq));
		(void)raw_reply(&rw);
	}
	send_record(&rw, 1);
	expect_ok(&rw, "record");
	prog_tell(sock, 'r');
	while (prog_hear(sock) == 'm') /* fills the socket with replies */
		send_message(&rw, DTIOCGPLIST, &wg, sizeof(wg));
}

static void
hostile_deaf(long n)
{
	struct prog_child *pc = calloc(n, sizeof(*pc));
	long i, r;

	if (pc == NULL)
		err(1, NULL);
	for (i = 0; i < n; i++) {
		prog_child_start(&pc[i], deaf_run, NULL);
		if (prog_hear(pc[i].pc_sock) != 'r')
			errx(1, "a deaf client does not record");
	}
	for (r = 0; r < 50; r++)
		for (i = 0; i < n; i++)
			prog_tell(pc[i].pc_sock, 'm');
	check_rss();
	for (i = 0; i < n; i++)
		prog_child_end(&pc[i]);
	free(pc);
}

/*
 * passed
 */

/* A TCP server that never accepts its connections. */
static int
dead_end(struct sockaddr_in *sin)
{
	socklen_t len = sizeof(*sin);
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*sin = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (l == -1 || bind(l, (struct sockaddr *)sin, len) == -1 ||
	    listen(l, 8) == -1 ||
	    getsockname(l, (struct sockaddr *)sin, &len) == -1)
		err(1, "TCP");
	return l;
}

/* Returns a socket whose last close blocks: it has unsent bytes. */
static int
lingering(const struct sockaddr_in *sin)
{
	const struct linger li = { 1, LINGER };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char junk[65536] = "";

	if (s == -1 ||
	    connect(s, (const struct sockaddr *)sin, sizeof(*sin)) == -1 ||
	    setsockopt(s, SOL_SOCKET, SO_LINGER, &li, sizeof(li)) == -1)
		err(1, "TCP");
	while (send(s, junk, sizeof(junk), MSG_DONTWAIT) > 0)
		continue;
	return s;
}

/* Sends descriptors with every byte of otherwise valid messages. */
static void
passed_many(void)
{
	static struct raw rw;
	uint8_t buf[64];
	int fds[RAW_MAXFDS];
	size_t i, len;

	if (raw_open(&rw, pd->pd_sock) != 0)
		errx(1, "open");
	for (i = 0; i < RAW_MAXFDS; i++)
		fds[i] = raw_namespaces()[i % 2];
	len = raw_message(&rw, buf, DTIOCGFULLSTAT, NULL, 0);
	for (i = 0; i < len; i++) /* refused at once, or at the end */
		if (raw_send_fds(&rw, buf + i, 1, fds, RAW_MAXFDS) == -1 &&
		    errno != EPIPE)
			err(1, "send");
	if (raw_reply(&rw) != EINVAL)
		errx(1, "a command with descriptors was not refused");
	raw_close(&rw);
}

/*
 * Ways to pass descriptors: with a part of a header, with a second part when
 * the daemon has stored its maximum, and with a message that is refused.
 */
enum pass {
	PASS_HEADER,
	PASS_PIECE,
	PASS_MESSAGE,
	PASS_NWAYS
};

static void
pass(struct raw *rw, enum pass way, const int *fds)
{
	const struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = WIRE_OPEN,
		.wh_length = sizeof(struct wire_open) };
	const char *p = (const char *)&h;
	const int *ns = raw_namespaces();

	switch (way) {
	case PASS_HEADER:
		(void)raw_send_fds(rw, p, 8, fds, 2);
		break;
	case PASS_PIECE:
		(void)raw_send_fds(rw, p, 8, ns, 2);
		(void)raw_send_fds(rw, p + 8, 8, fds, 2);
		break;
	default:
		(void)raw_send_fds(rw, p, sizeof(h), fds, 2);
		(void)raw_send(rw, "12345678", 8);
	}
}

struct passed_arg {
	enum pass pa_way;
	struct sockaddr_in pa_sin;
};

/*
 * As another user: passes descriptors to the daemon, and ends without waiting
 * for a close: then the daemon is their only holder.
 */
static void
passed_run(int sock, void *arg)
{
	const struct passed_arg *pa = arg;
	static struct raw rw;
	int fds[2];

	(void)sock;
	become_nobody();
	if (raw_connect(&rw, "dt") != 0)
		errx(1, "connect");
	fds[0] = lingering(&pa->pa_sin);
	fds[1] = lingering(&pa->pa_sin);
	pass(&rw, pa->pa_way, fds);
}

/* The daemon closes them eventually, without a delay for other clients. */
static void
passed_lingering(enum pass way)
{
	struct passed_arg pa = { .pa_way = way };
	struct prog_child pc;
	int64_t start;
	struct dt *dt;
	int l;

	l = dead_end(&pa.pa_sin);
	prog_child_start(&pc, passed_run, &pa);
	prog_child_end(&pc);
	start = prog_now();
	dt = prog_open(pd, 0);
	prog_probe(dt, CALLS_ENTRY);
	dt_close(dt);
	if (prog_now() - start > MAXWAIT * INT64_C(1000000000))
		errx(1, "way %d: others had to wait for %.1f s", way,
		    (prog_now() - start) / 1e9);
	close(l); /* ends every wait */
}

static void
hostile_passed(long n)
{
	int way;
	long i;

	for (i = 0; i < n; i++) {
		passed_many();
		for (way = 0; way < PASS_NWAYS; way++)
			passed_lingering(way);
	}
}

/* Returns the CPU time of the daemon, in ns, or of its control thread. */
static uint64_t
cpu_nsecs(int iscontrol)
{
	char file[64], path[64];
	unsigned long long ns = 0, sum = 0;
	struct dirent *de;
	DIR *dp;
	FILE *f;

	if ((dp = opendir(prog_proc(path, sizeof(path), pd->pd_pid, "task"))) ==
	    NULL)
		err(1, "%s", path);
	while ((de = readdir(dp)) != NULL) {
		if (de->d_name[0] == '.' ||
		    (iscontrol && atoi(de->d_name) != pd->pd_pid))
			continue;
		snprintf(file, sizeof(file), "task/%.16s/schedstat",
		    de->d_name);
		f = fopen(prog_proc(path, sizeof(path), pd->pd_pid, file), "r");
		if (f == NULL)
			continue; /* a thread that has ended */
		if (fscanf(f, "%llu", &ns) == 1)
			sum += ns;
		fclose(f);
	}
	closedir(dp);
	return sum;
}

static void
hostile_match(long n)
{
	static const char *const patterns[] = { "*[a-z][!b]*[a-z][!b]*[!c]?",
		"*[a-z_:]*[a-z_:]*[a-z_:]*[a-z_:]*[a-z_:]*[a-z_:]",
		"syscall:*[a-z]*[a-z]*[a-z]*:e?t?y" };
	struct dt *dt = prog_open(pd, 0);
	struct dtioc_probe_info *info;
	uint64_t all = cpu_nsecs(0), control = cpu_nsecs(1);
	size_t i;

	for (; n > 0; n--)
		for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
			if (dt_lookup(dt, patterns[i], &info) == -1)
				errx(1, "%s: %s", patterns[i], dt_error(dt));
			free(info);
		}
	dt_close(dt);
	all = cpu_nsecs(0) - all;
	control = cpu_nsecs(1) - control;
	printf("the control thread: %.1f of %.1f ms\n", control / 1e6,
	    all / 1e6);
	if (control > all / 3)
		errx(1, "the control thread matches patterns");
}

static const struct test {
	const char *te_name;
	void (*te_run)(long n);
	long te_n;    /* default */
	int te_alone; /* without the client of calls.h */
	int te_twice; /* a first run loads programs that the daemon keeps */
} tests[] = {
	{ "states", hostile_states, 8, 0, 0 },
	{ "idle", hostile_idle, 1, 1, 0 },
	{ "flood", hostile_flood, 2000, 0, 0 },
	{ "churn", hostile_churn, 2000, 0, 0 },
	{ "deaf", hostile_deaf, 16, 0, 1 },
	{ "passed", hostile_passed, 4, 0, 0 },
	{ "match", hostile_match, 20, 1, 0 },
};

#define NTESTS (sizeof(tests) / sizeof(tests[0]))

static void
run(const struct test *te, long n)
{
	struct daemon_fds before;
	struct beside *bs = NULL;
	struct dt *dt;

	daemon_warm(pd, &before);
	dt = prog_open(pd, 0);
	pbn_entry = prog_probe(dt, "syscall:getppid:entry");
	pbn_return = prog_probe(dt, "syscall:getppid:return");
	dt_close(dt);
	if (te->te_twice) {
		te->te_run(1);
		daemon_settle(&before);
	}
	if (!te->te_alone)
		bs = beside_start(pd);
	te->te_run(n > 0 ? n : te->te_n);
	if (!te->te_alone)
		beside_stop(bs);
	daemon_same(&before);
	flood_after();
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct prog_dtd dtd;
	char conf[80];
	size_t i = 0;
	long n = 0;
	int ch;

	while (i < NTESTS && strcmp(name, tests[i].te_name) != 0)
		i++;
	optind = 2;
	while (i < NTESTS && (ch = getopt(argc, argv, "n:")) != -1)
		if (ch == 'n')
			n = prog_number(optarg, 10000000);
	if (i == NTESTS)
		errx(2,
		    "usage: hostile states|idle|flood|churn|deaf|"
		    "passed|match [-n number]");
	prog_init("hostile", 1200);
	snprintf(conf, sizeof(conf),
	    "ring-bytes = %u\nring-bytes-user = "
	    "%u\n",
	    RING_BYTES, RING_USER);
	prog_dtd_start(&dtd, conf);
	pd = &dtd;
	run(&tests[i], n);
	prog_dtd_stop(&dtd);
	printf("hostile %s: the daemon is as before\n", name);
	return 0;
}
