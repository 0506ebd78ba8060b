/* SPDX-License-Identifier: ISC */
/*
 * Sends the rings to the data socket, on the data thread. The data is ring
 * memory as BPF wrote it; only record headers are read, to find the end of the
 * last whole record. A block that the socket took in part stays in the ring and
 * continues with the next pass.
 */
#include <errno.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/device/ring_grow.h"
#include "daemon/device/stream.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

#define DT_BLOCK_MAX (128UL << 10) /* bytes of a DATA block */
/*
 * Bytes of a pass, shared by the CPUs. Without this limit, a client that sorts
 * would have to store one CPU's large ring before it gets the other rings.
 */
#define DT_PASS_MAX (1UL << 20)
#define DT_PASS_MIN (64UL << 10) /* of a CPU */
/*
 * Maximum age difference between the oldest record and the records that a pass
 * sends, while the rings have more than it sends.
 */
#define DT_PASS_SKEW 20000000ULL /* ns */
/*
 * A hit reads the clock before it reserves its record: records older than this
 * when a pass begins are in the rings.
 */
#define DT_LOWWATER 2000000ULL /* ns */
/*
 * The same for a single record after silence. A longer delay between the two
 * steps takes another hit at this moment.
 */
#define DT_LONEWATER 250000ULL
/*
 * A pass that finds at most this many records requests a wake-up, since polling
 * for one record per millisecond is a waste.
 */
#define DT_TRICKLE 1
/* Maximum wake-ups requested within a millisecond. */
#define DT_WAKES    4
#define DT_WAKETIME 1000000ULL /* ns */
/*
 * Time between the passes of a session that receives batches.  It begins with
 * the first, doubles up to the last, and is halved when a ring was filled by
 * more than a part.
 */
#define DT_BATCH_FIRST 1000000	/* ns */
#define DT_BATCH_LAST  50000000 /* ns */
#define DT_BATCH_FULL  8	/* one part of a ring in this number */

/* Counts the whole records of a ring by tally, into n. */
static void
dt_tally_span(const uint8_t *p, size_t nbytes, uint64_t n[DT_NTALLY])
{
	const struct dt_ringhdr *rh;
	const struct dt_rec *rec;
	size_t off;

	memset(n, 0, DT_NTALLY * sizeof(n[0]));
	for (off = 0; off < nbytes; off += DT_RING_SPAN(rh->rh_len)) {
		rh = (const struct dt_ringhdr *)(p + off);
		rec = (const struct dt_rec *)(rh + 1);
		if ((rh->rh_len & DT_RING_DISCARD) == 0)
			n[dt_probe_tally(rec->dr_pbn)]++;
	}
}

/* Adds them to the sums; sign: 1 or -1. */
static void
dt_tally_add(atomic_uint_fast64_t sums[DT_NTALLY], const uint64_t n[DT_NTALLY],
    int sign)
{
	int t;

	for (t = 0; t < DT_NTALLY; t++)
		if (n[t] != 0)
			atomic_fetch_add(&sums[t], sign * n[t]);
}

/*
 * The block was sent whole: counts its records as read and frees their ring
 * space. Most sessions use one provider, whose records are counted already.
 */
static void
dt_block_done(struct dt_softc *sc)
{
	unsigned int tallies = atomic_load(&sc->ds_counted.dcn_tallies);
	const struct dt_span *sp = &sc->ds_send.dsn_span;
	struct cpuring *r = sp->spn_ring;
	uint64_t n[DT_NTALLY];

	if (r == NULL)
		return;
	if ((tallies & (tallies - 1)) != 0) {
		dt_tally_span(ring_head(r), sp->spn_nbytes, n);
		dt_tally_add(sc->ds_counted.dcn_read, n, 1);
	} else if (tallies != 0)
		atomic_fetch_add(&sc->ds_counted
				      .dcn_read[__builtin_ctz(tallies)],
		    sp->spn_nrec);
	r->cr_pos += sp->spn_nbytes;
	__atomic_store_n(r->cr_cons, r->cr_pos, __ATOMIC_RELEASE);
}

/* Sends what is left of the block.  Returns as block_sender_send(). */
static int
dt_block_send(struct dt_softc *sc, struct stream *st)
{
	int n = block_sender_send(&sc->ds_send.dsn_block, st);

	if (n == 1)
		dt_block_done(sc);
	return n;
}

