/* SPDX-License-Identifier: ISC */
/*
 * shares clock|ratio [-n SAMPLES] [-f HZ] [-e PERCENT]
 *
 * Checks that a profile's samples show where time was spent.
 *
 * clock	samples times period equal the CPU time of a busy thread, by its
 *		own clock (within 2 %)
 * ratio	three functions have shares of the samples, by the first address
 *		of the user stack, equal to their shares of CPU time (within 3 %
 *		of each), which the child measures around each call
 *
 * Both count CPU time, so other load on the CPU has no effect.  Time taken by a
 * hypervisor is in only one of the clocks.  So one of several tries must
 * succeed; with a fault of dt all of them would fail.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define NFUNCS	  3
#define NTRIES	  3
#define CALIBRATE 2000000UL /* steps, to measure one */
#define PART_NSECS \
	10000000.0 /* ns of work per turn: many ticks, so edges hardly count */

/* Parameters of the busy child, and its times. */
struct busy {
	long bu_rounds;		/* 0: by the clock */
	double bu_nsecs;	/* of CPU time */
	double bu_used;		/* CPU time that it used, ns */
	double bu_func[NFUNCS]; /* part of bu_used in each function */
};

/*
 * Work: each step waits for the previous one, so that a step takes the same
 * time at every code address.  Each function has its own section, whose bounds
 * the linker defines.
 */
