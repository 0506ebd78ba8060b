/* SPDX-License-Identifier: ISC */
/*
 * faults service|private [-k KIND] [-n EVERY] [-s FIRST] [-v]
 * faults exit|tables
 *
 * Injects one fault after another: a client opens, enables, records, stops and
 * closes, while the n-th call of a kind fails in the daemon
 * (tests/fault/fault.c), for all n (or each EVERY-th from FIRST on) until the
 * daemon makes fewer than n such calls.
 *
 * once		One call fails.  Either no step fails, or the client gets the
 *		errno and a sentence; then a retry of the same step succeeds,
 *		and at the end every hit is accounted for.
 * on		All calls from the n-th on fail, until the client has closed.
 *
 * Afterwards nothing is left in the daemon: descriptors, programs, maps, links,
 * and bytes of rings, since the limit allows only one session.  Another client
 * then records exactly what it requested.
 *
 * service	one daemon survives all faults
 * private	a private daemon each time, so that the calls of its start can
 *		fail, too, and those for its maps and programs
 * tables	the kernel refuses the programs with unwind tables for a while
 * exit		no call for a map returns any more while the daemon exits
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/fault.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/seq.h"

#define MAXNTH 2000 /* calls of a kind in a sequence */

enum {
	NO_ANSWER = 0x01, /* the reply itself fails */
	WAITS = 0x02,	  /* on: the client waits until it is over */
};

static const struct faultkind {
	const char *kd_name;
	enum fault_kind kd_kind;
	int kd_errno;
	int kd_told; /* the client's errno */
	unsigned int kd_flags;
} fault_kinds[] = {
	{ "bpf", FAULT_BPF, ENOMEM, ENOMEM, 0 },
	{ "mmap", FAULT_MMAP, ENOMEM, ENOMEM, 0 },
	{ "perf", FAULT_PERF, EMFILE, EMFILE, 0 },
	{ "perf-access", FAULT_PERF, EACCES, EACCES, 0 },
	{ "epoll_ctl", FAULT_EPOLL_CTL, ENOSPC, ENOMEM, 0 },
	{ "socketpair", FAULT_SOCKETPAIR, EMFILE, EMFILE, 0 },
	{ "accept", FAULT_ACCEPT, ENFILE, ENFILE, WAITS },
	{ "sendmsg", FAULT_SENDMSG, ENOBUFS, ENOBUFS, NO_ANSWER | WAITS },
	{ "thread", FAULT_THREAD, EAGAIN, EAGAIN, 0 },
	{ "alloc", FAULT_ALLOC, ENOMEM, ENOMEM, 0 },
	{ "fopen", FAULT_FOPEN, EMFILE, EMFILE, 0 },
	{ "fd", FAULT_FD, EMFILE, EMFILE, 0 },
};

#define NKINDS (sizeof(fault_kinds) / sizeof(fault_kinds[0]))

static struct fault *fault;
static const char *fault_path; /* for the daemons' environment */
static const struct faultkind *current;
static int verbose;

/* The fault */

static void
fault_set(const struct faultkind *kd, int64_t nth, int64_t width)
{
	fault->fa_errno = kd->kd_errno;
	fault->fa_countdown = nth;
	fault->fa_width = width;
	fault->fa_hits = 0;
	__atomic_store_n(&fault->fa_kind, kd->kd_kind, __ATOMIC_RELEASE);
}

static void
fault_end(void)
{
	__atomic_store_n(&fault->fa_kind, FAULT_NONE, __ATOMIC_RELEASE);
}

/* The library is in this program's folder. */
static void
fault_init(void)
{
	static char file[] = "/tmp/dt-fault-XXXXXX", so[PATH_MAX];
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd = mkstemp(file);

	if (n == -1 || fd == -1 || ftruncate(fd, sizeof(*fault)) == -1)
		err(1, "%s", file);
	self[n] = '\0';
	snprintf(so, sizeof(so), "%.4000s/fault.so", dirname(self));
	fault = mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (fault == MAP_FAILED || access(so, R_OK) == -1)
		err(1, "%s", so);
	close(fd);
	fault_path = file;
	/* for programs started from now on, not for this one */
	if (setenv("LD_PRELOAD", so, 1) == -1 ||
	    setenv("DT_FAULT", file, 1) == -1)
		err(1, "setenv");
}

