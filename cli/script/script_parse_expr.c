/* SPDX-License-Identifier: ISC */
/* Parses expressions, by the precedence of operators of C. */
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_name.h"
#include "cli/script/script_parse.h"

/* Binary operators, weakest first.  A level associates to the left. */
static const unsigned int levels[][5] = {
	{ OP2('|', '|') },
	{ OP2('&', '&') },
	{ OP1('|') },
	{ OP1('^') },
	{ OP1('&') },
	{ OP2('=', '='), OP2('!', '=') },
	{ OP1('<'), OP1('>'), OP2('<', '='), OP2('>', '=') },
	{ OP2('<', '<'), OP2('>', '>') },
	{ OP1('+'), OP1('-') },
	{ OP1('*'), OP1('/'), OP1('%') },
};

#define NLEVELS (sizeof(levels) / sizeof(levels[0]))

static struct node *parse_unary(struct script_parser *);

/* Types of casts. */
static const struct {
	const char *name;
	uint8_t size, isunsigned;
} parse_types[] = {
	{ "uint8", 1, 1 },
	{ "int8", 1, 0 },
	{ "uint16", 2, 1 },
	{ "int16", 2, 0 },
	{ "uint32", 4, 1 },
	{ "int32", 4, 0 },
	{ "uint64", 8, 1 },
	{ "int64", 8, 0 },
	{ "uint8_t", 1, 1 },
	{ "int8_t", 1, 0 },
	{ "uint16_t", 2, 1 },
	{ "int16_t", 2, 0 },
	{ "uint32_t", 4, 1 },
	{ "int32_t", 4, 0 },
	{ "uint64_t", 8, 1 },
	{ "int64_t", 8, 0 },
	{ "u8", 1, 1 },
	{ "s8", 1, 0 },
	{ "u16", 2, 1 },
	{ "s16", 2, 0 },
	{ "u32", 4, 1 },
	{ "s32", 4, 0 },
	{ "u64", 8, 1 },
	{ "s64", 8, 0 },
	{ "char", 1, 0 },
	{ "short", 2, 0 },
	{ "int", 4, 0 },
	{ "long", 8, 0 },
	{ "size_t", 8, 1 },
	{ "pid_t", 4, 0 },
	{ "bool", 1, 1 },
};

#define NTYPES (sizeof(parse_types) / sizeof(parse_types[0]))

static void
parse_args(struct script_parser *ps, struct node *nd, unsigned int close,
    const char *what)
{
	struct node *kid;

	while (!parse_is(ps, close)) {
		if ((kid = parse_expr(ps)) == NULL)
			return;
		parse_add(nd, kid);
		if (!parse_accept(ps, OP1(',')))
			break;
	}
	nd->nd_end = ps->spr_tok.stk_end;
	parse_expect(ps, close, what);
}

/* Numbers a name of a table, which it adds if missing. */
static unsigned int
parse_name(struct script_parser *ps, struct script_name *names, unsigned int *n,
    const char *name)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (strcmp(names[i].sn_name, name) == 0)
			return i;
	if (*n == SCRIPT_MAXNAMES) {
		parse_fail(ps, "more than %d names", SCRIPT_MAXNAMES);
		return 0;
	}
	names[*n].sn_name = name;
	return (*n)++;
}

struct node *
parse_target(struct script_parser *ps)
{
	struct script *sc = ps->spr_script;
	int isvar = ps->spr_tok.stk_kind == TOK_VAR;
	struct node *nd = parse_node(ps, isvar ? ND_VAR : ND_MAP);

	if (nd == NULL)
		return NULL;
	nd->nd_text = ps->spr_tok.stk_text;
	nd->nd_ref = isvar
	    ? parse_name(ps, sc->scr_vars, &sc->scr_nvars, nd->nd_text)
	    : parse_name(ps, sc->scr_maps, &sc->scr_nmaps, nd->nd_text);
	parse_next(ps);
	if (!isvar && parse_accept(ps, OP1('['))) {
		parse_args(ps, nd, OP1(']'), "] after the keys");
		if (nd->nd_nkids == 0)
			script_fail(&sc->scr_error, nd->nd_begin, nd->nd_end,
			    "@%s[] needs a key", nd->nd_text);
		if (nd->nd_nkids > SCRIPT_MAXKEYS)
			script_fail(&sc->scr_error, nd->nd_begin, nd->nd_end,
			    "more than %d keys", SCRIPT_MAXKEYS);
	}
	return nd;
}

