/* SPDX-License-Identifier: ISC */
/*
 * Manages the chunks of flight_buffer.h.  No memory is allocated per record,
 * and a dropped chunk is the next one to be filled.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/flight_buffer.h"

#define FLIGHT_BUFFER_MAXPATH 4095 /* as in a recording */

_Static_assert(sizeof(struct flight_item) == 8, "alignment of items");
_Static_assert(2 * (sizeof(struct flight_item) + UINT16_MAX) <
	FLIGHT_BUFFER_CHUNK,
    "a chunk can hold any record");

static const struct flight_item *
flight_buffer_at(const struct flight_chunk *nc, size_t pos)
{
	return (const struct flight_item *)(nc->nc_data + pos);
}

static size_t
flight_buffer_span(const struct flight_item *it)
{
	return (it->it_nbytes + 7) & ~(size_t)7;
}

/* Returns the maximum number of chunks. */
static size_t
flight_buffer_most(const struct flight_buffer *nw)
{
	size_t n = nw->fb_memory / sizeof(struct flight_chunk);

	return n < 2 ? 2 : n;
}

/* Drops the oldest chunk, which must be droppable and not the only one. */
static void
flight_buffer_drop(struct flight_buffer *nw)
{
	struct flight_chunk *nc = nw->fb_old;
	const struct flight_item *it;
	size_t pos;

	for (pos = 0; pos < nc->nc_used; pos += flight_buffer_span(it)) {
		it = flight_buffer_at(nc, pos);
		if (it->it_kind != FLIGHT_BUFFER_CLOCK)
			nw->fb_ops->no_dropped(nw->fb_arg, it);
	}
	nw->fb_letgo += nc->nc_nrecs;
	nw->fb_old = nc->nc_next;
	if (nw->fb_nchunks > flight_buffer_most(nw)) {
		nw->fb_nchunks--;
		free(nc);
		return;
	}
	nc->nc_next = nw->fb_free;
	nw->fb_free = nc;
}

/* Adds a chunk, unless the maximum is reached. */
static void
flight_buffer_grow(struct flight_buffer *nw, size_t most)
{
	struct flight_chunk *nc;

	if (nw->fb_nchunks >= most || (nc = malloc(sizeof(*nc))) == NULL)
		return;
	nw->fb_nchunks++;
	nc->nc_next = nw->fb_free;
	nw->fb_free = nc;
}

/* Drops the oldest chunk for lack of memory; if it is being read, adds one. */
static void
flight_buffer_squeeze(struct flight_buffer *nw)
{
	if (nw->fb_old == nw->fb_new)
		err(1, "memory for the newest events");
	if (!nw->fb_ops->no_leaves(nw->fb_arg, nw->fb_old, 0)) {
		flight_buffer_grow(nw, 2 * flight_buffer_most(nw));
		if (nw->fb_free != NULL)
			return;
		nw->fb_ops->no_leaves(nw->fb_arg, nw->fb_old, 1);
	}
	if (nw->fb_old->nc_time > nw->fb_full)
		nw->fb_full = nw->fb_old->nc_time;
	flight_buffer_drop(nw);
}

/* Returns an empty chunk: a free one, a new one, or else the oldest. */
static struct flight_chunk *
flight_buffer_chunk(struct flight_buffer *nw)
{
	struct flight_chunk *nc;

	if (nw->fb_free == NULL)
		flight_buffer_grow(nw, flight_buffer_most(nw));
	while (nw->fb_free == NULL)
		flight_buffer_squeeze(nw);
	nc = nw->fb_free;
	nw->fb_free = nc->nc_next;
	memset(nc, 0, offsetof(struct flight_chunk, nc_data));
	return nc;
}

/* Starts the next chunk; drops chunks that are too old. */
static void
flight_buffer_turn(struct flight_buffer *nw)
{
	struct flight_chunk *nc;

	while (nw->fb_old != nw->fb_new &&
	    nw->fb_old->nc_time + nw->fb_nsecs < nw->fb_time &&
	    nw->fb_ops->no_leaves(nw->fb_arg, nw->fb_old, 0))
		flight_buffer_drop(nw);
	nc = flight_buffer_chunk(nw);
	nc->nc_clock = nw->fb_clock;
	nw->fb_new->nc_next = nc;
	nw->fb_new = nc;
}

