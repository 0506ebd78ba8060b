/* SPDX-License-Identifier: ISC */
/*
 * Resolves names and assigns types: of each value, variable and map.  A value
 * of type ANY is of an argument of a probe, and known at its hits only.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_assigned.h"
#include "cli/script/script_lex.h"
#include "cli/script/script_name.h"
#include "cli/script/script_struct.h"

#define CHECK_MAXBOUND (INT64_C(1) << 60) /* of lhist(): sums do not wrap */

struct check {
	struct script *chk_script;
	/* of this clause, by the number of a variable */
	uint8_t *chk_isset;	      /* it is assigned; 2: more than once */
	const struct node **chk_defs; /* the first value */
	const struct node *
	    *chk_reads; /* a use, through which structs are read */
};

static const char *const type_names[] = { [ST_NONE] = "nothing",
	[ST_INT] = "a number",
	[ST_STR] = "a text",
	[ST_ANY] = "an argument",
	[ST_BUF] = "bytes",
	[ST_TUPLE] = "a tuple",
	[ST_KSTACK] = "a stack",
	[ST_USTACK] = "a stack",
	[ST_KSYM] = "a symbol",
	[ST_USYM] = "a symbol",
	[ST_INET] = "an address",
	[ST_MAC] = "an address",
	[ST_USER] = "a user",
	[ST_COUNT] = "count()",
	[ST_SUM] = "sum()",
	[ST_AVG] = "avg()",
	[ST_MIN] = "min()",
	[ST_MAX] = "max()",
	[ST_STATS] = "stats()",
	[ST_HIST] = "hist()",
	[ST_LHIST] = "lhist()" };

static int check_expr(struct check *, struct node *);
static int check_block(struct check *, struct node *);

#define check_fail(ck, nd, ...) \
	script_fail(&(ck)->chk_script->scr_error, (nd)->nd_begin, \
	    (nd)->nd_end, __VA_ARGS__)

static int
check_kids(struct check *ck, struct node *nd)
{
	struct node *kid;

	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
		if (check_expr(ck, kid) == -1)
			return -1;
	return 0;
}

/* Returns the type of a map's value in an expression. */
static enum script_type
check_read(enum script_type type)
{
	return ST_ISAGG(type) ? ST_INT : type;
}

static int
check_int(struct check *ck, const struct node *nd, const char *what)
{
	if (nd->nd_type == ST_INT || nd->nd_type == ST_ANY ||
	    nd->nd_type == ST_NONE)
		return 0;
	return check_fail(ck, nd, "%s needs a number, and this is %s", what,
	    type_names[nd->nd_type]);
}

/* Leaves */

static int
check_param(struct check *ck, struct node *nd)
{
	const struct script *sc = ck->chk_script;
	const char *text;
	char *end;

	nd->nd_type = ST_INT;
	if (nd->nd_number == -1) {
		nd->nd_kind = ND_NUMBER;
		nd->nd_number = sc->scr_nparams;
		return 0;
	}
	if (nd->nd_number < 1)
		return check_fail(ck, nd, "parameters begin with $1");
	if (nd->nd_number > sc->scr_nparams) {
		nd->nd_number = 0; /* as in bpftrace: 0, or an empty text */
		return 0;
	}
	text = sc->scr_params[nd->nd_number - 1];
	nd->nd_text = text;
	nd->nd_len = strlen(text);
	nd->nd_number = strtoll(text, &end, 0);
	if (end == text || *end != '\0')
		nd->nd_type = ST_STR;
	return 0;
}

