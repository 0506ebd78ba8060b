/* SPDX-License-Identifier: ISC */
/*
 * Checks values that are read by structs.  Their pointers begin with an
 * argument, a result, the current thread, a register or an address, since the
 * kernel reads them at the hit.  A variable stands for the value that it was
 * assigned.
 */
#include <stdio.h>
#include <string.h>

#include "cli/script/script_name.h"
#include "cli/script/script_register.h"
#include "cli/script/script_struct.h"

#define struct_fail(sc, nd, ...) \
	script_fail(&(sc)->scr_error, (nd)->nd_begin, (nd)->nd_end, __VA_ARGS__)

int
script_struct_isread(const struct node *nd)
{
	return nd->nd_kind == ND_MEMBER || nd->nd_kind == ND_INDEX ||
	    nd->nd_kind == ND_DEREF ||
	    (nd->nd_kind == ND_BUILTIN && nd->nd_builtin != NULL &&
		nd->nd_builtin->sb_read == READ_VALUE) ||
	    (nd->nd_kind == ND_CALL && nd->nd_func != NULL &&
		nd->nd_func->sf_flags & FUNC_READ);
}

static int
struct_isconstant(const struct node *nd)
{
	return (nd->nd_kind == ND_NUMBER || nd->nd_kind == ND_PARAM) &&
	    nd->nd_type == ST_INT;
}

int
script_struct_issum(const struct node *nd)
{
	return nd->nd_kind == ND_BINARY &&
	    (nd->nd_op == '+' || nd->nd_op == '-') &&
	    struct_isconstant(nd->nd_kids->nd_next);
}

int
script_struct_issame(const struct node *nd)
{
	return nd->nd_kind == ND_CALL && nd->nd_func != NULL &&
	    nd->nd_func->sf_flags & FUNC_SAME;
}

const struct node *
script_struct_root(const struct node *nd)
{
	for (;;) {
		if (nd->nd_kind == ND_VAR && nd->nd_def != NULL)
			nd = nd->nd_def;
		else if (nd->nd_kind == ND_CAST || nd->nd_kind == ND_MEMBER ||
		    nd->nd_kind == ND_INDEX || nd->nd_kind == ND_DEREF ||
		    script_struct_issum(nd) || script_struct_issame(nd))
			nd = nd->nd_kids;
		else
			return nd;
	}
}

static int
struct_isroot(const struct node *nd)
{
	return nd->nd_kind == ND_FIELD ||
	    (nd->nd_kind == ND_BUILTIN &&
		nd->nd_builtin->sb_read != READ_NONE) ||
	    (nd->nd_kind == ND_CALL && nd->nd_func->sf_flags & FUNC_ROOT);
}

/* Returns whether str() and buf() have such a value read. */
static int
struct_istext(const struct node *nd)
{
	return struct_isroot(nd) && nd->nd_kind != ND_FIELD &&
	    (nd->nd_kind != ND_BUILTIN || nd->nd_builtin->sb_read == READ_ROOT);
}

/*
 * Returns whether only the probe knows the type: of args.NAME and uaddr() without
 * a cast.
 */
static int
struct_islate(const struct node *nd)
{
	while (nd->nd_kind == ND_VAR && nd->nd_def != NULL)
		nd = nd->nd_def;
	return nd->nd_kind == ND_FIELD || nd->nd_islate;
}

/* The number in an index. */
static int
struct_index(const struct node *nd, uint64_t *n)
{
	const struct node *index = nd->nd_kids->nd_next;

	if (index->nd_kind != ND_NUMBER && index->nd_kind != ND_PARAM)
		return -1;
	*n = index->nd_number;
	return index->nd_type == ST_INT && *n < DT_READ_MAXOFF ? 0 : -1;
}

/* ct: of an array or a pointer */
static int
part_index(const struct node *nd, const struct script_ctype *ct,
    struct btf_field *bf, char *why, size_t size)
{
	const struct btf_value bv = script_btf_value(ct);
	uint64_t n = 0;

	if (bv.bvl_shape != BTF_ARRAY && bv.bvl_shape != BTF_TEXT &&
	    bv.bvl_shape != BTF_POINTER) {
		snprintf(why, size, "only arrays and pointers have elements");
		return -1;
	}
	if (nd->nd_kind == ND_INDEX && struct_index(nd, &n) == -1) {
		snprintf(why, size,
		    "the number of an element is a constant, below %d",
		    DT_READ_MAXOFF);
		return -1;
	}
	bf->bfl_type = bv.bvl_element;
	bf->bfl_offset = 8 * n * script_btf_value(&bv.bvl_element).bvl_size;
	bf->bfl_bits = 0;
	return 0;
}

