/* SPDX-License-Identifier: ISC */
/*
 * The mappings and names of rec_symbols_write.h: asked for when records go to
 * the file, for all records of a process that had the same code together.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/rec_symbols_write.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

/* A process may have more mappings than stacks: beyond so many only those are
 * written that a stack has been in. */
#define UMAPS_ALL 256

/* A user stack that is about to be written. */
struct umaps_rec {
	uint32_t ur_pid;
	const struct dt_rec_stack *ur_stack;
	uint64_t ur_time;
};

struct umaps_recs {
	struct names *us_names;
	struct umaps_rec *us_recs;
	size_t us_n, us_max;
};

/* Keys of the maps. */
struct umaps_view {
	uint64_t uv_pid;
	uint64_t uv_from;
};

struct umaps_one {
	struct umaps_view uo_view;
	uint64_t uo_start;
};

struct umaps_place {
	uint64_t up_file;
	uint64_t up_place;
	uint64_t up_pid;
};

static void
umaps_collect(void *arg, const struct dt_rec *rec)
{
	struct umaps_recs *us = arg;
	const struct probe *pr = names_probe(us->us_names, rec->dr_pbn);
	struct dt_event ev;

	if (pr == NULL ||
	    dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1 ||
	    ev.ev_ustack == NULL || ev.ev_ustack->drs_count == 0)
		return;
	if (us->us_n == us->us_max) {
		us->us_max = us->us_max ? us->us_max * 2 : 256;
		us->us_recs = reallocarray(us->us_recs, us->us_max,
		    sizeof(*us->us_recs));
		if (us->us_recs == NULL)
			err(1, "names");
	}
	us->us_recs[us->us_n++] = (struct umaps_rec){
		.ur_pid = rec->dr_pid,
		.ur_stack = ev.ev_ustack,
		.ur_time = rec->dr_time,
	};
}

/* By process, the youngest first. */
static int
umaps_compare(const void *va, const void *vb)
{
	const struct umaps_rec *a = va, *b = vb;

	if (a->ur_pid != b->ur_pid)
		return a->ur_pid < b->ur_pid ? -1 : 1;
	return a->ur_time < b->ur_time ? 1 : a->ur_time > b->ur_time ? -1 : 0;
}

static const struct dt_mapping *
umaps_find(const struct dt_mappings *maps, uint64_t pc)
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
umaps_put(struct block_writer *w, const struct umaps_view *uv,
    const struct dt_mapping *dm)
{
	struct block_map_hdr h = {
		.bm_from = uv->uv_from,
		.bm_start = dm->dm_start,
		.bm_end = dm->dm_end,
		.bm_offset = dm->dm_offset,
		.bm_file = dm->dm_fileid,
		.bm_pid = uv->uv_pid,
		.bm_kind = dm->dm_kind, /* DTMP_* are the same numbers */
	};

	if (dm->dm_buildid != NULL &&
	    dm->dm_buildidlen <= sizeof(h.bm_buildid)) {
		h.bm_buildidlen = dm->dm_buildidlen;
		memcpy(h.bm_buildid, dm->dm_buildid, dm->dm_buildidlen);
	}
	block_maps(w, &h, dm->dm_path != NULL ? dm->dm_path : "");
}

/* What the process had mapped, or the part of it that the stacks are in. */
static void
umaps_put_view(struct umaps_write *uw, struct block_writer *w,
    const struct dt_mappings *maps, const struct umaps_rec *recs, size_t n)
{
	struct umaps_one one = {
		.uo_view = { recs[0].ur_pid, maps->dm_from },
	};
	const struct dt_mapping *dm;
	size_t i, j;

	if (maps->dm_n <= UMAPS_ALL) {
		if (hash_get(&uw->uw_views, &one.uo_view, sizeof(one.uo_view))
			->he_count++ > 0)
			return;
		for (i = 0; i < maps->dm_n; i++)
			umaps_put(w, &one.uo_view, &maps->dm_maps[i]);
		return;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < recs[i].ur_stack->drs_count; j++) {
			dm = umaps_find(maps,
			    stack_pc(DT_STACK_PCS(recs[i].ur_stack), j));
			if (dm == NULL)
				continue;
			one.uo_start = dm->dm_start;
			if (hash_get(&uw->uw_maps, &one, sizeof(one))
				->he_count++ == 0)
				umaps_put(w, &one.uo_view, dm);
		}
	}
}

