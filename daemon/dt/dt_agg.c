/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSAGG: counts the hits of enabled probes by key in the kernel
 * (bpf/dt_agg.bpf.h). A session that counts has two tables. The programs fill
 * one of them while the session records; a snapshot exchanges them, from which
 * the kernel returns after a grace period, and the client reads the other one,
 * which becomes empty thereby. The tables are created with the first request and
 * stay until the session is closed.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_agg.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

/* Rows read at once, and elements cleared at once. */
#define AGG_BATCH DTAG_PAGE
#define AGG_CLEAR 64
/* Arguments in a struct dt_hit. */
#define AGG_NARGS (sizeof(((struct dt_hit *)0)->h_args) / 8)

_Static_assert(sizeof(struct wire_list) +
	    DTAG_PAGE * sizeof(struct dtioc_aggrow) <=
	OP_MAXOUT,
    "a page fits into a reply");

_Static_assert(DTAG_NKEYS == DT_AGG_NPARTS, "parts of a key");
_Static_assert(DTAG_NWORDS == DT_AGG_NWORDS, "words of a key");
_Static_assert(DTAG_LOG == DT_AGG_LOG && DTAG_LINEAR == DT_AGG_LINEAR,
    "kinds of histograms");
_Static_assert(sizeof(((struct dtioc_aggrow *)0)->dtrw_words) ==
	sizeof(((struct dt_aggkey *)0)->agk_word),
    "a row has the words of the key");
_Static_assert(sizeof(struct dtioc_aggrow) -
	    offsetof(struct dtioc_aggrow, dtrw_count) ==
	sizeof(struct dt_aggrow),
    "the rest of a row is the value");

/* Tables and aggregations of a session. */
struct dt_agg {
	int dag_fds[2];	     /* [co] tables */
	int dag_current;     /* [c] index of the one with the latest hits */
	int dag_filled;	     /* [co] of dag_fds, which programs fill; or -1 */
	uint32_t dag_nused;  /* [co] rows in the other one */
	uint32_t dag_nread;  /* [co] how many of them were read */
	uint32_t *dag_clear; /* [co] elements to clear: space for
				* dag_max + 1 */
	uint32_t dag_nclear; /* [co] */
	uint32_t dag_max;    /* [c] rows in use of each table */
	uint32_t dag_nrows;  /* [c] a power of two, not less */
	uint64_t dag_bytes;  /* [c] charged to limits */
	uint64_t dag_time;   /* [c] of the last snapshot */
	struct dt_aggdesc dag_descs[DT_AGG_NDESCS]; /* [c] */
	unsigned int dag_nuses[DT_AGG_NDESCS];	    /* [c] probes of each */
};

/*
 * Tables
 */

static int
agg_tables_make(const struct dt_softc *sc)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_INNER_MAP);
	struct dt_agg *ag = sc->ds_agg;
	int i;

	for (i = 0; i < 2; i++) {
		ag->dag_fds[i] = bpf_map_create(BPF_MAP_TYPE_ARRAY,
		    "dt_counted", sizeof(uint32_t), sizeof(struct dt_aggelem),
		    ag->dag_nrows + 1, &opts);
		if (ag->dag_fds[i] < 0)
			return -ag->dag_fds[i];
	}
	return 0;
}

int
dt_agg_start(struct dt_softc *sc)
{
	struct dt_agg *ag = sc->ds_agg;
	uint32_t slot = sc->ds_client.dcl_slot;

	if (ag == NULL || ag->dag_filled == ag->dag_fds[ag->dag_current])
		return 0;
	ag->dag_filled = -1;
	if (bpf_map_update_elem(dt_maps.dtm_aggs, &slot,
		&ag->dag_fds[ag->dag_current], BPF_ANY) != 0)
		return errno;
	ag->dag_filled = ag->dag_fds[ag->dag_current];
	return 0;
}

/* On a worker, also because a removal from the outer map waits. */
static int
agg_tables_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int error = agg_tables_make(sc);

	if (error == 0)
		return 0;
	dt_agg_close(sc);
	return op_fail(op, error, "cannot make two tables of %u rows: %s",
	    sc->ds_agg->dag_max, strerror(error));
}

