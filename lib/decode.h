/* SPDX-License-Identifier: ISC */
/*
 * Decodes the sections of a record, for dt_decode() and the iterator.  Inline
 * for the iterator's speed: sections of fixed size are decoded here, the others
 * in evt.c.
 */
#ifndef LIB_DECODE_H
#define LIB_DECODE_H

#include <libdt.h>

#define DECODE_LONG \
	(DT_REC_KSTACK | DT_REC_USTACK | DT_REC_STRINGS | DT_REC_DURATION)

/*
 * Decodes the sections that DECODE_LONG of flags announces, in nbytes bytes at
 * p.  Returns -1 unless they end exactly at the record's end.
 */
int dt_decode_long(const uint8_t *p, size_t nbytes, unsigned int flags,
    struct dt_event *ev);

/*
 * Decodes the last section, found from its end.  It has the number of
 * arguments, which are those of the pair's first hit.
 */
static inline void
dt_decode_duration(const uint8_t *end, struct dt_event *ev)
{
	const struct dt_rec_duration *rd;

	rd = (const struct dt_rec_duration *)(end - sizeof(*rd));
	ev->ev_duration = (const uint64_t *)&rd->drd_nsecs;
	ev->ev_first = rd->drd_first;
	ev->ev_nargs = rd->drd_nargs & ~DT_PAIR_FIRST;
}

/*
 * Fills all of ev except ev_cpu and ev_realtime.  rec is 8-aligned and has
 * dr_length bytes, at least its header.  Returns -1 if the record is
 * inconsistent; ev is then undefined.
 */
static inline int
dt_decode_rec(const struct dt_rec *rec, unsigned int nargs, struct dt_event *ev)
{
	const uint8_t *p = (const uint8_t *)(rec + 1);
	size_t left = rec->dr_length - sizeof(*rec);
	unsigned int flags = rec->dr_flags;

	ev->ev_rec = rec;
	ev->ev_nargs = 0;
	ev->ev_args = NULL;
	ev->ev_ret = NULL;
	ev->ev_comm = NULL;
	ev->ev_who = NULL;
	ev->ev_kstack = NULL;
	ev->ev_ustack = NULL;
	ev->ev_strings = NULL;
	ev->ev_duration = NULL;
	ev->ev_first = 0;
	ev->ev_key = NULL;

	if (rec->dr_kind == DT_REC_KEYED) {
		if (left < sizeof(uint64_t) || left % 8 != 0)
			return -1;
		left -= sizeof(uint64_t);
		ev->ev_key = (const uint64_t *)(p + left);
	}
	if (flags & DT_REC_DURATION) {
		if (left < sizeof(struct dt_rec_duration) || left % 8 != 0)
			return -1;
		dt_decode_duration(p + left, ev);
		nargs = ev->ev_nargs;
		ev->ev_nargs = 0;
		if ((nargs != 0) != ((flags & DT_REC_ARGS) != 0))
			return -1;
	}
	if (flags & DT_REC_ARGS) {
		if (left < nargs * sizeof(uint64_t) || nargs > DT_REC_NARGS)
			return -1;
		ev->ev_nargs = nargs;
		ev->ev_args = (const uint64_t *)p;
		p += nargs * sizeof(uint64_t);
		left -= nargs * sizeof(uint64_t);
	}
	if (flags & DT_REC_RETVAL) {
		if (left < sizeof(*ev->ev_ret))
			return -1;
		ev->ev_ret = (const struct dt_rec_ret *)p;
		p += sizeof(*ev->ev_ret);
		left -= sizeof(*ev->ev_ret);
	}
	if (flags & DT_REC_COMM) {
		if (left < DT_REC_COMMLEN || p[DT_REC_COMMLEN - 1] != '\0')
			return -1;
		ev->ev_comm = (const char *)p;
		p += DT_REC_COMMLEN;
		left -= DT_REC_COMMLEN;
	}
	if (flags & DT_REC_WHO) {
		if (left < sizeof(*ev->ev_who))
			return -1;
		ev->ev_who = (const struct dt_rec_who *)p;
		p += sizeof(*ev->ev_who);
		left -= sizeof(*ev->ev_who);
	}
	if (flags & DECODE_LONG)
		return dt_decode_long(p, left, flags, ev);
	return left == 0 ? 0 : -1;
}

#endif /* LIB_DECODE_H */
