/* SPDX-License-Identifier: ISC */
/*
 * hookshare PROBE [N]
 *
 * A session without unwind tables records a hook, while sessions with tables
 * start and stop there: all its hits are recorded, and the others have stacks by
 * tables.  The load makes a known number of getppid(2).  With N, PROBE is of every system
 * call, and its Nth argument is the call's number.
 */
#include <sys/syscall.h>

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define NCALLS	  40000
#define NSESSIONS 8
#define SPACE	  (64ULL << 20) /* for all events of the load */

static struct prog_dtd dtd;
static const char *probe;
static long nth; /* argument with the call's number; 0: none */

static void
nap(long msecs)
{
	const struct timespec ts = { 0, msecs * 1000000 };

	nanosleep(&ts, NULL);
}

/* The load: the calls begin at a byte, and last for about a second. */
static void
load_run(int sock, void *arg)
{
	int i;

	(void)arg;
	(void)prog_hear(sock);
	for (i = 0; i < NCALLS; i++) {
		syscall(SYS_getppid);
		if (i % (NCALLS / 1000) == 0)
			nap(1);
	}
	prog_tell(sock, 0);
	(void)prog_hear(sock);
}

struct counted {
	uint64_t ct_read;   /* all events */
	uint64_t ct_calls;  /* of getppid(2) */
	uint64_t ct_tables; /* with a stack by tables */
};

static void
read_all(struct dt *dt, struct counted *ct)
{
	struct dt_event ev;

	memset(ct, 0, sizeof(*ct));
	while (dt_next(dt, &ev, -1) == 1) {
		ct->ct_read++;
		ct->ct_calls += nth == 0 || ev.ev_args[nth - 1] == SYS_getppid;
		ct->ct_tables += ev.ev_ustack != NULL &&
		    ev.ev_ustack->drs_how == DT_STACK_TABLE;
	}
}

static struct dt *
session_start(pid_t pid, uint64_t flags)
{
	struct dt *dt = prog_open(&dtd, 0);

	prog_budget(dt, SPACE);
	prog_filter(dt, pid);
	prog_enable(dt, probe, flags | (nth > 0 ? DTEVT_FUNCARGS : 0), 0);
	prog_record(dt, 1);
	return dt;
}

static void
session_end(struct dt *dt, struct counted *ct)
{
	struct dt_ledger dl;

	prog_record(dt, 0);
	read_all(dt, ct);
	prog_ledger(dt, NULL, ct->ct_read, &dl);
	if (dl.dl_dropped != 0 || dl.dl_recursed != 0)
		errx(1, "%llu dropped, %llu recursed",
		    (unsigned long long)dl.dl_dropped,
		    (unsigned long long)dl.dl_recursed);
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	struct prog_child load;
	struct counted plain, ct;
	struct dt *dt;
	uint64_t tables = 0;
	int i;

	prog_init("hookshare", 120);
	if (argc < 2)
		errx(2, "usage: hookshare PROBE [N]");
	probe = argv[1];
	nth = argc > 2 ? prog_number(argv[2], 6) : 0;
	prog_dtd_start(&dtd, NULL);
	prog_child_start(&load, load_run, NULL);
	dt = session_start(load.pc_pid, 0);
	prog_tell(load.pc_sock, 0);
	for (i = 0; i < NSESSIONS; i++) {
		struct dt *other = session_start(load.pc_pid,
		    DTEVT_USTACK | DTEVT_UTABLE);

		nap(50);
		session_end(other, &ct);
		tables += ct.ct_tables;
	}
	(void)prog_hear(load.pc_sock);
	session_end(dt, &plain);
	prog_tell(load.pc_sock, 0);
	prog_child_end(&load);
	prog_dtd_stop(&dtd);
	if (plain.ct_calls != NCALLS || plain.ct_tables != 0 || tables == 0)
		errx(1, "%llu of %d calls, %llu and %llu stacks by tables",
		    (unsigned long long)plain.ct_calls, NCALLS,
		    (unsigned long long)plain.ct_tables,
		    (unsigned long long)tables);
	puts("all calls, and stacks by tables");
	return 0;
}
