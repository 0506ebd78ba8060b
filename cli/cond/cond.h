/* SPDX-License-Identifier: ISC */
/*
 * Conditions, as --if has them: an expression is parsed once, and compiled for
 * each probe by the types of its arguments.  Pure functions; what is wrong with
 * an expression is told with the place where.
 *
 *	or	and { || and }
 *	and	not { && not }
 *	not	! not | cmp
 *	cmp	bits [ (== != < <= > >=) bits ]
 *	bits	one { (& |) one }
 *	one	- one | ~ one | ( or ) | number | "text" | name
 *
 * So & and | are stronger than ==, other than in C.
 */
#ifndef CLI_COND_COND_H
#define CLI_COND_COND_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/cond/cond_lex.h"
#include "cli/sym/names.h"

enum cond_kind {
	COND_NUMBER, /* constants: these three */
	COND_TEXT,
	COND_NAME, /* or something of the probe */
	COND_NEG,
	COND_INVERT,
	COND_BITAND,
	COND_BITOR,
	COND_COMPARE,
	COND_NOT,
	COND_AND,
	COND_OR,
};

/* A part of an expression; constant once parsed. */
struct cond_node {
	enum cond_kind cn_kind;
	enum dt_compare cn_op; /* of COND_COMPARE */
	const struct cond_node *cn_left, *cn_right;
	struct cond_tok cn_tok; /* of a constant or name; else of its sign */
	unsigned int cn_begin, cn_end; /* in the text */
};

#define COND_MAXNODES 256
#define COND_MAXDEPTH 32 /* of parentheses and signs in one another */

struct cond_expr {
	const char *ce_text; /* the caller's */
	const struct cond_node *ce_root;
	struct cond_node ce_nodes[COND_MAXNODES];
	unsigned int ce_n;
};

/* What is wrong, and where. */
struct cond_error {
	unsigned int er_begin, er_end; /* in the text */
	char er_why[256];	       /* fit for a terminal */
};

/* cond_parse.c: 0 or -1.  The expression points into text. */
int cond_parse(struct cond_expr *, const char *text, struct cond_error *);

/*
 * cond_compile.c: for a probe.  entry: the probe that declares the arguments,
 * NULL if none does.  Returns 0; -1 with an error; or COND_LATER: the probe is
 * an entry, and what is asked for is known at the return only.
 */
#define COND_LATER 1
int cond_compile(const struct cond_expr *, const struct probe *,
    const struct probe *entry, struct dt_cond *, struct cond_error *);
/*
 * Only what is joined by && and looks at arguments alone, or only the rest; the
 * probe is the entry, and the return.  COND_TEXTS: texts are arguments, too,
 * and not read when the call returns.  No comparison: there is no such part.
 */
#define COND_EARLY 0x1
#define COND_LATE  0x2
#define COND_TEXTS 0x4
int cond_compile_part(const struct cond_expr *, unsigned int part,
    const struct probe *, const struct probe *entry, struct dt_cond *,
    struct cond_error *);
/*
 * Compiles the comparisons joined by && that look at one hit of a pair of two
 * probes.  Names are from.NAME and to.NAME.  A name without a side is an
 * argument of the first hit, or if the first has none so named, of the second.
 */
#define COND_FROM 0x8
#define COND_TO	  0x10
int cond_compile_side(const struct cond_expr *, unsigned int side,
    const struct probe *from, const struct probe *to, struct dt_cond *,
    struct cond_error *);
/* Where the expression has this name first, or NULL. */
const struct cond_node *cond_uses(const struct cond_expr *, const char *name);
/* Whether a name means the thread or process, while the probe has an argument
 * called so. */
int cond_shadows(const struct probe *, const char *name);
/* Whether a name is that of a thread or process here, while the probe has an
 * argument called so: the name, or NULL. */
const char *cond_shadowed(const struct cond_expr *, const struct probe *);

/* cond_error.c */
int cond_fail(struct cond_error *, unsigned int begin, unsigned int end,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The reason, the expression, and under it the place. */
void cond_error_text(struct buf *, const struct cond_error *, const char *text);

/*
 * cond_types.c: names, for one probe
 */

/* What a name stands for. */
struct cond_operand {
	struct dt_opd cop_opd;		 /* as a number, if cop_isnumber */
	const char *cop_name;		 /* as it was asked for */
	int cop_isnumber;		 /* can be compared with numbers */
	int cop_istext;			 /* with texts */
	uint8_t cop_textkind;		 /* DT_OPD_STRING, DT_OPD_COMM */
	unsigned int cop_maxlen;	 /* of its text; 0: as long as may be */
	const struct arg_kind *cop_kind; /* knows names of values, or NULL */
	int cop_islater;		 /* an entry does not know it */
};

/* 0, or -1: this probe has nothing of that name. */
int cond_operand(const struct probe *, const struct probe *entry,
    const char *name, struct cond_operand *);
/* Whether it is what only the end has: a result, or the duration. */
int cond_isresult(const struct cond_operand *);
/* The name that may have been meant, or NULL.  Of a constant if of is not
 * NULL. */
const char *cond_nearest(const struct probe *, const struct probe *entry,
    const struct cond_operand *of, const char *name);
/* A constant by name.  0 or -1. */
int
cond_constant(const struct cond_operand *of, const char *name, uint64_t *value);

#endif /* CLI_COND_COND_H */
