/* SPDX-License-Identifier: ISC */
/*
 * pairs full|dead|clear|threads
 *
 * The table of a session with pairs, under loads of known size.
 *
 * full		more threads wait in a call than the table has entries: those in
 *		the table become events, the others are counted
 * dead		threads killed in a call soon leave entries for others
 * clear	entries of a run are removed before the next, and quickly
 * threads	many threads at once: each call is one event with its own
 *		arguments
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define ROOM	 32  /* pair-max, where it matters */
#define NWAITERS 100 /* more than that */
#define NLEFT	 16384
#define NMORE	 100
#define NTHREADS 8
#define NCALLS	 2000
#define STOP_MAX 1000 /* ms, of RECORD 0; ten times the usual */
#define NAME	 "pairsload"

static struct prog_dtd dtd;
static struct dt *dt;
static int *tids; /* of waiters, shared */
static int waitfds[2];
static int nwaiters;

static void
pairs_open(const char *conf)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_COMM, .dtfi_comm = NAME };

	prog_dtd_start(&dtd, conf);
	dt = prog_open(&dtd, 0);
	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "filter: %s", dt_error(dt));
}

static void
pairs_pair(const char *from, const char *to, int kind, int argn)
{
	struct dt_opd op = { .op_kind = kind,
		.op_argn = argn,
		.op_size = kind == DT_OPD_ARG ? 8 : 4 };
	struct dtioc_pair pa = { .dtpa_nkeys = 1,
		.dtpa_fromkey = { op },
		.dtpa_tokey = { op } };

	prog_enable(dt, from, DTEVT_FUNCARGS, 0);
	prog_enable(dt, to, DTEVT_FUNCARGS, 0);
	pa.dtpa_from = prog_probe(dt, from);
	pa.dtpa_to = prog_probe(dt, to);
	if (dt_ioctl(dt, DTIOCSPAIR, &pa) == -1)
		errx(1, "pair: %s", dt_error(dt));
}

static uint64_t
pairs_unpaired(void)
{
	struct dtioc_fullstat fs;

	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		errx(1, "statistics: %s", dt_error(dt));
	return fs.dtfs_unpaired;
}

/* Reads the events so far, or with -1 until the end. */
static uint64_t
pairs_read(int timeout, int *pid)
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while ((r = dt_next(dt, &ev, timeout)) == 1) {
		n++;
		if (ev.ev_duration == NULL)
			errx(1, "an event that is none of a pair");
		if (pid != NULL)
			*pid = ev.ev_rec->dr_pid;
	}
	if (r == -1 && errno != ENODATA)
		errx(1, "reading: %s", dt_error(dt));
	return n;
}

static void
pairs_expect(const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		errx(1, "%s: %llu, should be %llu", what,
		    (unsigned long long)is, (unsigned long long)should);
}

/*
 * Threads that wait in read(2)
 */

static void *
waiter(void *arg)
{
	char c;

	*(int *)arg = syscall(SYS_gettid);
	if (read(waitfds[0], &c, 1) == -1)
		err(1, "read");
	return NULL;
}

static void
waiters_child(int sock, void *arg)
{
	pthread_t threads[NWAITERS];
	int i;

	(void)arg;
	prctl(PR_SET_NAME, NAME);
	for (i = 0; i < nwaiters; i++)
		if (pthread_create(&threads[i], NULL, waiter, &tids[i]) != 0)
			errx(1, "threads");
	prog_tell(sock, 's'); /* its own reads are by recv(2), or later */
	for (i = 0; i < nwaiters; i++)
		pthread_join(threads[i], NULL);
}

static char
waiter_state(int tid)
{
	char path[64], line[256], state = '?', *paren;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if ((fp = fopen(path, "re")) == NULL)
		return '?';
	if (fgets(line, sizeof(line), fp) != NULL &&
	    (paren = strrchr(line, ')')) != NULL)
		state = paren[2];
	fclose(fp);
	return state;
}

