/* SPDX-License-Identifier: ISC */
/* Parses clauses and statements; the grammar is in bt(5). */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_parse.h"

#define BLOCK_BYTES 16384

struct script_block {
	struct script_block *sbk_next;
	size_t sbk_used, sbk_size;
	_Alignas(16) char sbk_data[];
};

/* Memory */

void *
script_alloc(struct script *sc, size_t n)
{
	struct script_block *sb = sc->scr_blocks;
	size_t size;

	n = (n + 15) & ~(size_t)15;
	if (sb == NULL || sb->sbk_size - sb->sbk_used < n) {
		size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
		if ((sb = calloc(1, sizeof(*sb) + size)) == NULL)
			err(1, "script");
		sb->sbk_size = size;
		sb->sbk_next = sc->scr_blocks;
		sc->scr_blocks = sb;
	}
	sb->sbk_used += n;
	return sb->sbk_data + sb->sbk_used - n;
}

static void *
parse_alloc(void *arg, size_t n)
{
	return script_alloc(arg, n);
}

struct script *
script_open(const char *text, char **params, unsigned int nparams, int isunsafe)
{
	struct script *sc = calloc(1, sizeof(*sc));

	if (sc == NULL)
		return NULL;
	sc->scr_text = text;
	sc->scr_params = params;
	sc->scr_nparams = nparams;
	sc->scr_isunsafe = isunsafe;
	if (script_parse(sc) == 0)
		script_check(sc);
	return sc;
}

void
script_free(struct script *sc)
{
	struct script_block *sb, *next;

	if (sc == NULL)
		return;
	for (sb = sc->scr_blocks; sb != NULL; sb = next) {
		next = sb->sbk_next;
		free(sb);
	}
	free(sc);
}

void
node_walk(struct node *nd, void (*fn)(void *, struct node *), void *arg)
{
	for (; nd != NULL; nd = nd->nd_next) {
		fn(arg, nd);
		node_walk(nd->nd_kids, fn, arg);
	}
}

/* Tokens and nodes */

int
parse_fail(struct script_parser *ps, const char *fmt, ...)
{
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return script_fail(&ps->spr_script->scr_error, ps->spr_tok.stk_begin,
	    ps->spr_tok.stk_end, "%s", why);
}

struct node *
parse_node(struct script_parser *ps, enum node_kind kind)
{
	struct script *sc = ps->spr_script;
	struct node *nd;

	if (sc->scr_error.ser_is)
		return NULL;
	if (sc->scr_nnodes++ == SCRIPT_MAXNODES) {
		parse_fail(ps, "the script has more than %d parts",
		    SCRIPT_MAXNODES);
		return NULL;
	}
	nd = script_alloc(sc, sizeof(*nd));
	nd->nd_kind = kind;
	nd->nd_begin = ps->spr_tok.stk_begin;
	nd->nd_end = ps->spr_tok.stk_end;
	return nd;
}

void
parse_add(struct node *parent, struct node *kid)
{
	struct node **np = &parent->nd_kids;

	while (*np != NULL)
		np = &(*np)->nd_next;
	*np = kid;
	parent->nd_nkids++;
	if (kid->nd_depth >= parent->nd_depth)
		parent->nd_depth = kid->nd_depth + 1;
	if (kid->nd_begin < parent->nd_begin)
		parent->nd_begin = kid->nd_begin;
	if (kid->nd_end > parent->nd_end)
		parent->nd_end = kid->nd_end;
}

void
parse_next(struct script_parser *ps)
{
	lex_next(&ps->spr_lex, &ps->spr_tok);
}

int
parse_is(const struct script_parser *ps, unsigned int op)
{
	return ps->spr_tok.stk_kind == TOK_OP && ps->spr_tok.stk_op == op;
}

int
parse_accept(struct script_parser *ps, unsigned int op)
{
	if (!parse_is(ps, op))
		return 0;
	parse_next(ps);
	return 1;
}

int
parse_expect(struct script_parser *ps, unsigned int op, const char *what)
{
	if (parse_accept(ps, op))
		return 0;
	return parse_fail(ps,
	    ps->spr_tok.stk_kind == TOK_END
		? "the script ends here; missing: %s"
		: "missing: %s",
	    what);
}

int
parse_isword(const struct script_parser *ps, const char *word)
{
	return ps->spr_tok.stk_kind == TOK_NAME &&
	    strcmp(ps->spr_tok.stk_text, word) == 0;
}

/* Statements */

static struct node *parse_inner(struct script_parser *);
static struct node *parse_statement(struct script_parser *);

