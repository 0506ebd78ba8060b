/* SPDX-License-Identifier: ISC */
/*
 * Counts events, or calls, by the keys of keys.h; for stat, and for report of a
 * recording.
 */
#ifndef CLI_STAT_COUNT_H
#define CLI_STAT_COUNT_H

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/calls/call_table.h"
#include "cli/result/counts.h"
#include "cli/stat/keys.h"

/* Different keys, and bytes of them; what comes then is one row. */
#define TALLY_MAXKEYS  1000000
#define TALLY_MAXBYTES (UINT64_C(256) << 20)

struct tally {
	struct by *ta_by;
	int ta_isshort;		/* by_is_short() */
	struct pairs *ta_pairs; /* calls in progress; NULL: none yet */
	struct hash ta_map;	/* bytes of by_key() -> count, sum */
	int ta_ishist;		/* the map has a struct hist each, not a sum */
	uint64_t ta_maxkeys;
	uint64_t ta_nbytes;  /* of the keys */
	uint64_t ta_nothers; /* events whose key had no room */
	int64_t ta_othersum;
	uint64_t ta_key[(BY_KEYLEN + 7) / 8]; /* being put together */
};

/* Takes by over.  maxkeys: 0 is TALLY_MAXKEYS.  ishist: how the values that by
 * would add up are spread is counted, too. */
void tally_init(struct tally *, struct by *, uint64_t maxkeys, int ishist);
void tally_free(struct tally *);
/* No further event comes: calls that have not returned are counted. */
void tally_end(struct tally *);
/* The counts of a time of nsecs; tally_next() frees them and begins anew. */
void tally_counts(struct tally *, struct out_counts *, uint64_t nsecs,
    int isinterval);
void tally_next(struct tally *, struct out_counts *);

/* Counts by any keys, and a key that was not there yet. */
void tally_any(struct tally *, const struct dt_event *);
void tally_first(struct tally *, const void *key, size_t len);

/* Counts an event. */
static inline void
tally_event(struct tally *ta, const struct dt_event *ev)
{
	struct hash_entry *e;
	struct by_short key;

	if (!ta->ta_isshort) {
		tally_any(ta, ev);
		return;
	}
	by_key_short(ev, &key);
	if ((e = hash_find(&ta->ta_map, &key, sizeof(key))) != NULL)
		e->he_count++;
	else
		tally_first(ta, &key, sizeof(key));
}

#endif /* CLI_STAT_COUNT_H */
