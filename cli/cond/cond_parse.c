/* SPDX-License-Identifier: ISC */
/*
 * Parses the tokens of a condition into a tree, by the grammar in cond.h.  The
 * meaning of names depends on the probe and is not checked here.
 */
#include <string.h>

#include "cli/cond/cond.h"

/* State of the parser, with one token of lookahead. */
struct parse {
	struct cond_expr *pa_expr;
	struct cond_error *pa_error;
	struct cond_tok pa_tok;
	unsigned int pa_depth;
};

typedef const struct cond_node *parse_fn(struct parse *);

static parse_fn parse_or, parse_not, parse_one;

/* All of these return NULL on an error. */

static const struct cond_node *
parse_fail(struct parse *pa, unsigned int begin, unsigned int end,
    const char *why)
{
	cond_fail(pa->pa_error, begin, end, "%s", why);
	return NULL;
}

static int
parse_next(struct parse *pa)
{
	return cond_lex(pa->pa_expr->ce_text, pa->pa_tok.tok_end, &pa->pa_tok,
	    pa->pa_error);
}

static struct cond_node *
parse_node(struct parse *pa, enum cond_kind kind, const struct cond_tok *tk)
{
	struct cond_expr *ce = pa->pa_expr;
	struct cond_node *cn;

	if (ce->ce_n == COND_MAXNODES) {
		parse_fail(pa, tk->tok_begin, tk->tok_end, "this is too long");
		return NULL;
	}
	cn = &ce->ce_nodes[ce->ce_n++];
	*cn = (struct cond_node){
		.cn_kind = kind,
		.cn_tok = *tk,
		.cn_begin = tk->tok_begin,
		.cn_end = tk->tok_end,
	};
	return cn;
}

/* Parses left OPERATOR right: the operator is the next token. */
static const struct cond_node *
parse_two(struct parse *pa, enum cond_kind kind, const struct cond_node *left,
    parse_fn *right)
{
	struct cond_node *cn = parse_node(pa, kind, &pa->pa_tok);

	if (cn == NULL || parse_next(pa) == -1)
		return NULL;
	cn->cn_left = left;
	if ((cn->cn_right = right(pa)) == NULL)
		return NULL;
	cn->cn_begin = left->cn_begin;
	cn->cn_end = cn->cn_right->cn_end;
	return cn;
}

/* Parses OPERATOR right. */
static const struct cond_node *
parse_sign(struct parse *pa, enum cond_kind kind, parse_fn *right)
{
	struct cond_node *cn = parse_node(pa, kind, &pa->pa_tok);

	if (cn == NULL)
		return NULL;
	if (++pa->pa_depth > COND_MAXDEPTH)
		return parse_fail(pa, cn->cn_begin, cn->cn_end,
		    "there are too many nested parentheses");
	if (parse_next(pa) == -1 || (cn->cn_right = right(pa)) == NULL)
		return NULL;
	cn->cn_end = cn->cn_right->cn_end;
	pa->pa_depth--;
	return cn;
}

static const struct cond_node *
parse_parentheses(struct parse *pa)
{
	struct cond_tok open = pa->pa_tok;
	const struct cond_node *inside;

	if (++pa->pa_depth > COND_MAXDEPTH)
		return parse_fail(pa, open.tok_begin, open.tok_end,
		    "there are too many nested parentheses");
	if (parse_next(pa) == -1 || (inside = parse_or(pa)) == NULL)
		return NULL;
	if (pa->pa_tok.tok_word != WORD_CLOSE)
		return parse_fail(pa, open.tok_begin, open.tok_end,
		    "this parenthesis is not closed");
	if (parse_next(pa) == -1)
		return NULL;
	pa->pa_depth--;
	return inside;
}

static const struct cond_node *
parse_word(struct parse *pa, enum cond_kind kind)
{
	const struct cond_node *cn = parse_node(pa, kind, &pa->pa_tok);

	return cn == NULL || parse_next(pa) == -1 ? NULL : cn;
}

