/* SPDX-License-Identifier: ISC */
/*
 * Ticks for the clocks of the interval provider, in up to two threads.
 *
 * A thread sleeps until the next clock is due and then has the kernel run the
 * program on the CPU that ticks, in an interrupt (BPF_PROG_TEST_RUN).  It stays
 * off that CPU, where it would interrupt only itself; on a machine with one CPU
 * that is what the ticks show.  The CPU is the first one that is online among
 * those that dtd may use.  The kernel refuses to run the program on a CPU that
 * is offline; then the next CPU ticks.
 *
 * If more than one period has passed when the thread wakes up, one tick stands
 * for all of them and the others are counted as skipped, as in the newer BSD
 * original.
 *
 * A clock at real-time priority ticks in time on a busy machine: at ordinary
 * priority every fourth tick of a 1,000 Hz clock was late.  But a client that sets
 * the rate of a real-time thread can keep a CPU busy, so clients without ADMIN
 * share INTERVAL_PROMPT_HZ; clocks beyond that tick at ordinary priority.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include <bpf/bpf.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/dt/dt_interval_timer.h"
#include "daemon/dt/dt_maps.h"

#define INTERVAL_PROMPT_HZ 1000		/* of all clients without ADMIN */
#define INTERVAL_STACK	   (64UL << 10) /* bytes, of a thread */
#define INTERVAL_SECOND	   1000000000ULL

/*
 * A thread and its clocks.  I: constant while the thread runs; l: under
 * it_mtx; t: the thread's own.
 */
struct interval_timer {
	const char *it_name; /* [I] */
	int it_isprompt;     /* [I] real-time priority */
	pthread_mutex_t it_mtx;
	pthread_cond_t it_wake; /* a clock starts or is to end */
	pthread_cond_t it_gone; /* a clock has ended */
	TAILQ_HEAD(, interval_clock) it_clocks; /* [l] */
	uint64_t it_hz;	       /* [l] sum of the rates without ADMIN */
	pthread_t it_thread;   /* [l] while there are clocks */
	atomic_uint it_nwaits; /* threads that want it_mtx */
	int it_progfd;	       /* [I] */
	unsigned int it_cpu;   /* [t] the CPU that ticks */
};

enum {
	INTERVAL_ORDINARY,
	INTERVAL_PROMPT,
	INTERVAL_NTIMERS
};

static struct interval_timer interval_timers[INTERVAL_NTIMERS] = {
	[INTERVAL_ORDINARY] = { .it_name = "dtd-interval" },
	[INTERVAL_PROMPT] = { .it_name = "dtd-interval-rt", .it_isprompt = 1 },
};
static pthread_once_t interval_once = PTHREAD_ONCE_INIT;
/* Orders starts and stops, so that a thread is joined before the next one is
 * made.  Taken before it_mtx. */
static pthread_mutex_t interval_mtx = PTHREAD_MUTEX_INITIALIZER;

static void
interval_init(void)
{
	struct interval_timer *it = interval_timers;
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	for (; it < interval_timers + INTERVAL_NTIMERS; it++) {
		pthread_mutex_init(&it->it_mtx, NULL);
		pthread_cond_init(&it->it_wake, &attr);
		pthread_cond_init(&it->it_gone, NULL);
		TAILQ_INIT(&it->it_clocks);
	}
	pthread_condattr_destroy(&attr);
}

/*
 * The CPUs
 */

/* Returns the first CPU that is online and allowed, 0 if that is unknown. */
static unsigned int
interval_first_cpu(void)
{
	size_t size = CPU_ALLOC_SIZE(dt_ncpu);
	cpu_set_t *set = CPU_ALLOC(dt_ncpu);
	unsigned int cpu = 0;

	if (set == NULL)
		return 0;
	CPU_ZERO_S(size, set);
	(void)sched_getaffinity(0, size, set); /* without those offline */
	while (cpu < dt_ncpu && !CPU_ISSET_S(cpu, size, set))
		cpu++;
	CPU_FREE(set);
	return cpu < dt_ncpu ? cpu : 0;
}

/*
 * Keeps this thread off a CPU.  Fails where there is no other, and does not
 * last when the others go offline: the kernel then moves the thread.
 */
