/* SPDX-License-Identifier: ISC */
/*
 * Configures, starts, stops and reads counters.  Each is a perf event per
 * online CPU, or a single event of a command; one that takes samples also has a
 * link to the program.  Runs on a worker and may block in the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/bpf.h>

#include "daemon/base/reason.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/device/grace_period.h"
#include "daemon/perf/perf_event.h"
#include "daemon/tprof/tprof_softc.h"

_Static_assert(TPROF_NHITS == TPROF_MAXCOUNTERS, "hits of each counter");

/*
 * One counter on one CPU
 */

/*
 * Returns the count, scaled up by the time in which other events had the
 * counter.
 */
static uint64_t
event_read(int fd)
{
	struct {
		uint64_t value, enabled, running;
	} v;

	if (read(fd, &v, sizeof(v)) != sizeof(v) || v.running == 0)
		return 0;
	if (v.running >= v.enabled)
		return v.value;
	return (double)v.value * v.enabled / v.running;
}

/*
 * Adds the samples that the kernel skipped to those taken and lost: each period
 * of n events should have been one.  The stop may have interrupted the CPU
 * between an event and its sample, which comes with the grace period.  A clock
 * has no events, and the processor may count on after its last sample.
 */
static void
count_skipped(const struct tprof_counter *tc, unsigned int cpu, uint64_t n)
{
	struct tprof_count *c;
	uint64_t due;
	__u64 *hits;

	if (tc->tcr_links[cpu] == -1 ||
	    tc->tcr_param.p_unit != PERF_TYPE_SOFTWARE ||
	    tprof_backend_get()->tb_rate(&tc->tcr_param, tc->tcr_period) != 0)
		return;
	c = tprof_count(cpu);
	hits = &c->tc_hits[tc->tcr_param.p_counter];
	due = n / tc->tcr_period;
	if (__atomic_load_n(hits, __ATOMIC_RELAXED) < due)
		grace_period();
	n = __atomic_load_n(hits, __ATOMIC_RELAXED);
	if (n >= due)
		return;
	__atomic_add_fetch(&c->tc_taken, due - n, __ATOMIC_RELAXED);
	__atomic_add_fetch(&c->tc_overflow, due - n, __ATOMIC_RELEASE);
}

void
tprof_counter_stop_cpu(struct tprof_counter *tc, unsigned int cpu)
{
	int fd = tc->tcr_events[cpu];
	uint64_t n;

	if (fd == -1)
		return;
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n = event_read(fd);
	tc->tcr_counts[cpu] += n;
	count_skipped(tc, cpu, n);
	if (tc->tcr_links[cpu] != -1)
		spawn_lock_close(tc->tcr_links[cpu]);
	close(fd);
	tc->tcr_links[cpu] = -1;
	tc->tcr_events[cpu] = -1;
}

/* ENODEV, ENXIO: the CPU is offline. */
int
tprof_counter_start_cpu(struct tprof_counter *tc, unsigned int cpu)
{
	const struct tprof_softc *sc = &tprof_softc;
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = TPROF_COOKIE(sc->tps_gen,
		tc->tcr_param.p_counter));
	int fd, link = -1;

	fd = tprof_backend_get()->tb_open(&tc->tcr_param, cpu, tc->tcr_period);
	if (fd < 0)
		return -fd;
	if (tc->tcr_period != 0) {
		link = bpf_link_create(tprof_progfd(), fd, BPF_PERF_EVENT,
		    &opts);
		if (link < 0) {
			close(fd);
			return -link;
		}
		tprof_count(cpu)->tc_hits[tc->tcr_param.p_counter] = 0;
	}
	tc->tcr_events[cpu] = fd;
	tc->tcr_links[cpu] = link;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1) {
		int error = errno;

		tprof_counter_stop_cpu(tc, cpu);
		return error;
	}
	return 0;
}

int
tprof_is_offline(int error)
{
	return error == ENODEV || error == ENXIO;
}

/*
 * One counter
 */

void
tprof_counter_stop(struct tprof_counter *tc)
{
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		tprof_counter_stop_cpu(tc, cpu);
	tc->tcr_running = 0;
}

/* Returns the error; the reason names the counter and where it failed. */
static int
counter_fail(const struct tprof_counter *tc, const char *where, int error,
    struct reason *rs)
{
	return reason_fail(rs, error,
	    "counter %u (unit %llu, event %llu) %s: %s",
	    tc->tcr_param.p_counter, (unsigned long long)tc->tcr_param.p_unit,
	    (unsigned long long)tc->tcr_param.p_event, where,
	    perf_event_strerror(error));
}

/*
 * Counts the command.  Its id may have been reused when the kernel looks at it,
 * so the thread is checked again.
 */
static int
counter_start_command(struct tprof_counter *tc, struct reason *rs)
{
	const struct peer_thread *th = &tprof_softc.tps_command;
	int fd = tprof_backend_get()->tb_open_command(&tc->tcr_param,
	    th->th_tid);

	if (fd >= 0 && !peer_thread_lives(th)) {
		close(fd);
		fd = -ESRCH;
	}
	if (fd < 0)
		return counter_fail(tc, "of the command", -fd, rs);
	tc->tcr_events[0] = fd;
	tc->tcr_running = 1;
	return 0;
}

