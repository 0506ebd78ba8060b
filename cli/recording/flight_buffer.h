/* SPDX-License-Identifier: ISC */
/*
 * The newest records, in memory of limited size, for the flight recorder
 * (flight_recorder.c).
 *
 * Copies of records follow each other in chunks, with the changes between them
 * that they need: of the clock and of the paths of descriptors.  The oldest
 * chunk is dropped when its records are older than requested, or when the memory
 * limit is reached.
 */
#ifndef CLI_RECORDING_FLIGHT_BUFFER_H
#define CLI_RECORDING_FLIGHT_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#define FLIGHT_BUFFER_CHUNK  (256 << 10) /* bytes of items */
#define FLIGHT_BUFFER_MINMEM (1 << 20)	 /* bytes: a few chunks */

enum flight_kind {
	FLIGHT_BUFFER_RECORD, /* a struct dt_rec */
	/* int64_t: CLOCK_REALTIME minus the time of a record */
	FLIGHT_BUFFER_CLOCK,
	FLIGHT_BUFFER_FILE, /* struct flight_fd, the path with its NUL */
};

/* Header of an item; the next item starts at a multiple of 8 after it. */
struct flight_item {
	uint32_t it_nbytes; /* this header and its content */
	uint16_t it_kind;   /* enum flight_kind */
	uint16_t it_cpu;    /* CPU of a record */
};

struct flight_fd {
	uint32_t ffd_pid;
	int32_t ffd_fd;
};

struct flight_chunk {
	struct flight_chunk *nc_next; /* younger chunk; or next free one */
	size_t nc_used;
	uint64_t nc_nrecs;
	uint64_t nc_time; /* time of its youngest record */
	int64_t nc_clock; /* clock at its first item */
	_Alignas(8) unsigned char nc_data[FLIGHT_BUFFER_CHUNK];
};

/* Callbacks of the user of the records. */
struct flight_ops {
	/*
	 * before a chunk is dropped: 1 if it may be, 0 if it is being read;
	 * with wait, it waits until it can return 1
	 */
	int (*no_leaves)(void *, const struct flight_chunk *, int wait);
	/* each item of a dropped chunk except clocks, in order */
	void (*no_dropped)(void *, const struct flight_item *);
};

/* c: constant after flight_buffer_init; r: may be read by the user. */
struct flight_buffer {
	uint64_t fb_memory;		 /* [cr] bytes */
	uint64_t fb_nsecs;		 /* [cr] time to keep */
	const struct flight_ops *fb_ops; /* [c] */
	void *fb_arg;			 /* [c] */
	struct flight_chunk *fb_old;	 /* oldest chunk, never NULL */
	struct flight_chunk *fb_new;	 /* chunk being filled */
	struct flight_chunk *fb_free;
	size_t fb_nchunks; /* including free ones */
	int64_t fb_clock;  /* clock of the youngest record */
	uint64_t fb_time;  /* [r] time of the youngest record */
	uint64_t fb_letgo; /* [r] records dropped with their chunks */
	uint64_t fb_full;  /* [r] time of the youngest record that was
			    * dropped only for lack of memory; 0: none */
};

/*
 * While chunks are being read, up to twice the memory is used.  Exits if memory
 * runs out.
 */
void flight_buffer_init(struct flight_buffer *, uint64_t memory, uint64_t nsecs,
    const struct flight_ops *, void *);
void flight_buffer_free(struct flight_buffer *);
void flight_buffer_record(struct flight_buffer *, const struct dt_event *);
void flight_buffer_file(struct flight_buffer *, uint32_t pid, int fd,
    const char *path);

/*
 * Iterates over the items present at its start.  Items may be added meanwhile,
 * also by another thread, as long as nr_chunk and younger chunks are not
 * dropped.
 */
struct flight_reader {
	const struct flight_chunk *nr_chunk; /* NULL at the end */
	size_t nr_pos;			     /* offset of the next item in
					      * nr_chunk */
	const struct flight_chunk *nr_last;
	size_t nr_lastused;
	int64_t nr_clock; /* clock of the last record */
};

void flight_buffer_read(const struct flight_buffer *, struct flight_reader *);
/*
 * Returns the next item other than a clock; NULL at the end of a chunk, with
 * the reader at the next chunk or at the end.
 */
const struct flight_item *flight_buffer_next(struct flight_reader *);

#endif /* CLI_RECORDING_FLIGHT_BUFFER_H */
