/* SPDX-License-Identifier: ISC */
/*
 * The dt device: opens and closes sessions. Their state is in dt_softc.h, their
 * requests are in dt_ioctl.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "daemon/base/conf.h"
#include "daemon/base/cpus.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/workers.h"
#include "daemon/device/session_slot.h"
#include "daemon/device/stream.h"
#include "daemon/dt/dt_agg.h"
#include "daemon/dt/dt_dev.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_record.h"
#include "daemon/dt/dt_session_sums.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/kernel/tracefs.h"
#include "daemon/sym/symbolizer.h"

#define DT_BUDGET (4ULL << 20) /* default bytes of rings */

TAILQ_HEAD(dt_softcs, dt_softc);

static struct dt_softcs dt_softcs = TAILQ_HEAD_INITIALIZER(dt_softcs);
static unsigned int dt_gens[DT_MAXSESS]; /* generation of each slot */
static unsigned char dt_taken[DT_MAXSESS];
static struct slots dt_slots = { .slt_taken = dt_taken, .slt_n = DT_MAXSESS };

unsigned int dt_ncpu;
unsigned int dt_nopen;

/* Failures are reported to the client; libbpf's own messages only with -vv. */
static int
libbpf_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[400], *rest = text, *line;

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	/* several lines with newlines, which the log would escape */
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			log_debug("%s", line);
	return 0;
}

static void
dt_preload_run(struct work *w)
{
	if (dt_maps_init() == 0)
		dt_provider_load_all();
	free(w);
}

/*
 * Loads programs before clients arrive, for the service; a private daemon loads
 * what its client enables.
 */
static void
dt_preload(void)
{
	struct work *w;

	if (conf.cf_private || (w = calloc(1, sizeof(*w))) == NULL)
		return;
	w->w_run = dt_preload_run;
	workers_submit(w);
}

static int
dt_init(void)
{
	int error;

	dt_ncpu = cpus_end();
	libbpf_set_print(libbpf_log);
	if ((error = dt_probe_init()) != 0 || (error = dt_cost_init()) != 0 ||
	    (error = dt_sym_trim_init()) != 0)
		return error;
	dt_sums_init();
	dt_preload();
	return 0;
}

static int
dt_dev_open(struct op *op, const struct peer *pr, struct stream *st, void **scp)
{
	const struct wire_open *wo = op->op_arg;
	struct dt_softc *sc;
	int error;

	if (wo->wo_mode != DT_MODE_EVENTS)
		return op_fail(op, EOPNOTSUPP,
		    "a session has the mode %d (events), "
		    "not %u",
		    DT_MODE_EVENTS, wo->wo_mode);
	if ((sc = calloc(1, sizeof(*sc))) == NULL ||
	    (sc->ds_cpudue = calloc(dt_ncpu, 1)) == NULL) {
		free(sc);
		return ENOMEM;
	}
	error = slot_take(&dt_slots, pr->peer_person, &sc->ds_client.dcl_slot,
	    &op->op_reason);
	if (error != 0) {
		free(sc->ds_cpudue);
		free(sc);
		return error;
	}
	sc->ds_queue = op->op_queue;
	sc->ds_client.dcl_gen = ++dt_gens[sc->ds_client.dcl_slot];
	sc->ds_client.dcl_peer = *pr;
	audit_open(&sc->ds_audit, pr);
	sc->ds_stream = st;
	sc->ds_mode = wo->wo_mode;
	sc->ds_send.dsn_ordered = (wo->wo_flags & WIRE_OPEN_ORDERED) != 0;
	sc->ds_send.dsn_batched = (wo->wo_flags & WIRE_OPEN_BATCHED) != 0;
	sc->ds_rings.drg_budget = DT_BUDGET;
	sc->ds_send.dsn_clockgen = stream_clockgen();
	sc->ds_sumsfd = -1;
	dt_enabled_init(&sc->ds_enabled, &sc->ds_client, &sc->ds_settings,
	    &sc->ds_counted);
	dt_cost_open(&sc->ds_cost, &sc->ds_enabled, sc->ds_queue);
	TAILQ_INSERT_TAIL(&dt_softcs, sc, ds_entry);
	dt_nopen++;
	dt_sums_add(sc);
	log_info("open %u: process %d of user %u", sc->ds_client.dcl_slot,
	    (int)pr->peer_pid, (unsigned)pr->peer_uid);
	*scp = sc;
	return 0;
}

