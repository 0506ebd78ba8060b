/* SPDX-License-Identifier: ISC */
/*
 * Counters of tprof: set, started, stopped, read.  Each is a perf event on
 * each CPU that is online; one that takes samples has a link to the program,
 * too.  All of this is by tprof_startstop_mtx and may wait for the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/bpf.h>

#include "conf.h"
#include "dt_ns.h"
#include "evt.h"
#include "grace.h"
#include "limit.h"
#include "log.h"
#include "perf_event.h"
#include "stream.h"
#include "tprof_softc.h"

#define SAMPLE_BYTES \
	(sizeof(struct dt_ringhdr) + sizeof(struct wire_tprof_sample))

pthread_mutex_t tprof_startstop_mtx = PTHREAD_MUTEX_INITIALIZER;

/*
 * One counter on one CPU
 */

/* As many as there would have been if others had not had their turns. */
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

static void
counter_stop_cpu(struct tprof_counter *tc, unsigned int cpu)
{
	int fd = tc->tc_events[cpu];

	if (fd == -1)
		return;
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	tc->tc_counts[cpu] += event_read(fd);
	if (tc->tc_links[cpu] != -1)
		close(tc->tc_links[cpu]);
	close(fd);
	tc->tc_links[cpu] = -1;
	tc->tc_events[cpu] = -1;
}

/* ENODEV, ENXIO: it is offline. */
static int
counter_start_cpu(struct tprof_counter *tc, unsigned int cpu)
{
	const struct tprof_softc *sc = &tprof_softc;
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = TPROF_COOKIE(sc->ts_gen,
		tc->tc_param.p_counter));
	int fd, link = -1;

	fd = tprof_backend_get()->tb_open(&tc->tc_param, cpu, tc->tc_period);
	if (fd < 0)
		return -fd;
	if (tc->tc_period != 0) {
		link = bpf_link_create(tprof_progfd(), fd, BPF_PERF_EVENT,
		    &opts);
		if (link < 0) {
			close(fd);
			return -link;
		}
	}
	tc->tc_events[cpu] = fd;
	tc->tc_links[cpu] = link;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1) {
		int error = errno;

		counter_stop_cpu(tc, cpu);
		return error;
	}
	return 0;
}

static int
is_offline(int error)
{
	return error == ENODEV || error == ENXIO;
}

/*
 * One counter
 */

static void
counter_stop(struct tprof_counter *tc)
{
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		counter_stop_cpu(tc, cpu);
	tc->tc_running = 0;
}

static int
counter_start(struct tprof_counter *tc, char *text)
{
	unsigned int cpu, n = 0;
	int error = 0;

	for (cpu = 0; cpu < tprof_ncpu; cpu++) {
		error = counter_start_cpu(tc, cpu);
		if (error == 0)
			n++;
		else if (!is_offline(error))
			break;
	}
	if (cpu < tprof_ncpu || n == 0) {
		counter_stop(tc);
		snprintf(text, IOCTL_TEXT,
		    "counter %u (unit %llu, event %llu) on CPU %u: %s",
		    tc->tc_param.p_counter,
		    (unsigned long long)tc->tc_param.p_unit,
		    (unsigned long long)tc->tc_param.p_event, cpu,
		    perf_event_strerror(error));
		return error;
	}
	tc->tc_running = 1;
	return 0;
}

static int
counter_alloc(struct tprof_counter *tc)
{
	unsigned int cpu;

	if (tc->tc_events != NULL)
		return 0;
	tc->tc_events = malloc(tprof_ncpu * sizeof(*tc->tc_events));
	tc->tc_links = malloc(tprof_ncpu * sizeof(*tc->tc_links));
	tc->tc_counts = calloc(tprof_ncpu, sizeof(*tc->tc_counts));
	if (tc->tc_events == NULL || tc->tc_links == NULL ||
	    tc->tc_counts == NULL) {
		free(tc->tc_events);
		free(tc->tc_links);
		free(tc->tc_counts);
		tc->tc_events = tc->tc_links = NULL;
		tc->tc_counts = NULL;
		return ENOMEM;
	}
	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		tc->tc_events[cpu] = tc->tc_links[cpu] = -1;
	return 0;
}

static void
counter_free(struct tprof_counter *tc)
{
	free(tc->tc_events);
	free(tc->tc_links);
	free(tc->tc_counts);
	memset(tc, 0, sizeof(*tc));
}

/* At how many a sample is taken: 0 at none, UINT64_MAX: that is too many. */
static uint64_t
param_period(const struct tprof_backend *tb, const struct tprof_param *p)
{
	__uint128_t period;

	if ((p->p_flags & TPROF_PARAM_PROFILE) == 0)
		return 0;
	switch (p->p_flags & TPROF_PARAM_VALUE2_MASK) {
	case TPROF_PARAM_VALUE2_TRIGGERCOUNT:
		return p->p_value2;
	case TPROF_PARAM_VALUE2_SCALE:
		if (p->p_value2 == 0)
			return UINT64_MAX;
		period = ((__uint128_t)tb->tb_period(p) << 32) / p->p_value2;
		return period > INT64_MAX ? UINT64_MAX
		    : period == 0	  ? 1
					  : (uint64_t)period;
	default:
		return tb->tb_period(p);
	}
}