int
script_struct_part(const struct node *nd, const struct script_ctype *ct,
    struct btf_field *bf, char *why, size_t size)
{
	struct script_ctype inner = *ct;
	const char *near;

	if (nd->nd_kind == ND_DEREF && ct->sct_stars == 0) {
		snprintf(why, size, "only pointers lead to memory");
		return -1;
	}
	if (nd->nd_kind != ND_MEMBER)
		return part_index(nd, ct, bf, why, size);
	inner.sct_stars -= inner.sct_stars > 0;
	if (inner.sct_stars > 0 ||
	    script_btf_value(&inner).bvl_shape != BTF_STRUCT) {
		snprintf(why, size,
		    "this is no struct; a cast makes it one: "
		    "((struct NAME *)x)->%s",
		    nd->nd_text);
		return -1;
	}
	if (script_btf_field(&inner, nd->nd_text, bf) == 0)
		return 0;
	near = script_btf_near(&inner, nd->nd_text);
	snprintf(why, size, "struct %s of this kernel has no member %s%s%s",
	    script_btf_name(&inner), nd->nd_text,
	    near != NULL ? "; did you mean " : "", near != NULL ? near : "");
	return -1;
}

/* Assigns the type that a value of a type of C has in the language. */
static int
struct_settype(struct script *sc, struct node *nd)
{
	const struct btf_value bv = script_btf_value(&nd->nd_ctype);

	nd->nd_size = 0;
	switch (bv.bvl_shape) {
	case BTF_NUMBER:
	case BTF_POINTER:
		nd->nd_type = ST_INT;
		nd->nd_size = bv.bvl_size;
		nd->nd_isunsigned = !bv.bvl_issigned;
		return 0;
	case BTF_TEXT:
		nd->nd_type = ST_STR;
		return 0;
	case BTF_ARRAY:
	case BTF_STRUCT:
		nd->nd_type = ST_BUF;
		return 0;
	default:
		return struct_fail(sc, nd,
		    "this pointer has no type; a cast gives it one, for "
		    "example *(uint64 *)x");
	}
}

void
script_struct_word(const struct node *nd, struct script_ctype *ct)
{
	static const struct script_ctype none;

	if (nd->nd_kind == ND_DEREF && memcmp(ct, &none, sizeof(none)) == 0)
		*ct = (struct script_ctype){ .sct_stars = 1, .sct_size = 8 };
}

int
script_struct_check(struct script *sc, struct node *nd)
{
	const struct node *kid = nd->nd_kids, *root = script_struct_root(nd);
	struct script_ctype ct;
	struct btf_field bf;
	const char *lacks;
	char why[300];
	uint64_t n;

	nd->nd_ref = sc->scr_nreads++;
	if (!struct_isroot(root))
		return struct_fail(sc, root,
		    "the kernel reads memory at the hit, through an argument, "
		    "retval, curtask, a register or an address; this value is "
		    "not known there");
	if ((lacks = script_btf_lacks()) != NULL)
		return struct_fail(sc, nd,
		    "the types of the kernel cannot be read: %s", lacks);
	if (struct_islate(kid)) {
		if (nd->nd_kind == ND_INDEX && struct_index(nd, &n) == -1)
			return struct_fail(sc, nd,
			    "the number of an element is a constant");
		nd->nd_islate = 1;
		nd->nd_type = ST_ANY;
		return 0;
	}
	ct = kid->nd_ctype;
	script_struct_word(nd, &ct);
	if (script_struct_part(nd, &ct, &bf, why, sizeof(why)) == -1)
		return struct_fail(sc, nd, "%s", why);
	nd->nd_ctype = bf.bfl_type;
	return struct_settype(sc, nd);
}

int
script_struct_root_call(struct script *sc, struct node *nd)
{
	const struct node *name = nd->nd_kids;
	const char *near;

	if (name->nd_len >= sizeof(((struct dtioc_addr *)NULL)->dtad_name))
		return struct_fail(sc, name, "no symbol has a name this long");
	nd->nd_isunsigned = 1;
	if (nd->nd_func->sf_flags & FUNC_READ)
		nd->nd_ref = sc->scr_nreads++;
	if (strcmp(nd->nd_text, "kaddr") == 0)
		sc->scr_nkaddrs++;
	/* the size of a variable is its symbol's */
	nd->nd_islate = strcmp(nd->nd_text, "uaddr") == 0;
	if (strcmp(nd->nd_text, "reg") != 0 ||
	    (nd->nd_number = script_register(name->nd_text)) != -1)
		return 0;
	near = script_register_near(name->nd_text);
	return struct_fail(sc, name, "this machine has no register %s%s%s",
	    name->nd_text, near != NULL ? "; did you mean " : "",
	    near != NULL ? near : "");
}