static int
waiters_wait(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < nwaiters; i++)
		if (tids[i] == 0 || waiter_state(tids[i]) != 'S')
			return 0;
	return 1;
}

static void
waiters_start(struct prog_child *pc, int n)
{
	if (pipe2(waitfds, O_CLOEXEC) == -1)
		err(1, "pipe");
	nwaiters = n;
	memset(tids, 0, NWAITERS * sizeof(*tids));
	prog_child_start(pc, waiters_child, NULL);
	prog_hear(pc->pc_sock);
	prog_wait(waiters_wait, NULL, "threads that wait in a call");
}

static void
do_full(void)
{
	struct prog_child pc;
	struct dt_ledger dl;
	char bytes[NWAITERS] = { 0 };

	pairs_open("pair-max = 32\n");
	pairs_pair("syscall:read:entry", "syscall:read:return", DT_OPD_TID, 0);
	prog_record(dt, 1);
	waiters_start(&pc, NWAITERS);
	pairs_expect("without room", pairs_unpaired(), NWAITERS - ROOM);
	if (write(waitfds[1], bytes, sizeof(bytes)) != sizeof(bytes))
		err(1, "write");
	prog_child_end(&pc);
	prog_record(dt, 0);
	pairs_expect("events", pairs_read(-1, NULL), ROOM);
	prog_ledger(dt, NULL, ROOM, &dl);
	pairs_expect("fired", dl.dl_fired, ROOM);
	pairs_expect("unpaired", dl.dl_unpaired, NWAITERS - ROOM);
}

/* Makes a pair for each byte it receives. */
static void
reader_child(int sock, void *arg)
{
	int fds[2];
	char c = 0;

	(void)arg;
	if (pipe2(fds, O_CLOEXEC) == -1)
		err(1, "pipe");
	prctl(PR_SET_NAME, NAME);
	while (prog_hear(sock) != -1) {
		if (write(fds[1], &c, 1) != 1 ||
		    syscall(SYS_pread64, fds[0], &c, 1, 0) == 1)
			errx(1, "a pipe has no offset");
		prog_tell(sock, 'd');
	}
}

static int
reader_wait(void *arg)
{
	struct prog_child *pc = arg;
	int pid = 0;

	prog_tell(pc->pc_sock, 'g');
	prog_hear(pc->pc_sock);
	return pairs_read(20, &pid) > 0;
}

/*
 * Reads of the load leave first hits, preads of the other child need entries.
 */
static void
do_dead(void)
{
	struct prog_child pc, reader;

	pairs_open("pair-max = 32\n");
	pairs_pair("syscall:read:entry", "syscall:read:return", DT_OPD_TID, 0);
	pairs_pair("syscall:pread64:entry", "syscall:pread64:return",
	    DT_OPD_TID, 0);
	prog_record(dt, 1);
	waiters_start(&pc, ROOM);
	prog_child_start(&reader, reader_child, NULL);
	prog_tell(reader.pc_sock, 'g');
	prog_hear(reader.pc_sock);
	if (pairs_unpaired() == 0)
		errx(1, "the table is not full");
	kill(pc.pc_pid, SIGKILL);
	waitpid(pc.pc_pid, NULL, 0);
	prog_wait(reader_wait, &reader, "room that dead threads had");
	prog_child_end(&reader);
	prog_record(dt, 0);
}

static void
keys_child(int sock, void *arg)
{
	long i, n = NLEFT + NMORE;

	(void)arg;
	prctl(PR_SET_NAME, NAME);
	while (prog_hear(sock) != -1) {
		for (i = 0; i < n; i++)
			syscall(SYS_lseek, -1, i, SEEK_SET);
		prog_tell(sock, 'd');
	}
}