/* Tries it on a CPU that is online. */
static int
param_try(const struct tprof_backend *tb, const struct tprof_param *p,
    uint64_t period, char *text)
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
	snprintf(text, IOCTL_TEXT, "unit %llu, event %llu: %s",
	    (unsigned long long)p->p_unit, (unsigned long long)p->p_event,
	    perf_event_strerror(-fd));
	return -fd;
}

/* EINVAL neither kernel nor user; ENOENT; EINVAL counter; EBUSY it runs; what
 * the backend says. */
int
tprof_configure(const struct tprof_param *p, char *text)
{
	const struct tprof_backend *tb = tprof_backend_get();
	struct tprof_counter *tc;
	uint64_t period;
	int error;

	if ((p->p_flags & (TPROF_PARAM_KERN | TPROF_PARAM_USER)) == 0) {
		snprintf(text, IOCTL_TEXT,
		    "neither the kernel nor programs are to be counted");
		return EINVAL;
	}
	if (tb == NULL)
		return ENOENT;
	if (p->p_counter >= tb->tb_ncounters()) {
		snprintf(text, IOCTL_TEXT, "there are %u counters",
		    tb->tb_ncounters());
		return EINVAL;
	}
	tc = &tprof_softc.ts_counters[p->p_counter];
	if (tc->tc_running)
		return EBUSY;
	if ((error = tb->tb_valid(p, text)) != 0)
		return error;
	period = param_period(tb, p);
	if ((p->p_flags & TPROF_PARAM_PROFILE) != 0 &&
	    (period == 0 || period > INT64_MAX)) {
		snprintf(text, IOCTL_TEXT,
		    "samples cannot be taken at each %llu of it",
		    (unsigned long long)period);
		return EINVAL;
	}
	if ((error = param_try(tb, p, period, text)) != 0 ||
	    (error = counter_alloc(tc)) != 0)
		return error;
	memset(tc->tc_counts, 0, tprof_ncpu * sizeof(*tc->tc_counts));
	tc->tc_param = *p;
	tc->tc_period = period;
	tc->tc_configured = 1;
	return 0;
}

uint64_t
tprof_counter_read(const struct tprof_counter *tc, unsigned int cpu)
{
	if (!tc->tc_configured)
		return 0;
	return tc->tc_param.p_value + tc->tc_counts[cpu] +
	    (tc->tc_events[cpu] != -1 ? event_read(tc->tc_events[cpu]) : 0);
}

/*
 * Rings, for who takes samples
 */

/* As many as come in two seconds, but not more than the seed's buffers have. */
static size_t
samples_per_buf(uint32_t mask)
{
	const struct tprof_backend *tb = tprof_backend_get();
	const struct tprof_counter *tc;
	uint64_t freq, n = 1;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		tc = &tprof_softc.ts_counters[i];
		if ((mask & 1U << i) == 0 || tc->tc_period == 0)
			continue;
		/* how often one comes that is no clock, nobody knows */
		freq = tb->tb_period(&tc->tc_param) == 1
		    ? TPROF_MAX_SAMPLES_PER_BUF
		    : tb->tb_estimate_freq() / tc->tc_period;
		n += 2 * freq < TPROF_MAX_SAMPLES_PER_BUF
		    ? 2 * freq
		    : TPROF_MAX_SAMPLES_PER_BUF;
	}
	return n < TPROF_MAX_SAMPLES_PER_BUF ? n : TPROF_MAX_SAMPLES_PER_BUF;
}

static void
rings_uncharge(void)
{
	struct tprof_softc *sc = &tprof_softc;

	limit_give(sc->ts_peer.pr_uid, LIMIT_RINGBYTES, sc->ts_charged);
	sc->ts_charged = 0;
}