/*
 * libbpf tests a kernel feature once, takes ENOMEM for a missing feature, and
 * remembers the result: this daemon can no longer load the programs.
 */
static int
is_libbpfs(const struct faultkind *kd, int error, const char *text)
{
	return pd == NULL && kd->kd_kind == FAULT_BPF && error != kd->kd_told &&
	    strstr(text, "refuses the program") != NULL;
}

/* Checks that the failure was reported with its reason. */
static int
check_failure(const struct seq *sq, enum step step, int error)
{
	const struct faultkind *kd = current;
	const char *text = dt_error(sq->sq_dt);

	if (verbose)
		printf("%s %lld: %s: %s: %s\n", kd->kd_name,
		    (long long)sq->sq_nth, steps[step], strerrorname_np(error),
		    text);
	if (fault->fa_hits == 0)
		errx(1, "%s %lld: %s failed by itself: %s", kd->kd_name,
		    (long long)sq->sq_nth, steps[step], text);
	if (kd->kd_flags & NO_ANSWER)
		return 0;
	/* A private daemon that cannot start prints the reason to stderr. */
	if (pd == NULL && step == STEP_OPEN && error == ECHILD)
		return 0;
	if (is_libbpfs(kd, error, text))
		return 1;
	if (error != kd->kd_told || strcmp(text, strerror(error)) == 0)
		errx(1, "%s %lld: %s: %s, without a reason: %s", kd->kd_name,
		    (long long)sq->sq_nth, steps[step], strerrorname_np(error),
		    text);
	return 0;
}

/* Returns whether the fault hit a call. */
static int
run_fault(const struct faultkind *kd, int64_t nth, int64_t width,
    unsigned int *told)
{
	struct seq sq = { .sq_what = kd->kd_name,
		.sq_nth = nth,
		.sq_failure = check_failure,
		.sq_probe = "syscall:getppid:entry",
		.sq_call = SYS_getppid };
	unsigned int i;
	uint64_t hits;

	current = kd;
	fault_set(kd, nth, width);
	run_seq(&sq, width == 1);
	if (pd != NULL)
		prog_wait(all_closed, NULL, "the end of a client");
	hits = fault->fa_hits;
	fault_end();
	for (i = 0; i < NSTEPS; i++)
		*told += sq.sq_failed[i];
	if (hits == 0)
		return 0;
	if (width == 1)
		expect_as_before(kd->kd_name, nth);
	if (pd != NULL)
		run_clean();
	expect_as_before(kd->kd_name, nth);
	return 1;
}

static void
run_kind(const struct faultkind *kd, long first, long every)
{
	static const char *const ways[] = { "once", "on" };
	int64_t width, nth, n;
	unsigned int told;
	int way;

	for (way = 0; way < 2; way++) {
		width = way == 0 ? 1 : kd->kd_flags & WAITS ? 3 : FAULT_FOREVER;
		told = n = 0;
		for (nth = first; nth < MAXNTH; nth += every, n++)
			if (!run_fault(kd, nth, width, &told))
				break;
		if (nth >= MAXNTH)
			errx(1, "%s: there is no end", kd->kd_name);
		printf("%s, %s: %lld faults, %u told\n", kd->kd_name, ways[way],
		    (long long)n, told);
	}
}

/* A session that cannot be stopped must not keep the daemon from its exit. */
static void
run_exit(struct prog_dtd *dtd)
{
	static const struct faultkind hang = { "bpf", FAULT_BPF, FAULT_HANG, 0,
		0 };
	struct dt *dt = prog_open(dtd, 0);

	prog_enable(dt, "syscall:getppid:entry", 0, 0);
	prog_record(dt, 1);
	fault_set(&hang, 1, FAULT_FOREVER);
	prog_dtd_stop(dtd);
	if (fault->fa_hits == 0)
		errx(1, "the daemon made no call for a map");
	dt_close(dt);
}

