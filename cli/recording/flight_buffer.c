/* SPDX-License-Identifier: ISC */
/*
 * The chunks of flight_buffer.h.  Nothing is allocated for a record, and a
 * chunk that went is the next one to be filled.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/flight_buffer.h"

#define NEWEST_MAXPATH 4095 /* as in a recording */

_Static_assert(sizeof(struct newest_item) == 8, "alignment of items");
_Static_assert(2 * (sizeof(struct newest_item) + UINT16_MAX) < NEWEST_CHUNK,
    "a chunk has room for any record");

static const struct newest_item *
newest_at(const struct newest_chunk *nc, size_t pos)
{
	return (const struct newest_item *)(nc->nc_data + pos);
}

static size_t
newest_span(const struct newest_item *it)
{
	return (it->it_nbytes + 7) & ~(size_t)7;
}

/* How many chunks there may be. */
static size_t
newest_most(const struct newest *nw)
{
	size_t n = nw->nw_memory / sizeof(struct newest_chunk);

	return n < 2 ? 2 : n;
}

/* Lets the oldest chunk go, as it may.  There is a younger one. */
static void
newest_drop(struct newest *nw)
{
	struct newest_chunk *nc = nw->nw_old;
	const struct newest_item *it;
	size_t pos;

	for (pos = 0; pos < nc->nc_used; pos += newest_span(it)) {
		it = newest_at(nc, pos);
		if (it->it_kind != NEWEST_CLOCK)
			nw->nw_ops->no_gone(nw->nw_arg, it);
	}
	nw->nw_letgo += nc->nc_nrecs;
	nw->nw_old = nc->nc_next;
	if (nw->nw_nchunks > newest_most(nw)) {
		nw->nw_nchunks--;
		free(nc);
		return;
	}
	nc->nc_next = nw->nw_free;
	nw->nw_free = nc;
}

/* A chunk more, unless there are that many. */
static void
newest_grow(struct newest *nw, size_t most)
{
	struct newest_chunk *nc;

	if (nw->nw_nchunks >= most || (nc = malloc(sizeof(*nc))) == NULL)
		return;
	nw->nw_nchunks++;
	nc->nc_next = nw->nw_free;
	nw->nw_free = nc;
}

/* The oldest goes for lack of memory; if it is being read, we take more. */
static void
newest_squeeze(struct newest *nw)
{
	if (nw->nw_old == nw->nw_new)
		err(1, "memory for the newest events");
	if (!nw->nw_ops->no_leaves(nw->nw_arg, nw->nw_old, 0)) {
		newest_grow(nw, 2 * newest_most(nw));
		if (nw->nw_free != NULL)
			return;
		nw->nw_ops->no_leaves(nw->nw_arg, nw->nw_old, 1);
	}
	if (nw->nw_old->nc_time > nw->nw_full)
		nw->nw_full = nw->nw_old->nc_time;
	newest_drop(nw);
}

/* An empty chunk: one that is free, or a new one, or else the oldest. */
static struct newest_chunk *
newest_chunk(struct newest *nw)
{
	struct newest_chunk *nc;

	if (nw->nw_free == NULL)
		newest_grow(nw, newest_most(nw));
	while (nw->nw_free == NULL)
		newest_squeeze(nw);
	nc = nw->nw_free;
	nw->nw_free = nc->nc_next;
	memset(nc, 0, offsetof(struct newest_chunk, nc_data));
	return nc;
}

/* The next chunk is to be filled; what has become too old goes. */
static void
newest_turn(struct newest *nw)
{
	struct newest_chunk *nc;

	while (nw->nw_old != nw->nw_new &&
	    nw->nw_old->nc_time + nw->nw_nsecs < nw->nw_time &&
	    nw->nw_ops->no_leaves(nw->nw_arg, nw->nw_old, 0))
		newest_drop(nw);
	nc = newest_chunk(nw);
	nc->nc_clock = nw->nw_clock;
	nw->nw_new->nc_next = nc;
	nw->nw_new = nc;
}