static int
check_builtin(struct check *ck, struct node *nd)
{
	const struct script_builtin *sb = script_builtin(nd->nd_text);
	const char *near;

	if (sb == NULL &&
	    (script_constant(nd->nd_text, &nd->nd_number) == 0 ||
		script_btf_constant(nd->nd_text, &nd->nd_number) == 0)) {
		nd->nd_kind = ND_NUMBER;
		nd->nd_type = ST_INT;
		return 0;
	}
	if (sb == NULL) {
		near = script_builtin_near(nd->nd_text);
		return check_fail(ck, nd, "unknown name %s%s%s", nd->nd_text,
		    near != NULL ? "; did you mean " : "",
		    near != NULL ? near : "");
	}
	if (sb->sb_why != NULL)
		return check_fail(ck, nd, "%s is missing: %s", nd->nd_text,
		    sb->sb_why);
	nd->nd_builtin = sb;
	nd->nd_type = sb->sb_type;
	nd->nd_isunsigned = sb->sb_isunsigned;
	if (strncmp(nd->nd_text, "arg", 3) == 0)
		nd->nd_number = nd->nd_text[3] - '0';
	if (sb->sb_read != READ_VALUE)
		return 0;
	nd->nd_ref = ck->chk_script->scr_nreads++;
	(void)script_btf_type("struct task_struct *", &nd->nd_ctype);
	return 0;
}

static int
check_var(struct check *ck, struct node *nd)
{
	const struct script_name *sn = &ck->chk_script->scr_vars[nd->nd_ref];

	if (!ck->chk_isset[nd->nd_ref])
		return check_fail(ck, nd,
		    "$%s has no value yet; assign it first", nd->nd_text);
	nd->nd_type = sn->sn_type;
	nd->nd_isunsigned = sn->sn_isunsigned;
	if ((nd->nd_def = ck->chk_defs[nd->nd_ref]) != NULL) {
		nd->nd_ctype = nd->nd_def->nd_ctype;
		nd->nd_size = nd->nd_def->nd_size;
	}
	return 0;
}

/* Compares the keys of a map with its first use. */
static int
check_keys(struct check *ck, struct node *nd)
{
	struct script_name *sn = &ck->chk_script->scr_maps[nd->nd_ref];
	struct node *kid;
	unsigned int i = 0;

	if (check_kids(ck, nd) == -1)
		return -1;
	if (!sn->sn_isused) {
		sn->sn_isused = 1;
		sn->sn_nkeys = nd->nd_nkids;
		sn->sn_keys = script_alloc(ck->chk_script,
		    (nd->nd_nkids + 1) * sizeof(*sn->sn_keys));
	}
	if (nd->nd_nkids != sn->sn_nkeys)
		return check_fail(ck, nd,
		    "@%s has %u keys elsewhere, and %u here", sn->sn_name,
		    sn->sn_nkeys, nd->nd_nkids);
	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next, i++) {
		if (kid->nd_type == ST_NONE)
			return check_fail(ck, kid, "this has no value");
		if (sn->sn_keys[i] == ST_NONE || sn->sn_keys[i] == ST_ANY)
			sn->sn_keys[i] = kid->nd_type;
		else if (kid->nd_type != ST_ANY &&
		    kid->nd_type != sn->sn_keys[i])
			return check_fail(ck, kid,
			    "this key of @%s is %s elsewhere, and %s here",
			    sn->sn_name, type_names[sn->sn_keys[i]],
			    type_names[kid->nd_type]);
	}
	return 0;
}

static int
check_map(struct check *ck, struct node *nd)
{
	const struct script_name *sn = &ck->chk_script->scr_maps[nd->nd_ref];

	if (script_assigned_check(ck->chk_script, nd) == -1 ||
	    check_keys(ck, nd) == -1)
		return -1;
	nd->nd_type = check_read(sn->sn_type);
	nd->nd_isunsigned = sn->sn_isunsigned;
	return 0;
}

/* Operators */

static int
check_unary(struct check *ck, struct node *nd)
{
	if (check_kids(ck, nd) == -1 ||
	    check_int(ck, nd->nd_kids, "this operator") == -1)
		return -1;
	nd->nd_type = ST_INT;
	nd->nd_isunsigned = nd->nd_op == '~' && nd->nd_kids->nd_isunsigned;
	return 0;
}

static int
check_istext(const struct node *nd)
{
	return nd->nd_type == ST_STR || nd->nd_type == ST_BUF ||
	    nd->nd_type == ST_INET || nd->nd_type == ST_MAC;
}

