/* SPDX-License-Identifier: ISC */
/*
 * Moves samples from the rings to the reader, on the data thread.  A few times
 * a second the content of each CPU's ring becomes a buffer at the end of a
 * list, from which the reader's socket is fed.  A slow reader fills the list
 * and then loses buffers; a ring overflows only if more arrives at once than it
 * holds.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include <dt/evt.h>
#include "daemon/device/stream.h"
#include "daemon/tprof/tprof_softc.h"

pthread_mutex_t tprof_mtx = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t tprof_cv = PTHREAD_COND_INITIALIZER;

/*
 * Copies the samples of nbytes of a ring, without its headers.  NULL: out of
 * memory.
 */
static struct tprof_buf *
buf_make(const struct cpuring *r, size_t size, unsigned long nbytes,
    uint64_t nrec)
{
	struct tprof_buf *b;
	const uint8_t *p = r->cr_data + (r->cr_pos & (size - 1));
	const uint8_t *end = p + nbytes;
	uint32_t len;

	b = malloc(sizeof(*b) + nrec * sizeof(b->b_data[0]));
	if (b == NULL)
		return NULL;
	b->b_used = 0;
	for (; p < end; p += DT_RING_SPAN(len)) {
		memcpy(&len, p, sizeof(len));
		if ((len & DT_RING_DISCARD) == 0)
			memcpy(&b->b_data[b->b_used++],
			    p + sizeof(struct dt_ringhdr),
			    sizeof(b->b_data[0]));
	}
	return b;
}

/* Adds the nrec samples of a CPU, under tprof_mtx. */
static void
buf_put(struct tprof_softc *sc, unsigned int cpu, unsigned long nbytes,
    uint64_t nrec)
{
	struct tprof_stat *st = &sc->tps_stat;
	struct tprof_buf *b = NULL;

	if (sc->tps_nbuf < TPROF_MAX_BUF)
		b = buf_make(sc->tps_rings.ri_rings[cpu], sc->tps_rings.ri_size,
		    nbytes, nrec);
	if (b == NULL) {
		st->ts_dropbuf++;
		st->ts_dropbuf_sample += nrec;
		return;
	}
	b->b_cpu = cpu;
	b->b_time = clock_monotonic();
	STAILQ_INSERT_TAIL(&sc->tps_list, b, b_list);
	sc->tps_nbuf++;
	st->ts_buf++;
	st->ts_sample += b->b_used;
}

static void
handover_cpu(struct tprof_softc *sc, unsigned int cpu, int due, int all)
{
	struct cpuring *r = sc->tps_rings.ri_rings[cpu];
	struct tprof_count *c = tprof_count(cpu);
	unsigned long prod, nbytes;
	uint64_t nrec, overflow;

	__atomic_store_n(&c->tc_woke, 0, __ATOMIC_SEQ_CST);
	overflow = __atomic_load_n(&c->tc_overflow, __ATOMIC_ACQUIRE);
	prod = __atomic_load_n(r->cr_prod, __ATOMIC_ACQUIRE);
	if (!due && !all && prod - r->cr_pos < sc->tps_rings.ri_size / 2)
		return;
	/* the BSD original does not count those of a dropped buffer */
	sc->tps_stat.ts_overflow += overflow - sc->tps_overflow[cpu];
	sc->tps_overflow[cpu] = overflow;
	nbytes = ring_scan(r, prod, r->cr_size, &nrec);
	if (nrec != 0)
		buf_put(sc, cpu, nbytes, nrec);
	else
		sc->tps_stat.ts_emptybuf++;
	r->cr_pos += nbytes;
	__atomic_store_n(r->cr_cons, r->cr_pos, __ATOMIC_RELEASE);
}

/*
 * Empties the rings of all CPUs.  At the end of a run no program runs any more.
 */
static void
handover(struct tprof_softc *sc)
{
	int due = atomic_exchange(&sc->tps_due, 0);
	unsigned int cpu;

	pthread_mutex_lock(&tprof_mtx);
	for (cpu = 0; cpu < tprof_ncpu; cpu++)
		handover_cpu(sc, cpu, due, sc->tps_stoprun != 0);
	if (sc->tps_stoprun != 0) {
		sc->tps_endrun = sc->tps_stoprun;
		sc->tps_stoprun = 0;
		pthread_cond_broadcast(&tprof_cv);
	}
	pthread_mutex_unlock(&tprof_mtx);
}

