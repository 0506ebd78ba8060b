/* SPDX-License-Identifier: ISC */
/* Tables of the functions and built-in values of the language. */
#ifndef CLI_SCRIPT_SCRIPT_NAME_H
#define CLI_SCRIPT_SCRIPT_NAME_H

#include "cli/script/script_run.h"

/*
 * A function.  sf_args: the kind of each argument, the last one repeated: i
 * number, t text, l text as a constant, p pointer, m map, s signal, a any.
 */
struct script_func {
	const char *sf_name;
	unsigned int sf_min, sf_max;
	const char *sf_args;
	enum script_type sf_type;
	unsigned int sf_flags; /* FUNC_* */
	uint64_t sf_evtflags;  /* DTEVT_* that it needs of a hit */
	struct sval (*sf_eval)(struct srun *, const struct node *);
	const char *sf_why; /* why it is refused, and the nearest; NULL: no */
};

#define FUNC_AGG    0x1	 /* only as @x = f() */
#define FUNC_VOID   0x2	 /* a statement, without a value */
#define FUNC_UNSAFE 0x4	 /* requires --unsafe */
#define FUNC_FORMAT 0x8	 /* the first argument is a format */
#define FUNC_ROOT   0x10 /* pointers may begin with its value */
#define FUNC_READ   0x20 /* the kernel reads its value at the hit */
#define FUNC_SAME   0x40 /* returns its argument */

const struct script_func *script_func(const char *name);
const char *script_func_near(const char *name);
/* Returns the function of a node such as count(), or NULL. */
const struct script_func *script_func_agg(const struct node *);

#define SCRIPT_NSIGNALS 64 /* of Linux, with the real-time ones */

/*
 * Returns the number of a signal by its name, with or without SIG.  0: there is
 * none; *near is the most similar one, or NULL.
 */
int script_signal(const char *name, const char **near);

/* Whether structs may be read through a built-in value. */
enum builtin_read {
	READ_NONE,
	READ_ROOT,  /* it is a pointer to one */
	READ_VALUE, /* and is read at the hit itself */
};

struct script_builtin {
	const char *sb_name;
	enum script_type sb_type;
	int sb_isunsigned;
	uint64_t sb_evtflags;
	struct sval (*sb_eval)(struct srun *, const struct node *);
	const char *sb_why;
	enum builtin_read sb_read;
};

/* Finds a built-in value; argN has one for all N. */
const struct script_builtin *script_builtin(const char *name);
const char *script_builtin_near(const char *name);
/* Stores the value of func or probe, which needs no hit.  Returns 0 or -1. */
int script_builtin_fixed(const struct node *, const struct script_hit *,
    struct sval *);
/* Stores the value of a constant of the kernel or of libc.  Returns 0 or -1. */
int script_constant(const char *name, int64_t *);

#endif /* CLI_SCRIPT_SCRIPT_NAME_H */
