/* SPDX-License-Identifier: ISC */
/*
 * Sorts the items that block_read.c reads, with lib/order.c, which sorts live
 * events, too.  Memory is limited as in order.h, plus a limit for each kind of
 * name; a file beyond these is invalid.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/replay.h"
#include "lib/order.h"

#define REPLAY_MAXCLOCKS 64
#define REPLAY_MAXFILES	 (1U << 20) /* bytes of paths before a record */

/* No valid recording has more; the reader keeps them all. */
#define REPLAY_MAXPROBES  (1U << 16)
#define REPLAY_MAXKSYMS	  (1U << 20)
#define REPLAY_MAXCGROUPS (1U << 16)
#define REPLAY_MAXMAPS	  (1U << 22)
#define REPLAY_MAXUSYMS	  (1U << 22)
#define REPLAY_MAXPLACES  (1U << 20)

/*
 * kpt_tag of a descriptor's path; for a record, it is the index of its clock.
 */
#define REPLAY_ISFILE UINT32_MAX

struct replay;

/*
 * Handles an item.  Returns 1: it was filled and is to be returned, 0:
 * continue.
 */
typedef int replay_fn(struct replay *, struct block_item *);

struct replay {
	struct block_reader *rp_reader;
	struct dt_order *rp_order;
	const char *(*rp_check)(void *, const struct dt_rec *);
	void *rp_checkarg;
	replay_fn *rp_again; /* waits until all due items were returned */
	int rp_isfull;	     /* rp_order was full, and nothing was due */
	int rp_isended;	     /* rp_end is the result of block_next(), or -1 */
	int rp_end;
	const char *rp_bad; /* error outside of the block format */
	int64_t rp_clocks[REPLAY_MAXCLOCKS];
	uint32_t rp_nclocks;
	uint32_t rp_clock; /* index of the current clock */
	int64_t rp_newclock;
	const struct dt_rec *rp_rec; /* record to be added to rp_order */
	uint32_t rp_cpu;
	unsigned char *rp_files; /* paths that precede it: each a struct
				  * dt_rec and the path */
	size_t rp_nfiles, rp_maxfiles, rp_filepos;
	struct block_item rp_last; /* last item of the file */
	uint64_t rp_nitems[BLOCK_PLACE + 1];
};

struct replay *
replay_alloc(ssize_t (*readfn)(void *, void *, size_t),
    const char *(*check)(void *, const struct dt_rec *), void *readarg,
    void *checkarg)
{
	struct replay *rp;

	if ((rp = calloc(1, sizeof(*rp))) == NULL ||
	    (rp->rp_reader = block_reader_alloc(readfn, readarg)) == NULL ||
	    (rp->rp_order = dt_order_alloc()) == NULL)
		err(1, NULL);
	rp->rp_check = check;
	rp->rp_checkarg = checkarg;
	rp->rp_nclocks = 1; /* 0, before the first clock */
	return rp;
}

void
replay_free(struct replay *rp)
{
	if (rp == NULL)
		return;
	block_reader_free(rp->rp_reader);
	dt_order_free(rp->rp_order);
	free(rp->rp_files);
	free(rp);
}

const char *
replay_damage(const struct replay *rp)
{
	return rp->rp_bad != NULL ? rp->rp_bad : block_damage(rp->rp_reader);
}

uint64_t
replay_offset(const struct replay *rp)
{
	return block_offset(rp->rp_reader);
}

/* Ends reading; the kept items are still returned. */
static int
replay_finish(struct replay *rp, int end, const char *bad)
{
	rp->rp_isended = 1;
	rp->rp_end = end;
	rp->rp_bad = bad;
	dt_order_flush(rp->rp_order);
	return 0;
}

/* Calls fn again when all items that it made due were returned. */
static int
replay_later(struct replay *rp, replay_fn *fn)
{
	rp->rp_again = fn;
	return 0;
}

static int
replay_room(struct replay *rp)
{
	if (dt_order_room(rp->rp_order))
		return 1;
	if (rp->rp_isfull)
		errx(1, "out of memory for sorting");
	rp->rp_isfull = 1;
	return 0;
}