struct attempt {
	struct prog_dtd *att_dtd;
	const char *att_probe;
};

/* Returns whether a session that requests unwind tables has them. */
static int
has_tables(void *arg)
{
	struct attempt *att = arg;
	struct dt *dt = prog_open(att->att_dtd, 0);
	struct dt_ledger dl;
	struct dt_event ev;

	prog_enable(dt, att->att_probe, DTEVT_USTACK | DTEVT_UTABLE, 0);
	prog_filter(dt, 1);
	prog_record(dt, 1);
	prog_record(dt, 0);
	while (dt_next(dt, &ev, -1) == 1)
		continue;
	if (dt_ledger(dt, &dl) == -1)
		err(1, "ledger: %s", dt_error(dt));
	dt_close(dt);
	return (dl.dl_flags & DT_LEDGER_NOTABLES) == 0;
}

/*
 * Sessions do without a program that the kernel refuses, which is not loaded
 * each time, and get it later.  libbpf tries a load twice; a raw tracepoint then
 * loads another program.
 */
static void
run_refused(struct prog_dtd *dtd, const char *probe)
{
	static const struct faultkind refused = { "prog", FAULT_PROG, EINVAL, 0,
		0 };
	struct attempt att = { dtd, probe };
	int i;

	fault_set(&refused, 1, 2);
	for (i = 0; i < 5; i++)
		if (has_tables(&att))
			errx(1, "%s: unwind tables at once", probe);
	if (fault->fa_hits != 2)
		errx(1, "%s: %llu faults", probe,
		    (unsigned long long)fault->fa_hits);
	fault_end();
	prog_wait(has_tables, &att, "unwind tables");
}

static void
run_tables(struct prog_dtd *dtd)
{
	struct dt *dt = prog_open(dtd, 0);

	prog_load_all(dt, 0);
	dt_close(dt);
	run_refused(dtd, "syscall:getppid:entry");
	run_refused(dtd, "rawtracepoint:sys_enter");
	prog_dtd_stop(dtd);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *only = NULL;
	struct seq first = { .sq_probe = "syscall:getppid:entry",
		.sq_call = SYS_getppid };
	struct prog_dtd dtd;
	long every = 1, from = 1;
	size_t i;
	int ch;

	optind = 2;
	while ((ch = getopt(argc, argv, "k:n:s:v")) != -1)
		if (ch == 'k')
			only = optarg;
		else if (ch == 'n')
			every = prog_number(optarg, 1000);
		else if (ch == 's')
			from = prog_number(optarg, MAXNTH);
		else if (ch == 'v')
			verbose = 1;
	if (strcmp(what, "service") != 0 && strcmp(what, "private") != 0 &&
	    strcmp(what, "exit") != 0 && strcmp(what, "tables") != 0)
		errx(2,
		    "usage: faults service|private|exit|tables [-k kind] [-n every] "
		    "[-s first] [-v]");
	prog_init("faults", 3600);
	fault_init();
	if (strcmp(what, "exit") == 0 || strcmp(what, "tables") == 0) {
		seq_start(&dtd, 0);
		(strcmp(what, "exit") == 0 ? run_exit : run_tables)(&dtd);
		unlink(fault_path);
		return 0;
	}
	if (strcmp(what, "service") == 0)
		seq_start(&dtd, 1);
	run_seq(&first, 1);
	if (pd != NULL)
		prog_wait(all_closed, NULL, "the end of the second client");
	for (i = 0; i < NKINDS; i++)
		if (only == NULL || strcmp(only, fault_kinds[i].kd_name) == 0)
			run_kind(&fault_kinds[i], from, every);
	if (pd != NULL)
		prog_dtd_stop(&dtd);
	unlink(fault_path);
	printf("faults %s: nothing is left\n", what);
	return 0;
}
