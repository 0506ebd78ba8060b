/* SPDX-License-Identifier: ISC */
/*
 * Interface between the files of keys: a key is a row of the table in key_table.c, or
 * an argument of a probe.
 */
#ifndef CLI_STAT_KEY_IMPL_H
#define CLI_STAT_KEY_IMPL_H

#include "cli/base/hash.h"
#include "cli/base/val.h"
#include "cli/stat/key.h"

#define KEY_NOWORDS UINT32_MAX	     /* no probe has this number */
#define KEY_DECODED (UINT32_MAX - 1) /* kv_words of a decoded argument */

/* The value of an event for a key. */
struct key_val {
	struct keys *kv_by;
	unsigned int kv_i; /* index of its item */
	enum {
		KEY_NONE,
		KEY_NUM,
		KEY_STR
	} kv_what;
	uint64_t kv_num;
	enum val_class kv_class; /* class of a number that is summed */
	uint32_t kv_words;	 /* pbn of the probe that formats the number */
	size_t kv_len;		 /* length of a string */
	const char *kv_str;	 /* not terminated */
};

/* Side of a call that has the value; 0: any event. */
#define KEY_ENTRY  0x1
#define KEY_RETURN 0x2

struct key_kind {
	const char *kki_name; /* NULL: an argument */
	uint64_t kki_evtflags;
	unsigned int kki_side;
	int kki_haswords; /* in JSON, its text is printed next to the number */
	int kki_offailed; /* failed calls are summed, too */
	/* operand in the kernel; DT_OPD_NONE: only dt has the value */
	enum dt_opd_kind kki_opd;
	int kki_isofprobe; /* means something else for other probes */
	struct key_column kki_column;
	/* fills v, initially KEY_NONE, if the event has the value */
	void (*kki_get)(const struct key_call *, struct key_val *);
	/* prints the value, which exists */
	void (*kki_text)(const struct key_val *, struct buf *);
	/* the same after "name":, and related members */
	void (*kki_json)(const struct key_val *, struct buf *);
	/* key_keep(); NULL: its meaning never changes */
	void (*kki_keep)(const struct key_val *);
};

/* The hit of a pair that has the value of a key. */
enum key_where {
	KEY_HIT, /* any event; the second hit of a pair */
	KEY_FROM,
	KEY_TO,
};

/* A key's argument in one probe. */
struct key_arg {
	int kg_argn; /* -1: no argument of this name */
	enum val_class kg_class;
	uint32_t kg_words; /* first probe with the same format */
};

struct key_probe {
	const struct probe *kb_probe;
	struct key_side kb_side;
	struct key_arg
	    kb_args[KEY_MAXKEYS + 1]; /* of each key, and of the sum */
};

/* Probes that format an item alike. */
struct key_format {
	const struct key_probe *kfm_probe; /* learned first; in kv_words */
	uint32_t kfm_order; /* lowest pbn of all, whatever was learned first */
};

/* A requested key, or the value to sum. */
struct key_item {
	const struct key_kind *ki_kind;
	enum key_where ki_where;
	char ki_name[DTNAMESIZE]; /* name of the key or of the argument */
	int ki_isfound;		  /* a probe has it */
	int ki_isstring;	  /* --sum: the argument is text */
	/* a probe that has it, but never its value; NULL: none */
	const struct probe *ki_unreadable;
	unsigned int ki_unreadableargn;
	unsigned int ki_side; /* KEY_ENTRY, KEY_RETURN, both or 0 */
	struct buf ki_text;   /* text for the current event */
	struct key_format *ki_formats;
	size_t ki_nformats;
	char ki_head[DTNAMESIZE]; /* name in capitals */
	struct key_column ki_column;
};

/* Kinds of values that probes have for the sum. */
#define KEY_SUMSBYTES  0x1
#define KEY_SUMSOTHERS 0x2

/* c: constant after keys_alloc(). */
struct keys {
	struct name_cache *ky_names; /* [c] */
	unsigned int ky_n;	     /* [c] keys */
	int ky_isdefault;	     /* [c] */
	int ky_hassum;		     /* [c] */
	struct hash ky_probes;	     /* pbn -> struct key_probe */
	struct key_probe *ky_last;   /* probe found last */
	uint64_t ky_learned;	     /* DTEVT_* that arguments need */
	unsigned int ky_sums;	     /* KEY_SUMS*, of all probes */
	struct key_item ky_items[KEY_MAXKEYS + 1]; /* the last: the sum */
};

/* Returns the rank of a kv_words for sorting rows by item i. */
uint32_t key_format_order(const struct keys *, unsigned int i, uint32_t words);

