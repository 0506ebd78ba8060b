/* SPDX-License-Identifier: ISC */
/*
 * What cli/stat/keys.c and key_table.c share: a key is a row of the table in
 * key_table.c, or an argument of a probe.
 */
#ifndef CLI_STAT_KEY_TABLE_H
#define CLI_STAT_KEY_TABLE_H

#include "cli/base/hash.h"
#include "cli/base/val.h"
#include "cli/stat/keys.h"

#define BY_NOWORDS UINT32_MAX	    /* no probe has this number */
#define BY_DECODED (UINT32_MAX - 1) /* bv_words of a decoded argument */

/* The value of an event for a key. */
struct by_val {
	struct by *bv_by;
	unsigned int bv_i; /* which of its items */
	enum {
		BY_NONE,
		BY_NUM,
		BY_STR
	} bv_what;
	uint64_t bv_num;
	enum val_class bv_class; /* of a number that is added up */
	uint32_t bv_words;  /* pbn of the probe whose words tell the number */
	size_t bv_len;	    /* of a string */
	const char *bv_str; /* not terminated */
};

/* Which side of a call knows it; 0: any event. */
#define BY_ENTRY  0x1
#define BY_RETURN 0x2

struct by_kind {
	const char *bk_name; /* NULL: an argument */
	uint64_t bk_evtflags;
	unsigned int bk_side;
	int bk_haswords; /* in JSON, its text stands beside the number */
	int bk_offailed; /* calls that failed are added up, too */
	struct by_column bk_column;
	/* fills v, which is BY_NONE, if the event has it */
	void (*bk_get)(const struct by_call *, struct by_val *);
	/* the value, which is there */
	void (*bk_text)(const struct by_val *, struct buf *);
	/* the same behind "name":, and members that go with it */
	void (*bk_json)(const struct by_val *, struct buf *);
	/* by_keep(); NULL: it means the same for ever */
	void (*bk_keep)(const struct by_val *);
};

/* The hit of a pair that has the value of a key. */
enum by_where {
	BY_HIT, /* any event; of a pair the second hit */
	BY_FROM,
	BY_TO,
};

/* An argument of the name of a key, in one probe. */
struct by_arg {
	int ba_argn; /* -1: it has none of this name */
	enum val_class ba_class;
	uint32_t ba_words; /* the first probe in which it reads the same */
};

struct by_probe {
	const struct probe *bp_probe;
	struct by_side bp_side;
	struct by_arg bp_args[BY_MAXKEYS + 1]; /* of each key, and of the sum */
};

/* A key that was asked for, or the value to add up. */
struct by_item {
	const struct by_kind *bi_kind;
	enum by_where bi_where;
	char bi_name[DTNAMESIZE];	  /* of the key, or of the argument */
	int bi_isfound;			  /* a probe has it */
	unsigned int bi_side;		  /* BY_ENTRY, BY_RETURN, both or 0 */
	struct buf bi_text;		  /* of the event that is looked at */
	const struct by_probe **bi_words; /* in each it reads differently */
	size_t bi_nwords;
	char bi_head[DTNAMESIZE]; /* the name in capitals */
	struct by_column bi_column;
};

/* c: constant after by_alloc(). */
struct by {
	struct names *by_names;	  /* [c] */
	unsigned int by_n;	  /* [c] keys */
	int by_isdefault;	  /* [c] */
	int by_hassum;		  /* [c] */
	struct hash by_probes;	  /* pbn -> struct by_probe */
	struct by_probe *by_last; /* found last */
	uint64_t by_learned;	  /* DTEVT_* that arguments need */
	struct by_item by_items[BY_MAXKEYS + 1]; /* the last: the sum */
};

#define BY_SUM BY_MAXKEYS /* index of the sum in by_items, bp_args */

extern const struct by_kind by_argument;
/* The key of this name, or NULL. */
const struct by_kind *by_kind_find(const char *name, size_t len);
/* Names of all keys, for suggest_word() and for messages. */
size_t by_kind_names(const char **names, size_t max);

/* key_pair.c */
/* The side that a name begins with, and the length of that. */
enum by_where by_where(const char *name, size_t len, size_t *prefix);
int by_hasside(const struct by_kind *); /* whether both hits have it */
/* bk_get() of the hit that the key is of. */
void by_get(const struct by_item *, const struct by_call *, struct by_val *);

/* Writes a sentence into why; returns -1. */
int by_bad(char *why, size_t nwhy, const char *, ...)
    __attribute__((format(printf, 3, 4)));
/* The next thing that was asked for, the sum last, or NULL. */
const struct by_item *by_next(const struct by *, unsigned int *ip);
/* Takes a key apart. */
void by_vals(struct by *, const void *key, struct by_val *);
/* What is known of a probe, or NULL. */
const struct by_probe *by_probe(struct by *, uint32_t pbn);

#endif /* CLI_STAT_KEY_TABLE_H */
