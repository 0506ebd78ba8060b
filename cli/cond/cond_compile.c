/* SPDX-License-Identifier: ISC */
/*
 * Compiles the tree of a condition into comparisons for one probe, each of
 * which has the next comparison for either result.  && and || only determine
 * these.
 *
 * A target is a label until its comparison is emitted.
 */
#include <string.h>

#include "cli/cond/cond_compile.h"

#define LABEL_PASS  DT_COND_PASS
#define LABEL_FAIL  DT_COND_FAIL

#define LABEL_FIRST 256 /* above any index; one for each && and || */

/*
 * Comparisons
 */

static int
compile_mask(struct compile *cm, struct compare *cp, struct dt_insn *in)
{
	struct compare bits;
	uint64_t mask;

	in->in_mask = UINT64_MAX;
	if (cp->cp_mask == NULL)
		return 0;
	/* bits have no sign */
	cp->cp_operand.cop_opd.op_issigned = 0;
	bits = *cp;
	bits.cp_op = DT_CMP_EQ;
	if (compile_value(cm, &bits, cp->cp_mask, &mask) == -1)
		return -1;
	in->in_mask = mask;
	if (mask == 0)
		return compile_fail(cm, cp->cp_mask, "these are not bits");
	return 0;
}

static int
compile_numbers(struct compile *cm, struct compare *cp, struct dt_insn *in)
{
	const char *name = cp->cp_operand.cop_name;
	uint64_t value;

	if (!cp->cp_operand.cop_isnumber)
		return compile_fail(cm, cp->cp_node,
		    "%s is a string; compare it with one, for example %s == "
		    "\"name\"",
		    name, name);
	if (compile_mask(cm, cp, in) == -1)
		return -1;
	in->in_left = cp->cp_operand.cop_opd;
	in->in_op = DT_CMP_NE;
	if (cp->cp_const == NULL)
		return 0;
	in->in_op = cp->cp_op;
	if (compile_value(cm, cp, cp->cp_const, &value) == -1)
		return -1;
	in->in_value = value;
	if (in->in_value & ~in->in_mask && !compile_orders(cp))
		return compile_fail(cm, cp->cp_const,
		    "some of these bits are outside the tested bits of %s",
		    name);
	return 0;
}

/*
 * Returns a name of a hit of a pair without its prefix; *side is the hit, or 0.
 */
static const char *
compile_side_of(const struct compile *cm, const char *name, unsigned int *side)
{
	*side = 0;
	if ((cm->cm_part & (COND_FROM | COND_TO)) == 0)
		return name;
	if (strncmp(name, "from.", 5) == 0) {
		*side = COND_FROM;
		return name + 5;
	}
	if (strncmp(name, "to.", 3) == 0) {
		*side = COND_TO;
		return name + 3;
	}
	return name;
}

/* Returns the name that a node compares, directly or under a mask, or NULL. */
static const struct cond_node *
compile_looked(struct compile *cm, const struct cond_node *cn,
    const struct cond_node **mask, struct cond_operand *co)
{
	const struct cond_node *left, *right;
	unsigned int side;

	*mask = NULL;
	if (cn->cn_kind == COND_NAME)
		return cond_operand(cm->cm_probe, cm->cm_entry,
			   compile_side_of(cm, cn->cn_tok.tok_name, &side),
			   co) == 0
		    ? cn
		    : NULL;
	if (cn->cn_kind != COND_BITAND)
		return NULL;
	left = cn->cn_left;
	right = cn->cn_right;
	if (left->cn_kind == COND_NAME &&
	    compile_looked(cm, left, mask, co) != NULL) {
		*mask = right;
		return left;
	}
	if (right->cn_kind == COND_NAME &&
	    compile_looked(cm, right, mask, co) != NULL) {
		*mask = left;
		return right;
	}
	return NULL;
}

/* Reports a comparison without a value of the probe, and suggests a name. */
static int
compile_nothing(struct compile *cm, const struct cond_node *cn)
{
	const struct cond_node *inner = cn;

	if (cn->cn_kind == COND_BITOR && cn->cn_left->cn_kind == COND_BITAND)
		return compile_fail(cm, cn,
		    "write bits that are tested together in parentheses: "
		    "flags & (A|B)");
	while (inner->cn_kind >= COND_BITAND && inner->cn_kind <= COND_COMPARE)
		inner = inner->cn_left;
	if (inner->cn_kind == COND_NAME)
		return compile_unknown(cm, inner, NULL);
	return compile_fail(cm, cn,
	    "this comparison has no operand of the "
	    "probe");
}

/* Returns the comparison with exchanged operands. */
static enum dt_compare
compile_turned(enum dt_compare op)
{
	static const enum dt_compare turned[] = {
		[DT_CMP_EQ] = DT_CMP_EQ,
		[DT_CMP_NE] = DT_CMP_NE,
		[DT_CMP_LT] = DT_CMP_GT,
		[DT_CMP_LE] = DT_CMP_GE,
		[DT_CMP_GT] = DT_CMP_LT,
		[DT_CMP_GE] = DT_CMP_LE,
	};

	return turned[op];
}