static void
interval_avoid(unsigned int cpu)
{
	size_t size = CPU_ALLOC_SIZE(dt_ncpu);
	cpu_set_t *set = CPU_ALLOC(dt_ncpu);
	unsigned int i;

	if (set == NULL)
		return;
	CPU_ZERO_S(size, set);
	for (i = 0; i < dt_ncpu; i++)
		if (i != cpu)
			CPU_SET_S(i, size, set);
	(void)sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

/*
 * The ticks
 */

static int
interval_run(const struct interval_timer *it, const struct interval_clock *ic,
    unsigned int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ic->ick_args,
	    .ctx_size_in = sizeof(ic->ick_args), .flags = BPF_F_TEST_RUN_ON_CPU,
	    .cpu = cpu);

	return -bpf_prog_test_run_opts(it->it_progfd, &opts);
}

/* Runs the program on the CPU that ticks, or on the next one that is online. */
static int
interval_run_online(struct interval_timer *it, const struct interval_clock *ic)
{
	unsigned int i, cpu = it->it_cpu;
	int error = ENXIO;

	if ((unsigned int)sched_getcpu() == cpu)
		interval_avoid(cpu);
	for (i = 0; i < dt_ncpu && error == ENXIO; i++) {
		cpu = (it->it_cpu + i) % dt_ncpu;
		error = interval_run(it, ic, cpu);
	}
	if (error == 0 && cpu != it->it_cpu) {
		it->it_cpu = cpu;
		interval_avoid(cpu);
	}
	return error;
}

/* Ticks if the clock is due; it_mtx is held. */
static void
interval_tick(struct interval_timer *it, struct interval_clock *ic)
{
	uint64_t n, now = clock_monotonic();
	int error;

	if (now < ic->ick_due)
		return;
	n = 1 + (now - ic->ick_due) / ic->ick_period;
	ic->ick_due += n * ic->ick_period;
	if ((error = interval_run_online(it, ic)) == 0)
		n--;
	else
		log_warnx("interval: %s", strerror(error));
	if (n > 0)
		__atomic_fetch_add(&ic->ick_counts[it->it_cpu].dc_skiptick, n,
		    __ATOMIC_RELAXED);
}

/* The thread's priority; without CAP_SYS_NICE it stays an ordinary one. */
static void
interval_hurry(void)
{
	const struct sched_param sp = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &sp) == -1)
		log_debug("interval: no SCHED_FIFO: %s", strerror(errno));
}

/* Sleeps until a clock is due, starts or is to end; it_mtx is held. */
static void
interval_sleep(struct interval_timer *it)
{
	const struct interval_clock *ic;
	uint64_t due = UINT64_MAX;
	struct timespec ts;

	TAILQ_FOREACH(ic, &it->it_clocks, ick_next) {
		if (ic->ick_isending)
			return;
		if (ic->ick_due < due)
			due = ic->ick_due;
	}
	ts.tv_sec = due / INTERVAL_SECOND;
	ts.tv_nsec = due % INTERVAL_SECOND;
	pthread_cond_timedwait(&it->it_wake, &it->it_mtx, &ts);
}

/*
 * Ticks for all clocks that are due, and removes the stopping clocks, each
 * after its last tick. it_mtx is held.
 */
static void
interval_pass(struct interval_timer *it)
{
	struct interval_clock *ic, *next;

	for (ic = TAILQ_FIRST(&it->it_clocks); ic != NULL; ic = next) {
		next = TAILQ_NEXT(ic, ick_next);
		interval_tick(it, ic);
		if (!ic->ick_isending)
			continue;
		TAILQ_REMOVE(&it->it_clocks, ic, ick_next);
		ic->ick_isending = 0;
		pthread_cond_broadcast(&it->it_gone);
	}
}

static void *
interval_thread(void *arg)
{
	struct interval_timer *it = arg;

	prctl(PR_SET_NAME, it->it_name);
	prctl(PR_SET_TIMERSLACK, 1);
	if (it->it_isprompt)
		interval_hurry();
	interval_avoid(it->it_cpu);
	pthread_mutex_lock(&it->it_mtx);
	while (!TAILQ_EMPTY(&it->it_clocks)) {
		/* Clocks that are always due must not lock out a stop. */
		if (atomic_load(&it->it_nwaits) > 0)
			pthread_cond_wait(&it->it_wake, &it->it_mtx);
		else
			interval_sleep(it);
		interval_pass(it);
	}
	pthread_mutex_unlock(&it->it_mtx);
	return NULL;
}

