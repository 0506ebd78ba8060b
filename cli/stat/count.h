/* SPDX-License-Identifier: ISC */
/*
 * Counts events or calls by the keys of key.h; for stat, and for report of a
 * recording.
 */
#ifndef CLI_STAT_COUNT_H
#define CLI_STAT_COUNT_H

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/calls/call_table.h"
#include "cli/result/counts.h"
#include "cli/stat/key.h"

/*
 * Limits on different keys and their bytes; events of further keys share one
 * row.
 */
#define COUNT_MAXKEYS	1000000
#define COUNT_KEYSLIMIT 100000000 /* the user provides the memory */
#define COUNT_MAXBYTES	(UINT64_C(256) << 20)

/* Options of what is counted. */
struct count_opts {
	const char *cno_by;   /* --by; NULL: the default */
	const char *cno_sum;  /* --sum; NULL: none */
	int cno_hist;	      /* --hist */
	uint64_t cno_maxkeys; /* --max-keys; 0: the default */
};

/* Their rows; base: offset of struct count_opts. */
/* clang-format off */
#define COUNT_OPT(base, member) \
	.opt_offset = (base) + offsetof(struct count_opts, member)
#define COUNT_OPT_ROWS(base) \
	{ 0, "by", "KEY,KEY", "count by these keys (default probe,pid,comm)", \
	    OPT_STRING, COUNT_OPT(base, cno_by) }, \
	{ 0, "sum", "ARG", "add up an argument, retval or duration", \
	    OPT_STRING, COUNT_OPT(base, cno_sum) }, \
	{ 0, "hist", NULL, "print the distribution of durations, or of --sum", \
	    OPT_FLAG, COUNT_OPT(base, cno_hist) }, \
	{ 0, "max-keys", "N", "keep at most N rows (default 1000000)", \
	    OPT_NUMBER, COUNT_OPT(base, cno_maxkeys), 1, COUNT_KEYSLIMIT }
/* clang-format on */

struct count {
	struct keys *cnt_by;
	int cnt_isshort;	      /* keys_is_short() */
	struct call_table *cnt_pairs; /* calls in progress; NULL: none yet */
	struct hash cnt_map;	      /* bytes of key_make() -> count, sum */
	int cnt_ishist; /* the map has a struct hist per key in place of a
			 * sum */
	uint64_t cnt_maxkeys;
	uint64_t cnt_nbytes;  /* bytes of the keys */
	uint64_t cnt_nothers; /* events of keys beyond the limits */
	int64_t cnt_othersum;
	uint64_t cnt_nfull; /* hits for which the kernel's table was full */
	uint64_t cnt_key[(KEY_KEYLEN + 7) / 8]; /* buffer for the current key */
};

/*
 * Takes ownership of by.  maxkeys: 0 is COUNT_MAXKEYS.  ishist: counts a
 * histogram of the values that by would sum.
 */
void count_init(struct count *, struct keys *, uint64_t maxkeys, int ishist);
void count_free(struct count *);
/* After the last event: counts the calls that have not returned. */
void count_end(struct count *);
/* The counts of nsecs; count_next() frees them and starts the next interval. */
void count_result(struct count *, struct out_counts *, uint64_t nsecs,
    int isinterval);
void count_next(struct count *, struct out_counts *);

/* Hits that the kernel counted. */
struct count_hits {
	uint64_t chi_n;
	int chi_hassum; /* they have values */
	int64_t chi_sum;
};

/* Counts hits with the keys of an event. */
void
count_hits(struct count *, const struct dt_event *, const struct count_hits *);
/* Adds hits for whose keys the kernel's table was full. */
void count_full(struct count *, uint64_t n);

/* Count by any keys; add a new key. */
void count_any(struct count *, const struct dt_event *);
void count_first(struct count *, const void *key, size_t len);

/* Counts an event. */
static inline void
count_event(struct count *ta, const struct dt_event *ev)
{
	struct hash_entry *e;
	struct key_short key;

	if (!ta->cnt_isshort) {
		count_any(ta, ev);
		return;
	}
	key_make_short(ev, &key);
	if ((e = hash_find(&ta->cnt_map, &key, sizeof(key))) != NULL)
		e->he_count++;
	else
		count_first(ta, &key, sizeof(key));
}

#endif /* CLI_STAT_COUNT_H */