/* Rows that were read at once. */
struct agg_batch {
	struct dt_aggelem agb_elems[AGG_BATCH];
	uint32_t agb_keys[AGG_BATCH];
	uint32_t agb_n;
};

/* Reads the next rows, and notes what is to be cleared. */
static int
agg_read(struct dt_agg *ag, struct agg_batch *agb)
{
	uint32_t before = ag->dag_nread - 1, after, i;

	agb->agb_n = ag->dag_nused - ag->dag_nread;
	if (agb->agb_n > AGG_BATCH)
		agb->agb_n = AGG_BATCH;
	if (bpf_map_lookup_batch(ag->dag_fds[!ag->dag_current],
		ag->dag_nread > 0 ? &before : NULL, &after, agb->agb_keys,
		agb->agb_elems, &agb->agb_n, NULL) != 0)
		return errno;
	ag->dag_nread += agb->agb_n;
	for (i = 0; i < agb->agb_n; i++)
		if (agb->agb_elems[i].age_at != 0)
			ag->dag_clear[ag->dag_nclear++] =
			    (agb->agb_elems[i].age_at - 1) / DT_AGG_SLOTS;
	return 0;
}

/*
 * Drops the rows without hits: of keys whose only hit was an event
 * (bpf/dt_agg_record.bpf.h).
 */
static void
agg_drop_unhit(struct agg_batch *agb)
{
	uint32_t i, n = 0;

	for (i = 0; i < agb->agb_n; i++)
		if (agb->agb_elems[i].age_row.agr_count != 0)
			agb->agb_elems[n++] = agb->agb_elems[i];
	agb->agb_n = n;
}

/*
 * Empties the table whose rows were read: only the elements with a slot in use
 * and the last one.
 */
static int
agg_clear(struct dt_agg *ag)
{
	static const struct dt_aggelem none[AGG_CLEAR];
	uint32_t i, n;

	for (i = 0; i < ag->dag_nclear; i += n) {
		n = ag->dag_nclear - i;
		if (n > AGG_CLEAR)
			n = AGG_CLEAR;
		if (bpf_map_update_batch(ag->dag_fds[!ag->dag_current],
			&ag->dag_clear[i], none, &n, NULL) != 0)
			return errno;
	}
	ag->dag_nused = ag->dag_nread = ag->dag_nclear = 0;
	return 0;
}

/*
 * Requests
 */

/* Words that a part of a key takes. */
static unsigned int
agg_nwords(const struct dt_look *lo)
{
	return lo->lo_how == DT_LOOK_COMM ? 2 : 1;
}

/*
 * Returns whether the second hit of a pair has an argument of the first that
 * struct dt_hit has no space for.  A tracepoint has its own record in that place.
 */
static int
agg_iskept(const struct dt_pcb *dp, const struct dt_look *lo)
{
	return lo->lo_how == DT_LOOK_MORE &&
	    (dp->dp_dtp->dtp_prov->prov_flags & DTPI_FIELDS) == 0;
}

/*
 * Locates an operand. The second hit of a pair has the first hit's arguments. Any
 * other hit that is counted has its own first six, which are read faster than its
 * record.
 */
static int
agg_look(const struct dt_pcb *dp, const struct dt_opd *op, int iskey,
    struct dt_look *lo, struct reason *rs)
{
	int isfirst = op->op_kind == DT_OPD_ARG &&
	    (dp->dp_req.rq_bits & DT_REQ_TO);
	const struct dt_probe *dtp = isfirst ? dp->dp_other->dp_dtp
					     : dp->dp_dtp;
	int error;

	error = iskey ? dt_cond_key(dtp, op, lo, rs)
		      : dt_cond_look(dtp, op, lo, rs);
	if (error != 0)
		return error;
	if (op->op_kind == DT_OPD_DURATION &&
	    (dp->dp_req.rq_bits & DT_REQ_TO) == 0)
		return reason_fail(rs, EINVAL,
		    "only the second hit of a pair has a duration");
	if ((lo->lo_how == DT_LOOK_CGROUP || lo->lo_how == DT_LOOK_SOCKET) &&
	    lo->lo_size != sizeof(uint64_t))
		return reason_fail(rs, EINVAL,
		    "the id of a cgroup has 8 bytes");
	if (op->op_argn >= AGG_NARGS)
		return isfirst && !agg_iskept(dp, lo)
		    ? reason_fail(rs, EINVAL,
			  "this pair keeps six arguments of its first hit")
		    : 0;
	if (!isfirst && lo->lo_how != DT_LOOK_RAW)
		return 0;
	DT_LOOK_AT(lo, DT_LOOK_HIT, h_args[op->op_argn]);
	return 0;
}