/* The operator of an assignment: 0 for =, + for +=, -1: none. */
static int
parse_assignop(const struct script_parser *ps)
{
	const unsigned int op = ps->spr_tok.stk_op;

	if (ps->spr_tok.stk_kind != TOK_OP)
		return -1;
	if (op == OP1('='))
		return 0;
	if (op == OP3('<', '<', '=') || op == OP3('>', '>', '='))
		return op & 0xffff;
	if (op > 0xff && op >> 8 == '=' &&
	    strchr("+-*/%&|^", op & 0xff) != NULL)
		return op & 0xff;
	return -1;
}

static struct node *
parse_assign(struct script_parser *ps, struct node *target, int op)
{
	struct node *nd = parse_node(ps, ND_ASSIGN), *value;

	if (nd == NULL)
		return NULL;
	if (target->nd_kind != ND_VAR && target->nd_kind != ND_MAP) {
		script_fail(&ps->spr_script->scr_error, target->nd_begin,
		    target->nd_end,
		    "only variables ($x) and maps (@x) can be assigned");
		return NULL;
	}
	nd->nd_op = op;
	parse_next(ps);
	if ((value = parse_expr(ps)) == NULL)
		return NULL;
	parse_add(nd, target);
	parse_add(nd, value);
	return nd;
}

static struct node *
parse_simple(struct script_parser *ps)
{
	struct node *nd, *expr = parse_expr(ps);
	int op;

	if (expr == NULL)
		return NULL;
	if ((op = parse_assignop(ps)) != -1)
		return parse_assign(ps, expr, op);
	if ((nd = parse_node(ps, ND_EXPR)) == NULL)
		return NULL;
	nd->nd_begin = expr->nd_begin;
	nd->nd_end = expr->nd_end;
	parse_add(nd, expr);
	return nd;
}

/* Accepts a semicolon only if else follows it: if (x) y; else z */
static void
parse_else(struct script_parser *ps)
{
	const struct lex lex = ps->spr_lex;
	const struct tok tok = ps->spr_tok;

	if (!parse_accept(ps, OP1(';')) || parse_isword(ps, "else"))
		return;
	ps->spr_lex = lex;
	ps->spr_tok = tok;
}

/* if, while and unroll: a value in parentheses, and a statement */
static struct node *
parse_control(struct script_parser *ps, enum node_kind kind)
{
	struct node *nd = parse_node(ps, kind), *kid;
	const int isloop = kind != ND_IF;

	if (nd == NULL)
		return NULL;
	parse_next(ps);
	if (parse_expect(ps, OP1('('), "(") == -1 ||
	    (kid = parse_expr(ps)) == NULL)
		return NULL;
	parse_add(nd, kid);
	if (parse_expect(ps, OP1(')'), ")") == -1)
		return NULL;
	ps->spr_loops += isloop;
	/* bt(5) of OpenBSD permits one statement without braces */
	kid = parse_statement(ps);
	ps->spr_loops -= isloop;
	if (kid == NULL)
		return NULL;
	parse_add(nd, kid);
	if (kind == ND_IF)
		parse_else(ps);
	if (kind != ND_IF || !parse_isword(ps, "else"))
		return nd;
	parse_next(ps);
	kid = parse_statement(ps);
	if (kid == NULL)
		return NULL;
	parse_add(nd, kid);
	return nd;
}

static struct node *
parse_jump(struct script_parser *ps, enum node_kind kind)
{
	struct node *nd = parse_node(ps, kind);

	if (nd != NULL && kind != ND_RETURN && ps->spr_loops == 0) {
		parse_fail(ps, "%s is not in a loop", ps->spr_tok.stk_text);
		return NULL;
	}
	parse_next(ps);
	return nd;
}

static const struct {
	const char *word;
	enum node_kind kind;
	struct node *(*parse)(struct script_parser *, enum node_kind);
} statements[] = {
	{ "if", ND_IF, parse_control },
	{ "while", ND_WHILE, parse_control },
	{ "unroll", ND_UNROLL, parse_control },
	{ "break", ND_BREAK, parse_jump },
	{ "continue", ND_CONTINUE, parse_jump },
	{ "return", ND_RETURN, parse_jump },
};