/*
 * Paths of descriptors
 */

static void
replay_give_file(const struct dt_rec *rec, struct block_item *it)
{
	it->bi_type = BLOCK_FILE;
	it->bi_file.pid = rec->dr_pid;
	it->bi_file.fd = (int)rec->dr_pbn;
	memcpy(it->bi_file.path, rec + 1, rec->dr_tid);
	it->bi_file.path[rec->dr_tid] = '\0';
}

/*
 * A path is valid from the next record on.  Records in rp_order may be returned
 * later, so the path waits for the next record and is kept with it.
 */
static int
replay_file(struct replay *rp, struct block_item *it)
{
	size_t n = strlen(it->bi_file.path), size;
	struct dt_rec rec = { .dr_pbn = (uint32_t)it->bi_file.fd };

	size = sizeof(rec) + ((n + 7) & ~(size_t)7);
	if ((rp->rp_order->or_nents == 0 && rp->rp_nfiles == 0) ||
	    rp->rp_nfiles + size > REPLAY_MAXFILES)
		return 1;
	if (rp->rp_nfiles + size > rp->rp_maxfiles) {
		rp->rp_maxfiles = (rp->rp_nfiles + size) * 2;
		rp->rp_files = realloc(rp->rp_files, rp->rp_maxfiles);
		if (rp->rp_files == NULL)
			err(1, "paths");
	}
	rec.dr_length = size;
	rec.dr_pid = it->bi_file.pid;
	rec.dr_tid = n;
	memcpy(rp->rp_files + rp->rp_nfiles, &rec, sizeof(rec));
	memcpy(rp->rp_files + rp->rp_nfiles + sizeof(rec), it->bi_file.path, n);
	rp->rp_nfiles += size;
	return 0;
}

/*
 * Keeps the paths before rp_rec.  Returns 1: *it is a late one; 0: all are
 * kept, or *full.
 */
static int
replay_keep_files(struct replay *rp, struct block_item *it, int *full)
{
	struct dt_rec *rec;
	int kept;

	while (rp->rp_filepos < rp->rp_nfiles) {
		if ((*full = !replay_room(rp)) != 0)
			return 0;
		rec = (struct dt_rec *)(rp->rp_files + rp->rp_filepos);
		rec->dr_time = rp->rp_rec->dr_time;
		rp->rp_filepos += rec->dr_length;
		kept = dt_order_add(rp->rp_order, rec, 0, REPLAY_ISFILE);
		if (!kept) {
			replay_give_file(rec, it);
			return 1;
		}
	}
	rp->rp_nfiles = rp->rp_filepos = 0;
	return 0;
}

/*
 * Records
 */

static void
replay_give(const struct replay *rp, const struct dt_rec *rec, uint32_t cpu,
    uint32_t clock, struct block_item *it)
{
	it->bi_type = BLOCK_DATA;
	it->bi_rec = rec;
	it->bi_cpu = cpu;
	it->bi_clock = rp->rp_clocks[clock];
}

static int
replay_keep(struct replay *rp, struct block_item *it)
{
	int full = 0;

	if (replay_keep_files(rp, it, &full)) {
		rp->rp_again = replay_keep;
		return 1;
	}
	if (full || !replay_room(rp))
		return replay_later(rp, replay_keep);
	if (dt_order_add(rp->rp_order, rp->rp_rec, rp->rp_cpu, rp->rp_clock))
		return 0;
	replay_give(rp, rp->rp_rec, rp->rp_cpu, rp->rp_clock, it);
	return 1; /* late */
}

static int
replay_data(struct replay *rp, struct block_item *it)
{
	const char *bad;

	if (!dt_rec_isevent(it->bi_rec))
		return 0; /* of a later version */
	if ((bad = rp->rp_check(rp->rp_checkarg, it->bi_rec)) != NULL)
		return replay_finish(rp, -1, bad);
	rp->rp_rec = it->bi_rec;
	rp->rp_cpu = it->bi_cpu;
	return replay_keep(rp, it);
}

