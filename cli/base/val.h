/* SPDX-License-Identifier: ISC */
/*
 * How the values of a record read: arguments by their C type, results,
 * errnos.  Pure functions into a buffer.
 */
#ifndef CLI_BASE_VAL_H
#define CLI_BASE_VAL_H

#include <stdint.h>

#include "cli/base/buf.h"

enum val_class {
	VAL_HEX = 0, /* addresses, and what we don't know */
	VAL_S32,     /* int */
	VAL_U32,
	VAL_S64,
	VAL_U64,
	VAL_X32, /* flags of 32 bits */
	VAL_X64,
	VAL_O32, /* modes of files */
	VAL_S16,
	VAL_U16,
	VAL_S8,
	VAL_U8,
	VAL_NONE, /* has no number: text, or bytes */
};

/* Of an argument, by its type and name as DTIOCGARGS, DTIOCGARGNAMES tell. */
enum val_class val_classify(const char *type, const char *name);
/* The same of a number of 64 bits, whose type may have any name. */
enum val_class
val_classify_number(const char *type, const char *name, int issigned);
/* Of what a function returns: few return addresses. */
enum val_class val_classify_ret(const char *func);

/* The bits that count, the sign extended: equal values become equal. */
uint64_t val_whole(enum val_class, uint64_t);
/* As a number to add; cut to INT64_MAX. */
int64_t val_amount(enum val_class, uint64_t);

void val_text(struct buf *, enum val_class, uint64_t);
/* A number; addresses as strings, which no reader of JSON rounds. */
void val_json(struct buf *, enum val_class, uint64_t);

/* "ENOENT", "ERESTARTSYS", or NULL for a number that nobody has named. */
const char *val_errname(unsigned int);
/* What it means, or NULL. */
const char *val_errdesc(unsigned int);

#endif /* CLI_BASE_VAL_H */
