/* SPDX-License-Identifier: ISC */
/*
 * Counts events or calls by the keys of key.h; for stat, and for report of a
 * recording.
 */
#ifndef CLI_STAT_COUNT_H
#define CLI_STAT_COUNT_H

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/base/hist.h"
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
	int cno_avg;	      /* --avg */
	int cno_min;	      /* --min */
	int cno_max;	      /* --max */
	int cno_quantiles;    /* --quantiles */
	int cno_times;	      /* durations are known, and no option chooses what
			       * is printed of them */
	uint64_t cno_maxkeys; /* --max-keys; 0: the default */
	int cno_istotal;      /* counts are printed often, since the start */
	int cno_iscalls;      /* entries are joined with their returns */
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
	{ 0, "quantiles", NULL, "print p50, p90, p99 and max of the same", \
	    OPT_FLAG, COUNT_OPT(base, cno_quantiles) }, \
	{ 0, "avg", NULL, "print the average of the same", \
	    OPT_FLAG, COUNT_OPT(base, cno_avg) }, \
	{ 0, "min", NULL, "print the minimum", \
	    OPT_FLAG, COUNT_OPT(base, cno_min) }, \
	{ 0, "max", NULL, "print the maximum", \
	    OPT_FLAG, COUNT_OPT(base, cno_max) }, \
	{ 0, "max-keys", "N", "keep at most N rows (default 1000000)", \
	    OPT_NUMBER, COUNT_OPT(base, cno_maxkeys), 1, COUNT_KEYSLIMIT }
/* clang-format on */

struct count {
	struct keys *cnt_by;
	int cnt_isshort;	      /* keys_is_short() */
	struct call_table *cnt_pairs; /* calls in progress; NULL: none yet */
	struct hash cnt_map;	      /* bytes of key_make() -> count, sum */
	int cnt_ishist;		      /* prints histograms */
	unsigned int cnt_stats; /* bits of enum hist_stat that are printed */
	int cnt_istimes;	/* fewer, if a line of the terminal is short */
	int cnt_hashists;	/* the map has a struct hist per key in place
				 * of a sum */
	int cnt_hasbuckets;	/* and these have buckets */
	int cnt_istotal;	/* counts are kept, with few buckets */
	int cnt_iscalls;	/* calls are counted, whatever the keys are */
	uint64_t cnt_maxkeys;
	uint64_t cnt_nbytes;  /* bytes of the keys */
	uint64_t cnt_nothers; /* events of keys beyond the limits */
	int64_t cnt_othersum;
	struct hist cnt_otherhist;
	uint64_t cnt_nfull; /* hits for which the kernel's table was full */
	uint64_t cnt_key[(KEY_KEYLEN + 7) / 8]; /* buffer for the current key */
};

/* Whether they need a value: --sum, or the duration. */
int count_wants_value(const struct count_opts *);
/* Takes ownership of by, the keys and the value of the options. */
void count_init(struct count *, struct keys *by, const struct count_opts *);
void count_free(struct count *);
/* After the last event: counts the calls that have not returned. */
void count_end(struct count *);
/*
 * The counts of nsecs; count_next() frees them, and starts the next interval
 * unless totals are counted.
 */
void count_result(struct count *, struct out_counts *, uint64_t nsecs,
    int isinterval);
void count_next(struct count *, struct out_counts *);

/*
 * Counts n hits of the kernel with the keys of an event.  hp: their values, of
 * one bucket if the count has buckets; NULL: none.
 */
void count_hits(struct count *, const struct dt_event *, uint64_t n,
    const struct hist_part *hp);
/*
 * The same with a key in place of an event.  count_keyed() counts an event, and
 * returns its key and stores the key's length; valid until the next call.
 */
const void *count_keyed(struct count *, const struct dt_event *, size_t *len);
void count_key_hits(struct count *, const void *key, size_t len, uint64_t n,
    const struct hist_part *hp);
/* Adds hits of unknown keys. */
void count_others(struct count *, uint64_t n);
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