int
tprof_counter_start(struct tprof_counter *tc, struct reason *rs)
{
	unsigned int cpu, n = 0;
	char where[32];
	int error = 0;

	if (tprof_softc.tps_command.th_tid != 0)
		return counter_start_command(tc, rs);
	for (cpu = 0; cpu < tprof_ncpu; cpu++) {
		error = tprof_counter_start_cpu(tc, cpu);
		if (error == 0)
			n++;
		else if (!tprof_is_offline(error))
			break;
	}
	if (cpu < tprof_ncpu || n == 0) {
		tprof_counter_stop(tc);
		snprintf(where, sizeof(where), "on CPU %u", cpu);
		return counter_fail(tc, where, error, rs);
	}
	tc->tcr_running = 1;
	return 0;
}

static int
counter_alloc(struct tprof_counter *tc)
{
	unsigned int cpu;

	if (tc->tcr_events != NULL)
		return 0;
	tc->tcr_events = malloc(tprof_ncpu * sizeof(*tc->tcr_events));
	tc->tcr_links = malloc(tprof_ncpu * sizeof(*tc->tcr_links));
	tc->tcr_counts = calloc(tprof_ncpu, sizeof(*tc->tcr_counts));
	if (tc->tcr_events == NULL || tc->tcr_links == NULL ||
	    tc->tcr_counts == NULL) {
		free(tc->tcr_events);
		free(tc->tcr_links);
		free(tc->tcr_counts);
		tc->tcr_events = tc->tcr_links = NULL;
		tc->tcr_counts = NULL;
		return ENOMEM;
	}
	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		tc->tcr_events[cpu] = tc->tcr_links[cpu] = -1;
	return 0;
}

void
tprof_counter_free(struct tprof_counter *tc)
{
	free(tc->tcr_events);
	free(tc->tcr_links);
	free(tc->tcr_counts);
	memset(tc, 0, sizeof(*tc));
}

/*
 * Converts a period of 0 to 1, and clamps one that perf would consider
 * negative.
 */
static uint64_t
period_clamp(__uint128_t period)
{
	if (period == 0)
		return 1;
	return period > INT64_MAX ? INT64_MAX : (uint64_t)period;
}

/* Returns the number of events per sample; 0: takes no samples. */
static uint64_t
param_period(const struct tprof_backend *tb, const struct tprof_param *p)
{
	if ((p->p_flags & TPROF_PARAM_PROFILE) == 0)
		return 0;
	switch (p->p_flags & TPROF_PARAM_VALUE2_MASK) {
	case TPROF_PARAM_VALUE2_TRIGGERCOUNT:
		return period_clamp(p->p_value2);
	case TPROF_PARAM_VALUE2_SCALE:
		if (p->p_value2 == 0) /* 1.0 */
			return tb->tb_period(p);
		return period_clamp(
		    (__uint128_t)tb->tb_period(p) * p->p_value2 >> 32);
	default:
		return tb->tb_period(p);
	}
}

/* Opens the event on an online CPU, to try it. */
static int
param_try(const struct tprof_backend *tb, const struct tprof_param *p,
    uint64_t period, struct reason *rs)
{
	unsigned int cpu;
	int fd = -ENODEV;

	for (cpu = 0; cpu < tprof_ncpu && (fd == -ENODEV || fd == -ENXIO);
	     cpu++)
		fd = tb->tb_open(p, cpu, period);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	reason_set(rs, "unit %llu, event %llu: %s",
	    (unsigned long long)p->p_unit, (unsigned long long)p->p_event,
	    perf_event_strerror(-fd));
	return -fd;
}

/*
 * EINVAL: neither kernel nor user; ENOENT; EINVAL: counter; the errno of the
 * backend.  Stops a running counter first, but not for a request that fails.
 * (The BSD original uses the counter's number where its bit is meant.)
 */
int
tprof_configure(const struct tprof_param *p, struct reason *rs)
{
	const struct tprof_backend *tb = tprof_backend_get();
	struct tprof_counter *tc;
	uint64_t period;
	int error;

	if ((p->p_flags & (TPROF_PARAM_KERN | TPROF_PARAM_USER)) == 0)
		return reason_fail(rs, EINVAL,
		    "neither the kernel nor programs are to be counted");
	if (tb == NULL)
		return ENOENT;
	if (p->p_counter >= tb->tb_ncounters())
		return reason_fail(rs, EINVAL, "there are %u counters",
		    tb->tb_ncounters());
	tc = &tprof_softc.tps_counters[p->p_counter];
	if ((error = tb->tb_valid(p, rs)) != 0)
		return error;
	period = param_period(tb, p);
	if ((error = param_try(tb, p, period, rs)) != 0 ||
	    (error = counter_alloc(tc)) != 0)
		return error;
	tprof_stop(1U << p->p_counter);
	memset(tc->tcr_counts, 0, tprof_ncpu * sizeof(*tc->tcr_counts));
	tc->tcr_param = *p;
	tc->tcr_period = period;
	tc->tcr_configured = 1;
	return 0;
}

uint64_t
tprof_counter_read(const struct tprof_counter *tc, unsigned int cpu)
{
	if (!tc->tcr_configured)
		return 0;
	return tc->tcr_param.p_value + tc->tcr_counts[cpu] +
	    (tc->tcr_events[cpu] != -1 ? event_read(tc->tcr_events[cpu]) : 0);
}