static int
dt_block_put(struct dt_softc *sc, struct stream *st, uint32_t kind,
    uint32_t cpu, const void *data, size_t nbytes, uint64_t lowwater)
{
	block_sender_set(&sc->ds_send.dsn_block, kind, cpu, data, nbytes,
	    lowwater);
	return dt_block_send(sc, st);
}

/* Votes with the first record of a block for the probe that is hit most. */
static void
dt_ring_vote(struct dt_softc *sc, const void *block)
{
	const struct dt_ringhdr *rh = block;
	const struct dt_rec *rec = (const struct dt_rec *)(rh + 1);

	if ((rh->rh_len & DT_RING_DISCARD) == 0)
		dt_hottest_probe_add(&sc->ds_cost.dco_votes, rec->dr_pbn);
}

static unsigned long
dt_pass_max(void)
{
	unsigned long share = DT_PASS_MAX / dt_ncpu;

	return share > DT_PASS_MIN ? share : DT_PASS_MIN;
}

/*
 * Sends what a ring has, up to its share of a pass.  Returns as
 * dt_block_send(); *found grows by the records that were there, and by one that
 * is not committed yet.
 */
static int
dt_ring_drain(struct dt_softc *sc, struct stream *st, unsigned int cpu,
    struct cpuring *r, uint64_t lowwater, uint64_t *found)
{
	const uint8_t *block;
	/*
	 * Stops at the records present now: a busy CPU must not keep the thread
	 * from the others.
	 */
	unsigned long prod = __atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE);
	unsigned long span, end = r->cr_pos + dt_pass_max();
	uint64_t nrec;
	int n;

	while (r->cr_pos < prod && r->cr_pos < end) {
		span = ring_scan(r, prod, DT_BLOCK_MAX, &nrec);
		*found += span == 0 ? 1 : nrec;
		if (span == 0)
			break;
		sc->ds_send.dsn_span = (struct dt_span){ r, span, nrec };
		block = ring_head(r);
		dt_ring_vote(sc, block);
		n = dt_block_put(sc, st, WIRE_BLOCK_DATA, cpu, block, span,
		    lowwater);
		if (n != 1)
			return n;
	}
	if (r->cr_pos < prod && r->cr_pos >= end)
		sc->ds_send.dsn_behind = 1;
	return 1;
}

static int
dt_ring_isempty(const struct cpuring *r)
{
	return __atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE) == r->cr_pos;
}

/*
 * The rings of a CPU, the oldest first.  A newer one is read only when the one
 * before it is empty.  The last ring found empty is not read again until its
 * count of fired hits has changed.  Returns as dt_block_send().
 */
static int
dt_cpu_drain(struct dt_softc *sc, struct stream *st, unsigned int cpu,
    uint64_t fired, uint64_t lowwater, uint64_t *found)
{
	struct rings *ri = &sc->ds_rings.drg_rings;
	struct cpuring *r, *next;
	int n, isretired;

	(void)ring_grow_check(ri, cpu);
	for (r = ri->ri_rings[cpu]; r != NULL; r = next) {
		isretired = atomic_load(&r->cr_retired);
		n = dt_ring_drain(sc, st, cpu, r, lowwater, found);
		if (n != 1)
			return n;
		next = atomic_load(&r->cr_next);
		if (!dt_ring_isempty(r))
			return 1;
		if (next == NULL)
			r->cr_fired = fired;
		else if (isretired && r == ri->ri_rings[cpu])
			ring_grow_pop(ri, cpu);
	}
	return 1;
}

/* Sends blocks without event data: these use no ring space. */
static int
dt_note(struct dt_softc *sc, struct stream *st, uint32_t kind, const void *data,
    size_t nbytes, uint64_t lowwater)
{
	sc->ds_send.dsn_span.spn_ring = NULL;
	return dt_block_put(sc, st, kind, 0, data, nbytes, lowwater);
}

static int
dt_send_clock(struct dt_softc *sc, struct stream *st)
{
	unsigned int gen = stream_clockgen();

	if (gen == sc->ds_send.dsn_clockgen)
		return 1;
	sc->ds_send.dsn_clockgen = gen;
	sc->ds_send.dsn_clockoff = clock_offset();
	return dt_note(sc, st, WIRE_BLOCK_CLOCK, &sc->ds_send.dsn_clockoff,
	    sizeof(sc->ds_send.dsn_clockoff), stream_clockset());
}