/* A definition stands for an expression, which has its own lexer. */
static struct node *
parse_macro(struct script_parser *ps, const struct script_define *sd)
{
	struct lex *lx = &ps->spr_lex;
	const struct lex lex = *lx;
	const size_t end = sd->sd_value - lx->lx_text + sd->sd_valuelen;
	const struct tok next = ps->spr_tok;
	struct node *nd;

	if (ps->spr_macros == 8) {
		parse_fail(ps, "%.*s stands for itself", (int)sd->sd_namelen,
		    sd->sd_name);
		return NULL;
	}
	ps->spr_macros++;
	lx->lx_at = sd->sd_value - lx->lx_text;
	parse_next(ps);
	nd = parse_unary(ps);
	if (nd != NULL && nd->nd_end > end)
		script_fail(&ps->spr_script->scr_error, next.stk_begin,
		    next.stk_end, "%.*s is not a constant", (int)sd->sd_namelen,
		    sd->sd_name);
	ps->spr_macros--;
	*lx = lex;
	ps->spr_tok = next;
	parse_next(ps);
	return nd;
}

static const struct script_define *
parse_define(const struct script_parser *ps, const char *name)
{
	const struct lex *lx = &ps->spr_lex;
	const struct script_define *sd;
	unsigned int i;

	for (i = 0; i < lx->lx_ndefines; i++) {
		sd = &lx->lx_defines[i];
		if (strlen(name) == sd->sd_namelen &&
		    memcmp(sd->sd_name, name, sd->sd_namelen) == 0)
			return sd;
	}
	return NULL;
}

/* args.NAME or args->NAME */
static struct node *
parse_field(struct script_parser *ps, struct node *nd)
{
	struct script *sc = ps->spr_script;
	struct node **fields;

	if (!parse_accept(ps, OP1('.')) && !parse_accept(ps, OP2('-', '>'))) {
		parse_fail(ps,
		    "args needs the name of an argument, for example "
		    "args.filename");
		return NULL;
	}
	if (ps->spr_tok.stk_kind != TOK_NAME) {
		parse_fail(ps, "this should be the name of an argument");
		return NULL;
	}
	nd->nd_kind = ND_FIELD;
	nd->nd_text = ps->spr_tok.stk_text;
	nd->nd_end = ps->spr_tok.stk_end;
	nd->nd_ref = sc->scr_nfields++;
	if ((nd->nd_ref & (nd->nd_ref - 1)) == 0) { /* double its size */
		fields = script_alloc(sc,
		    (2 * nd->nd_ref + 1) * sizeof(*fields));
		if (nd->nd_ref > 0)
			memcpy(fields, sc->scr_fields,
			    nd->nd_ref * sizeof(*fields));
		sc->scr_fields = fields;
	}
	sc->scr_fields[nd->nd_ref] = nd;
	parse_next(ps);
	return nd;
}

/* gid is a member of the thread's credentials, as a script can write it, too. */
static struct node *
parse_gid(struct script_parser *ps, struct node *nd)
{
	static const char *const members[] = { "cred", "gid", "val" };
	struct node *member;
	size_t i;

	nd->nd_text = "curtask";
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if ((member = parse_node(ps, ND_MEMBER)) == NULL)
			return NULL;
		member->nd_begin = nd->nd_begin;
		member->nd_end = nd->nd_end;
		member->nd_text = members[i];
		parse_add(member, nd);
		nd = member;
	}
	return nd;
}

/* A name: a definition, args, a function, or a built-in. */
static struct node *
parse_word(struct script_parser *ps)
{
	const char *name = ps->spr_tok.stk_text;
	const struct script_define *sd = parse_define(ps, name);
	const struct script_func *sf;
	struct node *nd;

	if (sd != NULL)
		return parse_macro(ps, sd);
	if ((nd = parse_node(ps, ND_BUILTIN)) == NULL)
		return NULL;
	nd->nd_text = name;
	/* before the arguments: sizeof() takes a type */
	if ((sf = script_func(name)) != NULL && sf->sf_why != NULL) {
		parse_fail(ps, "there is no function %s(): %s", name,
		    sf->sf_why);
		return NULL;
	}
	parse_next(ps);
	if (strcmp(name, "args") == 0)
		return parse_field(ps, nd);
	if (parse_accept(ps, OP1('('))) {
		nd->nd_kind = ND_CALL;
		parse_args(ps, nd, OP1(')'), ") after the arguments");
	} else if (strcmp(name, "gid") == 0)
		return parse_gid(ps, nd);
	return nd;
}