#define KEY_SUM KEY_MAXKEYS /* index of the sum in ky_items, kb_args */

extern const struct key_kind key_argument;
/* Returns the key of this name, or NULL. */
const struct key_kind *key_kind_find(const char *name, size_t len);

/* key_side.c */
/* Returns the side in a name's prefix, and the length of the prefix. */
enum key_where key_where(const char *name, size_t len, size_t *prefix);
int key_hasside(const struct key_kind *); /* whether both hits have it */
/* Calls kki_get() for the hit of the key. */
void
key_get(const struct key_item *, const struct key_call *, struct key_val *);

/* Writes a message into why; returns -1. */
int keys_bad(char *why, size_t nwhy, const char *, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the next requested key, finally the sum, or NULL. */
const struct key_item *keys_next(const struct keys *, unsigned int *ip);
/* Splits a key into its values. */
void key_vals(struct keys *, const void *key, struct key_val *);
/* Returns what is known of a probe, or NULL. */
const struct key_probe *key_probe(struct keys *, uint32_t pbn);
/* Returns the DTEVT_* that an item needs, which is an argument of the probe. */
uint64_t key_arg_evtflags(const struct key_item *, const struct key_probe *,
    unsigned int argn);

/* The functions of the rows in key_table.c, by subject. */

/* key_event.c */
void key_set_num(struct key_val *v, uint64_t num);
void key_set_str(struct key_val *v, const char *s, size_t len);
void key_text_num(const struct key_val *v, struct buf *b);
void key_text_str(const struct key_val *v, struct buf *b);
/* Prints a name unchanged; it may be empty. */
void key_text_comm(const struct key_val *v, struct buf *b);
void key_json_bytes(struct buf *b, const char *s, size_t len);
void key_json_str(const struct key_val *v, struct buf *b);
/* ,"key": and ,"key":"string", with the side of the key */
void key_json_member(const struct key_val *v, struct buf *b, const char *key);
void key_json_also(const struct key_val *v, struct buf *b, const char *key,
    const char *s);

void key_get_probe(const struct key_call *bc, struct key_val *v);
void key_json_probe(const struct key_val *v, struct buf *b);
void key_text_probe(const struct key_val *v, struct buf *b);

/* Time between the two probes of a pair, or the two events of a call. */
void key_get_duration(const struct key_call *bc, struct key_val *v);
void key_get_errno(const struct key_call *bc, struct key_val *v);
/*
 * Returned value of a call, formatted as for that call; -1 of a failed call is
 * a number, which distinguishes the two.
 */
void key_get_retval(const struct key_call *bc, struct key_val *v);
void key_json_retval(const struct key_val *v, struct buf *b);
void key_text_errno(const struct key_val *v, struct buf *b);
void key_text_retval(const struct key_val *v, struct buf *b);

/* key_process.c */
void key_get_cgroup(const struct key_call *bc, struct key_val *v);
void key_get_comm(const struct key_call *bc, struct key_val *v);
void key_get_cpu(const struct key_call *bc, struct key_val *v);
void key_get_pid(const struct key_call *bc, struct key_val *v);
void key_get_ppid(const struct key_call *bc, struct key_val *v);
void key_get_tid(const struct key_call *bc, struct key_val *v);
void key_get_uid(const struct key_call *bc, struct key_val *v);
/* The name of the cgroup, as text: cgroups of one name are one key. */
void key_get_unit(const struct key_call *bc, struct key_val *v);
/* The same of a socket's cgroup, which only rows of the kernel have. */
void key_get_sockunit(const struct key_call *bc, struct key_val *v);
void key_json_cgroup(const struct key_val *v, struct buf *b);
void key_json_uid(const struct key_val *v, struct buf *b);
void key_keep_cgroup(const struct key_val *v);
void key_text_cgroup(const struct key_val *v, struct buf *b);
void key_text_uid(const struct key_val *v, struct buf *b);

/* key_stack.c */
void key_get_kstack(const struct key_call *bc, struct key_val *v);
void key_get_ustack(const struct key_call *bc, struct key_val *v);
void key_json_stack(const struct key_val *v, struct buf *b);
/* Prints a line for each frame. */
void key_text_stack(const struct key_val *v, struct buf *b);

/* key_arg.c */
void key_get_arg(const struct key_call *bc, struct key_val *v);
void key_get_path(const struct key_call *bc, struct key_val *v);
void key_get_rettext(const struct key_call *bc, struct key_val *v);
void key_json_arg(const struct key_val *v, struct buf *b);
/* Formatted by the probe, for a call with only this argument. */
void key_text_arg(const struct key_val *v, struct buf *b);

#endif /* CLI_STAT_KEY_IMPL_H */
