/* SPDX-License-Identifier: ISC */
/* Records of one ring of the side-band, see sideband.h. */
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "daemon/procs/sideband_impl.h"

#define SYMRING_REC 65536 /* bytes of a record: its length has 16 bits */

static inline char *
symring_at(const struct symring *sr, uint64_t pos)
{
	return (char *)sr->sr_page + getpagesize() +
	    (pos & (symring_bytes - 1));
}

/* Bytes of the record at the tail; 0: there is none.  Records begin at a
 * multiple of eight bytes, so neither their header nor their last word is in
 * two pieces. */
static size_t
symring_size(struct symring *sr, struct symring_stat *rs)
{
	const struct perf_event_header *hdr;

	if (sr->sr_head - sr->sr_tail < sizeof(*hdr))
		return 0;
	hdr = (void *)symring_at(sr, sr->sr_tail);
	if (hdr->size >= sizeof(*hdr) + SYMEVENT_TRAILER &&
	    hdr->size % 8 == 0 && hdr->size <= sr->sr_head - sr->sr_tail)
		return hdr->size;
	/* cannot be: what follows is not found any more */
	rs->rs_bad++;
	sr->sr_tail = sr->sr_head;
	__atomic_store_n(&sr->sr_page->data_tail, sr->sr_tail,
	    __ATOMIC_RELEASE);
	return 0;
}

int
symring_peek(struct symring *sr, uint64_t until, struct symring_stat *rs)
{
	size_t nbytes = symring_size(sr, rs);

	if (nbytes == 0)
		return 0;
	memcpy(&sr->sr_time, symring_at(sr, sr->sr_tail + nbytes - 8), 8);
	return sr->sr_time <= until;
}

int
symring_take(struct symring *sr, struct symevent *se, struct symring_stat *rs)
{
	static char copy[SYMRING_REC]; /* of what is in two pieces */
	size_t nbytes = symring_size(sr, rs);
	size_t tail = sr->sr_tail & (symring_bytes - 1),
	       first = symring_bytes - tail;
	const char *rec = symring_at(sr, sr->sr_tail);

	if (first < nbytes) {
		memcpy(copy, rec, first);
		memcpy(copy + first, symring_at(sr, 0), nbytes - first);
		rec = copy;
	}
	sr->sr_tail += nbytes;
	rs->rs_records++;
	if (symevent_parse(rec, nbytes, se) == 0)
		return 1;
	rs->rs_bad++;
	return 0;
}