static int
agg_key(const struct dt_pcb *dp, const struct dtioc_agg *ia,
    struct dt_aggdesc *ad, struct reason *rs)
{
	static const struct dt_opd none;
	unsigned int i, nwords = 0;
	struct dt_look *lo;
	int error;

	if (ia->dtag_nkeys > DTAG_NKEYS)
		return reason_fail(rs, EINVAL, "a key has %d parts at most",
		    DTAG_NKEYS);
	for (i = 0; i < DTAG_NKEYS; i++) {
		lo = &ad->agd_part[i];
		if (i >= ia->dtag_nkeys) {
			if (memcmp(&ia->dtag_keys[i], &none, sizeof(none)) != 0)
				return reason_fail(rs, EINVAL,
				    "a key after dtag_nkeys is not 0");
			continue;
		}
		if ((error = agg_look(dp, &ia->dtag_keys[i], 1, lo, rs)) != 0)
			return error;
		if (lo->lo_size == 0 && lo->lo_how != DT_LOOK_COMM)
			return reason_fail(rs, EINVAL,
			    "part %u of the key is a text", i);
		nwords += agg_nwords(lo);
	}
	if (nwords > DTAG_NWORDS)
		return reason_fail(rs, EINVAL,
		    "the parts of the key take %u words, %d at most", nwords,
		    DTAG_NWORDS);
	ad->agd_nparts = ia->dtag_nkeys;
	return 0;
}

static int
agg_value(const struct dt_pcb *dp, const struct dtioc_agg *ia,
    struct dt_aggdesc *ad, struct reason *rs)
{
	static const struct dt_opd none;
	int error;

	if (memcmp(&ia->dtag_value, &none, sizeof(none)) == 0) {
		if (ia->dtag_hist != DTAG_PLAIN || ia->dtag_divisor != 0 ||
		    (ia->dtag_flags & DTAG_OKONLY) != 0)
			return reason_fail(rs, EINVAL,
			    "dtag_hist or dtag_divisor is not 0, or "
			    "DTAG_OKONLY is set, without a value");
		return 0;
	}
	if ((error = agg_look(dp, &ia->dtag_value, 0, &ad->agd_value, rs)) != 0)
		return error;
	if (ad->agd_value.lo_size == 0)
		return reason_fail(rs, EINVAL, "the value is a text");
	ad->agd_bits = DT_AGG_VALUE |
	    (ia->dtag_flags & DTAG_OKONLY ? DT_AGG_OKONLY : 0);
	ad->agd_divisor = ia->dtag_divisor;
	return 0;
}

static int
agg_hist(const struct dtioc_agg *ia, struct dt_aggdesc *ad, struct reason *rs)
{
	if (ia->dtag_hist > DTAG_LINEAR)
		return reason_fail(rs, EINVAL, "there is no histogram %u",
		    ia->dtag_hist);
	if (ia->dtag_sub > (ia->dtag_hist == DTAG_LOG ? DTAG_MAXSUB : 0))
		return reason_fail(rs, EINVAL,
		    "dtag_sub is 0 to %d, and 0 without DTAG_LOG", DTAG_MAXSUB);
	if (ia->dtag_hist == DTAG_LINEAR) {
		if (ia->dtag_step == 0 || ia->dtag_nsteps == 0 ||
		    ia->dtag_nsteps > DTAG_MAXSTEPS)
			return reason_fail(rs, EINVAL,
			    "dtag_nsteps is 1 to %d, and dtag_step is not 0",
			    DTAG_MAXSTEPS);
	} else if (ia->dtag_nsteps != 0 || ia->dtag_step != 0 ||
	    ia->dtag_min != 0)
		return reason_fail(rs, EINVAL,
		    "dtag_min, dtag_step and dtag_nsteps are 0 without "
		    "DTAG_LINEAR");
	ad->agd_hist = ia->dtag_hist;
	ad->agd_sub = ia->dtag_sub;
	ad->agd_nsteps = ia->dtag_nsteps;
	ad->agd_min = ia->dtag_min;
	ad->agd_step = ia->dtag_step;
	return 0;
}

