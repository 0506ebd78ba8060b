/* SPDX-License-Identifier: ISC */
/*
 * The keys that events are counted by (stat --by), and the value that is summed
 * (--sum): the sections that an event needs for them, the key bytes for the
 * values of an event, and how the values are printed.
 */
#ifndef CLI_STAT_KEY_H
#define CLI_STAT_KEY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/sym/name_cache.h"

#define KEY_MAXKEYS 8
#define KEY_NONAMES "none" /* counts all hits in one row */

/* Bytes of a decoded argument (a struct, an array, data) as a key; "..." follows
 * a longer one. */
#define KEY_TEXTLEN 256

/* Maximum length of a key: numbers first, then strings. */
#define KEY_CUTLEN 3 /* "..." */
#define KEY_KEYLEN (8 + KEY_MAXKEYS * (16 + DT_REC_MAXPATH + KEY_CUTLEN))

struct keys;

/* The counted unit: an event, or a call with both of its events. */
struct key_call {
	const struct dt_event *kc_ev;	 /* the last one */
	const struct dt_event *kc_entry; /* NULL: unknown */
	const struct dt_event *kc_ret;	 /* NULL: unknown */
};

/*
 * keys: names separated by commas; NULL: probe,pid,comm.  sum: a name, or NULL.
 * Returns NULL with a message in why if they are invalid for any probes.
 */
struct keys *keys_alloc(const char *keys, const char *sum, struct name_cache *,
    char *why, size_t nwhy);
void keys_free(struct keys *);

/*
 * Returns whether a name is not a built-in key and must be an argument of a
 * probe; then key_learn() must be called for all probes before counting.
 */
int key_wants_probes(const struct keys *);
void key_learn(struct keys *, const struct probe *);
/*
 * Called afterwards: returns 0, or -1 with a message about a name that no probe
 * has.
 */
int key_check(const struct keys *, char *why, size_t nwhy);

uint64_t keys_evtflags(const struct keys *); /* DTEVT_*, no more than needed */
/*
 * Returns whether keys use values of both entry and return, so that calls have
 * to be counted in place of events.
 */
int keys_wants_calls(const struct keys *);
/*
 * Returns the probe by whose hits calls are counted, "entry" or "return"; NULL:
 * both are needed.
 */
const char *keys_half(const struct keys *);

/*
 * Pairs of probes.  A name without a side is ambiguous if the hits may differ
 * in it.  fields: the argument of --key.  key_check_sides() returns NULL, or
 * the error in a list of keys.
 */
int key_isambiguous(const char *name, const char *fields);
const char *key_check_sides(const char *keys, const char *fields);
/* The same for a pair of a recording.  Returns 0, or -1 with a message. */
int
key_check_call(struct keys *, const struct key_call *, char *why, size_t nwhy);
/* Returns whether a key is of the first hit: such pairs need DTPA_FIRST. */
int key_wants_first(const struct keys *);

/* A format; its arguments are the same name three times. */
#define KEY_TWOTHREADS \
	"a pair has two threads; use from.%s (of the first hit), to.%s (of " \
	"the second) or args.%s (the argument of that name)"

/*
 * Identifies the call of an event: both events of a call have the same value,
 * which no other concurrent call of the thread has.
 */
struct key_side {
	int kx_isentry, kx_isreturn; /* neither: not part of a call */
	uint32_t kx_kind;
	const char *kx_func;
};

/* Returns the side of a call that an event is. */
struct key_side key_side(struct keys *, const struct dt_event *);

/*
 * The key bytes for the default keys.  They are built four million times per
 * second, so callers that count by them need not call key_make().
 */
struct key_short {
	uint32_t kh_pbn;
	uint32_t kh_pid;
	char kh_comm[DT_REC_COMMLEN];
};

int keys_is_short(const struct keys *);
/* Returns whether a list of keys (or NULL) contains this name. */
int keys_names(const char *keys, const char *name);

static inline void
key_make_short(const struct dt_event *ev, struct key_short *bs)
{
	bs->kh_pbn = ev->ev_rec->dr_pbn;
	bs->kh_pid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL) /* the section has this length */
		memcpy(bs->kh_comm, ev->ev_comm, sizeof(bs->kh_comm));
	else
		memset(bs->kh_comm, 0, sizeof(bs->kh_comm));
}

/* Writes the key bytes at key (aligned to 8); returns their number. */
size_t key_make(struct keys *, const struct key_call *, void *key);
/* Returns the number to sum; 0: it has none, or the call has failed. */
int key_sum(struct keys *, const struct key_call *, int64_t *sum);
/* Resolves values whose meaning is known only while their object exists. */
void key_keep(struct keys *, const void *key);

/* Orders keys with equal counts: < 0, 0, > 0. */
int key_compare(struct keys *, const void *key1, const void *key2);

/* The columns of a table, from left to right. */
struct key_column {
	const char *kl_name; /* in capitals; untrusted text */
	unsigned int kl_min; /* minimum width */
	unsigned int kl_max; /* maximum width */
	int kl_isright;	     /* right-aligned: numbers */
	int kl_islines;	     /* not a column, but lines below the row */
};

/* Names of all keys, for suggest_word(), messages and completion. */
size_t key_kind_names(const char **names, size_t max);
unsigned int keys_ncolumns(const struct keys *);
const struct key_column *keys_column(const struct keys *, unsigned int i);
const char *keys_sumname(const struct keys *); /* NULL: no sum */
/*
 * Returns the unit of the sum.  The unit of a result requires key_learn() for
 * all probes before; keys_wants_unit() returns whether there is one.
 */
enum key_unit {
	KEY_NUMBER,
	KEY_NSECS,
	KEY_NBYTES,
};
enum key_unit keys_unit(const struct keys *);
int keys_wants_unit(const struct keys *);
/* Prints a value; "-" where there is none.  Escaped. */
void keys_text(struct keys *, unsigned int i, const void *key, struct buf *);
/* Prints all values, as members of an object; key NULL: all null. */
void keys_json(struct keys *, const void *key, struct buf *);

#endif /* CLI_STAT_KEY_H */
