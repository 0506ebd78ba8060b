/* SPDX-License-Identifier: ISC */
/*
 * Conditions of --if.  An expression is parsed once, and compiled for each
 * probe by the types of its arguments.  Pure functions; an error carries its
 * position in the expression.
 *
 * or	and { || and }
 * and	not { && not }
 * not	! not | cmp
 * cmp	bits [ (== != < <= > >=) bits ]
 * bits	one { (& |) one }
 * one	- one | ~ one | ( or ) | number | "text" | name | str( name )
 *
 * So & and | bind more tightly than ==, unlike in C.
 */
#ifndef CLI_COND_COND_H
#define CLI_COND_COND_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/cond/cond_lex.h"
#include "cli/sym/name_cache.h"

enum cond_kind {
	COND_NUMBER, /* constants: these three */
	COND_TEXT,
	COND_NAME, /* or a value of the probe */
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
	struct cond_tok cn_tok; /* token of a constant or name; else of the
				 * operator */
	unsigned int cn_begin, cn_end; /* position in the text */
};

#define COND_MAXNODES 256
#define COND_MAXDEPTH 32 /* nesting of parentheses and operators */

struct cond_expr {
	const char *ce_text; /* belongs to the caller */
	const struct cond_node *ce_root;
	struct cond_node ce_nodes[COND_MAXNODES];
	unsigned int ce_n;
};

/* An error and its position. */
struct cond_error {
	unsigned int er_begin, er_end; /* position in the text */
	char er_why[256];	       /* escaped for a terminal */
};

/* cond_parse.c: returns 0 or -1.  The expression points into text. */
int cond_parse(struct cond_expr *, const char *text, struct cond_error *);

/*
 * cond_compile.c: compiles for a probe.  entry: the probe that declares the
 * arguments, NULL if there is none.  Returns 0; -1 with an error; or
 * COND_LATER: the probe is an entry, and the expression uses a value that only
 * the return has.
 */
#define COND_LATER 1
int cond_compile(const struct cond_expr *, const struct probe *,
    const struct probe *entry, struct dt_cond *, struct cond_error *);
/*
 * Selects the comparisons joined by && that use arguments only, or only the
 * others; the probe is the entry or the return, respectively.  COND_TEXTS:
 * strings are arguments, too, and are not read at the return.  Without a
 * matching comparison, the part is empty.
 */
#define COND_EARLY 0x1
#define COND_LATE  0x2
#define COND_TEXTS 0x4
int cond_compile_part(const struct cond_expr *, unsigned int part,
    const struct probe *, const struct probe *entry, struct dt_cond *,
    struct cond_error *);
/*
 * Compiles the comparisons joined by && that use one hit of a pair of two
 * probes.  Names are from.NAME and to.NAME.  A name without a side is an
 * argument of the first hit, or of the second if the first has no argument of
 * that name.
 */
#define COND_FROM 0x8
#define COND_TO	  0x10
int cond_compile_side(const struct cond_expr *, unsigned int side,
    const struct probe *from, const struct probe *to, struct dt_cond *,
    struct cond_error *);
/* Returns the first use of a name in the expression, or NULL. */
const struct cond_node *cond_uses(const struct cond_expr *, const char *name);
/*
 * Returns whether a name of a thread or process value is also the name of an
 * argument of the probe.
 */
int cond_shadows(const struct probe *, const char *name);
/*
 * Returns the first name in the expression that denotes a thread or process
 * value although the probe has an argument of that name, or NULL.
 */
const char *cond_shadowed(const struct cond_expr *, const struct probe *);

/* cond_error.c */
int cond_fail(struct cond_error *, unsigned int begin, unsigned int end,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Prints the reason, and the expression with the position marked below it. */
void cond_error_text(struct buf *, const struct cond_error *, const char *text);

/* cond_types.c: names of one probe's values */

/* Meaning of a name. */
struct cond_operand {
	struct dt_opd cop_opd;		 /* as a number, if cop_isnumber */
	const char *cop_name;		 /* name as written in the expression */
	int cop_isnumber;		 /* comparable with numbers */
	int cop_istext;			 /* comparable with texts */
	uint8_t cop_textkind;		 /* DT_OPD_STRING, DT_OPD_COMM */
	unsigned int cop_maxlen;	 /* maximum length of its text; 0:
					  * unlimited */
	const struct arg_kind *cop_kind; /* names of its values, or NULL */
	int cop_islater;		 /* unknown at the entry */
};

/* Returns 0, or -1: the probe has no value of that name. */
int cond_operand(const struct probe *, const struct probe *entry,
    const char *name, struct cond_operand *);
/*
 * Returns whether only the end of a call has the value: a result, or the
 * duration.
 */
int cond_isresult(const struct cond_operand *);
/* Returns a similar name, or NULL; the name of a constant if of is not NULL. */
const char *cond_nearest(const struct probe *, const struct probe *entry,
    const struct cond_operand *of, const char *name);
/* Looks up a constant by name.  Returns 0 or -1. */
int
cond_constant(const struct cond_operand *of, const char *name, uint64_t *value);

#endif /* CLI_COND_COND_H */
