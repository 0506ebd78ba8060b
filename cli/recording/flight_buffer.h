/* SPDX-License-Identifier: ISC */
/*
 * The newest records, in memory of bounded size, for the flight recorder
 * (flight.c).
 *
 * Copies of records stand one behind the other in chunks, with the changes
 * between them that they need: of the clock, of what a descriptor means.  The
 * oldest chunk goes when all of it is older than wanted, or when the memory is
 * used up.
 */
#ifndef CLI_RECORDING_FLIGHT_BUFFER_H
#define CLI_RECORDING_FLIGHT_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#define NEWEST_CHUNK  (256 << 10) /* bytes of items */
#define NEWEST_MINMEM (1 << 20)	  /* bytes: some chunks */

enum newest_kind {
	NEWEST_RECORD, /* a struct dt_rec */
	NEWEST_CLOCK,  /* int64_t: CLOCK_REALTIME less the time of a record */
	NEWEST_FILE,   /* struct newest_fd, the path with its NUL */
};

/* What stands before an item; the next one is a multiple of 8 behind it. */
struct newest_item {
	uint32_t it_nbytes; /* this header, and its content */
	uint16_t it_kind;   /* enum newest_kind */
	uint16_t it_cpu;    /* of a record */
};

struct newest_fd {
	uint32_t nf_pid;
	int32_t nf_fd;
};

struct newest_chunk {
	struct newest_chunk *nc_next; /* younger; or free */
	size_t nc_used;
	uint64_t nc_nrecs;
	uint64_t nc_time; /* of its youngest record */
	int64_t nc_clock; /* at its first item */
	_Alignas(8) unsigned char nc_data[NEWEST_CHUNK];
};

/* What the user of the records has to say. */
struct newest_ops {
	/* before a chunk goes: 1 if it may, 0 if it is being read; with wait
	 * it returns 1 in the end */
	int (*no_leaves)(void *, const struct newest_chunk *, int wait);
	/* all of a chunk that goes but clocks, in its order */
	void (*no_gone)(void *, const struct newest_item *);
};

/* c: constant after newest_init; r: for everybody to read. */
struct newest {
	uint64_t nw_memory;		 /* [cr] bytes */
	uint64_t nw_nsecs;		 /* [cr] that are wanted */
	const struct newest_ops *nw_ops; /* [c] */
	void *nw_arg;			 /* [c] */
	struct newest_chunk *nw_old;	 /* the oldest, never NULL */
	struct newest_chunk *nw_new;	 /* the one being filled */
	struct newest_chunk *nw_free;
	size_t nw_nchunks; /* free ones as well */
	int64_t nw_clock;  /* of the youngest record */
	uint64_t nw_time;  /* [r] of the youngest record */
	uint64_t nw_letgo; /* [r] records that went with their chunks */
	uint64_t nw_full;  /* [r] time of the youngest that went only for
				  lack of memory; 0: none did */
};

/* While chunks are being read, there is up to twice the memory.  Memory that
 * lacks ends the process. */
void newest_init(struct newest *, uint64_t memory, uint64_t nsecs,
    const struct newest_ops *, void *);
void newest_free(struct newest *);
void newest_record(struct newest *, const struct dt_event *);
void newest_file(struct newest *, uint32_t pid, int fd, const char *path);

/*
 * A way through all that there is at the moment; what comes later is not on
 * it, and may come meanwhile, also in another thread, as long as nr_chunk and
 * what is younger does not go.
 */
struct newest_reader {
	const struct newest_chunk *nr_chunk; /* NULL at the end */
	size_t nr_pos;			     /* in it: the next item */
	const struct newest_chunk *nr_last;
	size_t nr_lastused;
	int64_t nr_clock; /* of the record that came last */
};

void newest_read(const struct newest *, struct newest_reader *);
/* The next item that is no clock; NULL when a chunk is through, and the
 * reader at the next one, or at the end. */
const struct newest_item *newest_next(struct newest_reader *);

#endif /* CLI_RECORDING_FLIGHT_BUFFER_H */