/* Words of newer versions, which no statement begins with here. */
static int
parse_refused(struct script_parser *ps)
{
	static const struct {
		const char *word, *why;
	} words[] = {
		{ "for",
		    "there is no for; while (...) loops with a bound, and "
		    "print(@map) prints all keys" },
		{ "else", "else does not follow an if" },
		{ "struct", "a struct is defined before the first probe" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (parse_isword(ps, words[i].word))
			return parse_fail(ps, "%s", words[i].why);
	return 0;
}

/* Skips the let of newer versions, before the first assignment of a variable. */
static int
parse_let(struct script_parser *ps)
{
	if (!parse_isword(ps, "let"))
		return 0;
	parse_next(ps);
	return ps->spr_tok.stk_kind == TOK_VAR
	    ? 0
	    : parse_fail(ps, "let needs a variable and its value: let $x = 0");
}

static struct node *
parse_statement(struct script_parser *ps)
{
	struct node *nd = NULL;
	size_t i;

	if (ps->spr_depth == SCRIPT_MAXDEPTH) {
		parse_fail(ps, "more than %d levels", SCRIPT_MAXDEPTH);
		return NULL;
	}
	if (parse_refused(ps) == -1 || parse_let(ps) == -1)
		return NULL;
	ps->spr_depth++;
	for (i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (parse_isword(ps, statements[i].word)) {
			nd = statements[i].parse(ps, statements[i].kind);
			break;
		}
	if (i == sizeof(statements) / sizeof(statements[0]))
		nd = parse_is(ps, OP1('{')) ? parse_inner(ps)
					    : parse_simple(ps);
	ps->spr_depth--;
	return nd;
}

/* Returns whether a statement may follow this one without a semicolon. */
static int
parse_isclosed(const struct node *nd)
{
	return nd->nd_kind == ND_IF || nd->nd_kind == ND_WHILE ||
	    nd->nd_kind == ND_UNROLL || nd->nd_kind == ND_BLOCK;
}

static struct node *
parse_block(struct script_parser *ps)
{
	struct node *nd = parse_node(ps, ND_BLOCK), *kid;

	if (nd == NULL || parse_expect(ps, OP1('{'), "{") == -1)
		return NULL;
	while (!ps->spr_script->scr_error.ser_is) {
		while (parse_accept(ps, OP1(';')))
			;
		if (parse_is(ps, OP1('}')))
			break;
		if (ps->spr_tok.stk_kind == TOK_END) {
			parse_fail(ps, "the script ends here; missing: }");
			return NULL;
		}
		if ((kid = parse_statement(ps)) == NULL)
			return NULL;
		parse_add(nd, kid);
		if (!parse_isclosed(kid) && !parse_is(ps, OP1('}')) &&
		    parse_expect(ps, OP1(';'), "; or } after the statement") ==
			-1)
			return NULL;
	}
	nd->nd_end = ps->spr_tok.stk_end;
	return ps->spr_script->scr_error.ser_is ? NULL : nd;
}

/* The token after a clause is a probe, so only inner blocks read theirs. */
static struct node *
parse_inner(struct script_parser *ps)
{
	struct node *nd = parse_block(ps);

	if (nd != NULL)
		parse_next(ps);
	return nd;
}

/* Clauses */

/* Replaces $1 in the name of a probe. */
static const char *
parse_probe_params(struct script_parser *ps, const char *name,
    const struct tok *t)
{
	const struct script *sc = ps->spr_script;
	char full[512];
	size_t n = 0;
	unsigned long i;
	const char *p;
	char *copy;

	for (p = name; *p != '\0' && n < sizeof(full) - 1;) {
		if (*p != '$' || p[1] < '0' || p[1] > '9') {
			full[n++] = *p++;
			continue;
		}
		i = strtoul(p + 1, (char **)&p, 10);
		if (i == 0 || i > sc->scr_nparams) {
			script_fail(&ps->spr_script->scr_error, t->stk_begin,
			    t->stk_end, "the script needs a parameter $%lu", i);
			return NULL;
		}
		n += snprintf(full + n, sizeof(full) - n, "%s",
		    sc->scr_params[i - 1]);
	}
	if (n >= sizeof(full) - 1) {
		script_fail(&ps->spr_script->scr_error, t->stk_begin,
		    t->stk_end, "the name of the probe has more than %zu bytes",
		    sizeof(full) - 2);
		return NULL;
	}
	full[n] = '\0';
	copy = script_alloc(ps->spr_script, n + 1);
	memcpy(copy, full, n);
	return copy;
}

static int
parse_probes(struct script_parser *ps, struct clause *cl)
{
	struct lex *lx = &ps->spr_lex;
	struct script_probe **end = &cl->cla_probes, *sp;
	const char *name;
	struct tok t;

	do {
		if ((name = lex_probe(lx, &t)) == NULL) {
			ps->spr_tok = t;
			return parse_fail(ps,
			    "a probe is missing here, for "
			    "example syscall:openat:entry or BEGIN");
		}
		if ((name = parse_probe_params(ps, name, &t)) == NULL)
			return -1;
		sp = script_alloc(ps->spr_script, sizeof(*sp));
		sp->scn_name = name;
		sp->scn_begin = t.stk_begin;
		sp->scn_end = t.stk_end;
		*end = sp;
		end = &sp->scn_next;
		lex_blanks(lx);
		if (lx->lx_text[lx->lx_at] != ',')
			return 0;
		lx->lx_at++;
		lex_blanks(lx);
		/* a comma after the last one, as in some scripts */
	} while (
	    lx->lx_text[lx->lx_at] != '{' && lx->lx_text[lx->lx_at] != '/');
	return 0;
}

static int
parse_clause(struct script_parser *ps, struct clause *cl)
{
	if (parse_probes(ps, cl) == -1)
		return -1;
	parse_next(ps);
	if (parse_accept(ps, OP1('/'))) {
		ps->spr_ispred = 1;
		cl->cla_pred = parse_expr(ps);
		ps->spr_ispred = 0;
		if (cl->cla_pred == NULL ||
		    parse_expect(ps, OP1('/'), "/ after the predicate") == -1)
			return -1;
	}
	if (!parse_is(ps, OP1('{')))
		return parse_expect(ps, OP1('{'),
		    "{ and statements after the probe");
	if ((cl->cla_body = parse_block(ps)) == NULL)
		return -1;
	/* the next clause begins with a probe, which has no tokens */
	ps->spr_lex.lx_at = ps->spr_tok.stk_end;
	return 0;
}

/* config = { ... } of newer versions, which dt has options for */
static int
parse_config(struct script_parser *ps)
{
	struct lex *lx = &ps->spr_lex;
	struct lex lex = *lx;
	struct tok t;
	unsigned int i, depth = 0;

	for (i = 0; i < 3; i++) {
		lex_next(&lex, &t);
		if (i == 0 ? t.stk_kind != TOK_NAME ||
			    strcmp(t.stk_text, "config") != 0
			   : t.stk_kind != TOK_OP ||
			    t.stk_op != (unsigned int)"_={"[i])
			return 0;
	}
	for (depth = 1; depth > 0 && t.stk_kind != TOK_END;) {
		lex_next(&lex, &t);
		if (t.stk_kind == TOK_OP)
			depth += (t.stk_op == '{') - (t.stk_op == '}');
	}
	*lx = lex;
	ps->spr_script->scr_config++;
	return 1;
}

/*
 * struct NAME { ... }; of scripts for kernels without types.  It is ignored: the
 * kernel's own type is used.
 */
static int
parse_definition(struct script_parser *ps)
{
	static const char *const words[] = { "struct", "union", "enum" };
	struct lex *lx = &ps->spr_lex;
	struct lex lex = *lx;
	unsigned int i, depth = 0;
	struct tok t;

	lex_next(&lex, &t);
	for (i = 0; i < 3; i++)
		if (t.stk_kind == TOK_NAME && strcmp(t.stk_text, words[i]) == 0)
			break;
	if (i == 3)
		return 0;
	do {
		lex_next(&lex, &t);
		if (t.stk_kind == TOK_END) {
			ps->spr_tok = t;
			parse_fail(ps, "the script ends here; missing: }");
			return 0;
		}
		if (t.stk_kind == TOK_OP)
			depth += (t.stk_op == '{') - (t.stk_op == '}');
	} while (depth > 0 || t.stk_kind != TOK_OP || t.stk_op != ';');
	*lx = lex;
	ps->spr_script->scr_nstructs++;
	return 1;
}

int
script_parse(struct script *sc)
{
	struct script_parser ps = { .spr_script = sc,
		.spr_lex = { .lx_text = sc->scr_text,
		    .lx_error = &sc->scr_error,
		    .lx_alloc = parse_alloc,
		    .lx_arg = sc } };
	struct clause **end = &sc->scr_clauses, *cl;

	for (;;) {
		lex_blanks(&ps.spr_lex);
		if (sc->scr_error.ser_is)
			return -1;
		if (sc->scr_text[ps.spr_lex.lx_at] == '\0')
			break;
		if (sc->scr_clauses == NULL &&
		    (parse_config(&ps) || parse_definition(&ps)))
			continue;
		cl = script_alloc(sc, sizeof(*cl));
		cl->cla_number = sc->scr_nclauses++;
		if (parse_clause(&ps, cl) == -1 || sc->scr_error.ser_is)
			return -1;
		*end = cl;
		end = &cl->cla_next;
	}
	sc->scr_nincludes = ps.spr_lex.lx_nincludes;
	if (sc->scr_clauses == NULL)
		return script_fail(&sc->scr_error, ps.spr_lex.lx_at, 0,
		    "the script has no probe, for example BEGIN { exit(); }");
	return 0;
}