/* Sends, once and before END, why the daemon stopped the run, if it did. */
static int
dt_send_note(struct dt_softc *sc, struct stream *st)
{
	unsigned int run = atomic_load(&sc->ds_counted.dcn_runs);

	if (!atomic_load(&sc->ds_cost.dco_limited) ||
	    sc->ds_send.dsn_noted == run)
		return 1;
	sc->ds_send.dsn_noted = run;
	memcpy(sc->ds_send.dsn_endnote, sc->ds_cost.dco_note,
	    sizeof(sc->ds_send.dsn_endnote));
	return dt_note(sc, st, WIRE_BLOCK_NOTE, sc->ds_send.dsn_endnote,
	    sizeof(sc->ds_send.dsn_endnote), 0);
}

/*
 * Computes the ledger before it clears ds_stopped: if a RECORD 1 in between
 * clears it first, the two runs have one END, which the later run sends.
 */
static int
dt_send_end(struct dt_softc *sc, struct stream *st)
{
	int stopped = 1, n;

	if ((n = dt_send_note(sc, st)) != 1)
		return n;
	dt_ledger_sum(sc, &sc->ds_send.dsn_end);
	if (!atomic_compare_exchange_strong(&sc->ds_stopped, &stopped, 0))
		return 1;
	sc->ds_send.dsn_end.dl_flags |= DT_LEDGER_FINAL;
	return dt_note(sc, st, WIRE_BLOCK_END, &sc->ds_send.dsn_end,
	    sizeof(sc->ds_send.dsn_end), 0);
}

/* Returns the hits on a CPU so far, of all probes of the session. */
static uint64_t
dt_fired_on(const struct dt_softc *sc, unsigned int cpu)
{
	unsigned int tallies = atomic_load(&sc->ds_counted.dcn_tallies);
	const struct dt_count *c;
	uint64_t fired = 0;

	for (; tallies != 0; tallies &= tallies - 1) {
		c = dt_counts_of(sc->ds_client.dcl_slot,
		    __builtin_ctz(tallies));
		if (c != NULL)
			fired += __atomic_load_n(&c[cpu].dc_fired,
			    __ATOMIC_ACQUIRE);
	}
	return fired;
}

/*
 * Time of the oldest record of a CPU that has not been sent, or begin if there
 * is none; 0 if it is not known: the record is incomplete, or discarded.
 */
static uint64_t
dt_cpu_oldest(const struct dt_softc *sc, unsigned int cpu, uint64_t begin)
{
	const struct cpuring *r = sc->ds_rings.drg_rings.ri_rings[cpu];
	const struct dt_ringhdr *rh;
	uint32_t len;

	for (; r != NULL; r = atomic_load(&r->cr_next)) {
		if (dt_ring_isempty(r))
			continue;
		rh = (const struct dt_ringhdr *)ring_head(r);
		len = __atomic_load_n(&rh->rh_len, __ATOMIC_ACQUIRE);
		if (len & (DT_RING_BUSY | DT_RING_DISCARD))
			return 0;
		return ((const struct dt_rec *)(rh + 1))->dr_time;
	}
	return begin;
}

/* Returns the oldest of all CPUs. */
static uint64_t
dt_oldest(const struct dt_softc *sc, uint64_t begin)
{
	uint64_t oldest = begin, t;
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		t = dt_cpu_oldest(sc, cpu, begin);
		if (t < oldest)
			oldest = t;
	}
	return oldest;
}

/* Returns whether a CPU has to wait for others, whose records are older. */
static int
dt_cpu_isahead(struct dt_softc *sc, unsigned int cpu)
{
	if (sc->ds_send.dsn_oldest == 0 ||
	    dt_cpu_oldest(sc, cpu, 0) <= sc->ds_send.dsn_oldest + DT_PASS_SKEW)
		return 0;
	sc->ds_send.dsn_behind = 1;
	return 1;
}

/*
 * Sends from all rings, beginning after the one that was served last.  A ring's
 * page is seldom in the CPU's cache, so a ring is skipped if no hit was counted
 * since it was found empty: a program reserves the record before it counts the
 * hit, and reads ses_armed after that.  The last pass before END skips no ring.
 */
