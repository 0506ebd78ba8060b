/* SPDX-License-Identifier: ISC */
/* State of the parser, for script_parse.c and script_parse_expr.c. */
#ifndef CLI_SCRIPT_SCRIPT_PARSE_H
#define CLI_SCRIPT_SCRIPT_PARSE_H

#include "cli/script/script.h"
#include "cli/script/script_lex.h"

struct parse {
	struct script *ps_script;
	struct lex ps_lex;
	struct tok ps_tok; /* the next token */
	unsigned int ps_depth;
	unsigned int ps_loops;	/* loops around this place */
	unsigned int ps_macros; /* definitions being expanded */
	int ps_ispred;		/* / may end the expression */
};

/* Returns a node at the next token; NULL after an error. */
struct node *parse_node(struct parse *, enum node_kind);
void parse_add(struct node *parent, struct node *kid);
void parse_next(struct parse *);
/* Returns whether the next token is this operator. */
int parse_is(const struct parse *, unsigned int op);
/* The same; then skips it. */
int parse_accept(struct parse *, unsigned int op);
/* Skips the operator, or fails.  Returns 0 or -1. */
int parse_expect(struct parse *, unsigned int op, const char *what);
int parse_fail(struct parse *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

struct node *parse_expr(struct parse *);
/* A variable or map as an operand; what follows is not parsed. */
struct node *parse_target(struct parse *);

#endif /* CLI_SCRIPT_SCRIPT_PARSE_H */