static int
check_binary(struct check *ck, struct node *nd)
{
	const int isequal = nd->nd_op == OP2('=', '=') ||
	    nd->nd_op == OP2('!', '=');
	const int islogical = nd->nd_op == OP2('&', '&') ||
	    nd->nd_op == OP2('|', '|');
	const struct node *a = nd->nd_kids, *b = a->nd_next;

	if (check_kids(ck, nd) == -1)
		return -1;
	nd->nd_type = ST_INT;
	nd->nd_isunsigned = a->nd_isunsigned || b->nd_isunsigned;
	if (islogical || isequal)
		nd->nd_isunsigned = 0;
	if (islogical && (check_istext(a) || check_istext(b)))
		return 0;
	if (isequal && check_istext(a) &&
	    (b->nd_type == ST_ANY || b->nd_type == a->nd_type))
		return 0;
	if (isequal && check_istext(b) && a->nd_type == ST_ANY)
		return 0;
	if (isequal && (check_istext(a) || check_istext(b)))
		return check_fail(ck, nd, "%s cannot be compared with %s",
		    type_names[a->nd_type], type_names[b->nd_type]);
	if (check_int(ck, a, "this operator") == -1 ||
	    check_int(ck, b, "this operator") == -1)
		return -1;
	if (script_struct_issum(nd))
		script_struct_sum(nd);
	return 0;
}

static int
check_ternary(struct check *ck, struct node *nd)
{
	const struct node *a, *b;

	if (check_kids(ck, nd) == -1)
		return -1;
	a = nd->nd_kids->nd_next;
	b = a->nd_next;
	if (a->nd_type != b->nd_type && a->nd_type != ST_ANY &&
	    b->nd_type != ST_ANY)
		return check_fail(ck, nd,
		    "the values of ? : are %s and %s; both should be the same",
		    type_names[a->nd_type], type_names[b->nd_type]);
	nd->nd_type = a->nd_type == ST_ANY ? b->nd_type : a->nd_type;
	nd->nd_isunsigned = a->nd_isunsigned && b->nd_isunsigned;
	return 0;
}

static int
check_cast(struct check *ck, struct node *nd)
{
	if (check_kids(ck, nd) == -1)
		return -1;
	nd->nd_type = ST_INT;
	if (nd->nd_text != NULL && script_struct_cast(ck->chk_script, nd) == -1)
		return -1;
	return check_int(ck, nd->nd_kids, "a cast");
}

/* Notes the variables through which a value is read. */
static void
check_parts(struct check *ck, const struct node *nd)
{
	while (nd->nd_kids != NULL || nd->nd_kind == ND_VAR) {
		if (nd->nd_kind == ND_VAR)
			ck->chk_reads[nd->nd_ref] = nd;
		nd = nd->nd_kind == ND_VAR ? nd->nd_def : nd->nd_kids;
	}
}

static int
check_struct(struct check *ck, struct node *nd)
{
	if (check_kids(ck, nd) == -1 ||
	    script_struct_check(ck->chk_script, nd) == -1)
		return -1;
	check_parts(ck, nd);
	return 0;
}

static int
check_element(struct check *ck, struct node *nd)
{
	const struct node *kid = nd->nd_kids;

	if (check_kids(ck, nd) == -1)
		return -1;
	if ((kid->nd_type != ST_TUPLE && kid->nd_type != ST_ANY) ||
	    kid->nd_kind == ND_FIELD)
		return check_fail(ck, nd, ".%lld needs a tuple, and this is %s",
		    (long long)nd->nd_number, type_names[kid->nd_type]);
	if (kid->nd_kind == ND_VAR && ck->chk_isset[kid->nd_ref] == 1 &&
	    kid->nd_def != NULL)
		kid = kid->nd_def;
	if (kid->nd_kind == ND_TUPLE &&
	    (uint64_t)nd->nd_number >= kid->nd_nkids)
		return check_fail(ck, nd, "the tuple has %u elements",
		    kid->nd_nkids);
	nd->nd_type = ST_ANY;
	return 0;
}

static int
check_incr(struct check *ck, struct node *nd)
{
	struct node *kid = nd->nd_kids;
	struct script_name *sn;

	if (kid->nd_kind == ND_MAP) {
		sn = &ck->chk_script->scr_maps[kid->nd_ref];
		if (sn->sn_type == ST_NONE)
			sn->sn_type = ST_INT;
		if (ST_ISAGG(sn->sn_type))
			return check_fail(ck, nd, "@%s is assigned by %s",
			    sn->sn_name, type_names[sn->sn_type]);
	}
	if (check_kids(ck, nd) == -1 || check_int(ck, kid, "++ or --") == -1)
		return -1;
	if (kid->nd_kind == ND_VAR)
		ck->chk_isset[kid->nd_ref] = 2;
	nd->nd_type = ST_INT;
	return 0;
}

