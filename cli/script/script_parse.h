/* SPDX-License-Identifier: ISC */
/* State of the parser, for script_parse.c and script_parse_expr.c. */
#ifndef CLI_SCRIPT_SCRIPT_PARSE_H
#define CLI_SCRIPT_SCRIPT_PARSE_H

#include "cli/script/script.h"
#include "cli/script/script_lex.h"

struct script_parser {
	struct script *spr_script;
	struct lex spr_lex;
	struct tok spr_tok; /* the next token */
	unsigned int spr_depth;
	unsigned int spr_loops;	 /* loops around this place */
	unsigned int spr_macros; /* definitions being expanded */
	int spr_ispred;		 /* / may end the expression */
};

/* Returns a node at the next token; NULL after an error. */
struct node *parse_node(struct script_parser *, enum node_kind);
void parse_add(struct node *parent, struct node *kid);
void parse_next(struct script_parser *);
/* Returns whether the next token is this name. */
int parse_isword(const struct script_parser *, const char *word);
/* Returns whether the next token is this operator. */
int parse_is(const struct script_parser *, unsigned int op);
/* The same; then skips it. */
int parse_accept(struct script_parser *, unsigned int op);
/* Skips the operator, or fails.  Returns 0 or -1. */
int parse_expect(struct script_parser *, unsigned int op, const char *what);
int parse_fail(struct script_parser *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

struct node *parse_expr(struct script_parser *);
/* Parses a variable or map, without operators after it. */
struct node *parse_target(struct script_parser *);

#endif /* CLI_SCRIPT_SCRIPT_PARSE_H */