static int
parse_type(const char *name)
{
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (strcmp(parse_types[i].name, name) == 0)
			return i;
	return -1;
}

/* Parses the operand of a cast or of *, and returns a node for both. */
static struct node *
parse_operand(struct script_parser *ps, enum node_kind kind, size_t begin)
{
	struct node *nd = parse_node(ps, kind), *kid;

	if (nd == NULL || (kid = parse_unary(ps)) == NULL)
		return NULL;
	nd->nd_begin = begin;
	parse_add(nd, kid);
	return nd;
}

/* (struct NAME *)x; the type is a text, as in C */
static struct node *
parse_struct(struct script_parser *ps, const struct tok *first)
{
	const char *word = ps->spr_tok.stk_text, *name;
	unsigned int stars = 0;
	struct node *nd;
	char *text;

	parse_next(ps);
	if (ps->spr_tok.stk_kind != TOK_NAME) {
		parse_fail(ps, "this should be the name of a type");
		return NULL;
	}
	name = ps->spr_tok.stk_text;
	parse_next(ps);
	while (parse_accept(ps, OP1('*')))
		stars++;
	if (parse_expect(ps, OP1(')'), ") after the type") == -1 ||
	    (nd = parse_operand(ps, ND_CAST, first->stk_begin)) == NULL)
		return NULL;
	text = script_alloc(ps->spr_script,
	    strlen(word) + strlen(name) + stars + 2);
	stpcpy(stpcpy(stpcpy(text, word), " "), name);
	memset(text + strlen(text), '*', stars);
	nd->nd_text = text;
	nd->nd_size = stars > 0 ? sizeof(uint64_t) : sizeof(uint32_t);
	nd->nd_isunsigned = 1;
	return nd;
}

/* (TYPE)x, after the opening parenthesis; NULL if it is not a cast */
static struct node *
parse_cast(struct script_parser *ps)
{
	static const char *const structs[] = { "struct", "union", "enum" };
	const struct lex lex = ps->spr_lex;
	const struct tok tok = ps->spr_tok;
	unsigned int i, stars = 0;
	int type = -1, isunsigned;
	struct node *nd;

	if (tok.stk_kind != TOK_NAME)
		return NULL;
	if (parse_isword(ps, "const"))
		parse_next(ps);
	for (i = 0; i < 3; i++)
		if (parse_isword(ps, structs[i]))
			return parse_struct(ps, &tok);
	isunsigned = parse_isword(ps, "unsigned");
	if (isunsigned)
		parse_next(ps);
	if (ps->spr_tok.stk_kind == TOK_NAME)
		type = parse_type(ps->spr_tok.stk_text);
	if (type != -1) {
		parse_next(ps);
		while (parse_accept(ps, OP1('*')))
			stars++;
	}
	if (type == -1 || !parse_accept(ps, OP1(')'))) {
		ps->spr_lex = lex;
		ps->spr_tok = tok;
		return NULL;
	}
	if ((nd = parse_operand(ps, ND_CAST, tok.stk_begin)) == NULL)
		return NULL;
	isunsigned |= parse_types[type].isunsigned;
	nd->nd_size = stars > 0 ? sizeof(uint64_t) : parse_types[type].size;
	nd->nd_isunsigned = isunsigned || stars > 0;
	if (stars > 0)
		nd->nd_ctype = (struct script_ctype){ .sct_stars = stars,
			.sct_size = parse_types[type].size,
			.sct_issigned = !isunsigned };
	return nd;
}

