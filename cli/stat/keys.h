/* SPDX-License-Identifier: ISC */
/*
 * The keys that events are counted by (stat --by), and the value that is added
 * up (--sum): which sections an event needs for them, the bytes that stand for
 * the values of an event, and how these read.
 */
#ifndef CLI_STAT_KEYS_H
#define CLI_STAT_KEYS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/sym/names.h"

#define KEY_MAXKEYS 8

/* Bytes of a decoded argument (a struct, an array, data) as a key; "..." follows
 * a longer one. */
#define KEY_TEXTLEN 256

/* Room for the bytes of a key: numbers in front, strings behind. */
#define KEY_CUTLEN 3 /* "..." */
#define KEY_KEYLEN (8 + KEY_MAXKEYS * (16 + DT_REC_MAXPATH + KEY_CUTLEN))

struct keys;

/* What is counted: an event, or a call of which both events are known. */
struct key_call {
	const struct dt_event *kc_ev;	 /* the one that came last */
	const struct dt_event *kc_entry; /* NULL: not known */
	const struct dt_event *kc_ret;	 /* NULL: not known */
};

/*
 * keys: names with commas between them; NULL: probe,pid,comm.  sum: a name, or
 * NULL.  Returns NULL with a sentence in why if they make no sense whatever the
 * probes are.
 */
struct keys *keys_alloc(const char *keys, const char *sum, struct names *,
    char *why, size_t nwhy);
void keys_free(struct keys *);

/* Whether a name is none of ours, and has to be looked for among the arguments
 * of probes, all of which key_learn() tells then before anything is counted. */
int key_wants_probes(const struct keys *);
void key_learn(struct keys *, const struct probe *);
/* Afterwards: 0, or -1 with a sentence about a name that nothing has. */
int key_check(const struct keys *, char *why, size_t nwhy);

uint64_t keys_evtflags(const struct keys *); /* DTEVT_*, no more than needed */
/* Some values are those of an entry, some those of a return: calls have to be
 * counted, not events. */
int keys_wants_calls(const struct keys *);

/*
 * Pairs of probes.  A name without a side is ambiguous if the hits may differ in
 * it.  fields: the argument of --key.  key_check_sides(): NULL, or what is
 * wrong with a list of keys.
 */
int key_isambiguous(const char *name, const char *fields);
const char *key_check_sides(const char *keys, const char *fields);
/* The same for a pair of a recording: 0, or -1 with a sentence. */
int
key_check_call(struct keys *, const struct key_call *, char *why, size_t nwhy);
/* Whether a key is of the first hit: pairs need DTPA_FIRST. */
int key_wants_first(const struct keys *);

/* A format; its arguments are the same name three times. */
#define KEY_TWOTHREADS \
	"a pair has two threads; say from.%s (of the first hit), to.%s (of " \
	"the second) or args.%s (the argument of that name)"

/* The two events of a call have the same key of these, and at a time no other
 * call of the thread has it. */
struct key_side {
	int kx_isentry, kx_isreturn; /* neither: it is no part of a call */
	uint32_t kx_kind;
	const char *kx_func;
};

/* Which side of a call an event is. */
struct key_side key_side(struct keys *, const struct dt_event *);

/*
 * The bytes for the default keys: they are put together four million times a
 * second, so whoever counts by them need not ask key_make().
 */
struct key_short {
	uint32_t kh_pbn;
	uint32_t kh_pid;
	char kh_comm[DT_REC_COMMLEN];
};

int keys_is_short(const struct keys *);
/* Whether a list of keys (or NULL) has this name. */
int keys_names(const char *keys, const char *name);

static inline void
key_make_short(const struct dt_event *ev, struct key_short *bs)
{
	bs->kh_pbn = ev->ev_rec->dr_pbn;
	bs->kh_pid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL) /* the section is as long as this */
		memcpy(bs->kh_comm, ev->ev_comm, sizeof(bs->kh_comm));
	else
		memset(bs->kh_comm, 0, sizeof(bs->kh_comm));
}

/* The bytes for these values, at key (aligned to 8); returns how many. */
size_t key_make(struct keys *, const struct key_call *, void *key);
/* The number to add; 0: it has none, or the call has failed. */
int key_sum(struct keys *, const struct key_call *, int64_t *sum);
/* Meets something that is only known while it is there: its name is kept. */
void key_keep(struct keys *, const void *key);

/* Order of those with equal counts: < 0, 0, > 0. */
int key_compare(struct keys *, const void *key1, const void *key2);

/* The columns of a table, from left to right. */
struct key_column {
	const char *kl_name; /* in capitals; others' text */
	unsigned int kl_min; /* least width */
	unsigned int kl_max; /* no row makes it wider */
	int kl_isright;	     /* numbers */
};

unsigned int keys_ncolumns(const struct keys *);
const struct key_column *keys_column(const struct keys *, unsigned int i);
const char *keys_sumname(const struct keys *); /* NULL: nothing is added up */
/* A value; "-" where there is none.  Escaped. */
void keys_text(struct keys *, unsigned int i, const void *key, struct buf *);
/* All values, as members of an object; key NULL: all null. */
void keys_json(struct keys *, const void *key, struct buf *);

#endif /* CLI_STAT_KEYS_H */