#define WORK(name, sect) \
	extern char __start_##sect[], __stop_##sect[]; \
	static __attribute__((noinline, section(#sect))) uint64_t \
	name(uint64_t x, uint64_t steps) \
	{ \
		for (; steps > 0; steps--) { \
			x = x * 6364136223846793005ULL + \
			    1442695040888963407ULL; \
			__asm__ volatile("" : "+r"(x)); \
		} \
		return x; \
	}

WORK(work_two, share_two)
WORK(work_three, share_three)
WORK(work_five, share_five)

static const struct func {
	const char *fu_name;
	unsigned int fu_parts; /* of the steps */
	uint64_t (*fu_work)(uint64_t, uint64_t);
	const char *fu_start, *fu_stop;
} funcs[NFUNCS] = {
	{ "two", 2, work_two, __start_share_two, __stop_share_two },
	{ "three", 3, work_three, __start_share_three, __stop_share_three },
	{ "five", 5, work_five, __start_share_five, __stop_share_five },
};

static volatile uint64_t sink;

/* Returns the CPU time of the calling thread, ns. */
static double
used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/*
 * Returns the number of steps that take about PART_NSECS: the best of several
 * tries.
 */
static uint64_t
calibrate(void)
{
	double start, best = 0, n;
	int i;

	for (i = 0; i < 5; i++) {
		start = used();
		sink = work_two(sink, CALIBRATE);
		n = CALIBRATE / (used() - start);
		if (n > best)
			best = n;
	}
	return best * PART_NSECS;
}

static void
busy_run(int sock, void *arg)
{
	struct busy *bu = arg;
	uint64_t steps, now;
	double start, before;
	long r;
	int i;

	memset(bu->bu_func, 0, sizeof(bu->bu_func));
	prog_pin(prog_ncpu() - 1);
	steps = calibrate();
	prog_tell(sock, 'c');
	prog_hear(sock);
	start = used();
	if (bu->bu_rounds == 0)
		while (used() - start < bu->bu_nsecs)
			sink = work_five(sink, steps / 100);
	for (r = 0; r < bu->bu_rounds; r++) {
		/*
		 * from 0.5 to 1.5 parts, so that the ticks of a steady clock
		 * fall at random positions
		 */
		now = steps / 2 + random() % steps;
		for (i = 0; i < NFUNCS; i++) {
			before = used();
			sink = funcs[i].fu_work(sink, funcs[i].fu_parts * now);
			bu->bu_func[i] += used() - before;
		}
	}
	bu->bu_used = used() - start;
	prog_tell(sock, 'e');
	prog_hear(sock);
}

/* Samples that were read. */
struct samples {
	uint64_t sa_n;
	uint64_t sa_func[NFUNCS];
	uint64_t sa_other; /* in none of the functions */
};

static void
count(struct samples *sa, const struct dt_event *ev)
{
	const char *pc;
	int i;

	sa->sa_n++;
	if (ev->ev_ustack == NULL)
		return;
	pc = ev->ev_ustack->drs_count == 0
	    ? NULL
	    : (const char *)(uintptr_t)DT_STACK_PCS(ev->ev_ustack)[0];
	for (i = 0; i < NFUNCS; i++)
		if (pc >= funcs[i].fu_start && pc < funcs[i].fu_stop) {
			sa->sa_func[i]++;
			return;
		}
	sa->sa_other++;
}

/* Runs the child and takes its samples. */
static void
take(const struct prog_dtd *pd, struct busy *bu, long hz, uint64_t evtflags,
    struct samples *sa)
{
	struct pollfd pfd = { .events = POLLIN };
	struct dt *dt = prog_open(pd, 0);
	struct prog_child pc;
	struct dt_ledger dl;
	struct dt_event ev;

	memset(sa, 0, sizeof(*sa));
	prog_child_start(&pc, busy_run, bu);
	prog_filter(dt, pc.pc_pid);
	prog_enable(dt, "profile:hz:97", evtflags, 1000000000 / hz);
	if (prog_hear(pc.pc_sock) != 'c')
		errx(1, "the child does not start");
	prog_record(dt, 1);
	pfd.fd = pc.pc_sock;
	prog_tell(pc.pc_sock, 'g');
	do
		if (dt_next(dt, &ev, 100) == 1)
			count(sa, &ev);
	while (poll(&pfd, 1, 0) == 0);
	if (prog_hear(pc.pc_sock) != 'e')
		errx(1, "the child has not ended");
	prog_record(dt, 0);
	prog_child_end(&pc);
	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1)
		count(sa, &ev);
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	prog_ledger(dt, "samples", sa->sa_n, &dl);
	printf("skiptick %llu, idle %llu\n", dl.dl_skiptick, dl.dl_idle);
	if (dl.dl_dropped != 0)
		errx(1, "samples were dropped");
	dt_close(dt);
}

/* Returns whether is is close enough to should. */
static int
near(const char *what, double is, double should, double percent)
{
	double off = 100 * (is - should) / should;

	printf("%s: %.0f, should be %.0f: %+.2f %%\n", what, is, should, off);
	return fabs(off) <= percent;
}

static int
shares_clock(const struct prog_dtd *pd, struct busy *bu, long n, long hz,
    double percent)
{
	struct samples sa;

	bu->bu_nsecs = n * (1e9 / hz);
	take(pd, bu, hz, 0, &sa);
	return near("CPU time, us", sa.sa_n * (1e6 / hz), bu->bu_used / 1000,
	    percent);
}

static int
shares_ratio(const struct prog_dtd *pd, struct busy *bu, long n, long hz,
    double percent)
{
	double nsecs = 0;
	struct samples sa;
	int i, ok = 1;

	bu->bu_rounds = n * (1e9 / hz) / (10 * PART_NSECS) + 1;
	take(pd, bu, hz, DTEVT_USTACK, &sa);
	for (i = 0; i < NFUNCS; i++)
		nsecs += bu->bu_func[i];
	for (i = 0; i < NFUNCS; i++)
		ok &= near(funcs[i].fu_name, sa.sa_func[i],
		    (sa.sa_n - sa.sa_other) * bu->bu_func[i] / nsecs, percent);
	if (sa.sa_other * 100 > sa.sa_n)
		errx(1, "%llu of %llu samples are elsewhere",
		    (unsigned long long)sa.sa_other,
		    (unsigned long long)sa.sa_n);
	return ok;
}

int
main(int argc, char **argv)
{
	int isclock = argc > 1 && strcmp(argv[1], "clock") == 0, ch, ok, i;
	double percent = isclock ? 2 : 3;
	long n = 20000, hz = 5000;
	struct prog_dtd pd;
	struct busy *bu;

	optind = 2;
	while ((ch = getopt(argc, argv, "e:f:n:")) != -1) {
		if (ch == 'n')
			n = prog_number(optarg, 10000000);
		else if (ch == 'f')
			hz = prog_number(optarg, 5000);
		else if (ch == 'e')
			percent = prog_number(optarg, 100);
	}
	if (!isclock && (argc < 2 || strcmp(argv[1], "ratio") != 0))
		errx(2,
		    "usage: shares clock|ratio [-n samples] [-f hz] "
		    "[-e percent]");
	prog_init("shares", 600);
	/*
	 * A tick wakes the reader.  If the reader ran on the interrupted
	 * thread's CPU, it would always do so between two ticks, and never be
	 * interrupted itself.
	 */
	prog_pin(0);
	bu = prog_shared(sizeof(*bu));
	prog_dtd_start(&pd, NULL);
	for (i = ok = 0; i < NTRIES && !ok; i++)
		ok = (isclock ? shares_clock : shares_ratio)(&pd, bu, n, hz,
		    percent);
	if (!ok)
		errx(1, "not within %.0f %% in %d tries", percent, NTRIES);
	prog_dtd_stop(&pd);
	printf("shares %s: as they are\n", argv[1]);
	return 0;
}