/* Adds an item; returns where its content goes. */
static void *
newest_add(struct newest *nw, enum newest_kind kind, unsigned int cpu,
    size_t nbytes)
{
	struct newest_item it = {
		.it_nbytes = sizeof(it) + nbytes,
		.it_kind = kind,
		.it_cpu = cpu,
	};
	unsigned char *p;

	if (nw->nw_new->nc_used + newest_span(&it) > NEWEST_CHUNK)
		newest_turn(nw);
	p = nw->nw_new->nc_data + nw->nw_new->nc_used;
	nw->nw_new->nc_used += newest_span(&it);
	memcpy(p, &it, sizeof(it));
	return p + sizeof(it);
}

void
newest_record(struct newest *nw, const struct dt_event *ev)
{
	const struct dt_rec *rec = ev->ev_rec;
	int64_t clock = ev->ev_realtime.tv_sec * INT64_C(1000000000) +
	    ev->ev_realtime.tv_nsec - (int64_t)rec->dr_time;

	if (clock != nw->nw_clock) {
		memcpy(newest_add(nw, NEWEST_CLOCK, 0, sizeof(clock)), &clock,
		    sizeof(clock));
		nw->nw_clock = clock;
	}
	memcpy(newest_add(nw, NEWEST_RECORD, ev->ev_cpu, rec->dr_length), rec,
	    rec->dr_length);
	nw->nw_new->nc_nrecs++;
	if (rec->dr_time > nw->nw_new->nc_time)
		nw->nw_new->nc_time = rec->dr_time;
	if (rec->dr_time > nw->nw_time)
		nw->nw_time = rec->dr_time;
}

void
newest_file(struct newest *nw, uint32_t pid, int fd, const char *path)
{
	size_t len = strnlen(path, NEWEST_MAXPATH);
	struct newest_fd *nf;
	char *s;

	nf = newest_add(nw, NEWEST_FILE, 0, sizeof(*nf) + len + 1);
	nf->nf_pid = pid;
	nf->nf_fd = fd;
	s = (char *)(nf + 1);
	memcpy(s, path, len);
	s[len] = '\0';
}

void
newest_init(struct newest *nw, uint64_t memory, uint64_t nsecs,
    const struct newest_ops *ops, void *arg)
{
	memset(nw, 0, sizeof(*nw));
	nw->nw_memory = memory;
	nw->nw_nsecs = nsecs;
	nw->nw_ops = ops;
	nw->nw_arg = arg;
	nw->nw_old = nw->nw_new = newest_chunk(nw);
}

static void
newest_free_chunks(struct newest_chunk *nc)
{
	struct newest_chunk *next;

	for (; nc != NULL; nc = next) {
		next = nc->nc_next;
		free(nc);
	}
}

void
newest_free(struct newest *nw)
{
	newest_free_chunks(nw->nw_old);
	newest_free_chunks(nw->nw_free);
}

/*
 * Reading
 */

void
newest_read(const struct newest *nw, struct newest_reader *nr)
{
	nr->nr_chunk = nw->nw_old;
	nr->nr_pos = 0;
	nr->nr_last = nw->nw_new;
	nr->nr_lastused = nw->nw_new->nc_used;
	nr->nr_clock = nw->nw_old->nc_clock;
}

const struct newest_item *
newest_next(struct newest_reader *nr)
{
	const struct newest_chunk *nc = nr->nr_chunk;
	size_t end = nc == nr->nr_last ? nr->nr_lastused : nc->nc_used;
	const struct newest_item *it;

	while (nr->nr_pos < end) {
		it = newest_at(nc, nr->nr_pos);
		nr->nr_pos += newest_span(it);
		if (it->it_kind != NEWEST_CLOCK)
			return it;
		memcpy(&nr->nr_clock, it + 1, sizeof(nr->nr_clock));
	}
	nr->nr_chunk = nc == nr->nr_last ? NULL : nc->nc_next;
	nr->nr_pos = 0;
	return NULL;
}