/*
 * Start and stop
 */

static void
interval_lock(struct interval_timer *it)
{
	atomic_fetch_add(&it->it_nwaits, 1);
	pthread_mutex_lock(&it->it_mtx);
	atomic_fetch_sub(&it->it_nwaits, 1);
}

static void
interval_unlock(struct interval_timer *it)
{
	pthread_cond_signal(&it->it_wake);
	pthread_mutex_unlock(&it->it_mtx);
}

static uint64_t
interval_hz(const struct interval_clock *ic)
{
	return (INTERVAL_SECOND + ic->ick_period - 1) / ic->ick_period;
}

/* interval_mtx is held, so the sum of rates stays. */
static struct interval_timer *
interval_choose(const struct interval_clock *ic)
{
	struct interval_timer *it = &interval_timers[INTERVAL_PROMPT];

	return ic->ick_isadmin ||
		it->it_hz + interval_hz(ic) <= INTERVAL_PROMPT_HZ
	    ? it
	    : &interval_timers[INTERVAL_ORDINARY];
}

/* The first clock brings the thread; interval_mtx is held. */
static int
interval_make_thread(struct interval_timer *it)
{
	pthread_attr_t attr;
	int error;

	it->it_cpu = interval_first_cpu();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, INTERVAL_STACK);
	error = pthread_create(&it->it_thread, &attr, interval_thread, it);
	pthread_attr_destroy(&attr);
	return error;
}

static int
interval_add(struct interval_timer *it, struct interval_clock *ic, int progfd)
{
	int isfirst, error = 0;

	interval_lock(it);
	isfirst = TAILQ_EMPTY(&it->it_clocks);
	it->it_progfd = progfd;
	TAILQ_INSERT_TAIL(&it->it_clocks, ic, ick_next);
	if (isfirst)
		error = interval_make_thread(it);
	if (error != 0)
		TAILQ_REMOVE(&it->it_clocks, ic, ick_next);
	else if (!ic->ick_isadmin)
		it->it_hz += interval_hz(ic);
	interval_unlock(it);
	return error;
}

int
interval_start(const struct interval_clock *as, int progfd,
    struct interval_clock **icp)
{
	struct interval_clock *ic;
	int error;

	pthread_once(&interval_once, interval_init);
	if ((ic = malloc(sizeof(*ic))) == NULL)
		return ENOMEM;
	*ic = *as;
	ic->ick_due = clock_monotonic() + ic->ick_period;
	pthread_mutex_lock(&interval_mtx);
	ic->ick_timer = interval_choose(ic);
	error = interval_add(ic->ick_timer, ic, progfd);
	pthread_mutex_unlock(&interval_mtx);
	if (error != 0)
		free(ic);
	else
		*icp = ic;
	return error;
}

void
interval_stop(struct interval_clock *ic)
{
	struct interval_timer *it = ic->ick_timer;
	int islast;

	pthread_mutex_lock(&interval_mtx);
	interval_lock(it);
	ic->ick_isending = 1;
	pthread_cond_signal(&it->it_wake);
	while (ic->ick_isending)
		pthread_cond_wait(&it->it_gone, &it->it_mtx);
	if (!ic->ick_isadmin)
		it->it_hz -= interval_hz(ic);
	islast = TAILQ_EMPTY(&it->it_clocks);
	interval_unlock(it);
	if (islast)
		pthread_join(it->it_thread, NULL);
	pthread_mutex_unlock(&interval_mtx);
	free(ic);
}

uint64_t
interval_nsecs(void)
{
	struct interval_timer *it = interval_timers;
	struct timespec ts;
	uint64_t nsecs = 0;
	clockid_t clock;

	pthread_once(&interval_once, interval_init);
	pthread_mutex_lock(&interval_mtx);
	for (; it < interval_timers + INTERVAL_NTIMERS; it++)
		if (!TAILQ_EMPTY(&it->it_clocks) &&
		    pthread_getcpuclockid(it->it_thread, &clock) == 0 &&
		    clock_gettime(clock, &ts) == 0)
			nsecs += ts.tv_sec * INTERVAL_SECOND + ts.tv_nsec;
	pthread_mutex_unlock(&interval_mtx);
	return nsecs;
}