static int
dt_drain(struct dt_softc *sc, struct stream *st, uint64_t lowwater, int all,
    uint64_t *found)
{
	const struct cpuring *r;
	unsigned int i, cpu;
	uint64_t fired;
	int n;

	for (i = 1; i <= dt_ncpu; i++) {
		cpu = (sc->ds_send.dsn_lastcpu + i) % dt_ncpu;
		fired = dt_fired_on(sc, cpu);
		r = sc->ds_rings.drg_rings.ri_rings[cpu];
		if (fired == r->cr_fired && !all &&
		    atomic_load(&r->cr_next) == NULL)
			continue;
		if (dt_cpu_isahead(sc, cpu))
			continue;
		n = dt_cpu_drain(sc, st, cpu, fired, lowwater, found);
		if (n != 1) {
			sc->ds_send.dsn_lastcpu = cpu;
			return n;
		}
	}
	sc->ds_send.dsn_lastcpu = (sc->ds_send.dsn_lastcpu + 1) % dt_ncpu;
	return 1;
}

/* Returns whether at most one record has arrived since the thread slept. */
static int
dt_is_lone(const struct dt_softc *sc)
{
	return sc->ds_send.dsn_awake <= DT_TRICKLE;
}

/*
 * Requests low water of now or later.  Only the first request wakes the data
 * thread: until its PASS is sent, passes continue, and then they take the next
 * request.  So a client cannot make the thread run all the time.
 */
int
dt_ioctl_pass(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	if (!sc->ds_send.dsn_ordered)
		return op_fail(op, EINVAL,
		    "the session was opened without DT_OPEN_ORDERED or "
		    "DT_OPEN_LOWWATER");
	if (atomic_exchange(&sc->ds_passreq, DT_PASSREQ_NEW) == DT_PASSREQ_NONE)
		stream_kick(sc->ds_stream);
	return 0;
}

/* Takes a new request, after the PASS of the last one. */
static void
dt_passreq_take(struct dt_softc *sc)
{
	int new = DT_PASSREQ_NEW;

	if (sc->ds_send.dsn_reqtime != 0 ||
	    !atomic_compare_exchange_strong(&sc->ds_passreq, &new,
		DT_PASSREQ_DUE))
		return;
	sc->ds_send.dsn_reqtime = clock_monotonic();
	/* not lone: load may delay hits of which nothing is known */
	sc->ds_send.dsn_awake += DT_TRICKLE + 1;
}

/* The PASS of the request is about to be sent. */
static void
dt_passreq_done(struct dt_softc *sc)
{
	int due = DT_PASSREQ_DUE;

	sc->ds_send.dsn_reqtime = 0;
	(void)atomic_compare_exchange_strong(&sc->ds_passreq, &due,
	    DT_PASSREQ_NONE);
}

/*
 * Sends low water: after each pass with data, once more when low water has
 * passed the last of it, and when low water has passed the client's request.
 */
static int
dt_send_pass(struct dt_softc *sc, struct stream *st, uint64_t begin, int found)
{
	struct dt_sending *dsn = &sc->ds_send;
	uint64_t lowwater = begin -
	    (dt_is_lone(sc) ? DT_LONEWATER : DT_LOWWATER);
	int isrequested = dsn->dsn_reqtime != 0 && lowwater >= dsn->dsn_reqtime;

	if (found) {
		dsn->dsn_passdue = dsn->dsn_ordered;
		dsn->dsn_lastdata = begin;
	} else if (lowwater < dsn->dsn_lastdata && !isrequested)
		return 1;
	if (!dsn->dsn_passdue && !isrequested)
		return 1;
	dsn->dsn_passdue = lowwater < dsn->dsn_lastdata;
	if (isrequested)
		dt_passreq_done(sc);
	if (lowwater > dsn->dsn_passed)
		dsn->dsn_passed = lowwater;
	return dt_note(sc, st, WIRE_BLOCK_PASS, NULL, 0, dsn->dsn_passed);
}

/*
 * Sends low water while the rings have more than a pass sends: except for
 * nested hits, the first record of a ring is its oldest.
 */
static int
dt_send_behind(struct dt_softc *sc, struct stream *st)
{
	if (sc->ds_send.dsn_oldest < sc->ds_send.dsn_passed + 2 * DT_LOWWATER)
		return 1;
	sc->ds_send.dsn_passed = sc->ds_send.dsn_oldest - DT_LOWWATER;
	return dt_note(sc, st, WIRE_BLOCK_PASS, NULL, 0,
	    sc->ds_send.dsn_passed);
}