/* Where a name belongs: to a place in a file, or else in this process. */
static struct umaps_place
umaps_place(const struct dt_mapping *dm, uint32_t pid, uint64_t pc)
{
	if (dm->dm_kind == DTMP_ANON)
		return (struct umaps_place){ 0, pc, pid };
	return (struct umaps_place){ dm->dm_fileid,
		pc - dm->dm_start + dm->dm_offset, 0 };
}

static void
umaps_put_usym(struct block_writer *w, const struct umaps_place *up,
    const struct dt_frame *df)
{
	const struct block_usym_hdr h = {
		.bu_file = up->up_file,
		.bu_place = up->up_place,
		.bu_pid = up->up_pid,
		.bu_offset = df->df_offset,
		.bu_line = df->df_file != NULL ? df->df_line : 0,
		.bu_isinlined = df->df_inlined != 0,
	};

	block_usym(w, &h, df->df_func, df->df_file != NULL ? df->df_file : "");
}

/* Names of the places that have none in the file. */
static void
umaps_put_usyms(struct umaps_write *uw, struct block_writer *w,
    const struct dt_mappings *maps, const struct umaps_rec *recs, size_t n)
{
	const struct dt_mapping *dm;
	const struct dt_frame *df;
	struct umaps_place up;
	struct usyms us;
	uint64_t *pcs, pc;
	size_t i, j, npcs = 0;

	for (i = 0; i < n; i++)
		npcs += recs[i].ur_stack->drs_count;
	if ((pcs = calloc(npcs + 1, sizeof(*pcs))) == NULL)
		err(1, "names");
	for (i = npcs = 0; i < n; i++) {
		for (j = 0; j < recs[i].ur_stack->drs_count; j++) {
			pc = stack_pc(DT_STACK_PCS(recs[i].ur_stack), j);
			if ((dm = umaps_find(maps, pc)) == NULL)
				continue;
			up = umaps_place(dm, recs[0].ur_pid, pc);
			if (hash_get(&uw->uw_usyms, &up, sizeof(up))
				->he_count++ == 0)
				pcs[npcs++] = pc;
		}
	}
	usyms_get(&us, uw->uw_names, recs[0].ur_pid, recs[0].ur_time, pcs,
	    npcs);
	for (i = 0; i < us.us_n; i++) {
		df = &us.us_frames[i];
		pc = pcs[df->df_pc];
		if (df->df_func == NULL || (dm = umaps_find(maps, pc)) == NULL)
			continue;
		up = umaps_place(dm, recs[0].ur_pid, pc);
		umaps_put_usym(w, &up, df);
	}
	usyms_free(&us);
	free(pcs);
}

/* The first of n records of one process, and those that are no older than what
 * it had mapped then.  Returns how many these are. */
static size_t
umaps_group(struct umaps_write *uw, struct block_writer *w,
    const struct umaps_rec *recs, size_t n)
{
	struct dt_mappings maps;
	size_t i;

	if (dt_mappings(uw->uw_names->nm_dt, recs[0].ur_pid, recs[0].ur_time,
		&maps) == -1)
		return n; /* not known, and older ones would not be either */
	for (i = 1; i < n && recs[i].ur_time >= maps.dm_from; i++)
		;
	umaps_put_view(uw, w, &maps, recs, i);
	if (uw->uw_embeds)
		umaps_put_usyms(uw, w, &maps, recs, i);
	dt_mappings_free(&maps);
	return i;
}

void
umaps_write(struct umaps_write *uw, struct block_writer *w)
{
	struct umaps_recs us = { .us_names = uw->uw_names };
	size_t i, j;

	if (uw->uw_names->nm_dt == NULL)
		return;
	block_each(w, umaps_collect, &us);
	if (us.us_n > 0)
		qsort(us.us_recs, us.us_n, sizeof(*us.us_recs), umaps_compare);
	for (i = 0; i < us.us_n;) {
		for (j = i + 1; j < us.us_n &&
		     us.us_recs[j].ur_pid == us.us_recs[i].ur_pid;
		     j++)
			;
		while (i < j)
			i += umaps_group(uw, w, us.us_recs + i, j - i);
	}
	free(us.us_recs);
}

void
umaps_write_again(struct umaps_write *uw)
{
	hash_clear(&uw->uw_views);
	hash_clear(&uw->uw_maps);
	hash_clear(&uw->uw_usyms);
}
