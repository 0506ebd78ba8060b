/* SPDX-License-Identifier: ISC */
/*
 * The data socket and the iterator over its records.  Belongs to the one
 * thread that reads; there is no lock, but st_late is told to all.
 */
#ifndef LIB_STREAM_H
#define LIB_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/stream_blocks.h"

struct dt;
struct dt_event;
struct dt_order;

#define STREAM_EPOCHS 8 /* a clock that is set more often is forgotten */

/* The clock was set: its offset from a time on. */
struct dt_epoch {
	uint64_t ep_since; /* CLOCK_MONOTONIC, ns */
	int64_t ep_off;	   /* CLOCK_REALTIME - MONOTONIC, ns */
};

struct dt_stream {
	int st_fd;		    /* [I] data socket */
	int st_error;		    /* not 0: nothing can come any more */
	bool st_ended;		    /* END was read and is to be told */
	struct dt_blocks st_blocks; /* buffer made by the first read */
	uint8_t *st_nargs;	    /* by pbn, STREAM_UNKNOWN: ask */
	uint32_t st_nprobes;	    /* entries of st_nargs */
	struct dt_epoch st_epochs[STREAM_EPOCHS]; /* newest first */
	unsigned int st_nepochs;		  /* at least one */
	uint64_t st_secfrom;	   /* MONOTONIC, ns: what follows holds */
	uint64_t st_seclen;	   /* for so long */
	uint64_t st_secbase;	   /* when st_sec began */
	time_t st_sec;		   /* a second of CLOCK_REALTIME */
	struct dt_order *st_order; /* [I] DT_OPEN_ORDERED, else NULL */
	uint64_t st_lowwater;	   /* the last, if it is not for st_order */
	uint64_t st_late;	   /* atomic: see dt_late() */
};

void dt_stream_init(struct dt_stream *);
void dt_stream_free(struct dt_stream *);

/* Takes over the data socket, also when it fails. */
int dt_stream_open(struct dt *, int fd, int64_t clockoff, bool ordered);

/* dt_next(), without a call through the table of exported functions. */
int dt_stream_next(struct dt *, struct dt_event *, int timeout);

#endif /* LIB_STREAM_H */