static int
rings_prepare(uint32_t mask, char *text)
{
	struct tprof_softc *sc = &tprof_softc;
	size_t nbytes = samples_per_buf(mask) * SAMPLE_BYTES;
	unsigned int cpu;
	int error;

	if (sc->ts_rings.ri_rings != NULL)
		return 0;
	if (sc->ts_overflow == NULL &&
	    (sc->ts_overflow = calloc(tprof_ncpu, sizeof(uint64_t))) == NULL)
		return ENOMEM;
	/* what the last open has left */
	for (cpu = 0; cpu < tprof_ncpu; cpu++) {
		memset(tprof_count(cpu), 0, sizeof(struct tprof_count));
		sc->ts_overflow[cpu] = 0;
	}
	sc->ts_rings = (struct rings){
		.ri_map = tprof_ringsfd(),
		.ri_noring = conf.cf_private ? -1 : tprof_noringfd(),
		.ri_ncpu = tprof_ncpu,
		.ri_size = ring_size(2 * nbytes * tprof_ncpu, tprof_ncpu),
	};
	sc->ts_charged = sc->ts_rings.ri_size * tprof_ncpu;
	error = limit_take(sc->ts_peer.pr_uid, LIMIT_RINGBYTES, sc->ts_charged,
	    text);
	if (error != 0) {
		sc->ts_charged = 0;
		return error;
	}
	error = rings_alloc(&sc->ts_rings, sc->ts_stream);
	if (error != 0) {
		rings_uncharge();
		snprintf(text, IOCTL_TEXT, "rings of %zu bytes a CPU: %s",
		    nbytes, strerror(error));
		return error;
	}
	atomic_store(&sc->ts_hasrings, 1);
	return 0;
}

/* All that samples need. */
static int
start_prepare(uint32_t mask, char *text)
{
	struct tprof_softc *sc = &tprof_softc;
	struct dt_nsof no;
	int error;

	if ((error = tprof_load(text)) != 0 ||
	    (error = rings_prepare(mask, text)) != 0 ||
	    (error = dt_ns_of(&sc->ts_peer, &no, text)) != 0)
		return error;
	tprof_program_set(sc->ts_gen, no.no_inum, no.no_level,
	    sc->ts_rings.ri_size / 2);
	return 0;
}

/*
 * Start and stop
 */

uint32_t
tprof_running(void)
{
	uint32_t mask = 0;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		if (tprof_softc.ts_counters[i].tc_running)
			mask |= 1U << i;
	return mask;
}

/* Of these, those that can be started and take samples. */
static uint32_t
start_mask(uint32_t mask, uint32_t *profiling)
{
	uint32_t all = 0;
	int i;

	*profiling = 0;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		const struct tprof_counter *tc = &tprof_softc.ts_counters[i];

		if ((mask & 1U << i) == 0 || !tc->tc_configured ||
		    tc->tc_running)
			continue;
		all |= 1U << i;
		if (tc->tc_period != 0)
			*profiling |= 1U << i;
	}
	return all;
}

int
tprof_start(uint32_t mask, char *text)
{
	struct tprof_softc *sc = &tprof_softc;
	uint32_t profiling;
	int error, i;

	if (tprof_backend_get() == NULL)
		return ENOENT;
	mask = start_mask(mask, &profiling);
	if (profiling != 0 && (error = start_prepare(profiling, text)) != 0)
		return error;
	if (profiling != 0 && sc->ts_profiling == 0) {
		sc->ts_run++;
		tprof_callout_set(1);
	}
	sc->ts_profiling |= profiling;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		if ((mask & 1U << i) == 0)
			continue;
		error = counter_start(&sc->ts_counters[i], text);
		if (error != 0) {
			tprof_stop(mask);
			return error;
		}
	}
	return 0;
}

/* The last samples are handed over, and the reader will be told the end. */
static void
stop_run(struct tprof_softc *sc)
{
	tprof_callout_set(0);
	grace();
	pthread_mutex_lock(&tprof_mtx);
	sc->ts_stoprun = sc->ts_run;
	stream_kick(sc->ts_stream);
	while (sc->ts_stoprun != 0)
		pthread_cond_wait(&tprof_cv, &tprof_mtx);
	pthread_mutex_unlock(&tprof_mtx);
}

void
tprof_stop(uint32_t mask)
{
	struct tprof_softc *sc = &tprof_softc;
	uint32_t was = sc->ts_profiling;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		if ((mask & 1U << i) != 0 && sc->ts_counters[i].tc_running)
			counter_stop(&sc->ts_counters[i]);
	sc->ts_profiling &= ~mask;
	if (was != 0 && sc->ts_profiling == 0)
		stop_run(sc);
}

void
tprof_cpu_restart(unsigned int cpu)
{
	struct tprof_counter *tc;
	int error, i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		tc = &tprof_softc.ts_counters[i];
		if (!tc->tc_running)
			continue;
		counter_stop_cpu(tc, cpu);
		error = counter_start_cpu(tc, cpu);
		if (error != 0 && !is_offline(error))
			log_warnx("tprof: counter %d on CPU %u: %s", i, cpu,
			    perf_event_strerror(error));
	}
}

void
tprof_release(void)
{
	struct tprof_softc *sc = &tprof_softc;
	int i;

	if (rings_free(&sc->ts_rings) != 0)
		log_warnx("tprof: its rings stay in the map until the next "
			  "open");
	rings_uncharge();
	atomic_store(&sc->ts_hasrings, 0);
	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		counter_free(&sc->ts_counters[i]);
	sc->ts_profiling = 0;
	tprof_program_set(0, 0, 0, 0);
}