/* Functions */

static int
check_format(struct check *ck, struct node *nd)
{
	struct node *fmt = nd->nd_kids, *kid = fmt->nd_next;
	char types[64];
	const char *why;
	int i, n;

	n = format_check(fmt->nd_text, fmt->nd_len, types, sizeof(types), &why);
	if (n == -1)
		return check_fail(ck, fmt, "%s", why);
	if ((unsigned int)n != nd->nd_nkids - 1)
		return check_fail(ck, nd,
		    "the format has %d values, and %u follow it", n,
		    nd->nd_nkids - 1);
	for (i = 0; i < n; i++, kid = kid->nd_next) {
		if (kid->nd_type == ST_ANY)
			continue;
		if (types[i] == 's' && kid->nd_type == ST_INT)
			return check_fail(ck, kid,
			    "%%s needs a text, and this is a number; use %%d");
		if (types[i] == 'd' && kid->nd_type != ST_INT &&
		    kid->nd_type != ST_NONE)
			return check_fail(ck, kid,
			    "%%d needs a number, and this is %s; use %%s",
			    type_names[kid->nd_type]);
	}
	return 0;
}

/* A number, or a name in quotes, which becomes the number. */
static int
check_signal(struct check *ck, struct node *kid)
{
	const char *near;

	if (kid->nd_type == ST_STR && kid->nd_text != NULL) {
		kid->nd_number = script_signal(kid->nd_text, &near);
		if (kid->nd_number == 0)
			return check_fail(ck, kid, "there is no signal %s%s%s",
			    kid->nd_text, near != NULL ? "; did you mean " : "",
			    near != NULL ? near : "");
		kid->nd_kind = ND_NUMBER;
		kid->nd_type = ST_INT;
	}
	if ((kid->nd_kind == ND_NUMBER || kid->nd_kind == ND_PARAM) &&
	    (kid->nd_number < 1 || kid->nd_number > SCRIPT_NSIGNALS))
		return check_fail(ck, kid,
		    "signals have the numbers 1 to %d, or names: \"KILL\"",
		    SCRIPT_NSIGNALS);
	return check_int(ck, kid, "signal()");
}

static int
check_arg(struct check *ck, const struct node *nd, struct node *kid, char kind)
{
	const char *name = nd->nd_func->sf_name;

	switch (kind) {
	case 'm':
		if (kid->nd_kind != ND_MAP || kid->nd_nkids > 0)
			return check_fail(ck, kid,
			    "%s() needs a map without a key", name);
		kid->nd_type = ST_NONE;
		return script_assigned_check(ck->chk_script, kid);
	case 's':
		return check_signal(ck, kid);
	case 'l':
		if (kid->nd_kind != ND_STRING)
			return check_fail(ck, kid,
			    "%s() needs a text in quotes here", name);
		return 0;
	case 't':
		if (kid->nd_type == ST_STR || kid->nd_type == ST_ANY ||
		    kid->nd_type == ST_BUF)
			return 0;
		return check_fail(ck, kid,
		    "%s() needs a text here, and this is %s", name,
		    type_names[kid->nd_type]);
	case 'i':
		return check_int(ck, kid, name);
	default:
		return kid->nd_type == ST_NONE && kid->nd_kind != ND_MAP
		    ? check_fail(ck, kid, "this has no value")
		    : 0;
	}
}

/* A map without a key, which print() and others take as a whole. */
static int
check_ismap(const struct check *ck, const struct node *kid)
{
	return kid->nd_kind == ND_MAP && kid->nd_nkids == 0 &&
	    ck->chk_script->scr_maps[kid->nd_ref].sn_isused;
}

