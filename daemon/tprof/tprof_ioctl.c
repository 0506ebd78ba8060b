/* SPDX-License-Identifier: ISC */
/*
 * The ioctls of tprof: one row and one function each.  Most block in the
 * kernel, so they run on a worker, one at a time.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/tprof/tprof_softc.h"

static int
do_getinfo(struct op *op)
{
	const struct tprof_backend *tb = tprof_backend_get();
	const struct tprof_info ti = {
		.ti_version = TPROF_VERSION,
		.ti_ident = tb != NULL ? tb->tb_ident() : TPROF_IDENT_NONE,
	};

	return op_reply(op, &ti, sizeof(ti));
}

static int
do_getncounters(struct op *op)
{
	const struct tprof_backend *tb = tprof_backend_get();
	uint32_t n;

	if (tb == NULL)
		return ENOENT;
	n = tb->tb_ncounters();
	return op_reply(op, &n, sizeof(n));
}

/* The audit message has the numbers of the event. */
static int
configure(const struct tprof_param *p, struct reason *rs)
{
	char event[24], unit[24];
	int error = tprof_configure(p, rs);

	if (error != 0)
		return error;
	snprintf(event, sizeof(event), "%ju", (uintmax_t)p->p_event);
	snprintf(unit, sizeof(unit), "%ju", (uintmax_t)p->p_unit);
	audit_probe(&tprof_softc.tps_audit, "tprof", event, unit);
	return 0;
}

static int
do_configure_event(struct op *op)
{
	return configure(op->op_arg, &op->op_reason);
}

/* Returns the run whose end the reader has to wait for. */
static int
started(struct op *op)
{
	const struct tprof_softc *sc = &tprof_softc;
	const struct wire_tprof_run wr = {
		.wr_run = sc->tps_profiling != 0 ? sc->tps_run : 0,
	};

	return op_reply(op, &wr, sizeof(wr));
}

static int
do_start_mask(struct op *op)
{
	const uint32_t *mask = op->op_arg;
	int error = tprof_start(*mask, &op->op_reason);

	return error != 0 ? error : started(op);
}

/*
 * EBUSY: a counter runs; ENOENT; the errno of the backend.  (The BSD original
 * keeps a backend in use after a failed start.)
 */
static int
do_start_v4(struct op *op)
{
	const struct tprof_param_v4 *v4 = op->op_arg;
	struct tprof_param p = { 0 };
	int error;

	if (tprof_running() != 0)
		return EBUSY;
	if (tprof_backend_get() == NULL)
		return ENOENT;
	p.p_event = v4->p_event;
	p.p_unit = v4->p_unit;
	p.p_flags = (v4->p_flags & (TPROF_PARAM_KERN | TPROF_PARAM_USER)) |
	    TPROF_PARAM_PROFILE;
	if ((error = configure(&p, &op->op_reason)) != 0 ||
	    (error = tprof_start(1, &op->op_reason)) != 0)
		return error;
	return started(op);
}

static int
do_stop_mask(struct op *op)
{
	const uint32_t *mask = op->op_arg;

	tprof_stop(*mask);
	return 0;
}

static int
do_stop_v4(struct op *op __attribute__((unused)))
{
	tprof_stop(~0U);
	return 0;
}

static int
do_getcounts(struct op *op)
{
	const struct tprof_backend *tb = tprof_backend_get();
	struct tprof_counts tc = { 0 };
	unsigned int i;

	memcpy(&tc.c_cpu, op->op_arg, sizeof(tc.c_cpu));
	if (tb == NULL)
		return ENOENT;
	if (tc.c_cpu >= tprof_ncpu)
		return ESRCH;
	tc.c_ncounters = tb->tb_ncounters();
	tc.c_runningmask = tprof_running();
	for (i = 0; i < tc.c_ncounters; i++)
		tc.c_count[i] = tprof_counter_read(&tprof_softc.tps_counters[i],
		    tc.c_cpu);
	return op_reply(op, &tc, sizeof(tc));
}

/* EBUSY: a counter runs; ESRCH: the peer has no such child with one thread. */
static int
do_setcommand(struct op *op)
{
	struct tprof_softc *sc = &tprof_softc;
	struct peer_thread th = { 0 };
	uint32_t pid = *(const uint32_t *)op->op_arg;
	int error;

	if (tprof_running() != 0)
		return EBUSY;
	error = pid != 0
	    ? peer_thread_other(&sc->tps_peer, pid, &th, &op->op_reason)
	    : 0;
	if (error == ESRCH)
		reason_set(&op->op_reason,
		    "process %d has no child %u with one thread",
		    (int)sc->tps_peer.peer_pid, pid);
	if (error == 0)
		sc->tps_command = th;
	return error;
}

static int
do_getstat(struct op *op)
{
	struct tprof_softc *sc = op->op_sc;

	pthread_mutex_lock(&tprof_mtx);
	(void)op_reply(op, &sc->tps_stat, sizeof(sc->tps_stat));
	pthread_mutex_unlock(&tprof_mtx);
	return 0;
}

static int
do_gettaken(struct op *op)
{
	struct tprof_softc *sc = op->op_sc;
	struct tprof_taken tt = { 0 };
	const struct tprof_count *c;
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu && atomic_load(&sc->tps_hasrings);
	     cpu++) {
		c = tprof_count(cpu);
		tt.tt_taken += __atomic_load_n(&c->tc_taken, __ATOMIC_RELAXED);
		tt.tt_excluded += __atomic_load_n(&c->tc_excluded,
		    __ATOMIC_RELAXED);
	}
	pthread_mutex_lock(&tprof_mtx);
	tt.tt_read = sc->tps_read;
	pthread_mutex_unlock(&tprof_mtx);
	return op_reply(op, &tt, sizeof(tt));
}

#define ROW(cmd, in, fn, run) \
	{ \
		cmd, RIGHT_PROFILE, (in), (in), fn, run, \
	}

const struct ioctl_desc tprof_ioctls[TPROF_NIOCTLS] = {
	ROW(TPROF_IOC_GETINFO, 0, NULL, do_getinfo),
	ROW(TPROF_IOC_GETNCOUNTERS, 0, NULL, do_getncounters),
	ROW(TPROF_IOC_CONFIGURE_EVENT, sizeof(struct tprof_param), NULL,
	    do_configure_event),
	ROW(TPROF_IOC_START, sizeof(uint32_t), NULL, do_start_mask),
	ROW(TPROF_IOC_START_V4, sizeof(struct tprof_param_v4), NULL,
	    do_start_v4),
	ROW(TPROF_IOC_STOP, sizeof(uint32_t), NULL, do_stop_mask),
	ROW(TPROF_IOC_STOP_V4, 0, NULL, do_stop_v4),
	ROW(TPROF_IOC_GETSTAT, 0, do_getstat, NULL),
	ROW(TPROF_IOC_GETCOUNTS, sizeof(struct tprof_counts), NULL,
	    do_getcounts),
	ROW(TPROF_IOC_GETTAKEN, 0, do_gettaken, NULL),
	ROW(TPROF_IOC_SETCOMMAND, sizeof(uint32_t), NULL, do_setcommand),
};