static void
do_clear(void)
{
	struct prog_child pc;
	int64_t before, nsecs;
	int run;

	pairs_open("pair-max = 16384\n");
	pairs_pair("syscall:lseek:entry", "syscall:lseek:return", DT_OPD_ARG,
	    1);
	/* one that never arrives */
	dt_ioctl(dt, DTIOCPRBDISABLE,
	    &(struct dtioc_req){
		.dtrq_pbn = prog_probe(dt, "syscall:lseek:return") });
	dt_ioctl(dt, DTIOCPRBDISABLE,
	    &(struct dtioc_req){
		.dtrq_pbn = prog_probe(dt, "syscall:lseek:entry") });
	pairs_pair("syscall:lseek:entry", "syscall:pread64:entry", DT_OPD_ARG,
	    1);
	prog_child_start(&pc, keys_child, NULL);
	for (run = 1; run <= 3; run++) {
		prog_record(dt, 1);
		prog_tell(pc.pc_sock, 'g');
		prog_hear(pc.pc_sock);
		pairs_expect("without room", pairs_unpaired(), run * NMORE);
		before = prog_now();
		prog_record(dt, 0);
		nsecs = prog_now() - before;
		if (nsecs > STOP_MAX * INT64_C(1000000))
			errx(1, "RECORD 0 took %lld ms with %d firsts",
			    (long long)nsecs / 1000000, NLEFT);
		pairs_expect("events", pairs_read(-1, NULL), 0);
	}
	prog_child_end(&pc);
}

static void *
caller(void *arg)
{
	long i, first = (long)arg * NCALLS;

	for (i = first; i < first + NCALLS; i++)
		syscall(SYS_lseek, -1, i, 77);
	return NULL;
}

static void
callers_child(int sock, void *arg)
{
	pthread_t threads[NTHREADS];
	long i;

	(void)arg;
	prctl(PR_SET_NAME, NAME);
	prog_hear(sock);
	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, caller, (void *)i) != 0)
			errx(1, "threads");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
}

static void
do_threads(void)
{
	static uint8_t seen[NTHREADS * NCALLS];
	struct prog_child pc;
	struct dt_ledger dl;
	struct dt_event ev;
	uint64_t n = 0;

	pairs_open("");
	prog_budget(dt, 16 << 20);
	pairs_pair("syscall:lseek:entry", "syscall:lseek:return", DT_OPD_TID,
	    0);
	prog_record(dt, 1);
	prog_child_start(&pc, callers_child, NULL);
	prog_tell(pc.pc_sock, 'g');
	prog_child_end(&pc);
	prog_record(dt, 0);
	while (dt_next(dt, &ev, -1) == 1) {
		n++;
		if (ev.ev_duration == NULL || ev.ev_nargs != 3 ||
		    ev.ev_args[2] != 77 || ev.ev_ret == NULL ||
		    ev.ev_ret->drr_error != EBADF ||
		    ev.ev_args[1] >= NTHREADS * NCALLS ||
		    seen[ev.ev_args[1]]++ != 0)
			errx(1, "an event that was not made so");
	}
	pairs_expect("events", n, NTHREADS * NCALLS);
	prog_ledger(dt, NULL, NTHREADS * NCALLS, &dl);
	pairs_expect("unpaired", dl.dl_unpaired, 0);
}

static const struct {
	const char *name;
	void (*fn)(void);
} modes[] = {
	{ "full", do_full },
	{ "dead", do_dead },
	{ "clear", do_clear },
	{ "threads", do_threads },
};

int
main(int argc, char **argv)
{
	size_t i;

	prog_init("pairs", PROG_DEADLINE);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc == 2 && strcmp(argv[1], modes[i].name) == 0)
			break;
	if (i == sizeof(modes) / sizeof(modes[0]))
		errx(2, "usage: pairs full|dead|clear|threads");
	tids = prog_shared(NWAITERS * sizeof(*tids));
	modes[i].fn();
	dt_close(dt);
	prog_dtd_stop(&dtd);
	printf("pairs %s: as they should be\n", argv[1]);
	return 0;
}
