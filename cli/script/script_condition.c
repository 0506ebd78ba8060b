/* SPDX-License-Identifier: ISC */
/*
 * Writes predicates in the language of --if, which the kernel evaluates.  The
 * kernel only has to pass all hits for which the predicate is true: the
 * interpreter tests it again.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cond/cond.h"
#include "cli/script/script_lex.h"
#include "cli/script/script_lower.h"

/* A predicate while it is written. */
struct condition {
	struct buf cdn_text;
	int cdn_isexact;
};

static int condition_node(struct condition *, const struct node *);

static int
condition_isconst(const struct node *nd)
{
	return nd->nd_kind == ND_NUMBER || nd->nd_kind == ND_STRING ||
	    nd->nd_kind == ND_PARAM;
}

static int
condition_isresult(const struct node *nd)
{
	return (nd->nd_kind == ND_BUILTIN &&
		   strcmp(nd->nd_text, "retval") == 0) ||
	    (nd->nd_kind == ND_FIELD && strcmp(nd->nd_text, "ret") == 0);
}

/* str() of an argument or of the result. */
static int
condition_str(struct buf *b, const struct node *nd)
{
	if (condition_isresult(nd))
		buf_str(b, "str(retval)");
	else if (nd->nd_kind == ND_FIELD)
		buf_printf(b, "str(args.%s)", nd->nd_text);
	else if (nd->nd_kind == ND_BUILTIN &&
	    strncmp(nd->nd_text, "arg", 3) == 0)
		buf_printf(b, "str(%s)", nd->nd_text);
	else
		return -1;
	return 0;
}

/* A name; a text is not exact, since some cannot be read at the hit. */
static int
condition_name(struct condition *cdn, const struct node *nd, int istext)
{
	static const char *const names[] = { "pid", "tid", "uid", "cpu" };
	struct buf *b = &cdn->cdn_text;
	size_t i;

	if (nd->nd_kind == ND_CALL && strcmp(nd->nd_text, "str") == 0 &&
	    nd->nd_nkids == 1 && istext) {
		cdn->cdn_isexact = 0;
		return condition_str(b, nd->nd_kids);
	}
	if (condition_isresult(nd)) {
		buf_str(b, "retval");
		return istext ? -1 : 0;
	}
	if (nd->nd_kind == ND_FIELD) {
		cdn->cdn_isexact &= !istext;
		buf_printf(b, "args.%s", nd->nd_text);
		return 0;
	}
	if (nd->nd_kind != ND_BUILTIN)
		return -1;
	if (strcmp(nd->nd_text, "comm") == 0) {
		buf_str(b, "comm");
		return istext ? 0 : -1;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(nd->nd_text, names[i]) == 0 && !istext) {
			buf_str(b, names[i]);
			return 0;
		}
	return -1;
}

static int
condition_const(struct condition *cdn, const struct node *nd)
{
	size_t i;

	if (nd->nd_kind != ND_STRING && nd->nd_type == ST_INT) {
		buf_s64(&cdn->cdn_text, nd->nd_number);
		return nd->nd_number < 0 ? -1 : 0;
	}
	for (i = 0; i < nd->nd_len; i++)
		if (nd->nd_text[i] == '"' || nd->nd_text[i] == '\\' ||
		    nd->nd_text[i] == '*' ||
		    (unsigned char)nd->nd_text[i] < ' ')
			return -1;
	buf_printf(&cdn->cdn_text, "\"%s\"", nd->nd_text);
	return 0;
}

/* NAME OP CONSTANT */
static int
condition_compare(struct condition *cdn, const struct node *nd)
{
	const struct node *a = nd->nd_kids, *b = a->nd_next;
	const unsigned int op = nd->nd_op;
	int istext;

	if (condition_isconst(a) || !condition_isconst(b))
		return -1;
	istext = b->nd_kind == ND_STRING || b->nd_type == ST_STR;
	if (condition_name(cdn, a, istext) == -1)
		return -1;
	buf_c(&cdn->cdn_text, ' ');
	buf_c(&cdn->cdn_text, op & 0xff);
	if (op > 0xff)
		buf_c(&cdn->cdn_text, op >> 8);
	buf_c(&cdn->cdn_text, ' ');
	return condition_const(cdn, b);
}

