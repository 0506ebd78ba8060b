/* SPDX-License-Identifier: ISC */
/*
 * Counts hits by what their records contain: stacks, texts, paths and owners,
 * which are too long for the table of counts.  The table has a hash of them in
 * their place.
 *
 * The first hit of a key is an event, and its record ends with the hash.  So the
 * client learns what the key is, and adds later hits, which are counted, to it.
 * A key has a row only after its event was put into the ring, so no hit is
 * counted for a key that the client does not know.  If the ring is full, the hit
 * is lost like any event, and the next hit is the first.
 *
 * Runs with the scratch of the CPU, like all slow paths.
 */
#ifndef BPF_DT_AGG_RECORD_BPF_H
#define BPF_DT_AGG_RECORD_BPF_H

#include "bpf/dt_emit_scratch.bpf.h"
#include "bpf/dt_reads.bpf.h"

#define AGG_MOST (__s64)(~0ULL >> 1) /* the largest number */

/* Longest record without a key. */
#define AGG_MAXRECORD (DT_HEAD_BYTES + DT_REC_STRBYTES + DT_PAIR_BYTES)

/*
 * Adds a word to a hash.  The start of a hash is secret, so a client cannot
 * compute an address from it, nor choose texts of equal hashes.
 */
static __always_inline __u64
agg_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * AGG_MIX0;
	return hash ^ hash >> 29;
}

/*
 * Begins the key of a record with its parts of fixed size, and takes the hit's
 * value.  agg: rq_agg; does nothing without DT_REQ_AGG_RECORD.
 */
__noinline int
dt_agg_parts(struct dt_scratch *s, struct dt_hit *h, __u32 agg, __u32 slot)
{
	__u32 place = DT_AGGDESC(slot, (agg & DT_REQ_AGG_NO) - 1), i;
	struct dt_aggdesc *ad;
	struct dt_aggkey *k;
	__u64 hash;

	if (s == NULL || h == NULL || (agg & DT_REQ_AGG_RECORD) == 0 ||
	    (ad = bpf_map_lookup_elem(&dt_aggdescs, &place)) == NULL)
		return 0;
	k = &s->scr_key;
	__builtin_memset(k, 0, sizeof(*k));
	agg_key(ad, h, k);
	hash = agg_mix(dt_table.t_seed, h->h_pbn);
#pragma unroll
	for (i = 0; i < DT_AGG_NWORDS; i++) {
		hash = agg_mix(hash, k->agk_word[i]);
		k->agk_word[i] = 0;
	}
	k->agk_word[0] = hash;
	k->agk_bucket = agg_value(ad, h, &s->scr_value) |
	    (__u64)h->h_cpu << DT_AGG_CPUSHIFT;
	s->scr_iscopied = 0;
	return 0;
}

/* Words of a record that are added to a hash. */
struct agg_words {
	struct dt_scratch *aw_scratch;
	__u32 aw_at;
	__u32 aw_end;
};

#define AGG_STEP 4 /* words added by one call of the loop's body */

static long
agg_step(__u32 i, void *arg)
{
	struct agg_words *aw = arg;
	struct dt_scratch *s = aw->aw_scratch;
	__u64 hash = s->scr_key.agk_word[0];
	__u32 at = aw->aw_at;

	if (at > AGG_MAXRECORD)
		return 1; /* unreachable */
	at &= ~7U;
#pragma unroll
	for (i = 0; i < AGG_STEP; i++)
		if (at + 8 * i < aw->aw_end)
			hash = agg_mix(hash,
			    *(__u64 *)(s->scr_buf + at + 8 * i));
	s->scr_key.agk_word[0] = hash;
	aw->aw_at = at + 8 * AGG_STEP;
	return aw->aw_at >= aw->aw_end;
}

/* Adds the record to the hash, except its values and the time between hits. */
static __always_inline void
agg_sections(struct dt_scratch *s)
{
	const struct dt_rec *rec = (const struct dt_rec *)s->scr_buf;
	struct agg_words aw = { s, s->scr_keyed, rec->dr_length };

	if (rec->dr_flags & DT_REC_DURATION)
		aw.aw_end -= sizeof(struct dt_rec_duration);
	bpf_loop(AGG_MAXRECORD / (8 * AGG_STEP), agg_step, &aw, 0);
}

/*
 * Completes the key of a record.  Returns 1 if its hit is counted, else 0: the
 * record, with the key, is an event.  That is so for the first hit of a key, and
 * for each user stack that dtd has yet to unwind.
 */
