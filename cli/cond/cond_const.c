/* SPDX-License-Identifier: ISC */
/*
 * Evaluates constants of conditions: numbers with units, names of values, and
 * bits of them, in the width of the compared value.
 */
#include <string.h>

#include "cli/cond/cond_compile.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *unit;
	double factor;
	int istime;
} compile_units[] = {
	{ "ns", 1, 1 },
	{ "us", 1e3, 1 },
	{ "ms", 1e6, 1 },
	{ "s", 1e9, 1 },
	{ "m", 60e9, 1 },
	{ "h", 3600e9, 1 },
	{ "k", 1024, 0 },
	{ "K", 1024, 0 },
	{ "M", 1024 * 1024, 0 },
	{ "G", 1024 * 1024 * 1024, 0 },
	{ "T", 1024.0 * 1024 * 1024 * 1024, 0 },
};

static int
compile_number(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, struct constant *ct)
{
	const struct cond_tok *tk = &cn->cn_tok;
	int istime = cp->cp_operand.cop_opd.op_kind == DT_OPD_DURATION;
	double v;
	size_t i;

	ct->cst_value = tk->tok_number;
	if (tk->tok_name[0] == '\0') {
		if (istime && tk->tok_real != 0)
			return compile_fail(cm, cn,
			    "a time needs a unit, for example 1ms, 500us or "
			    "2s; write %.15gms or %.15gs",
			    tk->tok_real, tk->tok_real);
		if (tk->tok_isreal)
			return compile_fail(cm, cn, "%s has no fractions",
			    cp->cp_operand.cop_name);
		return 0;
	}
	for (i = 0; i < N(compile_units); i++)
		if (compile_units[i].istime == istime &&
		    strcmp(compile_units[i].unit, tk->tok_name) == 0)
			break;
	if (i == N(compile_units))
		return compile_fail(cm, cn, "unknown unit %s of %s; units %s",
		    tk->tok_name, istime ? "time" : "numbers",
		    istime ? "are ns, us, ms, s, m, h"
			   : "are k, M, G and T, of 1024 each");
	v = tk->tok_real * compile_units[i].factor;
	if (v >= 9e18)
		return compile_fail(cm, cn, "this number is too large");
	ct->cst_value = v + 0.5;
	return 0;
}

/* A failed call returns -1, whatever the kernel has returned. */
static int
compile_is_errno(const struct compile *cm, const struct compare *cp)
{
	return cp->cp_operand.cop_opd.op_kind == DT_OPD_RETVAL &&
	    (cm->cm_probe->pr_desc.pd_info.dtpi_flags & DTPI_CALL) != 0;
}

int
compile_unknown(struct compile *cm, const struct cond_node *cn,
    const struct cond_operand *of)
{
	const char *near = cond_nearest(cm->cm_probe, cm->cm_entry, of,
	    cn->cn_tok.tok_name);

	return compile_fail(cm, cn, "%s has no %s%s%s%s", cm->cm_probe->pr_full,
	    cn->cn_tok.tok_name, near != NULL ? "; did you mean " : "",
	    near != NULL ? near : "", near != NULL ? "?" : "");
}

static int
compile_name(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, struct constant *ct)
{
	const char *name = cn->cn_tok.tok_name;
	struct cond_operand other;

	if (cond_constant(&cp->cp_operand, name, &ct->cst_value) == -1) {
		if (cond_operand(cm->cm_probe, cm->cm_entry, name, &other) == 0)
			return compile_fail(cm, cn,
			    "%s is compared with a constant, not with %s",
			    cp->cp_operand.cop_name, name);
		return compile_unknown(cm, cn, &cp->cp_operand);
	}
	if ((int64_t)ct->cst_value < 0) {
		ct->cst_value = -ct->cst_value;
		ct->cst_isneg = 1;
	}
	return 0;
}

static int
compile_constant(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, struct constant *ct)
{
	struct constant right = { 0 };

	memset(ct, 0, sizeof(*ct));
	switch (cn->cn_kind) {
	case COND_NUMBER:
		return compile_number(cm, cp, cn, ct);
	case COND_NAME:
		return compile_name(cm, cp, cn, ct);
	case COND_TEXT:
		return compile_fail(cm, cn, "%s is a number, not a string",
		    cp->cp_operand.cop_name);
	case COND_NEG:
		if (compile_constant(cm, cp, cn->cn_right, ct) == -1)
			return -1;
		if (cn->cn_right->cn_kind == COND_NAME &&
		    compile_is_errno(cm, cp))
			return compile_fail(cm, cn,
			    "a failed call returns -1; compare errno: errno "
			    "== %s",
			    cn->cn_right->cn_tok.tok_name);
		ct->cst_isneg = !ct->cst_isneg && ct->cst_value != 0;
		return 0;
	case COND_INVERT:
		if (compile_constant(cm, cp, cn->cn_right, ct) == -1)
			return -1;
		ct->cst_value = ct->cst_isneg ? ct->cst_value - 1
					      : ~ct->cst_value;
		ct->cst_isneg = 0;
		ct->cst_isbits = 1;
		return 0;
	case COND_BITAND:
	case COND_BITOR:
		if (compile_constant(cm, cp, cn->cn_left, ct) == -1 ||
		    compile_constant(cm, cp, cn->cn_right, &right) == -1)
			return -1;
		if (ct->cst_isneg || right.cst_isneg)
			return compile_fail(cm, cn,
			    "bits cannot be negative; use ~");
		ct->cst_value = cn->cn_kind == COND_BITOR
		    ? ct->cst_value | right.cst_value
		    : ct->cst_value & right.cst_value;
		ct->cst_isbits |= right.cst_isbits;
		return 0;
	default:
		return compile_fail(cm, cn,
		    "this is a truth value, which cannot be compared");
	}
}

/* Cuts a value to the size of the operand, and extends its sign. */
static uint64_t
compile_cut(uint64_t v, const struct dt_opd *op)
{
	unsigned int unused = 64 - 8 * op->op_size;

	v <<= unused;
	return op->op_issigned ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

int
compile_orders(const struct compare *cp)
{
	return cp->cp_op != DT_CMP_EQ && cp->cp_op != DT_CMP_NE;
}

static int
compile_fits(const struct compare *cp, const struct constant *ct)
{
	const struct dt_opd *op = &cp->cp_operand.cop_opd;
	uint64_t all = UINT64_MAX >> (64 - 8 * op->op_size);

	if (ct->cst_isbits)
		return 1;
	if (ct->cst_isneg)
		return ct->cst_value <= all / 2 + 1;
	if (op->op_issigned && compile_orders(cp))
		return ct->cst_value <= all / 2;
	return ct->cst_value <= all;
}

int
compile_value(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, uint64_t *value)
{
	const struct cond_operand *co = &cp->cp_operand;
	struct constant ct;

	if (compile_constant(cm, cp, cn, &ct) == -1)
		return -1;
	if (co->cop_opd.op_size == 0) { /* no value: dtd refuses it */
		*value = 0;
		return 0;
	}
	if (ct.cst_isneg && !co->cop_opd.op_issigned && compile_orders(cp))
		return compile_fail(cm, cn, "%s is never negative",
		    co->cop_name);
	if (!compile_fits(cp, &ct))
		return compile_fail(cm, cn,
		    "this does not fit into the %u bits of %s",
		    8 * co->cop_opd.op_size, co->cop_name);
	*value = compile_cut(ct.cst_isneg ? -ct.cst_value : ct.cst_value,
	    &co->cop_opd);
	return 0;
}
