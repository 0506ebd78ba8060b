/* SPDX-License-Identifier: ISC */
/*
 * The executable mappings of one address space, now and before: each has the
 * time it came, and those that have gone the time they went.  The kernel does
 * not tell of munmap(): a mapping stays until another takes its place.
 *
 * Processes share an image after a fork; who maps something of its own gets a
 * copy then.  All functions under the lock of proc_table.h; pure but for files.
 */
#ifndef DAEMON_PROCS_ADDR_SPACE_H
#define DAEMON_PROCS_ADDR_SPACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/procs/mapped_file.h"
#include "daemon/procs/mappings.h"

#define SYMIMAGE_MAPS 65536 /* mappings at a time, vm.max_map_count's default */
#define SYMIMAGE_GONE 4096  /* that have gone and are remembered */

struct symgone {
	struct symspot sg_spot;
	uint64_t sg_until; /* when it went */
};

struct symimage {
	unsigned int im_refs;
	int im_iswhole; /* known from its exec on, or by a snapshot */
	/* What it is a copy of, while that was not known: */
	struct symimage *im_base;
	uint64_t im_asof;
	uint64_t im_snapped; /* when the last snapshot of it was begun */
	uint64_t im_serial;
	uint64_t im_forgot; /* what went before is not all remembered */
	struct symspots im_spots;
	struct symgone *im_gone; /* by the time they went, in a circle */
	size_t im_gonehead, im_ngone, im_gonemax;
	size_t im_charged;	       /* bytes, as told in symimage_sum */
	LIST_ENTRY(symimage) im_entry; /* of all */
};

struct symimage_stat {
	uint64_t is_images, is_spots, is_bytes, is_dropped;
};
extern struct symimage_stat symimage_sum;

struct symimage *symimage_alloc(void);
struct symimage *symimage_share(struct symimage *);
void symimage_free(struct symimage *); /* one reference; NULL is fine */
/* A new image with what this one had at a time. */
struct symimage *symimage_copy(struct symimage *, uint64_t asof);
/*
 * The range is mapped from the file now; ends what was there.  Takes over one
 * count of symfile_map().  Without room it is dropped, and counted.
 */
void symimage_map(struct symimage *, const struct symspot *);
/*
 * All mappings as they were at nsecs, of a snapshot, sorted: what is not among
 * them and not newer has gone; what is new came at from.  Takes the files'
 * counts over.
 */
void symimage_snapshot(struct symimage *, const struct symspot *, size_t n,
    uint64_t nsecs, uint64_t from);
/* Copies what was not known when the image became a copy, if it is by now. */
void symimage_settle(struct symimage *);
/*
 * Calls fn for what was mapped at a time, and narrows [*from, *until) to when
 * it was so.
 */
void symimage_walk(const struct symimage *, uint64_t nsecs,
    void (*fn)(const struct symspot *, void *), void *arg, uint64_t *from,
    uint64_t *until);
/* Forgets what has gone. */
void symimage_trim(struct symimage *);
/* Forgets all of it, what has gone first: 0, there is nothing to forget. */
int symimage_drop(struct symimage *);
/* The image that takes the most memory, or NULL. */
struct symimage *symimage_largest(void);

#endif /* DAEMON_PROCS_ADDR_SPACE_H */
