/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSPAIR: two enabled probes become one event (bpf/dt_pair.bpf.h). A
 * session with pairs has its own hash of first hits that wait for their second;
 * it is created with the first pair and stays until the session is closed.
 * Entries left by a run are removed when it ends; entries of threads that have
 * exited are removed periodically.
 */
#include <signal.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/access/limit.h"
#include "daemon/access/peer.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_reads.h"
#include "daemon/dt/dt_softc.h"

#define PAIR_MAX     65535 /* of a session: rq_pairno has 16 bits */
#define PAIR_NTABLES 16	   /* sessions that may have pairs at once */
#define PAIR_BYTES   210   /* of an entry of its table, in the kernel */
#define PAIR_KEEP    400   /* of one that is a struct dt_keep */
#define PAIR_BATCH   1024  /* entries that are read or deleted at once */
/* A scan for ended threads takes at most 1/PAIR_SHARE of a CPU. */
#define PAIR_SHARE 100

_Static_assert(DTPA_NKEYS == DT_PAIR_NKEYS, "keys of a pair");

/* The pairs of one session. */
struct dt_pairs {
	int prs_fd;		 /* [co] hash of first hits */
	int prs_keeps;		 /* [c] the table has struct dt_keep */
	unsigned int prs_npairs; /* [c] */
	/* [c] rows of dt_pairdescs, and the number of pairs of each */
	struct dt_pairdesc prs_descs[DT_PAIR_NDESCS];
	unsigned int prs_nuses[DT_PAIR_NDESCS];
	int64_t prs_sweepat; /* [c] no scan before this, ns */
	uint64_t prs_bytes;  /* [c] charged to limits */
};

static unsigned int pair_ntables; /* [c] */

/*
 * The table
 */

/* Returns the map that holds the session's hash. */
static int
pair_tables(const struct dt_softc *sc)
{
	return sc->ds_pairs->prs_keeps ? dt_maps.dtm_keeps : dt_maps.dtm_pairs;
}

/* On a worker. */
static int
pair_table_make(const struct dt_softc *sc)
{
	size_t size = sc->ds_pairs->prs_keeps ? sizeof(struct dt_keep)
					      : sizeof(struct dt_first);
	uint32_t slot = sc->ds_client.dcl_slot;
	int fd, error = 0;

	fd = bpf_map_create(BPF_MAP_TYPE_HASH, "dt_firsts",
	    sizeof(struct dt_pairkey), size, conf.cf_pairmax, NULL);
	if (fd < 0)
		return -fd;
	if (bpf_map_update_elem(pair_tables(sc), &slot, &fd, BPF_ANY) != 0)
		error = errno;
	if (error != 0)
		close(fd);
	else
		sc->ds_pairs->prs_fd = fd;
	return error;
}

/* Reads up to PAIR_BATCH entries.  Returns how many; 0 at the end. */
static unsigned int
pair_batch(int fd, int isfirst, uint32_t *cursor, struct dt_pairkey *keys,
    void *firsts)
{
	uint32_t n = PAIR_BATCH;

	if (bpf_map_lookup_batch(fd, isfirst ? NULL : cursor, cursor, keys,
		firsts, &n, NULL) != 0 &&
	    errno != ENOENT)
		return 0;
	return n;
}

/* Returns whether the thread of an entry has ended; 0 if that is unknown. */
static int
pair_isover(const void *value)
{
	const struct dt_first *fi = value; /* also of a struct dt_keep */

	return fi->fst_tid != 0 && kill(fi->fst_tid, 0) == -1 && errno == ESRCH;
}

/* Entries that a scan removes. */
enum pair_sweep {
	PAIR_NONE,
	PAIR_ENDED,
	PAIR_ALL
};

/*
 * Adds the number of entries to *counted, and removes what the caller selects.
 * On a worker.
 */