/* Runs one pass. Returns as dt_block_send(). */
static int
dt_pass(struct dt_softc *sc, struct stream *st, uint64_t *found)
{
	uint64_t begin = clock_monotonic();
	/*
	 * Read before the pass: a session that stops later is drained by the
	 * next.
	 */
	int stopped = atomic_load(&sc->ds_stopped), n;

	*found = 0;
	if (sc->ds_send.dsn_block.bs_busy && (n = dt_block_send(sc, st)) != 1)
		return n;
	if ((n = dt_send_clock(sc, st)) != 1)
		return n;
	sc->ds_send.dsn_oldest = sc->ds_send.dsn_behind &&
		sc->ds_send.dsn_ordered
	    ? dt_oldest(sc, begin)
	    : 0;
	if ((n = dt_send_behind(sc, st)) != 1)
		return n;
	sc->ds_send.dsn_behind = 0;
	n = dt_drain(sc, st, begin - DT_LOWWATER, stopped, found);
	sc->ds_send.dsn_awake += *found;
	sc->ds_send.dsn_behind |= n != 1;
	if (sc->ds_send.dsn_behind) {
		sc->ds_send.dsn_passdue = sc->ds_send.dsn_ordered;
		sc->ds_send.dsn_lastdata = begin;
		return n;
	}
	if ((n = dt_send_pass(sc, st, begin, *found != 0)) != 1)
		return n;
	return stopped ? dt_send_end(sc, st) : 1;
}

/*
 * Sets whether the next hit wakes the data thread.  A barrier is between this
 * store and the next read of the rings (bpf/dt_emit.bpf.h).
 */
static void
dt_arm(struct dt_softc *sc, int on)
{
	if (!on && !sc->ds_send.dsn_armed)
		return;
	sc->ds_send.dsn_armed = on;
	__atomic_store_n(&dt_maps.dtm_table->t_sess[sc->ds_client.dcl_slot]
			      .ses_armed,
	    on, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/*
 * Returns whether the thread may request a wake-up. If it shares a CPU with the
 * process that causes the hits, each hit would wake it at once and cost two
 * context switches.
 */
static int
dt_mayarm(struct dt_softc *sc)
{
	uint64_t now = clock_monotonic();

	if (now - sc->ds_send.dsn_wakesince >= DT_WAKETIME) {
		sc->ds_send.dsn_wakesince = now;
		sc->ds_send.dsn_wakes = 0;
	}
	return sc->ds_send.dsn_wakes++ < DT_WAKES;
}

/* Returns whether low water is to be sent, though no data arrives. */
static int
dt_pass_isdue(struct dt_softc *sc)
{
	return sc->ds_send.dsn_passdue ||
	    atomic_load(&sc->ds_passreq) != DT_PASSREQ_NONE;
}

/*
 * No data now, and hits wake the thread: returns until when it may sleep.  For
 * the PASS of a request alone, one more pass at its time suffices.
 */
static enum stream_state
dt_stream_wait(struct dt_softc *sc, struct stream *st)
{
	const struct dt_sending *dsn = &sc->ds_send;
	uint64_t due = dsn->dsn_reqtime + DT_LOWWATER, now;

	if (!dt_pass_isdue(sc)) {
		sc->ds_send.dsn_awake = 0;
		return STREAM_IDLE;
	}
	if (!dsn->dsn_passdue && dsn->dsn_reqtime != 0 &&
	    due > (now = clock_monotonic())) {
		stream_pause(st, due - now);
		return STREAM_LATER;
	}
	return dt_is_lone(sc) ? STREAM_SOON : STREAM_FLOWING;
}

/* Returns whether a ring has more than a part, which a batch may leave there. */
static int
dt_rings_fill(const struct dt_softc *sc)
{
	const struct cpuring *r;
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		r = sc->ds_rings.drg_rings.ri_rings[cpu];
		if (__atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE) - r->cr_pos >
		    r->cr_size / DT_BATCH_FULL)
			return 1;
	}
	return 0;
}