/* Adds an item; returns the address of its content. */
static void *
flight_buffer_add(struct flight_buffer *nw, enum flight_kind kind,
    unsigned int cpu, size_t nbytes)
{
	struct flight_item it = {
		.it_nbytes = sizeof(it) + nbytes,
		.it_kind = kind,
		.it_cpu = cpu,
	};
	unsigned char *p;

	if (nw->fb_new->nc_used + flight_buffer_span(&it) > FLIGHT_BUFFER_CHUNK)
		flight_buffer_turn(nw);
	p = nw->fb_new->nc_data + nw->fb_new->nc_used;
	nw->fb_new->nc_used += flight_buffer_span(&it);
	memcpy(p, &it, sizeof(it));
	return p + sizeof(it);
}

void
flight_buffer_record(struct flight_buffer *nw, const struct dt_event *ev)
{
	const struct dt_rec *rec = ev->ev_rec;
	int64_t clock = ev->ev_realtime.tv_sec * INT64_C(1000000000) +
	    ev->ev_realtime.tv_nsec - (int64_t)rec->dr_time;

	if (clock != nw->fb_clock) {
		memcpy(flight_buffer_add(nw, FLIGHT_BUFFER_CLOCK, 0,
			   sizeof(clock)),
		    &clock, sizeof(clock));
		nw->fb_clock = clock;
	}
	memcpy(flight_buffer_add(nw, FLIGHT_BUFFER_RECORD, ev->ev_cpu,
		   rec->dr_length),
	    rec, rec->dr_length);
	nw->fb_new->nc_nrecs++;
	if (rec->dr_time > nw->fb_new->nc_time)
		nw->fb_new->nc_time = rec->dr_time;
	if (rec->dr_time > nw->fb_time)
		nw->fb_time = rec->dr_time;
}

void
flight_buffer_file(struct flight_buffer *nw, uint32_t pid, int fd,
    const char *path)
{
	size_t len = strnlen(path, FLIGHT_BUFFER_MAXPATH);
	struct flight_fd *nf;
	char *s;

	nf = flight_buffer_add(nw, FLIGHT_BUFFER_FILE, 0,
	    sizeof(*nf) + len + 1);
	nf->ffd_pid = pid;
	nf->ffd_fd = fd;
	s = (char *)(nf + 1);
	memcpy(s, path, len);
	s[len] = '\0';
}

void
flight_buffer_init(struct flight_buffer *nw, uint64_t memory, uint64_t nsecs,
    const struct flight_ops *ops, void *arg)
{
	memset(nw, 0, sizeof(*nw));
	nw->fb_memory = memory;
	nw->fb_nsecs = nsecs;
	nw->fb_ops = ops;
	nw->fb_arg = arg;
	nw->fb_old = nw->fb_new = flight_buffer_chunk(nw);
}

static void
flight_buffer_free_chunks(struct flight_chunk *nc)
{
	struct flight_chunk *next;

	for (; nc != NULL; nc = next) {
		next = nc->nc_next;
		free(nc);
	}
}

void
flight_buffer_free(struct flight_buffer *nw)
{
	flight_buffer_free_chunks(nw->fb_old);
	flight_buffer_free_chunks(nw->fb_free);
}

/*
 * Reading
 */

void
flight_buffer_read(const struct flight_buffer *nw, struct flight_reader *nr)
{
	nr->nr_chunk = nw->fb_old;
	nr->nr_pos = 0;
	nr->nr_last = nw->fb_new;
	nr->nr_lastused = nw->fb_new->nc_used;
	nr->nr_clock = nw->fb_old->nc_clock;
}

const struct flight_item *
flight_buffer_next(struct flight_reader *nr)
{
	const struct flight_chunk *nc = nr->nr_chunk;
	size_t end = nc == nr->nr_last ? nr->nr_lastused : nc->nc_used;
	const struct flight_item *it;

	while (nr->nr_pos < end) {
		it = flight_buffer_at(nc, nr->nr_pos);
		nr->nr_pos += flight_buffer_span(it);
		if (it->it_kind != FLIGHT_BUFFER_CLOCK)
			return it;
		memcpy(&nr->nr_clock, it + 1, sizeof(nr->nr_clock));
	}
	nr->nr_chunk = nc == nr->nr_last ? NULL : nc->nc_next;
	nr->nr_pos = 0;
	return NULL;
}