static int
pair_sweep(const struct dt_pairs *ps, enum pair_sweep what, uint64_t *counted)
{
	size_t size = ps->prs_keeps ? sizeof(struct dt_keep)
				    : sizeof(struct dt_first);
	struct dt_pairkey *keys = calloc(PAIR_BATCH, sizeof(*keys));
	char *firsts = calloc(PAIR_BATCH, size);
	unsigned int i, n = 1;
	uint32_t cursor = 0;
	int fd = ps->prs_fd, isfirst = 1, error = ENOMEM;

	if (keys != NULL && firsts != NULL) {
		for (error = 0; n > 0; isfirst = 0) {
			n = pair_batch(fd, isfirst, &cursor, keys, firsts);
			*counted += n;
			for (i = 0; i < n && what != PAIR_NONE; i++)
				if (what == PAIR_ALL ||
				    pair_isover(firsts + i * size))
					bpf_map_delete_elem(fd, &keys[i]);
		}
	}
	free(keys);
	free(firsts);
	return error;
}

/*
 * Requests
 */

/* Finds or creates the entry: ENOSPC. */
static int
pair_desc_get(struct dt_softc *sc, const struct dt_pairdesc *pd,
    unsigned int *line)
{
	struct dt_pairs *ps = sc->ds_pairs;
	unsigned int i, unused = DT_PAIR_NDESCS;

	for (i = 0; i < DT_PAIR_NDESCS; i++) {
		if (ps->prs_nuses[i] == 0)
			unused = i;
		else if (memcmp(&ps->prs_descs[i], pd, sizeof(*pd)) == 0)
			break;
	}
	if (i == DT_PAIR_NDESCS && (i = unused) == DT_PAIR_NDESCS)
		return ENOSPC;
	ps->prs_nuses[i]++;
	ps->prs_descs[i] = *pd;
	dt_maps.dtm_pairdescs[DT_PAIRDESC(sc->ds_client.dcl_slot, i)] = *pd;
	*line = i;
	return 0;
}

static int
pair_bad(struct reason *rs, const char *why)
{
	return reason_fail(rs, EINVAL, "%s", why);
}

/* Checks a key of one of the two probes. */
static int
pair_key(const struct dt_pcb *dp, const struct dt_opd *op, const char *whose,
    struct dt_look *lo, struct reason *rs)
{
	struct reason why;

	if (op->op_kind == DT_OPD_DURATION)
		reason_set(&why, "no hit has a duration");
	else if (dt_cond_look(dp->dp_dtp, op, lo, &why) == 0) {
		if (lo->lo_size != 0)
			return 0;
		reason_set(&why, "it is a text");
	}
	return reason_fail(rs, EINVAL, "a key of the %s probe: %.120s", whose,
	    why.rsn_text);
}

/* EINVAL: the probes cannot form a pair, or the keys are invalid. */
static int
pair_check(const struct dtioc_pair *pa, const struct dt_pcb *from,
    const struct dt_pcb *to, struct dt_pairdesc *pd, struct reason *rs)
{
	static const struct dt_opd none;
	unsigned int i;
	int error = 0;

	if (from == to)
		return pair_bad(rs, "a probe makes no pair with itself");
	if (from->dp_req.rq_agg != 0 || to->dp_req.rq_agg != 0)
		return pair_bad(rs,
		    "one of them counts hits already; the pair "
		    "comes first");
	if (from->dp_nsecs != 0 || to->dp_nsecs != 0)
		return pair_bad(rs, "a clock makes no pair");
	if (dt_reads_has(from) || dt_reads_has(to))
		return pair_bad(rs, "a probe with reads makes no pair");
	if (from->dp_dtp->dtp_prov->prov_args == NULL ||
	    to->dp_dtp->dtp_prov->prov_args == NULL)
		return pair_bad(rs, "probes of this provider make no pairs");
	if (pa->dtpa_nkeys == 0 || pa->dtpa_nkeys > DTPA_NKEYS)
		return pair_bad(rs, "a pair has one key or two");
	if (pa->dtpa_flags & ~(uint32_t)DTPA_FIRST)
		return pair_bad(rs, "dtpa_flags has unknown bits");
	memset(pd, 0, sizeof(*pd));
	pd->pds_min = pa->dtpa_min;
	for (i = 0; i < DTPA_NKEYS && error == 0; i++) {
		if (i >= pa->dtpa_nkeys) {
			if (memcmp(&pa->dtpa_fromkey[i], &none, sizeof(none)) ||
			    memcmp(&pa->dtpa_tokey[i], &none, sizeof(none)))
				return pair_bad(rs,
				    "a key that does not "
				    "count is not 0");
			continue;
		}
		pd->pds_nkeys++;
		if (pa->dtpa_fromkey[i].op_kind == DT_OPD_TID &&
		    pa->dtpa_tokey[i].op_kind == DT_OPD_TID)
			pd->pds_thread = UINT64_MAX;
		if ((error = pair_key(from, &pa->dtpa_fromkey[i], "first",
			 &pd->pds_key[0][i], rs)) == 0)
			error = pair_key(to, &pa->dtpa_tokey[i], "second",
			    &pd->pds_key[1][i], rs);
	}
	return error;
}