/* Determines the operands of a comparison. */
static int
compile_sides(struct compile *cm, const struct cond_node *cn,
    struct compare *cp)
{
	*cp = (struct compare){ .cp_node = cn, .cp_op = DT_CMP_NE };
	if (cn->cn_kind != COND_COMPARE) {
		cp->cp_name = compile_looked(cm, cn, &cp->cp_mask,
		    &cp->cp_operand);
		return cp->cp_name != NULL ? 0 : compile_nothing(cm, cn);
	}
	cp->cp_op = cn->cn_op;
	cp->cp_const = cn->cn_right;
	cp->cp_name = compile_looked(cm, cn->cn_left, &cp->cp_mask,
	    &cp->cp_operand);
	if (cp->cp_name != NULL)
		return 0;
	cp->cp_op = compile_turned(cn->cn_op);
	cp->cp_const = cn->cn_left;
	cp->cp_name = compile_looked(cm, cn->cn_right, &cp->cp_mask,
	    &cp->cp_operand);
	return cp->cp_name != NULL ? 0 : compile_nothing(cm, cn);
}

static int
compile_compare(struct compile *cm, const struct cond_node *cn,
    unsigned int to_true, unsigned int to_false)
{
	unsigned int n = cm->cm_cond->co_ninsn;
	struct dt_insn in = { 0 };
	struct compare cp;
	int r;

	if (compile_sides(cm, cn, &cp) == -1)
		return -1;
	if (n == DT_COND_NINSN)
		return compile_fail(cm, cn,
		    "too many: a condition has at most %d comparisons",
		    DT_COND_NINSN);
	/* the kernel has stored the first hit's values in their place */
	if (cm->cm_part & COND_TO &&
	    cp.cp_operand.cop_opd.op_kind == DT_OPD_ARG &&
	    (cm->cm_probe->pr_desc.pd_info.dtpi_flags & DTPI_RECORD) == 0)
		return compile_fail(cm, cp.cp_name,
		    "the second hit must be of a tracepoint to have arguments");
	cm->cm_later |= cp.cp_operand.cop_islater;
	if (cp.cp_const != NULL && cp.cp_const->cn_kind == COND_TEXT)
		r = compile_texts(cm, &cp, &in);
	else
		r = compile_numbers(cm, &cp, &in);
	if (r == -1)
		return -1;
	cm->cm_true[n] = r == 0 ? to_true : to_false;
	cm->cm_false[n] = r == 0 ? to_false : to_true;
	cm->cm_cond->co_insn[n] = in;
	cm->cm_cond->co_ninsn++;
	return 0;
}

static int compile_node(struct compile *, const struct cond_node *,
    unsigned int, unsigned int);

/* Compiles the left side, and the right one where the left does not decide. */
static int
compile_both(struct compile *cm, const struct cond_node *cn,
    unsigned int to_true, unsigned int to_false)
{
	unsigned int label = LABEL_FIRST + cm->cm_nlabels++;
	int isand = cn->cn_kind == COND_AND;

	if (compile_node(cm, cn->cn_left, isand ? label : to_true,
		isand ? to_false : label) == -1)
		return -1;
	cm->cm_label[label - LABEL_FIRST] = cm->cm_cond->co_ninsn;
	return compile_node(cm, cn->cn_right, to_true, to_false);
}

static int
compile_node(struct compile *cm, const struct cond_node *cn,
    unsigned int to_true, unsigned int to_false)
{
	switch (cn->cn_kind) {
	case COND_AND:
	case COND_OR:
		return compile_both(cm, cn, to_true, to_false);
	case COND_NOT:
		return compile_node(cm, cn->cn_right, to_false, to_true);
	default:
		return compile_compare(cm, cn, to_true, to_false);
	}
}

/* Parts.  Operands of the outermost && may be tested separately. */

/* Returns whether all names are arguments, as the entry has them. */
static int
compile_isearly(const struct compile *cm, const struct cond_node *cn)
{
	struct cond_operand co;

	if (cn == NULL)
		return 1;
	if (cn->cn_kind == COND_TEXT)
		return (cm->cm_part & COND_TEXTS) != 0;
	if (cn->cn_kind != COND_NAME)
		return compile_isearly(cm, cn->cn_left) &&
		    compile_isearly(cm, cn->cn_right);
	if (cond_operand(cm->cm_probe, cm->cm_entry, cn->cn_tok.tok_name,
		&co) == -1)
		return 1; /* a constant */
	return co.cop_opd.op_kind == DT_OPD_ARG;
}

