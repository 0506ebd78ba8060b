/* SPDX-License-Identifier: ISC */
/* Reads the records of one side-band ring. */
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "daemon/procs/sideband_impl.h"

#define SIDEBAND_RECMAX 65536 /* bytes of a record: its length has 16 bits */

static inline char *
sideband_at(const struct sideband_ring *sbr, uint64_t pos)
{
	return (char *)sbr->sbr_page + getpagesize() +
	    (pos & (sideband_bytes - 1));
}

/* Bytes of the record at the tail; 0: there is none.  Records begin at a
 * multiple of eight bytes, so neither their header nor their last word is in
 * two pieces. */
static size_t
sideband_size(struct sideband_ring *sbr, struct sideband_stat *rs)
{
	const struct perf_event_header *hdr;

	if (sbr->sbr_head - sbr->sbr_tail < sizeof(*hdr))
		return 0;
	hdr = (void *)sideband_at(sbr, sbr->sbr_tail);
	if (hdr->size >= sizeof(*hdr) + SIDEBAND_TRAILER &&
	    hdr->size % 8 == 0 && hdr->size <= sbr->sbr_head - sbr->sbr_tail)
		return hdr->size;
	/* an impossible length: later records cannot be found */
	rs->rs_bad++;
	sbr->sbr_tail = sbr->sbr_head;
	__atomic_store_n(&sbr->sbr_page->data_tail, sbr->sbr_tail,
	    __ATOMIC_RELEASE);
	return 0;
}

int
sideband_peek(struct sideband_ring *sbr, uint64_t until,
    struct sideband_stat *rs)
{
	size_t nbytes = sideband_size(sbr, rs);

	if (nbytes == 0)
		return 0;
	memcpy(&sbr->sbr_time, sideband_at(sbr, sbr->sbr_tail + nbytes - 8), 8);
	return sbr->sbr_time <= until;
}

int
sideband_take(struct sideband_ring *sbr, struct sideband_event *se,
    struct sideband_stat *rs)
{
	static char copy[SIDEBAND_RECMAX]; /* of what is in two pieces */
	size_t nbytes = sideband_size(sbr, rs);
	size_t tail = sbr->sbr_tail & (sideband_bytes - 1),
	       first = sideband_bytes - tail;
	const char *rec = sideband_at(sbr, sbr->sbr_tail);

	if (first < nbytes) {
		memcpy(copy, rec, first);
		memcpy(copy + first, sideband_at(sbr, 0), nbytes - first);
		rec = copy;
	}
	sbr->sbr_tail += nbytes;
	rs->rs_records++;
	if (sideband_event_parse(rec, nbytes, se) == 0)
		return 1;
	rs->rs_bad++;
	return 0;
}