static int
condition_logical(struct condition *cdn, const struct node *nd)
{
	struct buf *b = &cdn->cdn_text;
	const int isand = nd->nd_op == OP2('&', '&');
	const size_t len = b->b_len;

	buf_c(b, '(');
	if (condition_node(cdn, nd->nd_kids) == -1) {
		/* the other part of && selects all hits that the whole does */
		if (!isand)
			return -1;
		b->b_len = len;
		cdn->cdn_isexact = 0;
		return condition_node(cdn, nd->nd_kids->nd_next);
	}
	const size_t left = b->b_len;
	buf_str(b, isand ? " && " : " || ");
	if (condition_node(cdn, nd->nd_kids->nd_next) == -1) {
		if (!isand)
			return -1;
		b->b_len = left;
		cdn->cdn_isexact = 0;
	}
	buf_c(b, ')');
	return 0;
}

static int
condition_node(struct condition *cdn, const struct node *nd)
{
	if (nd->nd_kind == ND_BINARY) {
		if (nd->nd_op == OP2('&', '&') || nd->nd_op == OP2('|', '|'))
			return condition_logical(cdn, nd);
		if (strchr("<>", nd->nd_op & 0xff) != NULL &&
		    (nd->nd_op <= 0xff || nd->nd_op >> 8 == '='))
			return condition_compare(cdn, nd);
		if (nd->nd_op == OP2('=', '=') || nd->nd_op == OP2('!', '='))
			return condition_compare(cdn, nd);
		return -1;
	}
	if (nd->nd_kind != ND_BUILTIN && nd->nd_kind != ND_FIELD)
		return -1;
	/* a failed call has the result -1 there, which is true, too */
	if (condition_name(cdn, nd, 0) == -1)
		return -1;
	buf_str(&cdn->cdn_text, " != 0");
	return 0;
}

/* Returns whether the kernel accepts the condition. */
static int
condition_compiles(const struct bound *bo, const char *text)
{
	struct cond_expr *ce = NULL;
	struct cond_error er;
	struct dt_cond co;
	int r = -1;

	if ((ce = malloc(sizeof(*ce))) != NULL &&
	    cond_parse(ce, text, &er) == 0)
		r = cond_compile(ce, bo->bo_probe,
		    bo->bo_entry != NULL ? bo->bo_entry : bo->bo_probe, &co,
		    &er);
	free(ce);
	return r == 0;
}

void
script_condition_add(struct script *sc, struct bound *bo, const char *option)
{
	const char *own = bo->bo_condition;
	char *both;

	bo->bo_condition = option;
	if (own == NULL)
		return;
	both = script_alloc(sc, strlen(own) + strlen(option) + 9);
	stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(both, "("), option), ") && ("), own),
	    ")");
	if (condition_compiles(bo, both))
		bo->bo_condition = both;
	else
		bo->bo_isexact = 0; /* the kernel does not test the predicate */
}

const char *
script_condition(struct script *sc, const struct bound *bo,
    const struct node *pred, int *isexact)
{
	struct condition cdn = { .cdn_isexact = 1 };
	char *text = NULL;

	buf_init(&cdn.cdn_text, -1);
	if (condition_node(&cdn, pred) == 0) {
		buf_c(&cdn.cdn_text, '\0');
		text = script_alloc(sc, cdn.cdn_text.b_len);
		memcpy(text, cdn.cdn_text.b_data, cdn.cdn_text.b_len);
		if (!condition_compiles(bo, text))
			text = NULL;
	}
	buf_free(&cdn.cdn_text);
	*isexact = cdn.cdn_isexact;
	return text;
}
