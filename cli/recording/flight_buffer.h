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

#define FLIGHT_BUFFER_CHUNK  (256 << 10) /* bytes of items */
#define FLIGHT_BUFFER_MINMEM (1 << 20)	 /* bytes: some chunks */

enum flight_kind {
	FLIGHT_BUFFER_RECORD, /* a struct dt_rec */
	/* int64_t: CLOCK_REALTIME less the time of a record */
	FLIGHT_BUFFER_CLOCK,
	FLIGHT_BUFFER_FILE, /* struct flight_fd, the path with its NUL */
};

/* What stands before an item; the next one is a multiple of 8 behind it. */
struct flight_item {
	uint32_t it_nbytes; /* this header, and its content */
	uint16_t it_kind;   /* enum flight_kind */
	uint16_t it_cpu;    /* of a record */
};

struct flight_fd {
	uint32_t ffd_pid;
	int32_t ffd_fd;
};

struct flight_chunk {
	struct flight_chunk *nc_next; /* younger; or free */
	size_t nc_used;
	uint64_t nc_nrecs;
	uint64_t nc_time; /* of its youngest record */
	int64_t nc_clock; /* at its first item */
	_Alignas(8) unsigned char nc_data[FLIGHT_BUFFER_CHUNK];
};

/* What the user of the records has to say. */
struct flight_ops {
	/* before a chunk goes: 1 if it may, 0 if it is being read; with wait
	 * it returns 1 in the end */
	int (*no_leaves)(void *, const struct flight_chunk *, int wait);
	/* all of a chunk that goes but clocks, in its order */
	void (*no_gone)(void *, const struct flight_item *);
};

/* c: constant after flight_buffer_init; r: for everybody to read. */
struct flight_buffer {
	uint64_t fb_memory;		 /* [cr] bytes */
	uint64_t fb_nsecs;		 /* [cr] that are wanted */
	const struct flight_ops *fb_ops; /* [c] */
	void *fb_arg;			 /* [c] */
	struct flight_chunk *fb_old;	 /* the oldest, never NULL */
	struct flight_chunk *fb_new;	 /* the one being filled */
	struct flight_chunk *fb_free;
	size_t fb_nchunks; /* free ones as well */
	int64_t fb_clock;  /* of the youngest record */
	uint64_t fb_time;  /* [r] of the youngest record */
	uint64_t fb_letgo; /* [r] records that went with their chunks */
	uint64_t fb_full;  /* [r] time of the youngest that went only for
				  lack of memory; 0: none did */
};

/* While chunks are being read, there is up to twice the memory.  Memory that
 * lacks ends the process. */
void flight_buffer_init(struct flight_buffer *, uint64_t memory, uint64_t nsecs,
    const struct flight_ops *, void *);
void flight_buffer_free(struct flight_buffer *);
void flight_buffer_record(struct flight_buffer *, const struct dt_event *);
void flight_buffer_file(struct flight_buffer *, uint32_t pid, int fd,
    const char *path);

/*
 * A way through all that there is at the moment; what comes later is not on
 * it, and may come meanwhile, also in another thread, as long as nr_chunk and
 * what is younger does not go.
 */
struct flight_reader {
	const struct flight_chunk *nr_chunk; /* NULL at the end */
	size_t nr_pos;			     /* in it: the next item */
	const struct flight_chunk *nr_last;
	size_t nr_lastused;
	int64_t nr_clock; /* of the record that came last */
};

void flight_buffer_read(const struct flight_buffer *, struct flight_reader *);
/* The next item that is no clock; NULL when a chunk is through, and the
 * reader at the next one, or at the end. */
const struct flight_item *flight_buffer_next(struct flight_reader *);

#endif /* CLI_RECORDING_FLIGHT_BUFFER_H */