/* Links the two probes to each other and to their entry. */
static int
pair_commit(struct dt_softc *sc, const struct dtioc_pair *pa, struct reason *rs)
{
	struct dt_pcb *from = dt_pcb_find(&sc->ds_enabled, pa->dtpa_from);
	struct dt_pcb *to = dt_pcb_find(&sc->ds_enabled, pa->dtpa_to);
	struct dt_pairdesc pd;
	unsigned int line, bits = 0;
	int error;

	if ((error = pair_check(pa, from, to, &pd, rs)) != 0)
		return error;
	if (sc->ds_pairs->prs_keeps != ((pa->dtpa_flags & DTPA_FIRST) != 0))
		return pair_bad(rs,
		    "DTPA_FIRST is for all pairs of a session or for none");
	if (sc->ds_pairs->prs_npairs == PAIR_MAX ||
	    pair_desc_get(sc, &pd, &line) != 0)
		return reason_fail(rs, ENOSPC,
		    "a session has at most %d pairs, of %d kinds", PAIR_MAX,
		    DT_PAIR_NDESCS);
	if (sc->ds_pairs->prs_keeps)
		bits = DT_REQ_KEEP;
	sc->ds_pairs->prs_npairs++;
	from->dp_other = to;
	to->dp_other = from;
	from->dp_req.rq_bits |= DT_REQ_FROM | bits;
	to->dp_req.rq_bits |= DT_REQ_TO | bits;
	from->dp_req.rq_pair = to->dp_req.rq_pair = line;
	return 0;
}

static int
pair_set_run(struct op *op)
{
	return pair_table_make(op->op_sc);
}

static int
pair_set_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_pair pa;

	memcpy(&pa, op->op_arg, sizeof(pa));
	if (error == 0)
		error = pair_commit(sc, &pa, &op->op_reason);
	else
		dt_pair_free(sc);
	return error;
}

/* Allocates the pairs; a worker creates the hash. */
static int
pair_alloc(struct dt_softc *sc, int keeps, struct reason *rs)
{
	uint64_t nbytes;
	int error;

	if (pair_ntables +
		limit_kept(sc->ds_client.dcl_peer.peer_person, PAIR_NTABLES) >=
	    PAIR_NTABLES) {
		reason_set(rs, "%d opens have pairs already", PAIR_NTABLES);
		limit_refused(LIMIT_MAPBYTES);
		return ENOSPC;
	}
	if ((sc->ds_pairs = calloc(1, sizeof(*sc->ds_pairs))) == NULL)
		return ENOMEM;
	nbytes = (uint64_t)conf.cf_pairmax * (keeps ? PAIR_KEEP : PAIR_BYTES);
	error = limit_take(sc->ds_client.dcl_peer.peer_person, LIMIT_MAPBYTES,
	    nbytes, rs);
	if (error != 0) {
		free(sc->ds_pairs);
		sc->ds_pairs = NULL;
		return error;
	}
	sc->ds_pairs->prs_bytes = nbytes;
	sc->ds_pairs->prs_fd = -1;
	sc->ds_pairs->prs_keeps = keeps;
	pair_ntables++;
	return 0;
}