/* Makes a pass for a session that receives batches. */
static enum stream_state
dt_stream_batch(struct dt_softc *sc, struct stream *st)
{
	long *pause = &sc->ds_send.dsn_pause;
	int isfull = dt_rings_fill(sc), n;
	uint64_t found;

	if ((n = dt_pass(sc, st, &found)) != 1)
		return n == 0 ? STREAM_FULL : STREAM_IDLE;
	if (found == 0 && *pause == DT_BATCH_LAST) {
		*pause = 0;
		dt_arm(sc, 1);
		if ((n = dt_pass(sc, st, &found)) == 1 && found == 0 &&
		    !sc->ds_send.dsn_behind && !dt_pass_isdue(sc))
			return STREAM_IDLE;
		if (n != 1)
			return n == 0 ? STREAM_FULL : STREAM_IDLE;
	}
	dt_arm(sc, 0);
	*pause = isfull ? *pause / 2 : *pause * 2;
	if (*pause < DT_BATCH_FIRST)
		*pause = DT_BATCH_FIRST;
	if (*pause > DT_BATCH_LAST)
		*pause = DT_BATCH_LAST;
	if (sc->ds_send.dsn_behind)
		return STREAM_FLOWING;
	stream_pause(st, *pause);
	return STREAM_LATER;
}

enum stream_state
dt_stream(void *arg, struct stream *st)
{
	struct dt_softc *sc = arg;
	uint64_t found;
	int n;

	if (!atomic_load(&sc->ds_rings.drg_isready))
		return STREAM_IDLE;
	dt_passreq_take(sc);
	if (sc->ds_send.dsn_batched)
		return dt_stream_batch(sc, st);
	n = dt_pass(sc, st, &found);
	if (n == 1 && found <= DT_TRICKLE && dt_mayarm(sc)) {
		dt_arm(sc, 1);
		n = dt_pass(sc, st, &found);
		if (n == 1 && found == 0 && !sc->ds_send.dsn_behind)
			return dt_stream_wait(sc, st);
	}
	dt_arm(sc, 0);
	if (n != 1)
		return n == 0 ? STREAM_FULL : STREAM_IDLE;
	/* the next pass follows soon while the rings have more than one sends */
	return sc->ds_send.dsn_behind ? STREAM_SOON : STREAM_FLOWING;
}

int
dt_stalled(void *arg)
{
	struct dt_softc *sc = arg;
	uint64_t fired = 0;
	unsigned int cpu;
	int cangrow = 0;

	if (!atomic_load(&sc->ds_rings.drg_isready))
		return 0;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		fired += dt_fired_on(sc, cpu);
		cangrow |= ring_grow_check(&sc->ds_rings.drg_rings, cpu);
	}
	if (!cangrow)
		return 0;
	if (fired != sc->ds_send.dsn_stallfired) {
		sc->ds_send.dsn_stallfired = fired;
		return 1;
	}
	dt_arm(sc, 1);
	return 0;
}

/* Bytes of the whole records of a block that the socket took in part. */
static size_t
dt_block_taken(const struct dt_softc *sc)
{
	const struct block_sender *ob = &sc->ds_send.dsn_block;
	const uint8_t *p = ob->bs_data;
	size_t taken = 0, off = 0, span;
	uint32_t len;

	if (ob->bs_sent > sizeof(ob->bs_hdr))
		taken = ob->bs_sent - sizeof(ob->bs_hdr);
	while (off < sc->ds_send.dsn_span.spn_nbytes) {
		memcpy(&len, p + off, sizeof(len));
		span = DT_RING_SPAN(len);
		if (off + span > taken)
			break;
		off += span;
	}
	return off;
}

static void
dt_ring_discard(struct dt_softc *sc, struct cpuring *r)
{
	uint64_t n[DT_NTALLY], nrec;
	unsigned long span;

	while (
	    (span = ring_scan(r, __atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE),
		 DT_BLOCK_MAX, &nrec)) != 0) {
		dt_tally_span(ring_head(r), span, n);
		dt_tally_add(sc->ds_counted.dcn_discarded, n, 1);
		r->cr_pos += span;
	}
}

void
dt_stream_discard(struct dt_softc *sc)
{
	struct cpuring *r;
	uint64_t n[DT_NTALLY];
	unsigned int cpu;

	if (!atomic_load(&sc->ds_rings.drg_isready))
		return;
	if (sc->ds_send.dsn_block.bs_busy &&
	    sc->ds_send.dsn_span.spn_ring != NULL) {
		dt_tally_span(sc->ds_send.dsn_block.bs_data, dt_block_taken(sc),
		    n);
		dt_tally_add(sc->ds_counted.dcn_read, n, 1);
		dt_tally_add(sc->ds_counted.dcn_discarded, n, -1);
	}
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		for (r = sc->ds_rings.drg_rings.ri_rings[cpu]; r != NULL;
		     r = atomic_load(&r->cr_next))
			dt_ring_discard(sc, r);
}
