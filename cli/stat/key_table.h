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

#define KEY_NOWORDS UINT32_MAX	     /* no probe has this number */
#define KEY_DECODED (UINT32_MAX - 1) /* kv_words of a decoded argument */

/* The value of an event for a key. */
struct key_val {
	struct keys *kv_by;
	unsigned int kv_i; /* which of its items */
	enum {
		KEY_NONE,
		KEY_NUM,
		KEY_STR
	} kv_what;
	uint64_t kv_num;
	enum val_class kv_class; /* of a number that is added up */
	uint32_t kv_words;  /* pbn of the probe whose words tell the number */
	size_t kv_len;	    /* of a string */
	const char *kv_str; /* not terminated */
};

/* Which side of a call knows it; 0: any event. */
#define KEY_ENTRY  0x1
#define KEY_RETURN 0x2

struct key_kind {
	const char *kki_name; /* NULL: an argument */
	uint64_t kki_evtflags;
	unsigned int kki_side;
	int kki_haswords; /* in JSON, its text stands beside the number */
	int kki_offailed; /* calls that failed are added up, too */
	struct key_column kki_column;
	/* fills v, which is KEY_NONE, if the event has it */
	void (*kki_get)(const struct key_call *, struct key_val *);
	/* the value, which is there */
	void (*kki_text)(const struct key_val *, struct buf *);
	/* the same behind "name":, and members that go with it */
	void (*kki_json)(const struct key_val *, struct buf *);
	/* key_keep(); NULL: it means the same for ever */
	void (*kki_keep)(const struct key_val *);
};

/* The hit of a pair that has the value of a key. */
enum key_where {
	KEY_HIT, /* any event; of a pair the second hit */
	KEY_FROM,
	KEY_TO,
};

/* An argument of the name of a key, in one probe. */
struct key_arg {
	int kg_argn; /* -1: it has none of this name */
	enum val_class kg_class;
	uint32_t kg_words; /* the first probe in which it reads the same */
};

struct key_probe {
	const struct probe *kb_probe;
	struct key_side kb_side;
	struct key_arg
	    kb_args[KEY_MAXKEYS + 1]; /* of each key, and of the sum */
};

/* A key that was asked for, or the value to add up. */
struct key_item {
	const struct key_kind *ki_kind;
	enum key_where ki_where;
	char ki_name[DTNAMESIZE]; /* of the key, or of the argument */
	int ki_isfound;		  /* a probe has it */
	unsigned int ki_side;	  /* KEY_ENTRY, KEY_RETURN, both or 0 */
	struct buf ki_text;	  /* of the event that is looked at */
	const struct key_probe **ki_words; /* in each it reads differently */
	size_t ki_nwords;
	char ki_head[DTNAMESIZE]; /* the name in capitals */
	struct key_column ki_column;
};

/* c: constant after keys_alloc(). */
struct keys {
	struct names *ky_names;	   /* [c] */
	unsigned int ky_n;	   /* [c] keys */
	int ky_isdefault;	   /* [c] */
	int ky_hassum;		   /* [c] */
	struct hash ky_probes;	   /* pbn -> struct key_probe */
	struct key_probe *ky_last; /* found last */
	uint64_t ky_learned;	   /* DTEVT_* that arguments need */
	struct key_item ky_items[KEY_MAXKEYS + 1]; /* the last: the sum */
};

#define KEY_SUM KEY_MAXKEYS /* index of the sum in ky_items, kb_args */

extern const struct key_kind key_argument;
/* The key of this name, or NULL. */
const struct key_kind *key_kind_find(const char *name, size_t len);
/* Names of all keys, for suggest_word() and for messages. */
size_t key_kind_names(const char **names, size_t max);

/* key_pair.c */
/* The side that a name begins with, and the length of that. */
enum key_where key_where(const char *name, size_t len, size_t *prefix);
int key_hasside(const struct key_kind *); /* whether both hits have it */
/* kki_get() of the hit that the key is of. */
void
key_get(const struct key_item *, const struct key_call *, struct key_val *);

/* Writes a sentence into why; returns -1. */
int keys_bad(char *why, size_t nwhy, const char *, ...)
    __attribute__((format(printf, 3, 4)));
/* The next thing that was asked for, the sum last, or NULL. */
const struct key_item *keys_next(const struct keys *, unsigned int *ip);
/* Takes a key apart. */
void key_vals(struct keys *, const void *key, struct key_val *);
/* What is known of a probe, or NULL. */
const struct key_probe *key_probe(struct keys *, uint32_t pbn);

#endif /* CLI_STAT_KEY_TABLE_H */