/* ENOENT, EBUSY, EEXIST, EINVAL, ENOSPC. */
int
dt_ioctl_set_pair(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_pair pa;
	struct dt_pairdesc pd;
	struct dt_pcb *from, *to;
	int error;

	memcpy(&pa, op->op_arg, sizeof(pa));
	from = dt_pcb_find(&sc->ds_enabled, pa.dtpa_from);
	to = dt_pcb_find(&sc->ds_enabled, pa.dtpa_to);
	if (from == NULL || to == NULL)
		return op_fail(op, ENOENT, "probe %u is not enabled",
		    from == NULL ? pa.dtpa_from : pa.dtpa_to);
	if (sc->ds_recording)
		return EBUSY;
	if (from->dp_other != NULL || to->dp_other != NULL)
		return op_fail(op, EEXIST, "probe %u is in a pair already",
		    from->dp_other != NULL ? pa.dtpa_from : pa.dtpa_to);
	if ((error = pair_check(&pa, from, to, &pd, &op->op_reason)) != 0)
		return error;
	if (sc->ds_pairs != NULL)
		return pair_commit(sc, &pa, &op->op_reason);
	if ((error = pair_alloc(sc, (pa.dtpa_flags & DTPA_FIRST) != 0,
		 &op->op_reason)) != 0)
		return error;
	return op_later(op, pair_set_run, pair_set_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

static int
pair_pending_run(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	uint64_t n = 0;
	int error;

	if ((error = pair_sweep(sc->ds_pairs, PAIR_NONE, &n)) != 0)
		return error;
	return op_reply(op, &n, sizeof(n));
}

int
dt_ioctl_get_pending(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	const uint64_t none = 0;

	if (sc->ds_pairs == NULL)
		return op_reply(op, &none, sizeof(none));
	return op_later(op, pair_pending_run, NULL,
	    dt_enabled_isslow(&sc->ds_enabled));
}

void
dt_pair_part(struct dt_softc *sc, struct dt_pcb *dp)
{
	struct dt_pcb *two[] = { dp, dp->dp_other };
	int i;

	if (dp->dp_other == NULL)
		return;
	sc->ds_pairs->prs_npairs--;
	sc->ds_pairs->prs_nuses[dp->dp_req.rq_pair]--;
	for (i = 0; i < 2; i++) {
		two[i]->dp_other = NULL;
		two[i]->dp_req.rq_bits &= ~(DT_REQ_PAIR | DT_REQ_KEEP);
		two[i]->dp_req.rq_pair = two[i]->dp_req.rq_pairno = 0;
	}
}

/*
 * Runs
 */

void
dt_pair_start(struct dt_softc *sc)
{
	struct dt_pcb *dp;
	uint16_t n = 0;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		if (dp->dp_req.rq_bits & DT_REQ_FROM) {
			dp->dp_req.rq_pairno = n;
			dp->dp_other->dp_req.rq_pairno = n++;
		}
}

/* Entries that could not be removed belong to another run than later ones. */
void
dt_pair_stop(struct dt_softc *sc)
{
	uint64_t n = 0;

	if (sc->ds_pairs != NULL && pair_sweep(sc->ds_pairs, PAIR_ALL, &n) != 0)
		log_warnx("session %u: first hits of pairs were not removed",
		    sc->ds_client.dcl_slot);
}

static int
pair_sweep_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int64_t before = clock_monotonic(), after;
	uint64_t n = 0;

	pair_sweep(sc->ds_pairs, PAIR_ENDED, &n);
	after = clock_monotonic();
	sc->ds_pairs->prs_sweepat = after + PAIR_SHARE * (after - before);
	return 0;
}

static int
pair_sweep_job(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;

	if (!sc->ds_recording)
		return 0;
	return op_later(op, pair_sweep_run, NULL,
	    dt_enabled_isslow(&sc->ds_enabled));
}

/*
 * Thread ids belong to the initial namespace: in another, dtd cannot check
 * them.
 */
void
dt_pair_tick(struct dt_softc *sc)
{
	if (!sc->ds_recording || sc->ds_pairs == NULL ||
	    sc->ds_pairs->prs_npairs == 0 ||
	    clock_monotonic() < sc->ds_pairs->prs_sweepat ||
	    !peer_pidns_initial())
		return;
	op_request(sc->ds_queue, pair_sweep_job);
}

void
dt_pair_close(struct dt_softc *sc)
{
	if (sc->ds_pairs == NULL || sc->ds_pairs->prs_fd < 0)
		return;
	dt_maps_remove(pair_tables(sc), sc->ds_client.dcl_slot);
	close(sc->ds_pairs->prs_fd);
	sc->ds_pairs->prs_fd = -1;
}

void
dt_pair_free(struct dt_softc *sc)
{
	if (sc->ds_pairs == NULL)
		return;
	limit_give(sc->ds_client.dcl_peer.peer_person, LIMIT_MAPBYTES,
	    sc->ds_pairs->prs_bytes);
	free(sc->ds_pairs);
	sc->ds_pairs = NULL;
	pair_ntables--;
}