static struct node *
parse_paren(struct script_parser *ps)
{
	const int ispred = ps->spr_ispred;
	struct node *nd, *tuple;

	if ((tuple = parse_node(ps, ND_TUPLE)) == NULL)
		return NULL;
	parse_next(ps);
	if ((nd = parse_cast(ps)) != NULL)
		return nd;
	ps->spr_ispred = 0;
	nd = parse_expr(ps);
	if (nd != NULL && parse_is(ps, OP1(','))) {
		parse_add(tuple, nd);
		parse_next(ps);
		parse_args(ps, tuple, OP1(')'), ") after the tuple");
		nd = tuple;
	} else if (nd != NULL)
		parse_expect(ps, OP1(')'), ")");
	ps->spr_ispred = ispred;
	return nd;
}

static struct node *
parse_primary(struct script_parser *ps)
{
	const struct tok *t = &ps->spr_tok;
	struct node *nd;

	switch (t->stk_kind) {
	case TOK_NUMBER:
		if ((nd = parse_node(ps, ND_NUMBER)) == NULL)
			return NULL;
		nd->nd_number = t->stk_number;
		nd->nd_isunsigned = t->stk_number > INT64_MAX;
		break;
	case TOK_PARAM:
		if ((nd = parse_node(ps, ND_PARAM)) == NULL)
			return NULL;
		nd->nd_number = t->stk_number;
		break;
	case TOK_STRING:
		if ((nd = parse_node(ps, ND_STRING)) == NULL)
			return NULL;
		nd->nd_text = t->stk_text;
		nd->nd_len = t->stk_len;
		break;
	case TOK_VAR:
	case TOK_MAP:
		return parse_target(ps);
	case TOK_NAME:
		return parse_word(ps);
	case TOK_OP:
		if (t->stk_op == OP1('('))
			return parse_paren(ps);
		/* FALLTHROUGH */
	default:
		parse_fail(ps, "a value is missing here");
		return NULL;
	}
	parse_next(ps);
	return nd;
}

static struct node *
parse_incr(struct script_parser *ps, struct node *target, int isbefore)
{
	struct node *nd = parse_node(ps, ND_INCR);

	if (nd == NULL)
		return NULL;
	nd->nd_op = ps->spr_tok.stk_op;
	nd->nd_number = isbefore;
	parse_next(ps);
	if (isbefore)
		target = parse_primary(ps);
	if (target == NULL)
		return NULL;
	if (target->nd_kind != ND_VAR && target->nd_kind != ND_MAP) {
		script_fail(&ps->spr_script->scr_error, target->nd_begin,
		    target->nd_end, "++ and -- change variables and maps only");
		return NULL;
	}
	parse_add(nd, target);
	return nd;
}

/* x->NAME, x.NAME, x.0 and x[N], after the operator */
static struct node *
parse_part(struct script_parser *ps, struct node *kid, unsigned int op)
{
	const struct tok *t = &ps->spr_tok;
	struct node *nd, *index;

	if (op == OP1('[')) {
		if ((nd = parse_node(ps, ND_INDEX)) == NULL ||
		    (index = parse_expr(ps)) == NULL ||
		    parse_expect(ps, OP1(']'), "] after the index") == -1)
			return NULL;
		parse_add(nd, kid);
		parse_add(nd, index);
		return nd;
	}
	if (t->stk_kind != TOK_NAME &&
	    (t->stk_kind != TOK_NUMBER || op != OP1('.'))) {
		parse_fail(ps,
		    "this should be the name of a member; a tuple has the "
		    "elements .0, .1 and so on");
		return NULL;
	}
	nd = parse_node(ps, t->stk_kind == TOK_NAME ? ND_MEMBER : ND_ELEMENT);
	if (nd == NULL)
		return NULL;
	nd->nd_text = t->stk_text;
	nd->nd_number = t->stk_number;
	parse_next(ps);
	parse_add(nd, kid);
	return nd;
}

/* Members and elements, ++ and -- */
static struct node *
parse_postfix(struct script_parser *ps)
{
	struct node *nd = parse_primary(ps);
	unsigned int op, n = 0;

	while (nd != NULL) {
		if (parse_is(ps, OP2('+', '+')) ||
		    parse_is(ps, OP2('-', '-'))) {
			nd = parse_incr(ps, nd, 0);
			continue;
		}
		op = ps->spr_tok.stk_kind == TOK_OP ? ps->spr_tok.stk_op : 0;
		if (op != OP2('-', '>') && op != OP1('[') && op != OP1('.'))
			return nd;
		if (n++ == SCRIPT_MAXDEPTH) {
			parse_fail(ps, "more than %d levels", SCRIPT_MAXDEPTH);
			return NULL;
		}
		parse_next(ps);
		nd = parse_part(ps, nd, op);
	}
	return NULL;
}

