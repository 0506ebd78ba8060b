/* SPDX-License-Identifier: ISC */
/*
 * Starts and stops runs, and creates rings for samples.  Runs on a worker and
 * may block in the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/kernel/pidns.h"
#include <dt/evt.h>
#include "daemon/access/limit.h"
#include "daemon/base/log.h"
#include "daemon/device/grace_period.h"
#include "daemon/device/stream.h"
#include "daemon/perf/perf_event.h"
#include "daemon/tprof/tprof_softc.h"

#define SAMPLE_BYTES \
	(sizeof(struct dt_ringhdr) + sizeof(struct wire_tprof_sample))

/*
 * Rings of samples
 */

/*
 * Returns the samples of two seconds, at most the capacity of the BSD
 * original's buffers.
 */
static size_t
samples_per_buf(uint32_t mask)
{
	const struct tprof_backend *tb = tprof_backend_get();
	const struct tprof_counter *tc;
	uint64_t freq, n = 1;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		tc = &tprof_softc.tps_counters[i];
		if ((mask & 1U << i) == 0 || tc->tcr_period == 0)
			continue;
		/* the rate of other events is unknown */
		freq = tb->tb_period(&tc->tcr_param) == 1
		    ? TPROF_MAX_SAMPLES_PER_BUF
		    : tb->tb_estimate_freq() / tc->tcr_period;
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

	limit_give(sc->tps_peer.peer_person, LIMIT_RINGBYTES, sc->tps_charged);
	sc->tps_charged = 0;
}

static int
rings_prepare(uint32_t mask, struct reason *rs)
{
	struct tprof_softc *sc = &tprof_softc;
	size_t nbytes = samples_per_buf(mask) * SAMPLE_BYTES;
	unsigned int cpu;
	int error;

	if (sc->tps_rings.ri_rings != NULL)
		return 0;
	if (sc->tps_overflow == NULL &&
	    (sc->tps_overflow = calloc(tprof_ncpu, sizeof(uint64_t))) == NULL)
		return ENOMEM;
	/* counts of the previous session */
	for (cpu = 0; cpu < tprof_ncpu; cpu++) {
		memset(tprof_count(cpu), 0, sizeof(struct tprof_count));
		sc->tps_overflow[cpu] = 0;
	}
	sc->tps_rings = (struct rings){
		.ri_map = tprof_ringsfd(),
		.ri_noring = conf.cf_private ? -1 : tprof_noringfd(),
		.ri_ncpu = tprof_ncpu,
		.ri_size = ring_size(2 * nbytes * tprof_ncpu, tprof_ncpu),
	};
	sc->tps_charged = sc->tps_rings.ri_size * tprof_ncpu;
	error = limit_take(sc->tps_peer.peer_person, LIMIT_RINGBYTES,
	    sc->tps_charged, rs);
	if (error != 0) {
		sc->tps_charged = 0;
		return error;
	}
	error = rings_alloc(&sc->tps_rings, sc->tps_stream);
	if (error != 0) {
		rings_uncharge();
		return reason_fail(rs, error, "rings of %zu bytes a CPU: %s",
		    nbytes, strerror(error));
	}
	atomic_store(&sc->tps_hasrings, 1);
	return 0;
}

/* Returns the known samples per second and CPU of the mask's counters. */
static uint64_t
start_rate(uint32_t mask)
{
	const struct tprof_backend *tb = tprof_backend_get();
	const struct tprof_counter *tc;
	uint64_t rate = 0;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		tc = &tprof_softc.tps_counters[i];
		if (((mask | tprof_softc.tps_profiling) & 1U << i) != 0)
			rate += tb->tb_rate(&tc->tcr_param, tc->tcr_period);
	}
	return rate;
}

/* Prepares what samples require. */
static int
start_prepare(uint32_t mask, struct reason *rs)
{
	struct tprof_softc *sc = &tprof_softc;
	struct pidns_of no;
	int error;

	if ((error = tprof_cost_limit_refuses(start_rate(mask), rs)) != 0 ||
	    (error = tprof_load(rs)) != 0 ||
	    (error = rings_prepare(mask, rs)) != 0 ||
	    (error = pidns_of(&sc->tps_peer, &no, rs)) != 0)
		return error;
	tprof_program_set(sc->tps_gen, no.no_inum, no.no_level,
	    sc->tps_rings.ri_size / 2);
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
		if (tprof_softc.tps_counters[i].tcr_running)
			mask |= 1U << i;
	return mask;
}