/* Releases a block that has been sent. */
static void
sent(struct tprof_softc *sc)
{
	struct tprof_buf *b = sc->tps_sending;

	sc->tps_sending = NULL;
	if (b == NULL)
		return;
	pthread_mutex_lock(&tprof_mtx);
	sc->tps_read += b->b_used;
	pthread_mutex_unlock(&tprof_mtx);
	free(b);
}

/* Prepares the reason of a stop by the daemon, after all samples are sent. */
static int
next_note(struct tprof_softc *sc)
{
	int r;

	pthread_mutex_lock(&tprof_mtx);
	r = sc->tps_note[0] != '\0' &&
	    (!sc->tps_noteend || sc->tps_endrun != 0);
	if (r) {
		memcpy(sc->tps_sentnote, sc->tps_note,
		    sizeof(sc->tps_sentnote));
		sc->tps_note[0] = '\0';
	}
	pthread_mutex_unlock(&tprof_mtx);
	if (r)
		block_sender_set(&sc->tps_block, WIRE_BLOCK_NOTE, 0,
		    sc->tps_sentnote, sizeof(sc->tps_sentnote), 0);
	return r;
}

static int
next_end(struct tprof_softc *sc)
{
	pthread_mutex_lock(&tprof_mtx);
	sc->tps_end.we_run = sc->tps_endrun;
	sc->tps_endrun = 0;
	pthread_mutex_unlock(&tprof_mtx);
	if (sc->tps_end.we_run == 0)
		return 0;
	block_sender_set(&sc->tps_block, WIRE_BLOCK_END, 0, &sc->tps_end,
	    sizeof(sc->tps_end), 0);
	return 1;
}

/*
 * Prepares the next block: the oldest buffer, and the end after all of them.
 * 0: none.
 */
static int
next_block(struct tprof_softc *sc)
{
	struct tprof_buf *b = STAILQ_FIRST(&sc->tps_list);

	if (b == NULL)
		return next_note(sc) || next_end(sc);
	STAILQ_REMOVE_HEAD(&sc->tps_list, b_list);
	sc->tps_nbuf--;
	sc->tps_sending = b;
	block_sender_set(&sc->tps_block, WIRE_BLOCK_DATA, b->b_cpu, b->b_data,
	    b->b_used * sizeof(b->b_data[0]), b->b_time);
	return 1;
}

enum stream_state
tprof_stream(void *arg, struct stream *st)
{
	struct tprof_softc *sc = arg;
	int n;

	if (atomic_load(&sc->tps_hasrings))
		handover(sc);
	do {
		if (!sc->tps_block.bs_busy)
			continue;
		if ((n = block_sender_send(&sc->tps_block, st)) != 1)
			return n == 0 ? STREAM_FULL : STREAM_IDLE;
		sent(sc);
	} while (next_block(sc));
	return STREAM_IDLE;
}

int
tprof_stalled(void *arg)
{
	struct tprof_softc *sc = arg;

	if (atomic_load(&sc->tps_hasrings))
		handover(sc);
	return 0;
}

void
tprof_clear(void)
{
	struct tprof_softc *sc = &tprof_softc;
	struct tprof_buf *b;

	while ((b = STAILQ_FIRST(&sc->tps_list)) != NULL) {
		STAILQ_REMOVE_HEAD(&sc->tps_list, b_list);
		free(b);
	}
	free(sc->tps_sending);
	sc->tps_sending = NULL;
	sc->tps_nbuf = 0;
	sc->tps_endrun = 0;
	sc->tps_note[0] = '\0';
	memset(&sc->tps_block, 0, sizeof(sc->tps_block));
	/*
	 * and the counts in sums, in the same step: a query must not count the
	 * same samples again
	 */
	pthread_mutex_lock(&tprof_mtx);
	memset(&sc->tps_stat, 0, sizeof(sc->tps_stat));
	sc->tps_read = 0;
	memset(sc->tps_summed, 0, sizeof(sc->tps_summed));
	pthread_mutex_unlock(&tprof_mtx);
}
