/* SPDX-License-Identifier: ISC */
/*
 * The tprof device: samples of the program counter.  Names and semantics follow
 * the BSD original: one session at a time, counters that interrupt
 * (tprof_start.c), a program that takes samples (bpf/tprof.bpf.c), buffers that
 * are handed to the reader (tprof_stream.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/access/right.h"
#include "daemon/base/cpus.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/timer.h"
#include "daemon/device/stream.h"
#include "daemon/tprof/tprof_softc.h"

struct tprof_softc tprof_softc;
unsigned int tprof_ncpu;

/* Requests passes over all CPUs while samples are taken. */
static struct timer tprof_callout;

static void
tprof_kick(void)
{
	struct tprof_softc *sc = &tprof_softc;

	if (!sc->tps_isopen || sc->tps_closing)
		return;
	atomic_store(&sc->tps_due, 1);
	stream_kick(sc->tps_stream);
	tprof_cost_limit_tick(atomic_exchange(&sc->tps_begun, 0));
}

void
tprof_callout_set(int on)
{
	if (on)
		timer_repeat(&tprof_callout, TPROF_KICK_MSECS * TIMER_MSEC);
	else
		timer_stop(&tprof_callout);
}

static int
tprof_init(void)
{
	tprof_ncpu = cpus_end();
	tprof_sums_init();
	STAILQ_INIT(&tprof_softc.tps_list);
	tprof_softc.tps_cpudue = calloc(tprof_ncpu, 1);
	if (tprof_softc.tps_cpudue == NULL)
		return ENOMEM;
	return timer_init(&tprof_callout, tprof_kick);
}

/*
 * EXDEV: a minor other than 0, which is in wo_mode; EPERM: no right, which is
 * required since a session excludes all others; EBUSY.
 */
static int
tprof_open(struct op *op, const struct peer *pr, struct stream *st, void **scp)
{
	const struct wire_open *wo = op->op_arg;
	struct tprof_softc *sc = &tprof_softc;
	int error;

	if (wo->wo_mode != 0)
		return EXDEV;
	error = right_check(pr, RIGHT_PROFILE, NULL, &op->op_reason);
	if (error != 0)
		return error;
	if (sc->tps_closing)
		return EAGAIN;
	if (sc->tps_isopen)
		return op_fail(op, EBUSY, "process %d of user %u has it open",
		    (int)sc->tps_peer.peer_pid,
		    (unsigned)sc->tps_peer.peer_uid);
	error = limit_take(pr->peer_person, LIMIT_OPENS, 1, &op->op_reason);
	if (error != 0)
		return error;
	sc->tps_isopen = 1;
	sc->tps_queue = op->op_queue;
	sc->tps_endnote[0] = '\0';
	sc->tps_peer = *pr;
	audit_open(&sc->tps_audit, pr);
	sc->tps_stream = st;
	if (++sc->tps_gen == 0)
		sc->tps_gen = 1;
	log_info("tprof: open by process %d of user %u", (int)pr->peer_pid,
	    (unsigned)pr->peer_uid);
	*scp = sc;
	return 0;
}

static int
tprof_close_run(struct op *op)
{
	struct tprof_softc *sc = op->op_sc;

	tprof_stop(~0U);
	stream_free(sc->tps_stream);
	tprof_sums_close();
	tprof_release();
	tprof_clear();
	return 0;
}

static int
tprof_close_done(struct op *op, int error)
{
	struct tprof_softc *sc = op->op_sc;

	audit_close(&sc->tps_audit, &sc->tps_peer, tprof_cdevsw.d_name, 0,
	    &sc->tps_sums);
	limit_give(sc->tps_peer.peer_person, LIMIT_OPENS, 1);
	sc->tps_isopen = 0;
	sc->tps_closing = 0;
	return error;
}

static void
tprof_hangup(void *arg)
{
	struct tprof_softc *sc = arg;

	sc->tps_closing = 1;
}

static int
tprof_close(struct op *op)
{
	return op_later(op, tprof_close_run, tprof_close_done, 0);
}

/*
 * Stops by the daemon
 */

static int
tprof_end_run(struct op *op)
{
	struct tprof_softc *sc = op->op_sc;

	tprof_stop_noted(sc->tps_endnote);
	return 0;
}

static int
tprof_end_done(struct op *op, int error)
{
	struct tprof_softc *sc = op->op_sc;

	sc->tps_endnote[0] = '\0';
	return error;
}

static int
tprof_end_job(struct op *op)
{
	return op_later(op, tprof_end_run, tprof_end_done, 0);
}

void
tprof_end(const char *note)
{
	struct tprof_softc *sc = &tprof_softc;

	if (sc->tps_closing || sc->tps_endnote[0] != '\0')
		return;
	snprintf(sc->tps_endnote, sizeof(sc->tps_endnote), "%s", note);
	op_request(sc->tps_queue, tprof_end_job);
}

/* dtd is exiting: the reader receives the remaining samples and the end. */
static int
tprof_drain(void *arg)
{
	struct tprof_softc *sc = arg;

	if (atomic_load(&sc->tps_running) == 0 && !op_isbusy(sc->tps_queue))
		return 0;
	tprof_end("dtd is exiting");
	return 1;
}

/*
 * CPUs that came online or went offline
 */

static int
tprof_cpu_run(struct op *op)
{
	struct tprof_softc *sc = op->op_sc;
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		if (atomic_exchange(&sc->tps_cpudue[cpu], 0))
			tprof_cpu_restart(cpu);
	return 0;
}

static int
tprof_cpu_job(struct op *op)
{
	return op_later(op, tprof_cpu_run, NULL, 0);
}

static void
tprof_cpu(unsigned int cpu)
{
	struct tprof_softc *sc = &tprof_softc;
	unsigned int i;

	for (i = 0; i < tprof_ncpu; i++)
		if (cpu == i || cpu == DEV_CPU_ALL)
			atomic_store(&sc->tps_cpudue[i], 1);
	if (sc->tps_isopen)
		op_request(sc->tps_queue, tprof_cpu_job);
}

const struct cdevsw tprof_cdevsw = {
	.d_name = "tprof",
	.d_init = tprof_init,
	.d_open = tprof_open,
	.d_hangup = tprof_hangup,
	.d_close = tprof_close,
	.d_drain = tprof_drain,
	.d_ioctls = tprof_ioctls,
	.d_nioctls = TPROF_NIOCTLS,
	.d_unknown = EINVAL,
	.d_cpu = tprof_cpu,
	.d_sums = tprof_sums,
	.d_stream = tprof_stream,
	.d_stalled = tprof_stalled,
};
