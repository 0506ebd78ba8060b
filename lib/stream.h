/* SPDX-License-Identifier: ISC */
/*
 * The data socket and the iterator over its records.  Used only by the one
 * reading thread, so there is no lock; stm_late may be read by any thread.
 */
#ifndef LIB_STREAM_H
#define LIB_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/ahead.h"
#include "lib/stream_blocks.h"

struct dt;
struct dt_event;
struct dt_order;

/*
 * Probe numbers.  Functions of programs have numbers from the middle on, so a
 * table from 0 would have megabytes.
 */
#define STREAM_MAXPBN (1U << 24)
#define STREAM_PART   (1U << 14)
#define STREAM_NPARTS (STREAM_MAXPBN / STREAM_PART)

#define STREAM_EPOCHS 8 /* earlier settings of the clock are forgotten */

/* Clock offset from a time on. */
struct dt_epoch {
	uint64_t ep_since; /* CLOCK_MONOTONIC, ns */
	int64_t ep_off;	   /* CLOCK_REALTIME - MONOTONIC, ns */
};

struct dt_stream {
	int stm_fd;		     /* [I] data socket */
	int stm_error;		     /* not 0: the stream has ended */
	bool stm_ended;		     /* END was read but not yet returned */
	struct dt_ahead stm_ahead;   /* bytes for stm_blocks */
	struct dt_blocks stm_blocks; /* buffer from the first read on */
	/* by probe number, or STREAM_UNKNOWN; a part is NULL until it is used */
	uint8_t *stm_nargs[STREAM_NPARTS];
	struct dt_epoch stm_epochs[STREAM_EPOCHS]; /* newest first */
	unsigned int stm_nepochs;		   /* at least one */
	uint64_t stm_secfrom; /* MONOTONIC, ns: stm_sec is valid from here */
	uint64_t stm_seclen;  /* for this time, ns */
	uint64_t stm_secbase; /* MONOTONIC, ns: begin of stm_sec */
	time_t stm_sec;	      /* a second of CLOCK_REALTIME */
	struct dt_order *stm_order; /* [I] with DT_OPEN_ORDERED, else NULL */
	uint64_t stm_lowwater;	/* the last low water, unless for stm_order */
	uint64_t stm_passed;	/* the last low water of stm_order */
	uint64_t stm_requested; /* time of the last request for low water */
	uint64_t stm_late;	/* atomic: late records, see dt_late() */
};

void dt_stream_init(struct dt_stream *);
void dt_stream_free(struct dt_stream *);

/* Takes over the data socket, even on failure. */
int dt_stream_open(struct dt *, int fd, int64_t clockoff, bool ordered);

/* dt_next(), without a call through the procedure linkage table. */
int dt_stream_next(struct dt *, struct dt_event *, int timeout);

#endif /* LIB_STREAM_H */
