/* SPDX-License-Identifier: ISC */
/* The stream of a session, which the data thread sends. */
#ifndef DAEMON_DT_DT_STREAM_H
#define DAEMON_DT_DT_STREAM_H

#include <stdint.h>

#include <dt/evt.h>

#include "daemon/device/block_sender.h"
#include "wire/wire.h"

struct cpuring;
struct dt_softc;
struct stream;

/* The client's request for low water (DTIOCPASS). */
enum dt_passreq {
	DT_PASSREQ_NONE, /* no request, or its PASS was sent */
	DT_PASSREQ_NEW,	 /* the data thread takes it at its next pass */
	DT_PASSREQ_DUE,	 /* passes continue until its PASS is sent */
};

/* The part of a ring that is in the block being sent. */
struct dt_span {
	struct cpuring *spn_ring; /* the ring; NULL: none */
	unsigned long spn_nbytes; /* bytes of the ring in the block */
	uint64_t spn_nrec;
};

/* State of sending. Only the data thread may touch it. */
struct dt_sending {
	int dsn_ordered; /* [I] it wants low water */
	int dsn_batched; /* [I] events may be late */
	struct block_sender dsn_block;
	struct dt_span dsn_span;	/* part of a ring in that block */
	unsigned int dsn_lastcpu;	/* CPU served last */
	unsigned int dsn_clockgen;	/* generation of dsn_clockoff */
	int64_t dsn_clockoff;		/* payload of a CLOCK block */
	struct dt_ledger dsn_end;	/* payload of an END block */
	char dsn_endnote[WIRE_MAXNOTE]; /* payload of a NOTE block */
	unsigned int dsn_noted;		/* ds_runs when the note was sent */
	int dsn_behind;			/* rings have more than was sent */
	uint64_t dsn_oldest;		/* oldest record then, ns; 0: unknown */
	int dsn_passdue;		/* low water is older than the data */
	uint64_t dsn_lastdata;		/* time data was last found, ns */
	uint64_t dsn_reqtime;		/* of the request for PASS, ns; or 0 */
	uint64_t dsn_passed;		/* low water sent last */
	uint64_t dsn_awake;		/* records since the thread slept */
	uint64_t dsn_stallfired;	/* hits when the client last stalled */
	int dsn_armed;			/* ses_armed was set, not yet cleared */
	unsigned int dsn_wakes;		/* wake-ups in this millisecond */
	uint64_t dsn_wakesince;		/* start of this millisecond, ns */
	long dsn_pause;			/* after the last pass of a batch, ns */
};

enum stream_state dt_stream(void *, struct stream *);
int dt_stalled(void *);
/*
 * Counts what is left in the rings as dropped. Only after the stream has ended.
 */
void dt_stream_discard(struct dt_softc *);

#endif /* DAEMON_DT_DT_STREAM_H */
