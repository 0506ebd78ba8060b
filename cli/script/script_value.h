/* SPDX-License-Identifier: ISC */
/* Values of a running script. */
#ifndef CLI_SCRIPT_SCRIPT_VALUE_H
#define CLI_SCRIPT_SCRIPT_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/buf.h"
#include "cli/script/script.h"

/*
 * A value.  Its memory belongs to the event, to the script or to a map, and is
 * valid until the clause ends.
 */
struct sval {
	enum script_type sv_type; /* not ST_ANY or an aggregation */
	uint8_t sv_isunsigned;
	uint8_t sv_isvector; /* sv_text: strings, each with a NUL */
	uint8_t sv_iscut;    /* of STR: it was longer */
	uint32_t sv_len;     /* bytes of sv_text, elements; pid of USYM */
	int64_t sv_number;   /* INT; address; uid; pid of a stack */
	/*
	 * STR, BUF, INET, MAC: bytes.  INT: recorded text of a pointer, or NULL.
	 * Stacks: addresses.  TUPLE: struct sval.
	 */
	const void *sv_text;
	uint64_t sv_time; /* of user addresses: CLOCK_MONOTONIC, ns */
};

#define SVAL_INT(n) \
	((struct sval){ .sv_type = ST_INT, .sv_number = (int64_t)(n) })
#define SVAL_STR(s, n) \
	((struct sval){ .sv_type = ST_STR, .sv_text = (s), .sv_len = (n) })

int sval_istrue(const struct sval *);
/* Returns a copy that sval_clear() frees. */
struct sval sval_copy(const struct sval *);
void sval_clear(struct sval *);
/* Appends a form that is equal for equal values, and can be read back. */
void sval_pack(struct buf *, const struct sval *);
/* Reads a value, which points into the bytes; returns the bytes that it has. */
size_t sval_unpack(const void *, struct sval *, struct sval *tuple,
    unsigned int *ntuple);
/* Orders values of a type: numbers, texts. */
int sval_compare(const struct sval *, const struct sval *);

struct name_cache;

/* As print() and maps show it; indent: of the frames of a stack. */
void
sval_text(struct buf *, const struct sval *, struct name_cache *, int ismapkey);
/* Appends a text, which is escaped for a terminal. */
void sval_text_str(struct buf *, const char *, size_t);
/* The same as a JSON value. */
void sval_json(struct buf *, const struct sval *, struct name_cache *);
/* Appends a JSON string. */
void sval_json_str(struct buf *, const char *, size_t);

#endif /* CLI_SCRIPT_SCRIPT_VALUE_H */
