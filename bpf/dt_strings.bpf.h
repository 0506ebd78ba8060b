/* SPDX-License-Identifier: ISC */
/*
 * The section of strings at the end of a record in the CPU's scratch: the
 * position of the next string, and the section's begin and end.  A caller
 * reads bytes to fetch_pos() + FETCH_HEAD and then calls fetch_add() with their
 * number.  The caller holds the scratch.
 */
#ifndef BPF_DT_STRINGS_BPF_H
#define BPF_DT_STRINGS_BPF_H

#include "bpf/dt_emit_scratch.bpf.h"

#define FETCH_TRUEMAX 65535 /* maximum of drt_truelen */

/* Size of an entry without its bytes. */
#define FETCH_HEAD sizeof(struct dt_rec_string)

_Static_assert(DT_STACK_BYTES ==
	sizeof(struct dt_rec_stack) + 8 * DT_REC_MAXFRAMES,
    "stacks in the scratch");
_Static_assert(DT_SCRATCH_SIZE ==
	DT_HEAD_BYTES + DT_REC_STRBYTES + 8 + DT_REC_MAXPATH,
    "strings in the scratch");

/* Packs argument and flags of a string's head. */
#define FETCH_ENTRY(argn, flags) ((argn) | (__u32)(flags) << 8)

/*
 * Returns the offset of the next entry.  The verifier sees that a string of
 * any length fits there.
 */
static __always_inline __u32
fetch_pos(struct dt_scratch *s)
{
	__u32 pos = *(volatile __u32 *)&s->scr_pos;

	if (pos > DT_HEAD_BYTES + DT_REC_STRBYTES - FETCH_HEAD)
		pos = DT_HEAD_BYTES + DT_REC_STRBYTES - FETCH_HEAD;
	barrier_var(pos);
	return pos;
}

static __always_inline __u32
fetch_least(__u64 a, __u32 b)
{
	return a < b ? (__u32)a : b;
}

/*
 * Completes the entry at fetch_pos(), whose bytes follow its head.  Cuts it to
 * the space left, and pads it with zeros.
 */
static __always_inline void
fetch_add(struct dt_scratch *s, __u32 entry, __u32 error, __u32 length,
    __u32 truelen)
{
	__u32 pos = fetch_pos(s), left = s->scr_left;
	struct dt_rec_string *st = (struct dt_rec_string *)(s->scr_buf + pos);
	__u64 *last;

	if (left < FETCH_HEAD)
		return;
	left -= FETCH_HEAD;
	if (length > left)
		length = left;
	if (length > DT_REC_MAXPATH - 1)
		length = DT_REC_MAXPATH - 1;
	barrier_var(length);
	last = (__u64 *)(s->scr_buf + pos + FETCH_HEAD + (length & ~7U));
	*last &= (1ULL << 8 * (length & 7)) - 1;
	st->drt_argn = entry;
	st->drt_flags = entry >> 8;
	st->drt_error = error;
	st->drt_length = length;
	st->drt_truelen = fetch_least(truelen, FETCH_TRUEMAX);
	length = (length + 7) & ~7U;
	s->scr_pos = pos + FETCH_HEAD + length;
	s->scr_left = left - length;
	s->scr_nstr++;
}

/*
 * Completes an entry of text by the result of its read.  The true length of a
 * cut text is unknown.
 */
static __always_inline void
fetch_text(struct dt_scratch *s, __u32 entry, long n)
{
	__u32 len;

	if (n <= 0) {
		fetch_add(s, entry, -n, 0, 0);
		return;
	}
	len = n - 1;
	fetch_add(s, entry, 0, len,
	    len == DT_REC_MAXPATH - 1 ? FETCH_TRUEMAX : len);
}

/*
 * Begins the section after all others, and returns its offset.  The strings of
 * a first hit (dt_pair_open()) must fit into a struct dt_keep.
 */
static __always_inline __u32
fetch_begin(struct dt_scratch *s)
{
	__u32 begin = ((struct dt_rec *)s->scr_buf)->dr_length;

	s->scr_strings = begin;
	s->scr_pos = begin + sizeof(struct dt_rec_strings);
	s->scr_left = (begin < sizeof(struct dt_rec) ? DT_KEEP_TEXT
						     : DT_REC_STRBYTES) -
	    sizeof(struct dt_rec_strings);
	s->scr_nstr = 0;
	return begin;
}

/* Ends the section, unless it is empty.  Returns the record's length. */
static __always_inline __u32
fetch_end(struct dt_scratch *s, __u32 begin)
{
	struct dt_rec *rec = (struct dt_rec *)s->scr_buf;
	struct dt_rec_strings *sz;

	if (s->scr_nstr == 0)
		return begin;
	if (begin > DT_HEAD_BYTES)
		return 0; /* unreachable */
	sz = (struct dt_rec_strings *)(s->scr_buf + begin);
	sz->drz_count = s->scr_nstr;
	sz->drz_nbytes = s->scr_pos - begin - sizeof(*sz);
	rec->dr_flags |= DT_REC_STRINGS;
	rec->dr_length = s->scr_pos;
	return rec->dr_length;
}

#endif /* BPF_DT_STRINGS_BPF_H */