/* kstack(perf, n): the mode is a text without quotes, and changes nothing. */
static void
check_mode(struct node *kid)
{
	if (kid->nd_kind != ND_BUILTIN ||
	    (strcmp(kid->nd_text, "perf") != 0 &&
		strcmp(kid->nd_text, "bpftrace") != 0))
		return;
	kid->nd_kind = ND_STRING;
	kid->nd_len = strlen(kid->nd_text);
}

static int
check_args(struct check *ck, struct node *nd)
{
	const struct script_func *sf = nd->nd_func;
	const int isstack = strcmp(sf->sf_name + 1, "stack") == 0;
	const size_t nkinds = strlen(sf->sf_args);
	struct node *kid;
	size_t i = 0;
	char kind;

	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next, i++) {
		kind = sf->sf_args[i < nkinds ? i : nkinds - 1];
		if (isstack && kid->nd_kind == ND_STRING)
			return check_fail(ck, kid,
			    "%s() has a mode, perf or bpftrace, and a number "
			    "of frames",
			    sf->sf_name);
		if (isstack)
			check_mode(kid);
		if (kind != 'm' && !(kind == 'a' && check_ismap(ck, kid)) &&
		    check_expr(ck, kid) == -1)
			return -1;
		if (!isstack && check_arg(ck, nd, kid, kind) == -1)
			return -1;
	}
	return 0;
}

static int
check_call(struct check *ck, struct node *nd)
{
	const struct script_func *sf = script_func(nd->nd_text);
	const char *near;

	if (sf == NULL) {
		near = script_func_near(nd->nd_text);
		return check_fail(ck, nd, "there is no function %s()%s%s%s",
		    nd->nd_text, near != NULL ? "; did you mean " : "",
		    near != NULL ? near : "", near != NULL ? "()" : "");
	}
	if (sf->sf_flags & FUNC_UNSAFE && !ck->chk_script->scr_isunsafe)
		return check_fail(ck, nd,
		    "%s() changes the system, which needs --unsafe",
		    nd->nd_text);
	if (nd->nd_nkids < sf->sf_min || nd->nd_nkids > sf->sf_max)
		return check_fail(ck, nd,
		    nd->nd_nkids < sf->sf_min
			? "%s() needs %u arguments or more"
			: "%s() has at most %u arguments",
		    sf->sf_name,
		    nd->nd_nkids < sf->sf_min ? sf->sf_min : sf->sf_max);
	nd->nd_func = sf;
	if (check_args(ck, nd) == -1)
		return -1;
	if (sf->sf_flags & FUNC_FORMAT && check_format(ck, nd) == -1)
		return -1;
	nd->nd_type = sf->sf_flags & FUNC_AGG ? ST_NONE : sf->sf_type;
	if (sf->sf_flags & FUNC_ROOT)
		return script_struct_root_call(ck->chk_script, nd);
	if (sf->sf_flags & FUNC_SAME) {
		nd->nd_type = nd->nd_kids->nd_type;
		nd->nd_isunsigned = nd->nd_kids->nd_isunsigned;
		nd->nd_ctype = nd->nd_kids->nd_ctype;
		nd->nd_islate = nd->nd_kids->nd_islate ||
		    nd->nd_kids->nd_kind == ND_FIELD;
	}
	if (nd->nd_kids != NULL)
		script_struct_call(ck->chk_script, nd);
	if (nd->nd_isread)
		check_parts(ck, nd);
	return 0;
}

static int (*const checks[ND_NKINDS])(struct check *, struct node *) = {
	[ND_PARAM] = check_param,
	[ND_VAR] = check_var,
	[ND_MAP] = check_map,
	[ND_BUILTIN] = check_builtin,
	[ND_CALL] = check_call,
	[ND_UNARY] = check_unary,
	[ND_BINARY] = check_binary,
	[ND_TERNARY] = check_ternary,
	[ND_CAST] = check_cast,
	[ND_MEMBER] = check_struct,
	[ND_INDEX] = check_struct,
	[ND_DEREF] = check_struct,
	[ND_ELEMENT] = check_element,
	[ND_INCR] = check_incr,
	[ND_TUPLE] = check_kids,
};