/* On a worker: undoes everything that the session did. */
static int
dt_close_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	if (sc->ds_recording)
		dt_record_stop(sc);
	stream_free(sc->ds_stream);
	dt_stream_discard(sc);
	dt_ledger_sum(sc, &sc->ds_send.dsn_end);
	dt_sums_del(sc);
	dt_rings_free(&sc->ds_rings, &sc->ds_client);
	dt_provs_close(&sc->ds_enabled);
	dt_pair_close(sc);
	dt_agg_close(sc);
	dt_sym_close(&sc->ds_sym);
	dt_threads_close(&sc->ds_threads);
	dt_tables_close(&sc->ds_enabled);
	return 0;
}

static void
dt_softc_free(struct dt_softc *sc)
{
	dt_enabled_free(&sc->ds_enabled);
	dt_pair_free(sc);
	dt_agg_free(sc);
	dt_rings_uncharge(&sc->ds_rings, &sc->ds_client);
	TAILQ_REMOVE(&dt_softcs, sc, ds_entry);
	slot_give(&dt_slots, sc->ds_client.dcl_peer.peer_person,
	    sc->ds_client.dcl_slot);
	dt_nopen--;
	dt_lookup_free(sc->ds_list.dli_found);
	free(sc->ds_cpudue);
	free(sc);
}

static int
dt_close_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;
	const struct dt_ledger *dl = &sc->ds_send.dsn_end;
	const struct audit_sums as = { dl->dl_fired, dl->dl_read,
		dl->dl_dropped, dl->dl_recursed, dl->dl_counted,
		dl->dl_mapfull };

	log_info("close %u: fired %llu, read %llu, dropped %llu, "
		 "recursed %llu, counted %llu, mapfull %llu",
	    sc->ds_client.dcl_slot, (unsigned long long)dl->dl_fired,
	    (unsigned long long)dl->dl_read, (unsigned long long)dl->dl_dropped,
	    (unsigned long long)dl->dl_recursed,
	    (unsigned long long)dl->dl_counted,
	    (unsigned long long)dl->dl_mapfull);
	audit_close(&sc->ds_audit, &sc->ds_client.dcl_peer, dt_cdevsw.d_name,
	    sc->ds_client.dcl_slot, &as);
	dt_softc_free(sc);
	dt_slots.slt_nclosing--;
	return error;
}

static int
dt_dev_close(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	dt_cost_del(&sc->ds_cost);
	dt_sums_hangup(sc);
	return op_later(op, dt_close_run, dt_close_done, 0);
}

/* A private daemon ends with its client. */
static void
dt_dev_hangup(void *arg)
{
	struct dt_softc *sc = arg;

	dt_slots.slt_nclosing++;
	atomic_store(&sc->ds_enabled.den_cancel, 1);
	if (conf.cf_private)
		symbolizer_end();
}

/* dtd is exiting: stops recording sessions. */
static int
dt_dev_drain(void *arg)
{
	struct dt_softc *sc = arg;

	if (!sc->ds_recording)
		return 0;
	op_request(sc->ds_queue, dt_record_exit);
	return 1;
}

static void
dt_dev_stop(void)
{
	dt_rings_leave();
	symbolizer_end();
}

static void
dt_dev_cpu(unsigned int cpu)
{
	struct dt_softc *sc;

	dt_sym_cpu(cpu);
	TAILQ_FOREACH(sc, &dt_softcs, ds_entry)
		dt_cpu_changed(sc, cpu);
}

void
dt_softcs_each(void (*fn)(struct dt_softc *))
{
	struct dt_softc *sc;

	TAILQ_FOREACH(sc, &dt_softcs, ds_entry)
		fn(sc);
}

unsigned int
dt_sessions_of(uid_t person)
{
	const struct dt_softc *sc;
	unsigned int n = 0;

	TAILQ_FOREACH(sc, &dt_softcs, ds_entry)
		n += sc->ds_client.dcl_peer.peer_person == person;
	return n;
}

const struct cdevsw dt_cdevsw = {
	.d_name = "dt",
	.d_early = tracefs_early,
	.d_init = dt_init,
	.d_open = dt_dev_open,
	.d_hangup = dt_dev_hangup,
	.d_close = dt_dev_close,
	.d_drain = dt_dev_drain,
	.d_stop = dt_dev_stop,
	.d_fini = dt_provs_fini,
	.d_ioctls = dt_ioctls,
	.d_nioctls = DT_NIOCTLS,
	.d_filecmd = DTIOCFILE,
	.d_cpu = dt_dev_cpu,
	.d_sums = dt_sums,
	.d_stream = dt_stream,
	.d_stalled = dt_stalled,
};