/* Returns the hits that are used: COND_FROM, COND_TO, both, or 0: none. */
static unsigned int
compile_hits(const struct compile *cm, const struct cond_node *cn)
{
	struct cond_operand co;
	const char *name;
	unsigned int side;

	if (cn == NULL)
		return 0;
	if (cn->cn_kind != COND_NAME)
		return compile_hits(cm, cn->cn_left) |
		    compile_hits(cm, cn->cn_right);
	name = compile_side_of(cm, cn->cn_tok.tok_name, &side);
	if (side != 0)
		return side;
	if (cond_operand(cm->cm_from, cm->cm_from, name, &co) == 0 &&
	    !cond_isresult(&co))
		return COND_FROM;
	return cond_operand(cm->cm_probe, cm->cm_entry, name, &co) == 0
	    ? COND_TO
	    : 0;
}

static int
compile_haspart(const struct compile *cm, const struct cond_node *cn)
{
	unsigned int hits;

	if (cm->cm_part & (COND_FROM | COND_TO)) {
		if (cn->cn_kind == COND_AND)
			return compile_haspart(cm, cn->cn_left) ||
			    compile_haspart(cm, cn->cn_right);
		hits = compile_hits(cm, cn);
		return ((hits != 0 ? hits : COND_TO) & cm->cm_part) != 0;
	}
	if ((cm->cm_part & (COND_EARLY | COND_LATE)) == 0)
		return 1;
	if (cn->cn_kind == COND_AND)
		return compile_haspart(cm, cn->cn_left) ||
		    compile_haspart(cm, cn->cn_right);
	return compile_isearly(cm, cn) == ((cm->cm_part & COND_EARLY) != 0);
}

static int
compile_parts(struct compile *cm, const struct cond_node *cn,
    unsigned int to_true)
{
	unsigned int label;

	if (cn->cn_kind != COND_AND) {
		if (cm->cm_part & (COND_FROM | COND_TO) &&
		    compile_hits(cm, cn) == (COND_FROM | COND_TO))
			return compile_fail(cm, cn,
			    "this uses both hits of the pair: join the "
			    "comparisons of each by &&");
		return compile_node(cm, cn, to_true, LABEL_FAIL);
	}
	if (!compile_haspart(cm, cn->cn_left))
		return compile_parts(cm, cn->cn_right, to_true);
	if (!compile_haspart(cm, cn->cn_right))
		return compile_parts(cm, cn->cn_left, to_true);
	label = LABEL_FIRST + cm->cm_nlabels++;
	if (compile_parts(cm, cn->cn_left, label) == -1)
		return -1;
	cm->cm_label[label - LABEL_FIRST] = cm->cm_cond->co_ninsn;
	return compile_parts(cm, cn->cn_right, to_true);
}

/* Resolves a label to the index of a comparison. */
static uint8_t
compile_target(const struct compile *cm, unsigned int label)
{
	return label >= LABEL_FIRST ? cm->cm_label[label - LABEL_FIRST] : label;
}

static int
compile_expr(struct compile *cm)
{
	const struct cond_expr *ce = cm->cm_expr;
	struct dt_cond *co = cm->cm_cond;
	unsigned int i;

	memset(co, 0, sizeof(*co));
	if (!compile_haspart(cm, ce->ce_root))
		return 0;
	if (compile_parts(cm, ce->ce_root, LABEL_PASS) == -1)
		return -1;
	for (i = 0; i < co->co_ninsn; i++) {
		co->co_insn[i].in_true = compile_target(cm, cm->cm_true[i]);
		co->co_insn[i].in_false = compile_target(cm, cm->cm_false[i]);
	}
	return cm->cm_later ? COND_LATER : 0;
}

int
cond_compile_part(const struct cond_expr *ce, unsigned int part,
    const struct probe *pr, const struct probe *entry, struct dt_cond *co,
    struct cond_error *er)
{
	struct compile cm = {
		.cm_expr = ce,
		.cm_probe = pr,
		.cm_entry = entry,
		.cm_cond = co,
		.cm_error = er,
		.cm_part = part,
	};

	return compile_expr(&cm);
}

int
cond_compile_side(const struct cond_expr *ce, unsigned int side,
    const struct probe *from, const struct probe *to, struct dt_cond *co,
    struct cond_error *er)
{
	const struct probe *pr = side == COND_FROM ? from : to;
	struct compile cm = {
		.cm_expr = ce,
		.cm_probe = pr,
		.cm_entry = pr,
		.cm_cond = co,
		.cm_error = er,
		.cm_part = side,
		.cm_from = from,
	};

	return compile_expr(&cm);
}

int
cond_compile(const struct cond_expr *ce, const struct probe *pr,
    const struct probe *entry, struct dt_cond *co, struct cond_error *er)
{
	return cond_compile_part(ce, 0, pr, entry, co, er);
}

const struct cond_node *
cond_uses(const struct cond_expr *ce, const char *name)
{
	const struct cond_node *cn;

	for (cn = ce->ce_nodes; cn < ce->ce_nodes + ce->ce_n; cn++)
		if (cn->cn_kind == COND_NAME &&
		    strcmp(cn->cn_tok.tok_name, name) == 0)
			return cn;
	return NULL;
}