__noinline int
dt_agg_record(struct dt_scratch *s, struct dt_hit *h, __u32 agg, __u32 slot)
{
	__u32 place = DT_AGGDESC(slot, (agg & DT_REQ_AGG_NO) - 1), hash;
	const struct dt_aggelem *last;
	struct dt_aggdesc *ad;
	struct dt_aggrow *row;
	struct dt_aggkey *k;
	void *table;

	if (s == NULL || h == NULL || (agg & DT_REQ_AGG_RECORD) == 0 ||
	    (ad = bpf_map_lookup_elem(&dt_aggdescs, &place)) == NULL)
		return 0;
	place = slot;
	if ((table = bpf_map_lookup_elem(&dt_aggs, &place)) == NULL)
		return 0; /* unreachable */
	agg_sections(s);
	if (s->scr_iscopied)
		return 0;
	k = &s->scr_key;
	hash = agg_hash(k);
	row = agg_find(table, ad, k, hash, &place);
	if (row != NULL)
		agg_row_add(row, s->scr_value,
		    DT_AGG_BUCKET(k->agk_bucket) != DT_AGG_NOVALUE);
	else {
		place = ad->agd_nrows;
		last = bpf_map_lookup_elem(table, &place);
		if (last == NULL || last->age_slot[0] < ad->agd_max)
			return 0;
	}
	agg_ledger(h, slot, row == NULL, &place);
	return 1;
}

/* Makes the row of a key whose first hit has become an event. */
__noinline int
dt_agg_row(struct dt_scratch *s, __u32 agg, __u32 slot)
{
	__u32 place = DT_AGGDESC(slot, (agg & DT_REQ_AGG_NO) - 1);
	struct dt_aggdesc *ad;
	void *table;

	if (s == NULL || (agg & DT_REQ_AGG_RECORD) == 0 || s->scr_iscopied ||
	    (ad = bpf_map_lookup_elem(&dt_aggdescs, &place)) == NULL)
		return 0;
	place = slot;
	if ((table = bpf_map_lookup_elem(&dt_aggs, &place)) != NULL)
		agg_add(table, ad, &s->scr_key, agg_hash(&s->scr_key),
		    (struct dt_aggrow){ .agr_min = AGG_MOST,
			.agr_max = -AGG_MOST - 1 },
		    &place);
	return 0;
}

/*
 * Appends the key to a record, if later hits may have the same.  Returns the
 * record's length.
 */
static __always_inline __u32
agg_put_key(struct dt_scratch *s, __u32 agg)
{
	struct dt_rec *rec = (struct dt_rec *)s->scr_buf;
	__u32 length = *(volatile __u16 *)&rec->dr_length;

	if (length > AGG_MAXRECORD)
		return 0; /* unreachable */
	barrier_var(length);
	*(__u64 *)(s->scr_buf + (length & ~7U)) = s->scr_key.agk_word[0];
	if ((agg & DT_REQ_AGG_RECORD) && !s->scr_iscopied) {
		rec->dr_kind = DT_REC_KEYED;
		length += sizeof(__u64);
		rec->dr_length = length;
	}
	return length;
}

/*
 * Sends the record of a hit, or counts the hit, and releases the scratch.  agg:
 * rq_agg.
 */
static __always_inline void
dt_agg_output(struct dt_way *wy, struct dt_hit *h, __u32 agg, __u32 slot)
{
	if (dt_agg_record(wy->wy_scratch, h, agg, slot)) {
		dt_way_end(wy);
		return;
	}
	if (dt_way_send(wy, agg_put_key(wy->wy_scratch, agg)))
		dt_agg_row(wy->wy_scratch, agg, slot);
	dt_way_end(wy);
	dt_wake_after(wy->wy_ring, wy->wy_sess);
}

/*
 * Emits a record through the scratch, or counts the hit.  kskip: frames of the
 * kernel stack that belong to the hook itself.
 */
static __always_inline void
dt_emit_record(void *ctx, struct dt_hit *h, struct dt_req *r, __u32 slot,
    __u32 want, const __u32 kskip, const int tables)
{
	struct dt_way wy;
	__u32 length;

	if (!dt_way_begin(&wy, h, slot))
		return;
	dt_agg_parts(wy.wy_scratch, h, r->rq_agg, slot);
	length = dt_build(ctx, wy.wy_scratch, h, slot, want, kskip, tables);
	dt_put_reads(wy.wy_scratch, h, r, length, tables);
	dt_agg_output(&wy, h, r->rq_agg, slot);
}

#endif /* BPF_DT_AGG_RECORD_BPF_H */