static int
check_expr(struct check *ck, struct node *nd)
{
	static const enum script_type types[ND_NKINDS] = {
		[ND_NUMBER] = ST_INT,
		[ND_STRING] = ST_STR,
		[ND_FIELD] = ST_ANY,
		[ND_TUPLE] = ST_TUPLE,
	};

	nd->nd_type = types[nd->nd_kind];
	if (checks[nd->nd_kind] != NULL && checks[nd->nd_kind](ck, nd) == -1)
		return -1;
	if (nd->nd_kind == ND_CALL && nd->nd_func->sf_flags & FUNC_AGG)
		return check_fail(ck, nd,
		    "%s() needs a map: @x = %s(...), or @x[KEY] = %s(...)",
		    nd->nd_text, nd->nd_text, nd->nd_text);
	return 0;
}

/* Statements */

/* Sets the type of a variable or map at its first assignment. */
static int
check_type(struct check *ck, const struct node *nd, struct script_name *sn,
    const struct node *value, enum script_type type)
{
	const char *sigil = nd->nd_kids->nd_kind == ND_VAR ? "$" : "@";

	if (sn->sn_type == ST_NONE || sn->sn_type == ST_ANY) {
		sn->sn_type = type;
		sn->sn_isunsigned = value->nd_isunsigned;
		sn->sn_begin = nd->nd_begin;
		return 0;
	}
	sn->sn_isunsigned &= value->nd_isunsigned;
	if (type == sn->sn_type || type == ST_ANY)
		return 0;
	return check_fail(ck, nd, "%s%s is %s elsewhere, and %s here", sigil,
	    sn->sn_name, type_names[sn->sn_type], type_names[type]);
}

static int
check_lhist(struct check *ck, const struct node *call, struct script_name *sn)
{
	const struct node *kid = call->nd_kids->nd_next;
	int64_t v[3];
	int i;

	for (i = 0; i < 3; i++, kid = kid->nd_next) {
		if (kid->nd_kind == ND_UNARY && kid->nd_op == '-' &&
		    kid->nd_kids->nd_kind == ND_NUMBER)
			v[i] = -(uint64_t)kid->nd_kids->nd_number;
		else if (kid->nd_kind == ND_NUMBER || kid->nd_kind == ND_PARAM)
			v[i] = kid->nd_number;
		else
			return check_fail(ck, kid,
			    "the bounds of lhist() should be constants");
	}
	for (i = 0; i < 3; i++)
		if (v[i] > CHECK_MAXBOUND || v[i] < -CHECK_MAXBOUND)
			return check_fail(ck, call,
			    "the bounds of lhist() are 2^60 at most");
	if (v[2] <= 0 || v[1] <= v[0])
		return check_fail(ck, call,
		    "lhist(VALUE, MIN, MAX, STEP) needs MIN < MAX and STEP > 0");
	if (((uint64_t)v[1] - v[0]) / v[2] > SMAP_MAXSTEPS)
		return check_fail(ck, call, "lhist() has at most %d buckets",
		    SMAP_MAXSTEPS);
	if (sn->sn_type == ST_LHIST && memcmp(sn->sn_lhist, v, sizeof(v)) != 0)
		return check_fail(ck, call, "@%s has other bounds elsewhere",
		    sn->sn_name);
	memcpy(sn->sn_lhist, v, sizeof(v));
	return 0;
}

/* @x = count() and the like */
static int
check_aggregate(struct check *ck, struct node *nd, struct node *target,
    struct node *call)
{
	struct script_name *sn = &ck->chk_script->scr_maps[target->nd_ref];
	const struct script_func *sf;

	if (check_call(ck, call) == -1 || check_keys(ck, target) == -1)
		return -1;
	sf = call->nd_func;
	if (nd->nd_op != 0)
		return check_fail(ck, nd, "%s() is assigned by =", sf->sf_name);
	if (sf->sf_type == ST_LHIST && check_lhist(ck, call, sn) == -1)
		return -1;
	if (strcmp(sf->sf_name, "hist") == 0 && call->nd_nkids > 1)
		return check_fail(ck, call->nd_kids->nd_next,
		    "hist() has one bucket per power of two");
	return check_type(ck, nd, sn, call, sf->sf_type);
}

