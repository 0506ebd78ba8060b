/* SPDX-License-Identifier: ISC */
/*
 * Writes the mappings and symbols of rec_symbols_write.h: requests them when
 * records are written, together for all records of a process with the same
 * mappings.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/recording/rec_symbols_write.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

/*
 * A process may have more mappings than stacks: beyond this number, only
 * mappings that a stack needs are written.
 */
#define REC_SYMBOLS_ALL 256

struct rec_symbols_write {
	struct name_cache *uw_names;
	int uw_embeds;
	struct hash uw_views; /* mappings that were written, by process and
			       * time */
	struct hash uw_maps;  /* single mappings, of processes with too many */
	struct hash uw_usyms; /* addresses with symbols written */
};

/* A user stack that is about to be written. */
struct rec_stack {
	uint32_t rst_pid;
	const struct dt_rec_stack *rst_stack;
	uint64_t rst_time;
};

struct rec_stacks {
	struct name_cache *rcs_names;
	struct rec_stack *rcs_recs;
	size_t rcs_n, rcs_max;
};

/* Keys of the maps. */
struct rec_view {
	uint64_t uv_pid;
	uint64_t uv_from;
};

struct rec_one {
	struct rec_view uo_view;
	uint64_t uo_start;
};

struct rec_address {
	uint64_t rad_file;
	uint64_t rad_place;
	uint64_t rad_pid;
};

static void
rec_symbols_collect(void *arg, const struct dt_rec *rec)
{
	struct rec_stacks *us = arg;
	const struct probe *pr = name_cache_probe(us->rcs_names, rec->dr_pbn);
	struct dt_event ev;

	if (pr == NULL ||
	    dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1 ||
	    ev.ev_ustack == NULL || ev.ev_ustack->drs_count == 0)
		return;
	if (us->rcs_n == us->rcs_max) {
		us->rcs_max = us->rcs_max ? us->rcs_max * 2 : 256;
		us->rcs_recs = reallocarray(us->rcs_recs, us->rcs_max,
		    sizeof(*us->rcs_recs));
		if (us->rcs_recs == NULL)
			err(1, "names");
	}
	us->rcs_recs[us->rcs_n++] = (struct rec_stack){
		.rst_pid = rec->dr_pid,
		.rst_stack = ev.ev_ustack,
		.rst_time = rec->dr_time,
	};
}

/* Orders by process, the youngest first. */
static int
rec_symbols_compare(const void *va, const void *vb)
{
	const struct rec_stack *a = va, *b = vb;

	if (a->rst_pid != b->rst_pid)
		return a->rst_pid < b->rst_pid ? -1 : 1;
	return a->rst_time < b->rst_time ? 1
	    : a->rst_time > b->rst_time	 ? -1
					 : 0;
}

static const struct dt_mapping *
rec_symbols_find(const struct dt_mappings *maps, uint64_t pc)
{
	size_t lo = 0, hi = maps->dm_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (pc < maps->dm_maps[mid].dm_start)
			hi = mid;
		else if (pc >= maps->dm_maps[mid].dm_end)
			lo = mid + 1;
		else
			return &maps->dm_maps[mid];
	}
	return NULL;
}

static void
rec_symbols_put(struct block_writer *w, const struct rec_view *uv,
    const struct dt_mapping *dm)
{
	struct block_map_hdr h = {
		.bmh_from = uv->uv_from,
		.bmh_start = dm->dm_start,
		.bmh_end = dm->dm_end,
		.bmh_offset = dm->dm_offset,
		.bmh_file = dm->dm_fileid,
		.bmh_pid = uv->uv_pid,
		.bmh_kind = dm->dm_kind, /* DTMP_* are the same numbers */
	};

	if (dm->dm_buildid != NULL &&
	    dm->dm_buildidlen <= sizeof(h.bmh_buildid)) {
		h.bmh_buildidlen = dm->dm_buildidlen;
		memcpy(h.bmh_buildid, dm->dm_buildid, dm->dm_buildidlen);
	}
	block_maps(w, &h, dm->dm_path != NULL ? dm->dm_path : "");
}

/* Writes the mappings of a process, or those that the stacks need. */
static void
rec_symbols_put_view(struct rec_symbols_write *uw, struct block_writer *w,
    const struct dt_mappings *maps, const struct rec_stack *recs, size_t n)
{
	struct rec_one one = {
		.uo_view = { recs[0].rst_pid, maps->dm_from },
	};
	const struct dt_mapping *dm;
	size_t i, j;

	if (maps->dm_n <= REC_SYMBOLS_ALL) {
		if (hash_get(&uw->uw_views, &one.uo_view, sizeof(one.uo_view))
			->he_count++ > 0)
			return;
		for (i = 0; i < maps->dm_n; i++)
			rec_symbols_put(w, &one.uo_view, &maps->dm_maps[i]);
		return;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < recs[i].rst_stack->drs_count; j++) {
			dm = rec_symbols_find(maps,
			    stack_pc(DT_STACK_PCS(recs[i].rst_stack), j));
			if (dm == NULL)
				continue;
			one.uo_start = dm->dm_start;
			if (hash_get(&uw->uw_maps, &one, sizeof(one))
				->he_count++ == 0)
				rec_symbols_put(w, &one.uo_view, dm);
		}
	}
}

