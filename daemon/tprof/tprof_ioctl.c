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

static void
call_out(struct ioctl_call *ic, const void *p, size_t nbytes)
{
	memcpy(ic->ic_out, p, nbytes);
	ic->ic_outlen = nbytes;
}

static int
do_getinfo(struct ioctl_call *ic)
{
	const struct tprof_backend *tb = tprof_backend_get();
	const struct tprof_info ti = {
		.ti_version = TPROF_VERSION,
		.ti_ident = tb != NULL ? tb->tb_ident() : TPROF_IDENT_NONE,
	};

	call_out(ic, &ti, sizeof(ti));
	return 0;
}

static int
do_getncounters(struct ioctl_call *ic)
{
	const struct tprof_backend *tb = tprof_backend_get();
	uint32_t n;

	if (tb == NULL)
		return ENOENT;
	n = tb->tb_ncounters();
	call_out(ic, &n, sizeof(n));
	return 0;
}

/* What the journal tells of it: the numbers of the event. */
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
do_configure_event(struct ioctl_call *ic)
{
	struct tprof_param p;

	memcpy(&p, ic->ic_in, sizeof(p));
	return configure(&p, &ic->ic_reason);
}

/* The reader learns for which run's end it has to wait. */
static int
started(struct ioctl_call *ic)
{
	const struct tprof_softc *sc = &tprof_softc;
	const struct wire_tprof_run wr = {
		.wr_run = sc->tps_profiling != 0 ? sc->tps_run : 0,
	};

	call_out(ic, &wr, sizeof(wr));
	return 0;
}

static int
do_start_mask(struct ioctl_call *ic)
{
	uint32_t mask;
	int error;

	memcpy(&mask, ic->ic_in, sizeof(mask));
	error = tprof_start(mask, &ic->ic_reason);
	return error != 0 ? error : started(ic);
}

/* EBUSY it runs; ENOENT; what the backend says.  (The seed keeps a backend in
 * use when a start has failed.) */
static int
do_start_v4(struct ioctl_call *ic)
{
	struct tprof_param_v4 v4;
	struct tprof_param p = { 0 };
	int error;

	memcpy(&v4, ic->ic_in, sizeof(v4));
	if (tprof_running() != 0)
		return EBUSY;
	if (tprof_backend_get() == NULL)
		return ENOENT;
	p.p_event = v4.p_event;
	p.p_unit = v4.p_unit;
	p.p_flags = (v4.p_flags & (TPROF_PARAM_KERN | TPROF_PARAM_USER)) |
	    TPROF_PARAM_PROFILE;
	if ((error = configure(&p, &ic->ic_reason)) != 0 ||
	    (error = tprof_start(1, &ic->ic_reason)) != 0)
		return error;
	return started(ic);
}

static int
do_stop_mask(struct ioctl_call *ic)
{
	uint32_t mask;

	memcpy(&mask, ic->ic_in, sizeof(mask));
	tprof_stop(mask);
	return 0;
}

static int
do_stop_v4(struct ioctl_call *ic __attribute__((unused)))
{
	tprof_stop(~0U);
	return 0;
}

static int
do_getcounts(struct ioctl_call *ic)
{
	const struct tprof_backend *tb = tprof_backend_get();
	struct tprof_counts tc = { 0 };
	unsigned int i;

	memcpy(&tc.c_cpu, ic->ic_in, sizeof(tc.c_cpu));
	if (tb == NULL)
		return ENOENT;
	if (tc.c_cpu >= tprof_ncpu)
		return ESRCH;
	tc.c_ncounters = tb->tb_ncounters();
	tc.c_runningmask = tprof_running();
	for (i = 0; i < tc.c_ncounters; i++)
		tc.c_count[i] = tprof_counter_read(&tprof_softc.tps_counters[i],
		    tc.c_cpu);
	call_out(ic, &tc, sizeof(tc));
	return 0;
}

/* EBUSY something runs; ESRCH the peer has no such child with one thread. */
static int
do_setcommand(struct ioctl_call *ic)
{
	struct tprof_softc *sc = &tprof_softc;
	struct peer_thread th = { 0 };
	uint32_t pid;
	int error;

	memcpy(&pid, ic->ic_in, sizeof(pid));
	if (tprof_running() != 0)
		return EBUSY;
	error = pid != 0
	    ? peer_thread_other(&sc->tps_peer, pid, &th, &ic->ic_reason)
	    : 0;
	if (error == ESRCH)
		reason_set(&ic->ic_reason,
		    "process %d has no child %u with one thread",
		    (int)sc->tps_peer.pr_pid, pid);
	if (error == 0)
		sc->tps_command = th;
	return error;
}

/*
 * Rows
 */

#define LATER(name) \
	static int tprof_##name(void *sc __attribute__((unused)), \
	    struct ioctl_call *ic) \
	{ \
		return tprof_call_later(ic, do_##name); \
	}

LATER(getinfo)
LATER(getncounters)
LATER(configure_event)
LATER(start_mask)
LATER(start_v4)
LATER(stop_mask)
LATER(stop_v4)
LATER(getcounts)
LATER(setcommand)

static int
tprof_getstat(void *arg, struct ioctl_call *ic)
{
	struct tprof_softc *sc = arg;

	pthread_mutex_lock(&tprof_mtx);
	call_out(ic, &sc->tps_stat, sizeof(sc->tps_stat));
	pthread_mutex_unlock(&tprof_mtx);
	return 0;
}

static int
tprof_gettaken(void *arg, struct ioctl_call *ic)
{
	struct tprof_softc *sc = arg;
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
	call_out(ic, &tt, sizeof(tt));
	return 0;
}

#define ROW(cmd, in, fn) \
	{ \
		cmd, RIGHT_PROFILE, (in), (in), fn, \
	}

const struct ioctl_desc tprof_ioctls[TPROF_NIOCTLS] = {
	ROW(TPROF_IOC_GETINFO, 0, tprof_getinfo),
	ROW(TPROF_IOC_GETNCOUNTERS, 0, tprof_getncounters),
	ROW(TPROF_IOC_CONFIGURE_EVENT, sizeof(struct tprof_param),
	    tprof_configure_event),
	ROW(TPROF_IOC_START, sizeof(uint32_t), tprof_start_mask),
	ROW(TPROF_IOC_START_V4, sizeof(struct tprof_param_v4), tprof_start_v4),
	ROW(TPROF_IOC_STOP, sizeof(uint32_t), tprof_stop_mask),
	ROW(TPROF_IOC_STOP_V4, 0, tprof_stop_v4),
	ROW(TPROF_IOC_GETSTAT, 0, tprof_getstat),
	ROW(TPROF_IOC_GETCOUNTS, sizeof(struct tprof_counts), tprof_getcounts),
	ROW(TPROF_IOC_GETTAKEN, 0, tprof_gettaken),
	ROW(TPROF_IOC_SETCOMMAND, sizeof(uint32_t), tprof_setcommand),
};
