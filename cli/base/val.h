/* SPDX-License-Identifier: ISC */
/*
 * Formats the values of a record: arguments by their C type, results, errnos.
 * Pure functions that append to a buffer.
 */
#ifndef CLI_BASE_VAL_H
#define CLI_BASE_VAL_H

#include <stdint.h>
#include <time.h>

#include "cli/base/buf.h"

enum val_class {
	VAL_HEX = 0, /* addresses, and unknown types */
	VAL_S32,     /* int */
	VAL_U32,
	VAL_S64,
	VAL_U64,
	VAL_X32, /* flags of 32 bits */
	VAL_X64,
	VAL_O32, /* file modes */
	VAL_S16,
	VAL_U16,
	VAL_S8,
	VAL_U8,
	VAL_NONE, /* not a number: text or bytes */
};

/*
 * Class of an argument, by its type and name as in DTIOCGARGS and
 * DTIOCGARGNAMES.
 */
enum val_class val_classify(const char *type, const char *name);
/* The same for a 64-bit number, whose type may have any name. */
enum val_class
val_classify_number(const char *type, const char *name, int issigned);
/* Class of a function's result: few functions return addresses. */
enum val_class val_classify_ret(const char *func);

/*
 * Reduces a value to the bits of its class, sign-extended, so that equal values
 * compare equal.
 */
uint64_t val_whole(enum val_class, uint64_t);
/* Stores the bytes of a class's values, and whether they are signed. */
void val_width(enum val_class, uint8_t *size, uint8_t *issigned);
/* Returns a value as a number to add, limited to INT64_MAX. */
int64_t val_amount(enum val_class, uint64_t);

void val_text(struct buf *, enum val_class, uint64_t);
/* Prints a number; addresses are strings, which JSON readers do not round. */
void val_json(struct buf *, enum val_class, uint64_t);

/* Appends a time of day, HH:MM:SS.nnnnnn in local time. */
void val_time(struct buf *, const struct timespec *);
/*
 * Appends seconds with six decimals; before the point, they are padded with
 * blanks to width.
 */
void val_seconds(struct buf *, uint64_t nsecs, int width);

#define VAL_NSECS 32 /* bytes of such a text */
/*
 * Writes a time with at most four digits, and returns the text: "503ns",
 * "1.24us", "11.99ms", "100.2s".
 */
const char *val_nsecs(char text[VAL_NSECS], int64_t);
/* The same for a number of bytes: "503B", "1.24kB" (of 1024), "11.99MB". */
const char *val_nbytes(char text[VAL_NSECS], int64_t);

/*
 * Returns "ENOENT" or "ERESTARTSYS", for example; NULL for an unknown number.
 */
const char *val_errname(unsigned int);
/* Returns the description of an errno, or NULL. */
const char *val_errdesc(unsigned int);

#endif /* CLI_BASE_VAL_H */