uint32_t
script_struct_scale(const struct script_ctype *ct)
{
	struct btf_value bv = script_btf_value(ct);

	if (bv.bvl_shape != BTF_POINTER)
		return 1;
	bv = script_btf_value(&bv.bvl_element);
	return bv.bvl_size > 1 ? bv.bvl_size : 1;
}

void
script_struct_sum(struct node *nd)
{
	const struct node *pointer = nd->nd_kids;
	struct node *n = nd->nd_kids->nd_next;

	if (!struct_isroot(script_struct_root(pointer)))
		return;
	nd->nd_ctype = pointer->nd_ctype;
	nd->nd_islate = struct_islate(pointer);
	n->nd_kind = ND_NUMBER;
	n->nd_number = (uint64_t)n->nd_number *
	    script_struct_scale(&nd->nd_ctype);
}

void
script_struct_call(struct script *sc, struct node *nd)
{
	const char *name = nd->nd_func->sf_name;
	const struct node *root;

	if ((strcmp(name, "str") != 0 && strcmp(name, "buf") != 0) ||
	    script_struct_isread(nd->nd_kids))
		return;
	root = script_struct_root(nd->nd_kids);
	if (!struct_istext(root))
		return;
	nd->nd_isread = 1;
	nd->nd_ref = sc->scr_nreads++;
}

int
script_struct_cast(struct script *sc, struct node *nd)
{
	const char *lacks = script_btf_lacks();

	if (lacks != NULL)
		return struct_fail(sc, nd,
		    "the types of the kernel cannot be read: %s", lacks);
	if (script_btf_type(nd->nd_text, &nd->nd_ctype) == -1)
		return struct_fail(sc, nd, "this kernel has no %.*s",
		    (int)strcspn(nd->nd_text, "*"), nd->nd_text);
	if (nd->nd_ctype.sct_stars == 0 &&
	    script_btf_value(&nd->nd_ctype).bvl_shape == BTF_STRUCT)
		return struct_fail(sc, nd,
		    "only pointers can have this type: (%s *)x", nd->nd_text);
	return 0;
}

/* Pointers in maps */

/* Marks the variables and maps whose value str() takes. */
static void
struct_text(void *arg, struct node *nd)
{
	struct script *sc = arg;
	const struct node *kid = nd->nd_kids;

	if (nd->nd_kind != ND_CALL || kid == NULL ||
	    strcmp(nd->nd_text, "str") != 0)
		return;
	if (kid->nd_kind == ND_MAP)
		sc->scr_maps[kid->nd_ref].sn_istext = 1;
	else if (kid->nd_kind == ND_VAR)
		sc->scr_vars[kid->nd_ref].sn_istext = 1;
}

/* Marks the maps whose value is in a marked variable. */
static void
struct_textmap(void *arg, struct node *nd)
{
	struct script *sc = arg;
	const struct node *kid = nd->nd_kids;

	if (nd->nd_kind == ND_ASSIGN && kid->nd_kind == ND_VAR &&
	    kid->nd_next->nd_kind == ND_MAP &&
	    sc->scr_vars[kid->nd_ref].sn_istext)
		sc->scr_maps[kid->nd_next->nd_ref].sn_istext = 1;
}

void
script_struct_texts(struct script *sc)
{
	const struct clause *cl;

	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next) {
		node_walk(cl->cla_pred, struct_text, sc);
		node_walk(cl->cla_body, struct_text, sc);
	}
	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next)
		node_walk(cl->cla_body, struct_textmap, sc);
}

int
script_struct_keep(struct script *sc, struct node *nd)
{
	const struct node *target = nd->nd_kids, *value = target->nd_next;
	const struct node *root = script_struct_root(value);

	if (nd->nd_op != 0 || !sc->scr_maps[target->nd_ref].sn_istext ||
	    script_struct_isread(value) || !struct_istext(root))
		return 0;
	nd->nd_isread = 1;
	nd->nd_ref = sc->scr_nreads++;
	return 1;
}