static const struct cond_node *
parse_one(struct parse *pa)
{
	const struct cond_tok *tk = &pa->pa_tok;

	switch (tk->tok_word) {
	case WORD_NUMBER:
		return parse_word(pa, COND_NUMBER);
	case WORD_TEXT:
		return parse_word(pa, COND_TEXT);
	case WORD_NAME:
		return parse_word(pa, COND_NAME);
	case WORD_MINUS:
		return parse_sign(pa, COND_NEG, parse_one);
	case WORD_INVERT:
		return parse_sign(pa, COND_INVERT, parse_one);
	case WORD_OPEN:
		return parse_parentheses(pa);
	case WORD_END:
		return parse_fail(pa, tk->tok_begin, tk->tok_end,
		    "something is missing at the end");
	default:
		return parse_fail(pa, tk->tok_begin, tk->tok_end,
		    "a name, a number or a string is missing before this");
	}
}

static const struct cond_node *
parse_bits(struct parse *pa)
{
	const struct cond_node *cn = parse_one(pa);

	while (cn != NULL &&
	    (pa->pa_tok.tok_word == WORD_BITAND ||
		pa->pa_tok.tok_word == WORD_BITOR))
		cn = parse_two(pa,
		    pa->pa_tok.tok_word == WORD_BITAND ? COND_BITAND
						       : COND_BITOR,
		    cn, parse_one);
	return cn;
}

static int
parse_iscompare(const struct parse *pa)
{
	return pa->pa_tok.tok_word >= WORD_EQ && pa->pa_tok.tok_word <= WORD_GE;
}

static const struct cond_node *
parse_compare(struct parse *pa)
{
	const struct cond_node *cn = parse_bits(pa);
	enum dt_compare op;

	_Static_assert(WORD_GE - WORD_EQ == DT_CMP_GE - DT_CMP_EQ &&
		WORD_LT - WORD_EQ == DT_CMP_LT - DT_CMP_EQ,
	    "words and comparisons have the same order");

	if (cn == NULL || !parse_iscompare(pa))
		return cn;
	op = DT_CMP_EQ + (pa->pa_tok.tok_word - WORD_EQ);
	if ((cn = parse_two(pa, COND_COMPARE, cn, parse_bits)) == NULL)
		return NULL;
	((struct cond_node *)cn)->cn_op = op;
	if (parse_iscompare(pa))
		return parse_fail(pa, pa->pa_tok.tok_begin, pa->pa_tok.tok_end,
		    "a comparison has two operands; join comparisons by &&");
	return cn;
}

static const struct cond_node *
parse_not(struct parse *pa)
{
	if (pa->pa_tok.tok_word == WORD_NOT)
		return parse_sign(pa, COND_NOT, parse_not);
	return parse_compare(pa);
}

static const struct cond_node *
parse_and(struct parse *pa)
{
	const struct cond_node *cn = parse_not(pa);

	while (cn != NULL && pa->pa_tok.tok_word == WORD_AND)
		cn = parse_two(pa, COND_AND, cn, parse_not);
	return cn;
}

static const struct cond_node *
parse_or(struct parse *pa)
{
	const struct cond_node *cn = parse_and(pa);

	while (cn != NULL && pa->pa_tok.tok_word == WORD_OR)
		cn = parse_two(pa, COND_OR, cn, parse_and);
	return cn;
}

int
cond_parse(struct cond_expr *ce, const char *text, struct cond_error *er)
{
	struct parse pa = { .pa_expr = ce, .pa_error = er };

	memset(ce, 0, sizeof(*ce));
	ce->ce_text = text;
	if (parse_next(&pa) == -1)
		return -1;
	if (pa.pa_tok.tok_word == WORD_END)
		return cond_fail(er, 0, 0, "a condition is missing");
	if ((ce->ce_root = parse_or(&pa)) == NULL)
		return -1;
	if (pa.pa_tok.tok_word == WORD_CLOSE)
		return cond_fail(er, pa.pa_tok.tok_begin, pa.pa_tok.tok_end,
		    "this parenthesis was not opened");
	if (pa.pa_tok.tok_word != WORD_END)
		return cond_fail(er, pa.pa_tok.tok_begin, pa.pa_tok.tok_end,
		    "&& or || is missing before this");
	return 0;
}