/* EINVAL: the request is invalid, or the probe has no such value. */
static int
agg_check(const struct dtioc_agg *ia, const struct dt_pcb *dp,
    struct dt_aggdesc *ad, struct reason *rs)
{
	int error;

	memset(ad, 0, sizeof(*ad));
	if ((ia->dtag_flags & ~(uint32_t)(DTAG_OKONLY | DTAG_RECORD)) != 0)
		return reason_fail(rs, EINVAL, "dtag_flags has unknown bits");
	if (ia->dtag_maxrows > DTAG_MAXROWS)
		return reason_fail(rs, EINVAL, "a table has %d rows at most",
		    DTAG_MAXROWS);
	if (dp->dp_dtp->dtp_prov->prov_args == NULL)
		return reason_fail(rs, EINVAL,
		    "hits of provider %s cannot be counted",
		    dp->dp_dtp->dtp_prov->prov_name);
	if (dp->dp_req.rq_bits & DT_REQ_FROM)
		return reason_fail(rs, EINVAL,
		    "the first probe of a pair is not counted; the second is");
	if ((error = agg_key(dp, ia, ad, rs)) != 0 ||
	    (error = agg_value(dp, ia, ad, rs)) != 0)
		return error;
	return agg_hist(ia, ad, rs);
}

static int
agg_isathit(const struct dt_look *lo)
{
	return lo->lo_how != DT_LOOK_RAW && lo->lo_how != DT_LOOK_MORE &&
	    lo->lo_how != DT_LOOK_SOCKET;
}

/* Returns whether a fast program has all parts of key and value at hand. */
static int
agg_isnumbers(const struct dt_aggdesc *ad)
{
	unsigned int i;

	for (i = 0; i < ad->agd_nparts; i++)
		if (!agg_isathit(&ad->agd_part[i]))
			return 0;
	return (ad->agd_bits & DT_AGG_VALUE) == 0 ||
	    agg_isathit(&ad->agd_value);
}

/* Stores the description, which probes share: ENOSPC. */
static int
agg_commit(struct dt_softc *sc, const struct dtioc_agg *ia, struct reason *rs)
{
	struct dt_pcb *dp = dt_pcb_find(&sc->ds_enabled, ia->dtag_pbn);
	struct dt_agg *ag = sc->ds_agg;
	unsigned int i, unused = DT_AGG_NDESCS;
	struct dt_aggdesc ad;
	int error;

	if ((error = agg_check(ia, dp, &ad, rs)) != 0)
		return error;
	ad.agd_nrows = ag->dag_nrows;
	ad.agd_max = ag->dag_max;
	for (i = 0; i < DT_AGG_NDESCS; i++) {
		if (ag->dag_nuses[i] == 0)
			unused = i;
		else if (memcmp(&ag->dag_descs[i], &ad, sizeof(ad)) == 0)
			break;
	}
	if (i == DT_AGG_NDESCS && (i = unused) == DT_AGG_NDESCS)
		return reason_fail(rs, ENOSPC,
		    "a session counts in %d different ways at most",
		    DT_AGG_NDESCS);
	ag->dag_nuses[i]++;
	ag->dag_descs[i] = ad;
	dt_maps.dtm_aggdescs[DT_AGGDESC(sc->ds_client.dcl_slot, i)] = ad;
	dp->dp_req.rq_agg = i + 1;
	if (ia->dtag_flags & DTAG_RECORD)
		dp->dp_req.rq_agg |= DT_REQ_AGG_RECORD;
	else
		dp->dp_req.rq_bits |= agg_isnumbers(&ad) ? DT_REQ_NUMBERS : 0;
	atomic_store(&sc->ds_counted.dcn_aggregates, 1);
	return 0;
}

static int
agg_set_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_agg ia;

	memcpy(&ia, op->op_arg, sizeof(ia));
	if (error == 0)
		return agg_commit(sc, &ia, &op->op_reason);
	dt_agg_free(sc);
	return error;
}

