/* SPDX-License-Identifier: ISC */
/*
 * runwait: a process that waits for its CPU, and the kernel's account of it.
 *
 * It sleeps WAITS times, pinned to the CPU of another process that computes and
 * yields every 4 ms, and prints a line
 *
 *	PID COUNT NSECS COUNT NSECS
 *
 * These are its number of wake-ups and its total wait for the CPU according to
 * /proc/PID/schedstat: first in this time, then since its fork, because it may
 * have slept before its first read of that file.
 *
 * The kernel's account includes the waits of a process that was preempted.
 * Both processes have the real-time priority 1, at which neither preempts the
 * other, nor does the machine's other load preempt them, so every wait follows
 * a wake-up.  Their CPU runs no other process meanwhile (some 120 ms, less than
 * the 950 ms that the kernel allows): a tracer that filters by user finds one
 * of the two at each wake-up and switch.
 */
#include <err.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define WAITS	    20
#define BUSY_NSECS  4000000
#define SLEEP_NSECS 1000000 /* minimum; up to seven times as long */

/* The kernel's counts of a process since its fork. */
struct account {
	uint64_t ac_nsecs;    /* of waits for a CPU */
	unsigned int ac_own;  /* voluntary switches */
	unsigned int ac_away; /* involuntary switches */
};

static void
nap(long nsecs)
{
	const struct timespec ts = { 0, nsecs };

	nanosleep(&ts, NULL);
}

static void
account_read(struct account *ac)
{
	FILE *f = fopen("/proc/self/schedstat", "re");
	char line[200];
	int n;

	if (f == NULL || fscanf(f, "%*u %" SCNu64, &ac->ac_nsecs) != 1)
		err(1, "/proc/self/schedstat");
	fclose(f);
	if ((f = fopen("/proc/self/status", "re")) == NULL)
		err(1, "/proc/self/status");
	for (n = 0; fgets(line, sizeof(line), f) != NULL;)
		n += sscanf(line, "voluntary_ctxt_switches: %u", &ac->ac_own) ==
			1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %u",
			&ac->ac_away) == 1;
	fclose(f);
	if (n != 2)
		errx(1, "/proc/self/status has %d counts", n);
}

static void
compute(int sock, void *arg)
{
	int64_t end;

	(void)sock;
	(void)arg;
	for (;;) {
		for (end = prog_now() + BUSY_NSECS; prog_now() < end;)
			continue;
		sched_yield();
	}
}

static void
sleeper(int sock, void *arg)
{
	struct account *ac = arg; /* before and after */
	int i;

	(void)sock;
	account_read(&ac[0]);
	for (i = 0; i < WAITS; i++)
		nap(SLEEP_NSECS * (1 + i % 7));
	account_read(&ac[1]);
}

int
main(void)
{
	const struct sched_param sp = { .sched_priority = 1 };
	struct account *ac;
	struct prog_child busy, waits;

	prog_init("runwait", PROG_DEADLINE);
	ac = prog_shared(2 * sizeof(*ac));
	prog_pin(prog_ncpu() - 1);
	if (sched_setscheduler(0, SCHED_FIFO, &sp) == -1)
		err(1, "priority");
	prog_child_start(&busy, compute, NULL);
	prog_child_start(&waits, sleeper, ac);
	prog_child_end(&waits);
	kill(busy.pc_pid, SIGKILL);
	if (ac[1].ac_away != ac[0].ac_away)
		errx(1, "preempted %u times", ac[1].ac_away - ac[0].ac_away);
	printf("%d %u %" PRIu64 " %u %" PRIu64 "\n", (int)waits.pc_pid,
	    ac[1].ac_own - ac[0].ac_own, ac[1].ac_nsecs - ac[0].ac_nsecs,
	    ac[1].ac_own, ac[1].ac_nsecs);
	return 0;
}