static struct node *
parse_prefix(struct script_parser *ps)
{
	struct node *nd, *kid;
	size_t begin;

	if (parse_is(ps, OP2('+', '+')) || parse_is(ps, OP2('-', '-')))
		return parse_incr(ps, NULL, 1);
	if (parse_is(ps, OP1('*'))) {
		begin = ps->spr_tok.stk_begin;
		parse_next(ps);
		return parse_operand(ps, ND_DEREF, begin);
	}
	if (parse_is(ps, OP1('&'))) {
		parse_fail(ps,
		    "there are no addresses of fields and variables; x->NAME "
		    "is the field itself");
		return NULL;
	}
	if (!parse_is(ps, OP1('!')) && !parse_is(ps, OP1('~')) &&
	    !parse_is(ps, OP1('-')))
		return parse_postfix(ps);
	if ((nd = parse_node(ps, ND_UNARY)) == NULL)
		return NULL;
	nd->nd_op = ps->spr_tok.stk_op;
	parse_next(ps);
	if ((kid = parse_unary(ps)) == NULL)
		return NULL;
	parse_add(nd, kid);
	return nd;
}

static struct node *
parse_unary(struct script_parser *ps)
{
	struct node *nd;

	if (ps->spr_depth == SCRIPT_MAXDEPTH) {
		parse_fail(ps, "more than %d levels", SCRIPT_MAXDEPTH);
		return NULL;
	}
	ps->spr_depth++;
	nd = parse_prefix(ps);
	ps->spr_depth--;
	return nd;
}

/* Returns whether the / ends a predicate: { follows. */
static int
parse_isend(const struct script_parser *ps)
{
	struct lex lex = ps->spr_lex;

	if (!ps->spr_ispred || !parse_is(ps, OP1('/')))
		return 0;
	lex_blanks(&lex);
	return lex.lx_text[lex.lx_at] == '{' || lex.lx_text[lex.lx_at] == '\0';
}

static struct node *
parse_binary(struct script_parser *ps, unsigned int level)
{
	struct node *nd, *kid, *left;
	unsigned int i;

	if (level == NLEVELS)
		return parse_unary(ps);
	left = parse_binary(ps, level + 1);
	while (left != NULL) {
		for (i = 0; i < 5 && levels[level][i] != 0; i++)
			if (parse_is(ps, levels[level][i]))
				break;
		if (i == 5 || levels[level][i] == 0 || parse_isend(ps))
			return left;
		if ((nd = parse_node(ps, ND_BINARY)) == NULL)
			return NULL;
		nd->nd_op = levels[level][i];
		parse_next(ps);
		if ((kid = parse_binary(ps, level + 1)) == NULL)
			return NULL;
		parse_add(nd, left);
		parse_add(nd, kid);
		if (nd->nd_depth > SCRIPT_MAXTERMS) {
			parse_fail(ps, "more than %d operators",
			    SCRIPT_MAXTERMS);
			return NULL;
		}
		left = nd;
	}
	return NULL;
}

static struct node *
parse_ternary(struct script_parser *ps)
{
	struct node *cond = parse_binary(ps, 0), *nd, *kid;

	if (cond == NULL || !parse_is(ps, OP1('?')))
		return cond;
	if ((nd = parse_node(ps, ND_TERNARY)) == NULL)
		return NULL;
	parse_next(ps);
	parse_add(nd, cond);
	if ((kid = parse_expr(ps)) == NULL)
		return NULL;
	parse_add(nd, kid);
	if (parse_expect(ps, OP1(':'), ": after the first value of ?") == -1 ||
	    (kid = parse_expr(ps)) == NULL)
		return NULL;
	parse_add(nd, kid);
	return nd;
}

struct node *
parse_expr(struct script_parser *ps)
{
	struct node *nd;

	if (ps->spr_depth == SCRIPT_MAXDEPTH) {
		parse_fail(ps, "more than %d levels", SCRIPT_MAXDEPTH);
		return NULL;
	}
	ps->spr_depth++;
	nd = parse_ternary(ps);
	ps->spr_depth--;
	return ps->spr_script->scr_error.ser_is ? NULL : nd;
}