static int
replay_pass(struct replay *rp, struct block_item *it)
{
	dt_order_pass(rp->rp_order, it->bi_lowwater);
	return 0;
}

/*
 * Clocks: a kept record refers to its clock by an index.  A file with more
 * clocks than indices is sorted in parts.
 */
static int
replay_set_clock(struct replay *rp, struct block_item *it)
{
	uint32_t i;

	for (i = 0; i < rp->rp_nclocks; i++) {
		if (rp->rp_clocks[i] == rp->rp_newclock) {
			rp->rp_clock = i;
			return 0;
		}
	}
	if (i == REPLAY_MAXCLOCKS && rp->rp_order->or_nents > 0) {
		dt_order_flush(rp->rp_order);
		return replay_later(rp, replay_set_clock);
	}
	(void)it;
	if (i == REPLAY_MAXCLOCKS)
		i = 0;
	rp->rp_clocks[i] = rp->rp_newclock;
	rp->rp_clock = i;
	rp->rp_nclocks = i + 1;
	return 0;
}

static int
replay_clock(struct replay *rp, struct block_item *it)
{
	rp->rp_newclock = it->bi_clock;
	return replay_set_clock(rp, it);
}

/* Other items */

static int
replay_at_once(struct replay *rp, struct block_item *it)
{
	static const uint64_t max[BLOCK_PLACE + 1] = {
		[BLOCK_PROBE] = REPLAY_MAXPROBES,
		[BLOCK_KSYM] = REPLAY_MAXKSYMS,
		[BLOCK_CGROUP] = REPLAY_MAXCGROUPS,
		[BLOCK_MAPS] = REPLAY_MAXMAPS,
		[BLOCK_USYM] = REPLAY_MAXUSYMS,
		[BLOCK_PLACE] = REPLAY_MAXPLACES,
	};
	uint32_t type = it->bi_type;

	if (type > BLOCK_PLACE || max[type] == 0 ||
	    ++rp->rp_nitems[type] <= max[type])
		return 1;
	return replay_finish(rp, -1, "the file has too many names");
}

/* Returns the last item, after all records. */
static int
replay_give_last(struct replay *rp, struct block_item *it)
{
	*it = rp->rp_last;
	return 1;
}

static int
replay_last(struct replay *rp, struct block_item *it)
{
	rp->rp_last = *it;
	dt_order_flush(rp->rp_order);
	return replay_later(rp, replay_give_last);
}

static replay_fn *const replay_types[] = {
	[BLOCK_DATA] = replay_data,
	[BLOCK_PASS] = replay_pass,
	[BLOCK_CLOCK] = replay_clock,
	[BLOCK_FILE] = replay_file,
	[BLOCK_STOP] = replay_last,
	[BLOCK_LEDGER] = replay_last,
};

static replay_fn *
replay_type(uint32_t type)
{
	if (type >= sizeof(replay_types) / sizeof(replay_types[0]) ||
	    replay_types[type] == NULL)
		return replay_at_once;
	return replay_types[type];
}

/* Returns a due item. */
static int
replay_get(struct replay *rp, struct block_item *it)
{
	const struct dt_kept *kp;

	if ((kp = dt_order_get(rp->rp_order)) == NULL)
		return 0;
	rp->rp_isfull = 0;
	if (kp->kpt_tag == REPLAY_ISFILE)
		replay_give_file(DT_KEPT_REC(kp), it);
	else
		replay_give(rp, DT_KEPT_REC(kp), kp->kpt_cpu, kp->kpt_tag, it);
	return 1;
}

int
replay_next(struct replay *rp, struct block_item *it)
{
	replay_fn *fn;
	int n;

	for (;;) {
		if (replay_get(rp, it))
			return 1;
		if (rp->rp_isended)
			return rp->rp_end;
		if ((fn = rp->rp_again) != NULL)
			rp->rp_again = NULL;
		else if ((n = block_next(rp->rp_reader, it)) == 1)
			fn = replay_type(it->bi_type);
		else {
			replay_finish(rp, n, NULL);
			continue;
		}
		if (fn(rp, it))
			return 1;
	}
}