/* Allocates for a session with tables of max rows. */
static struct dt_agg *
agg_new(uint32_t max)
{
	struct dt_agg *ag;

	if ((ag = calloc(1, sizeof(*ag))) == NULL)
		return NULL;
	ag->dag_fds[0] = ag->dag_fds[1] = ag->dag_filled = -1;
	ag->dag_max = max;
	for (ag->dag_nrows = 1; ag->dag_nrows < max;)
		ag->dag_nrows *= 2;
	ag->dag_bytes = 2 * sizeof(struct dt_aggelem) *
		((uint64_t)ag->dag_nrows + 1) +
	    sizeof(*ag->dag_clear) * ((uint64_t)max + 1);
	ag->dag_clear = calloc(max + 1, sizeof(*ag->dag_clear));
	if (ag->dag_clear != NULL)
		return ag;
	free(ag);
	return NULL;
}

static void
agg_free(struct dt_agg *ag)
{
	free(ag->dag_clear);
	free(ag);
}

/* Allocates what the session counts; a worker creates the tables. */
static int
agg_alloc(struct dt_softc *sc, uint32_t max, struct reason *rs)
{
	struct dt_agg *ag;
	int error;

	if ((ag = agg_new(max != 0 ? max : DTAG_ROWS)) == NULL)
		return ENOMEM;
	error = limit_take(sc->ds_client.dcl_peer.peer_person, LIMIT_MAPBYTES,
	    ag->dag_bytes, rs);
	if (error != 0) {
		agg_free(ag);
		return error;
	}
	sc->ds_agg = ag;
	return 0;
}

/* ENOENT, EBUSY, EEXIST, EINVAL, ENOSPC, ENOMEM. */
int
dt_ioctl_set_agg(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_aggdesc ad;
	struct dtioc_agg ia;
	struct dt_pcb *dp;
	int error;

	memcpy(&ia, op->op_arg, sizeof(ia));
	if ((dp = dt_pcb_find(&sc->ds_enabled, ia.dtag_pbn)) == NULL)
		return op_fail(op, ENOENT, "probe %u is not enabled",
		    ia.dtag_pbn);
	if (sc->ds_recording)
		return EBUSY;
	if (dp->dp_req.rq_agg != 0)
		return op_fail(op, EEXIST, "probe %u counts already",
		    ia.dtag_pbn);
	if ((error = agg_check(&ia, dp, &ad, &op->op_reason)) != 0)
		return error;
	if (sc->ds_agg != NULL)
		return agg_commit(sc, &ia, &op->op_reason);
	if ((error = agg_alloc(sc, ia.dtag_maxrows, &op->op_reason)) != 0)
		return error;
	return op_later(op, agg_tables_run, agg_set_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

static void
agg_end(struct dt_softc *sc, struct dt_pcb *dp)
{
	if (dp->dp_req.rq_agg == 0)
		return;
	sc->ds_agg->dag_nuses[(dp->dp_req.rq_agg & DT_REQ_AGG_NO) - 1]--;
	dp->dp_req.rq_agg = 0;
	dp->dp_req.rq_bits &= ~DT_REQ_NUMBERS;
}

/* A second hit is counted by what it has from its first. */
void
dt_agg_part(struct dt_softc *sc, struct dt_pcb *dp)
{
	agg_end(sc, dp);
	if (dp->dp_other != NULL)
		agg_end(sc, dp->dp_other);
}

/*
 * Snapshots
 */

/*
 * Makes programs fill the other table: the update returns after a grace period.
 * A session that has stopped does not wait, since no program fills its table.
 */
static int
agg_exchange(const struct dt_softc *sc)
{
	struct dt_agg *ag = sc->ds_agg;
	uint32_t slot = sc->ds_client.dcl_slot;
	int fd = ag->dag_fds[!ag->dag_current];

	if (sc->ds_recording) {
		if (ag->dag_filled == fd)
			return 0; /* the last request failed later */
		if (bpf_map_update_elem(dt_maps.dtm_aggs, &slot, &fd,
			BPF_ANY) != 0)
			return errno;
		ag->dag_filled = fd;
	}
	ag->dag_time = clock_monotonic();
	return 0;
}

/* If a call fails, the next request goes on from there. */
static int
agg_snapshot_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_agg *ag = sc->ds_agg;
	struct dt_aggelem last;
	int error;

	if (ag->dag_nused != 0 && (error = agg_clear(ag)) != 0)
		return error;
	if ((error = agg_exchange(sc)) != 0)
		return error;
	if (bpf_map_lookup_elem(ag->dag_fds[ag->dag_current], &ag->dag_nrows,
		&last) != 0)
		return errno;
	ag->dag_nused = last.age_slot[0] < ag->dag_max ? last.age_slot[0]
						       : ag->dag_max;
	return 0;
}

static int
agg_snapshot_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_agg *ag = sc->ds_agg;
	struct dtioc_aggsnap as;
	struct dt_ledger dl;

	if (error != 0)
		return error;
	ag->dag_current = !ag->dag_current;
	ag->dag_clear[0] = ag->dag_nrows;
	ag->dag_nclear = 1;
	dt_ledger_sum(sc, &dl);
	as.dtas_time = ag->dag_time;
	as.dtas_mapfull = dl.dl_mapfull;
	return op_reply(op, &as, sizeof(as));
}