/* Notes the value of a variable; only the first stands for it. */
static void
check_def(struct check *ck, const struct node *target, const struct node *value)
{
	const unsigned int i = target->nd_ref;

	if (ck->chk_isset[i] == 0)
		ck->chk_defs[i] = value;
	ck->chk_isset[i] = ck->chk_isset[i] == 0 ? 1 : 2;
}

static int
check_assign(struct check *ck, struct node *nd)
{
	struct node *target = nd->nd_kids, *value = target->nd_next;
	struct script *sc = ck->chk_script;
	enum script_type type;

	if (script_func_agg(value) != NULL) {
		if (target->nd_kind == ND_MAP)
			return check_aggregate(ck, nd, target, value);
		return check_fail(ck, value, "%s() needs a map: @x = %s(...)",
		    value->nd_text, value->nd_text);
	}
	if (check_expr(ck, value) == -1)
		return -1;
	if (value->nd_type == ST_NONE && value->nd_kind != ND_MAP)
		return check_fail(ck, value, "this has no value");
	if (nd->nd_op != 0 && check_int(ck, value, "this operator") == -1)
		return -1;
	/* a map that is assigned later */
	type = value->nd_type == ST_NONE ? ST_ANY : value->nd_type;
	if (target->nd_kind == ND_VAR) {
		if (nd->nd_op != 0 && check_var(ck, target) == -1)
			return -1;
		check_def(ck, target, value);
		return check_type(ck, nd, &sc->scr_vars[target->nd_ref], value,
		    type);
	}
	if (check_keys(ck, target) == -1)
		return -1;
	if (script_struct_keep(sc, nd))
		check_parts(ck, value);
	return check_type(ck, nd, &sc->scr_maps[target->nd_ref], value, type);
}

static int
check_control(struct check *ck, struct node *nd)
{
	struct node *kid = nd->nd_kids;

	if (check_expr(ck, kid) == -1)
		return -1;
	if (nd->nd_kind == ND_UNROLL && check_int(ck, kid, "unroll") == -1)
		return -1;
	while ((kid = kid->nd_next) != NULL)
		if (check_block(ck, kid) == -1)
			return -1;
	return 0;
}

/* Checks one statement, or a block. */
static int
check_block(struct check *ck, struct node *nd)
{
	struct node *kid;

	switch (nd->nd_kind) {
	case ND_BLOCK:
		for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
			if (check_block(ck, kid) == -1)
				return -1;
		return 0;
	case ND_ASSIGN:
		return check_assign(ck, nd);
	case ND_EXPR:
		return check_expr(ck, nd->nd_kids);
	case ND_IF:
	case ND_WHILE:
	case ND_UNROLL:
		return check_control(ck, nd);
	default:
		return 0;
	}
}

static int
check_clause(struct check *ck, const struct clause *cl)
{
	const struct script *sc = ck->chk_script;
	const size_t n = sc->scr_nvars;
	unsigned int i;

	memset(ck->chk_isset, 0, n);
	memset(ck->chk_defs, 0, n * sizeof(*ck->chk_defs));
	memset(ck->chk_reads, 0, n * sizeof(*ck->chk_reads));
	if (cl->cla_pred != NULL && check_expr(ck, cl->cla_pred) == -1)
		return -1;
	if (check_block(ck, cl->cla_body) == -1)
		return -1;
	for (i = 0; i < n; i++)
		if (ck->chk_reads[i] != NULL && ck->chk_isset[i] > 1)
			return check_fail(ck, ck->chk_reads[i],
			    "$%s is assigned more than once in this clause; "
			    "structs are read through a variable that is "
			    "assigned once",
			    sc->scr_vars[i].sn_name);
	return 0;
}

int
script_check(struct script *sc)
{
	struct check ck = { .chk_script = sc };
	const size_t n = sc->scr_nvars + 1;
	struct clause *cl;

	ck.chk_isset = script_alloc(sc, n);
	ck.chk_defs = script_alloc(sc, n * sizeof(*ck.chk_defs));
	ck.chk_reads = script_alloc(sc, n * sizeof(*ck.chk_reads));
	script_assigned(sc);
	script_struct_texts(sc);
	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next)
		if (check_clause(&ck, cl) == -1)
			return -1;
	return 0;
}
