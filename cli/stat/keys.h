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

#define BY_MAXKEYS 8

/* Bytes of a decoded argument (a struct, an array, data) as a key; "..." follows
 * a longer one. */
#define BY_TEXTLEN 256

/* Room for the bytes of a key: numbers in front, strings behind. */
#define BY_CUTLEN 3 /* "..." */
#define BY_KEYLEN (8 + BY_MAXKEYS * (16 + DT_REC_MAXPATH + BY_CUTLEN))

struct by;

/* What is counted: an event, or a call of which both events are known. */
struct by_call {
	const struct dt_event *bc_ev;	 /* the one that came last */
	const struct dt_event *bc_entry; /* NULL: not known */
	const struct dt_event *bc_ret;	 /* NULL: not known */
};

/*
 * keys: names with commas between them; NULL: probe,pid,comm.  sum: a name, or
 * NULL.  Returns NULL with a sentence in why if they make no sense whatever the
 * probes are.
 */
struct by *by_alloc(const char *keys, const char *sum, struct names *,
    char *why, size_t nwhy);
void by_free(struct by *);

/* Whether a name is none of ours, and has to be looked for among the arguments
 * of probes, all of which by_learn() tells then before anything is counted. */
int by_wants_probes(const struct by *);
void by_learn(struct by *, const struct probe *);
/* Afterwards: 0, or -1 with a sentence about a name that nothing has. */
int by_check(const struct by *, char *why, size_t nwhy);

uint64_t by_evtflags(const struct by *); /* DTEVT_*, no more than needed */
/* Some values are those of an entry, some those of a return: calls have to be
 * counted, not events. */
int by_wants_calls(const struct by *);

/*
 * Pairs of probes.  A name without a side is ambiguous if the hits may differ in
 * it.  fields: the argument of --key.  by_check_sides(): NULL, or what is wrong with a
 * list of keys.
 */
int by_isambiguous(const char *name, const char *fields);
const char *by_check_sides(const char *keys, const char *fields);
/* The same for a pair of a recording: 0, or -1 with a sentence. */
int by_check_call(struct by *, const struct by_call *, char *why, size_t nwhy);
/* Whether a key is of the first hit: pairs need DTPA_FIRST. */
int by_wants_first(const struct by *);

/* A format; its arguments are the same name three times. */
#define BY_TWOTHREADS \
	"a pair has two threads; say from.%s (of the first hit), to.%s (of the " \
	"second) or args.%s (the argument of that name)"

/* The two events of a call have the same key of these, and at a time no other
 * call of the thread has it. */
struct by_side {
	int bs_isentry, bs_isreturn; /* neither: it is no part of a call */
	uint32_t bs_kind;
	const char *bs_func;
};

/* Which side of a call an event is. */
struct by_side by_side(struct by *, const struct dt_event *);

/*
 * The bytes for the default keys: they are put together four million times a
 * second, so whoever counts by them need not ask by_key().
 */
struct by_short {
	uint32_t bs_pbn;
	uint32_t bs_pid;
	char bs_comm[DT_REC_COMMLEN];
};

int by_is_short(const struct by *);
/* Whether a list of keys (or NULL) has this name. */
int by_names(const char *keys, const char *name);

static inline void
by_key_short(const struct dt_event *ev, struct by_short *bs)
{
	bs->bs_pbn = ev->ev_rec->dr_pbn;
	bs->bs_pid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL) /* the section is as long as this */
		memcpy(bs->bs_comm, ev->ev_comm, sizeof(bs->bs_comm));
	else
		memset(bs->bs_comm, 0, sizeof(bs->bs_comm));
}

/* The bytes for these values, at key (aligned to 8); returns how many. */
size_t by_key(struct by *, const struct by_call *, void *key);
/* The number to add; 0: it has none, or the call has failed. */
int by_sum(struct by *, const struct by_call *, int64_t *sum);
/* Meets something that is only known while it is there: its name is kept. */
void by_keep(struct by *, const void *key);

/* Order of those with equal counts: < 0, 0, > 0. */
int by_compare(struct by *, const void *key1, const void *key2);

/* The columns of a table, from left to right. */
struct by_column {
	const char *bl_name; /* in capitals; others' text */
	unsigned int bl_min; /* least width */
	unsigned int bl_max; /* no row makes it wider */
	int bl_isright;	     /* numbers */
};

unsigned int by_ncolumns(const struct by *);
const struct by_column *by_column(const struct by *, unsigned int i);
const char *by_sumname(const struct by *); /* NULL: nothing is added up */
/* A value; "-" where there is none.  Escaped. */
void by_text(struct by *, unsigned int i, const void *key, struct buf *);
/* All values, as members of an object; key NULL: all null. */
void by_json(struct by *, const void *key, struct buf *);

#endif /* CLI_STAT_KEYS_H */