/*
 * Returns the key of a symbol: an address in a file, or else in this process.
 */
static struct rec_address
rec_symbols_place(const struct dt_mapping *dm, uint32_t pid, uint64_t pc)
{
	if (dm->dm_kind == DTMP_ANON)
		return (struct rec_address){ 0, pc, pid };
	return (struct rec_address){ dm->dm_fileid,
		pc - dm->dm_start + dm->dm_offset, 0 };
}

static void
rec_symbols_put_usym(struct block_writer *w, const struct rec_address *up,
    const struct dt_frame *df)
{
	const struct block_usym_hdr h = {
		.buh_file = up->rad_file,
		.buh_place = up->rad_place,
		.buh_pid = up->rad_pid,
		.buh_offset = df->df_offset,
		.buh_line = df->df_file != NULL ? df->df_line : 0,
		.buh_isinlined = df->df_inlined != 0,
	};

	block_usym(w, &h, df->df_func, df->df_file != NULL ? df->df_file : "");
}

/* Writes the symbols of addresses that have none in the file yet. */
static void
rec_symbols_put_usyms(struct rec_symbols_write *uw, struct block_writer *w,
    const struct dt_mappings *maps, const struct rec_stack *recs, size_t n)
{
	const struct dt_mapping *dm;
	const struct dt_frame *df;
	struct rec_address up;
	struct user_symbols us;
	uint64_t *pcs, pc;
	size_t i, j, npcs = 0;

	for (i = 0; i < n; i++)
		npcs += recs[i].rst_stack->drs_count;
	if ((pcs = calloc(npcs + 1, sizeof(*pcs))) == NULL)
		err(1, "names");
	for (i = npcs = 0; i < n; i++) {
		for (j = 0; j < recs[i].rst_stack->drs_count; j++) {
			pc = stack_pc(DT_STACK_PCS(recs[i].rst_stack), j);
			if ((dm = rec_symbols_find(maps, pc)) == NULL)
				continue;
			up = rec_symbols_place(dm, recs[0].rst_pid, pc);
			if (hash_get(&uw->uw_usyms, &up, sizeof(up))
				->he_count++ == 0)
				pcs[npcs++] = pc;
		}
	}
	user_symbols_get(&us, uw->uw_names, recs[0].rst_pid, recs[0].rst_time,
	    pcs, npcs);
	for (i = 0; i < us.us_n; i++) {
		df = &us.us_frames[i];
		pc = pcs[df->df_pc];
		if (df->df_func == NULL ||
		    (dm = rec_symbols_find(maps, pc)) == NULL)
			continue;
		up = rec_symbols_place(dm, recs[0].rst_pid, pc);
		rec_symbols_put_usym(w, &up, df);
	}
	user_symbols_free(&us);
	free(pcs);
}

/*
 * Finds, from the first of n records of one process, those that are no older
 * than the mappings of its time.  Returns their number.
 */
static size_t
rec_symbols_group(struct rec_symbols_write *uw, struct block_writer *w,
    const struct rec_stack *recs, size_t n)
{
	struct dt_mappings maps;
	size_t i;

	if (dt_mappings(uw->uw_names->nm_dt, recs[0].rst_pid, recs[0].rst_time,
		&maps) == -1)
		return n; /* unknown, as it is for older ones */
	for (i = 1; i < n && recs[i].rst_time >= maps.dm_from; i++)
		;
	rec_symbols_put_view(uw, w, &maps, recs, i);
	if (uw->uw_embeds)
		rec_symbols_put_usyms(uw, w, &maps, recs, i);
	dt_mappings_free(&maps);
	return i;
}

void
rec_symbols_write(struct rec_symbols_write *uw, struct block_writer *w)
{
	struct rec_stacks us = { .rcs_names = uw->uw_names };
	size_t i, j;

	if (uw->uw_names->nm_dt == NULL)
		return;
	block_each(w, rec_symbols_collect, &us);
	if (us.rcs_n > 0)
		qsort(us.rcs_recs, us.rcs_n, sizeof(*us.rcs_recs),
		    rec_symbols_compare);
	for (i = 0; i < us.rcs_n;) {
		for (j = i + 1; j < us.rcs_n &&
		     us.rcs_recs[j].rst_pid == us.rcs_recs[i].rst_pid;
		     j++)
			;
		while (i < j)
			i += rec_symbols_group(uw, w, us.rcs_recs + i, j - i);
	}
	free(us.rcs_recs);
}

void
rec_symbols_write_again(struct rec_symbols_write *uw)
{
	hash_clear(&uw->uw_views);
	hash_clear(&uw->uw_maps);
	hash_clear(&uw->uw_usyms);
}

struct rec_symbols_write *
rec_symbols_write_alloc(struct name_cache *names, int embeds)
{
	struct rec_symbols_write *uw = calloc(1, sizeof(*uw));

	if (uw == NULL)
		err(1, "names");
	uw->uw_names = names;
	uw->uw_embeds = embeds;
	return uw;
}

void
rec_symbols_write_free(struct rec_symbols_write *uw)
{
	rec_symbols_write_again(uw);
	free(uw);
}