/* ENOENT, EBUSY. */
int
dt_ioctl_agg_snapshot(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;

	if (sc->ds_agg == NULL)
		return op_fail(op, ENOENT, "no probe of this session counts");
	if (sc->ds_agg->dag_nread < sc->ds_agg->dag_nused)
		return op_fail(op, EBUSY,
		    "the rows of the last snapshot were not all read");
	return op_later(op, agg_snapshot_run, agg_snapshot_done, 0);
}

/* Copies rows to a reply. */
static void
agg_reply(struct op *op, const struct agg_batch *agb)
{
	struct wire_list *wl = op->op_out;
	struct dtioc_aggrow *row = (struct dtioc_aggrow *)(wl + 1);
	const struct dt_aggkey *k;
	uint32_t i;

	wl->wl_total = wl->wl_count = agb->agb_n;
	op->op_outlen = sizeof(*wl) + agb->agb_n * sizeof(*row);
	for (i = 0; i < agb->agb_n; i++, row++) {
		k = &agb->agb_elems[i].age_key;
		memcpy(row->dtrw_words, k->agk_word, sizeof(k->agk_word));
		row->dtrw_bucket = DT_AGG_BUCKET(k->agk_bucket);
		row->dtrw_cpu = DT_AGG_CPU(k->agk_bucket);
		memcpy(&row->dtrw_count, &agb->agb_elems[i].age_row,
		    sizeof(struct dt_aggrow));
	}
}

/*
 * Reads the next rows; if all were read, empties their table. On a worker.
 * ENOENT, ENOMEM.
 */
int
dt_agg_rows_run(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	struct dt_agg *ag = sc->ds_agg;
	struct agg_batch *agb;
	int error = 0;

	if (ag == NULL)
		return op_fail(op, ENOENT, "no probe of this session counts");
	if ((agb = malloc(sizeof(*agb))) == NULL)
		return ENOMEM;
	agb->agb_n = 0;
	while (error == 0 && agb->agb_n == 0 && ag->dag_nread < ag->dag_nused)
		if ((error = agg_read(ag, agb)) == 0)
			agg_drop_unhit(agb);
	if (error == 0 && agb->agb_n == 0 && ag->dag_nused != 0)
		error = agg_clear(ag);
	if (error == 0)
		agg_reply(op, agb);
	free(agb);
	return error;
}

void
dt_agg_close(struct dt_softc *sc)
{
	struct dt_agg *ag = sc->ds_agg;
	int i;

	if (ag == NULL)
		return;
	dt_maps_remove(dt_maps.dtm_aggs, sc->ds_client.dcl_slot);
	for (i = 0; i < 2; i++) {
		if (ag->dag_fds[i] >= 0)
			close(ag->dag_fds[i]);
		ag->dag_fds[i] = -1;
	}
}

void
dt_agg_free(struct dt_softc *sc)
{
	if (sc->ds_agg == NULL)
		return;
	limit_give(sc->ds_client.dcl_peer.peer_person, LIMIT_MAPBYTES,
	    sc->ds_agg->dag_bytes);
	agg_free(sc->ds_agg);
	sc->ds_agg = NULL;
}
