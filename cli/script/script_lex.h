/* SPDX-License-Identifier: ISC */
/* Tokens of a script. */
#ifndef CLI_SCRIPT_SCRIPT_LEX_H
#define CLI_SCRIPT_SCRIPT_LEX_H

#include <stddef.h>
#include <stdint.h>

#include "cli/script/script_error.h"

enum stk_kind {
	TOK_END = 0,
	TOK_NUMBER,
	TOK_STRING,
	TOK_NAME,
	TOK_VAR,   /* $name */
	TOK_PARAM, /* $1; $# has the number -1 */
	TOK_MAP,   /* @name */
	/* one or more characters; stk_op is the sum of these, see TOK_OP() */
	TOK_OP,
};

/* The number of an operator of up to three characters. */
#define OP1(a)	     (a)
#define OP2(a, b)    ((a) | (b) << 8)
#define OP3(a, b, c) ((a) | (b) << 8 | (c) << 16)

struct tok {
	enum stk_kind stk_kind;
	unsigned int stk_op;
	size_t stk_begin, stk_end; /* offsets in the text */
	uint64_t stk_number;
	/* name without its sigil, or string without escapes */
	char *stk_text;
	size_t stk_len;
};

#define SCRIPT_MAXDEFINES 64

/* #define NAME VALUE */
struct script_define {
	const char *sd_name, *sd_value;
	size_t sd_namelen, sd_valuelen;
};

struct lex {
	const char *lx_text; /* NUL terminated */
	size_t lx_at;
	struct script_error *lx_error;
	void *(*lx_alloc)(void *, size_t); /* zeroed; owner of stk_text */
	void *lx_arg;
	struct script_define lx_defines[SCRIPT_MAXDEFINES];
	unsigned int lx_ndefines;
	unsigned int lx_nincludes; /* lines of #include */
	unsigned int lx_skip;	   /* lines of #if that are skipped */
	unsigned int lx_nif;	   /* open #if */
};

/* Reads the next token.  After an error: TOK_END. */
void lex_next(struct lex *, struct tok *);
/* Skips blanks, comments and lines of the preprocessor. */
void lex_blanks(struct lex *);
/*
 * Reads the name of a probe up to a blank, a comma, { or the / of a predicate.
 * Returns NULL at its end.
 */
char *lex_probe(struct lex *, struct tok *);

#endif /* CLI_SCRIPT_SCRIPT_LEX_H */