/* Returns the counters of the mask that can start, and which of them sample. */
static uint32_t
start_mask(uint32_t mask, uint32_t *profiling)
{
	uint32_t all = 0;
	int i;

	*profiling = 0;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		const struct tprof_counter *tc = &tprof_softc.tps_counters[i];

		if ((mask & 1U << i) == 0 || !tc->tcr_configured ||
		    tc->tcr_running)
			continue;
		all |= 1U << i;
		if (tc->tcr_period != 0)
			*profiling |= 1U << i;
	}
	return all;
}

int
tprof_start(uint32_t mask, struct reason *rs)
{
	struct tprof_softc *sc = &tprof_softc;
	uint32_t profiling;
	int error, i;

	if (tprof_backend_get() == NULL)
		return ENOENT;
	mask = start_mask(mask, &profiling);
	if (profiling != 0 && sc->tps_command.th_tid != 0)
		return reason_fail(rs, EINVAL,
		    "samples are of all CPUs; a command can only be counted");
	if (profiling != 0 && (error = start_prepare(profiling, rs)) != 0)
		return error;
	if (profiling != 0 && sc->tps_profiling == 0) {
		sc->tps_run++;
		atomic_store(&sc->tps_begun, 1);
		tprof_callout_set(1);
	}
	sc->tps_profiling |= profiling;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		if ((mask & 1U << i) == 0)
			continue;
		error = tprof_counter_start(&sc->tps_counters[i], rs);
		if (error != 0) {
			tprof_stop(mask);
			return error;
		}
	}
	atomic_store(&sc->tps_running, tprof_running());
	return 0;
}

/* Hands over the last samples; the reader then receives the end. */
static void
stop_run(struct tprof_softc *sc)
{
	tprof_callout_set(0);
	grace_period();
	pthread_mutex_lock(&tprof_mtx);
	sc->tps_stoprun = sc->tps_run;
	stream_kick(sc->tps_stream);
	while (sc->tps_stoprun != 0)
		pthread_cond_wait(&tprof_cv, &tprof_mtx);
	pthread_mutex_unlock(&tprof_mtx);
}

void
tprof_stop(uint32_t mask)
{
	struct tprof_softc *sc = &tprof_softc;
	uint32_t was = sc->tps_profiling;
	int i;

	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		if ((mask & 1U << i) != 0 && sc->tps_counters[i].tcr_running)
			tprof_counter_stop(&sc->tps_counters[i]);
	sc->tps_profiling &= ~mask;
	atomic_store(&sc->tps_running, tprof_running());
	if (was != 0 && sc->tps_profiling == 0)
		stop_run(sc);
}

/* Sets the note first, since it precedes END. */
void
tprof_stop_noted(const char *note)
{
	struct tprof_softc *sc = &tprof_softc;

	if (tprof_running() == 0)
		return;
	pthread_mutex_lock(&tprof_mtx);
	snprintf(sc->tps_note, sizeof(sc->tps_note), "%s", note);
	sc->tps_noteend = sc->tps_profiling != 0;
	pthread_mutex_unlock(&tprof_mtx);
	tprof_stop(~0U);
	stream_kick(sc->tps_stream);
}

void
tprof_cpu_restart(unsigned int cpu)
{
	struct tprof_counter *tc;
	int error, i;

	if (tprof_softc.tps_command.th_tid != 0)
		return;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++) {
		tc = &tprof_softc.tps_counters[i];
		if (!tc->tcr_running)
			continue;
		tprof_counter_stop_cpu(tc, cpu);
		error = tprof_counter_start_cpu(tc, cpu);
		if (error != 0 && !tprof_is_offline(error))
			log_warnx("tprof: counter %d on CPU %u: %s", i, cpu,
			    perf_event_strerror(error));
	}
}

void
tprof_release(void)
{
	struct tprof_softc *sc = &tprof_softc;
	int i;

	if (rings_free(&sc->tps_rings) != 0)
		log_warnx("tprof: its rings stay in the map until the next "
			  "open");
	rings_uncharge();
	atomic_store(&sc->tps_hasrings, 0);
	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		tprof_counter_free(&sc->tps_counters[i]);
	sc->tps_profiling = 0;
	sc->tps_command = (struct peer_thread){ 0 };
	tprof_program_set(0, 0, 0, 0);
}
