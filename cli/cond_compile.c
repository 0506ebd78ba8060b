/* SPDX-License-Identifier: ISC */
/*
 * Conditions: from the tree to the comparisons of one probe, each of which says
 * where to go on.  && and || are nothing but that.
 *
 * A place to go on is a label until the comparison that it means is there.
 */
#include <pwd.h>
#include <string.h>

#include "arg/kind.h"
#include "cond.h"

#define LABEL_PASS DT_COND_PASS
#define LABEL_FAIL DT_COND_FAIL
#define MAXLABELS  COND_MAXNODES /* one for each && and || */

/* What is being compiled. */
struct compile {
	const struct cond_expr *cm_expr;
	const struct probe *cm_probe, *cm_entry;
	struct dt_cond *cm_cond;
	struct cond_error *cm_error;
	uint8_t cm_label[MAXLABELS]; /* the comparison that it is */
	unsigned int cm_nlabels;
	unsigned int cm_ntext; /* bytes of co_text */
	int cm_later;	       /* something is known later only */
	/* labels of each comparison */
	unsigned int cm_true[DT_COND_NINSN], cm_false[DT_COND_NINSN];
};

/* A constant.  bits: it came from ~, so all 64 are meant. */
struct constant {
	uint64_t ct_value; /* without its sign */
	int ct_isneg;
	int ct_isbits;
};

/* One comparison as it is being found out. */
struct compare {
	const struct cond_node *cp_node;  /* all of it */
	const struct cond_node *cp_name;  /* of what is looked at */
	const struct cond_node *cp_mask;  /* or NULL */
	const struct cond_node *cp_const; /* or NULL: is it not 0 */
	enum dt_compare cp_op;
	struct cond_operand cp_operand;
};

#define LABEL_FIRST 256 /* above what is none */

#define compile_fail(cm, cn, ...) \
	cond_fail((cm)->cm_error, (cn)->cn_begin, (cn)->cn_end, __VA_ARGS__)

/*
 * Constants
 */

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

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int
compile_istime(const struct compare *cp)
{
	return cp->cp_operand.co_opd.op_kind == DT_OPD_DURATION;
}

static int
compile_number(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, struct constant *ct)
{
	const struct cond_tok *tk = &cn->cn_tok;
	int istime = compile_istime(cp);
	double v;
	size_t i;

	ct->ct_value = tk->tk_number;
	if (tk->tk_name[0] == '\0') {
		if (istime && tk->tk_real != 0)
			return compile_fail(cm, cn,
			    "a time needs a unit, as 1ms, 500us or 2s");
		if (tk->tk_isreal)
			return compile_fail(cm, cn, "%s has no fractions",
			    cp->cp_operand.co_name);
		return 0;
	}
	for (i = 0; i < N(compile_units); i++)
		if (compile_units[i].istime == istime &&
		    strcmp(compile_units[i].unit, tk->tk_name) == 0)
			break;
	if (i == N(compile_units))
		return compile_fail(cm, cn, "%s is no unit of %s; there %s",
		    tk->tk_name, istime ? "time" : "numbers",
		    istime ? "are ns, us, ms, s, m, h"
			   : "are k, M, G and T, of 1024 each");
	v = tk->tk_real * compile_units[i].factor;
	if (v >= 9e18)
		return compile_fail(cm, cn, "this is too much");
	ct->ct_value = v + 0.5;
	return 0;
}

/* A call that fails returns -1, whatever the kernel has returned. */
static int
compile_is_errno(const struct compile *cm, const struct compare *cp)
{
	return cp->cp_operand.co_opd.op_kind == DT_OPD_RETVAL &&
	    strncmp(cm->cm_probe->pr_desc.pd_info.dtpi_prov, "syscall", 7) == 0;
}

static int
compile_unknown(struct compile *cm, const struct cond_node *cn,
    const struct cond_operand *of)
{
	const char *near = cond_nearest(cm->cm_probe, cm->cm_entry, of,
	    cn->cn_tok.tk_name);

	return compile_fail(cm, cn, "%s has no %s%s%s%s", cm->cm_probe->pr_full,
	    cn->cn_tok.tk_name, near != NULL ? "; did you mean " : "",
	    near != NULL ? near : "", near != NULL ? "?" : "");
}

static int
compile_name(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, struct constant *ct)
{
	const char *name = cn->cn_tok.tk_name;
	struct cond_operand other;

	if (cond_constant(&cp->cp_operand, name, &ct->ct_value) == -1) {
		if (cond_operand(cm->cm_probe, cm->cm_entry, name, &other) == 0)
			return compile_fail(cm, cn,
			    "%s is compared with a constant, not with %s",
			    cp->cp_operand.co_name, name);
		return compile_unknown(cm, cn, &cp->cp_operand);
	}
	if ((int64_t)ct->ct_value < 0) {
		ct->ct_value = -ct->ct_value;
		ct->ct_isneg = 1;
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
		return compile_fail(cm, cn, "%s is a number, not a text",
		    cp->cp_operand.co_name);
	case COND_NEG:
		if (compile_constant(cm, cp, cn->cn_right, ct) == -1)
			return -1;
		if (cn->cn_right->cn_kind == COND_NAME &&
		    compile_is_errno(cm, cp))
			return compile_fail(cm, cn,
			    "a call that fails returns -1; its error is in "
			    "errno: errno == %s",
			    cn->cn_right->cn_tok.tk_name);
		ct->ct_isneg = !ct->ct_isneg && ct->ct_value != 0;
		return 0;
	case COND_INVERT:
		if (compile_constant(cm, cp, cn->cn_right, ct) == -1)
			return -1;
		ct->ct_value = ct->ct_isneg ? ct->ct_value - 1 : ~ct->ct_value;
		ct->ct_isneg = 0;
		ct->ct_isbits = 1;
		return 0;
	case COND_BITAND:
	case COND_BITOR:
		if (compile_constant(cm, cp, cn->cn_left, ct) == -1 ||
		    compile_constant(cm, cp, cn->cn_right, &right) == -1)
			return -1;
		if (ct->ct_isneg || right.ct_isneg)
			return compile_fail(cm, cn,
			    "bits of negative numbers: say it with ~");
		ct->ct_value = cn->cn_kind == COND_BITOR
		    ? ct->ct_value | right.ct_value
		    : ct->ct_value & right.ct_value;
		ct->ct_isbits |= right.ct_isbits;
		return 0;
	default:
		return compile_fail(cm, cn,
		    "this holds or not, and is no value to compare with");
	}
}

/* Cut to the size of what it is compared with; its sign extended. */
static uint64_t
compile_cut(uint64_t v, const struct dt_opd *op)
{
	unsigned int unused = 64 - 8 * op->op_size;

	v <<= unused;
	return op->op_issigned ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

/* Whether the comparison orders: then a value must be one of the operand's. */
static int
compile_orders(const struct compare *cp)
{
	return cp->cp_op != DT_CMP_EQ && cp->cp_op != DT_CMP_NE;
}

static int
compile_fits(const struct compare *cp, const struct constant *ct)
{
	const struct dt_opd *op = &cp->cp_operand.co_opd;
	uint64_t all = UINT64_MAX >> (64 - 8 * op->op_size);

	if (ct->ct_isbits)
		return 1;
	if (ct->ct_isneg)
		return ct->ct_value <= all / 2 + 1;
	if (op->op_issigned && compile_orders(cp))
		return ct->ct_value <= all / 2;
	return ct->ct_value <= all;
}

/* The value as the evaluator compares it. */
static int
compile_value(struct compile *cm, const struct compare *cp,
    const struct cond_node *cn, uint64_t *value)
{
	const struct cond_operand *co = &cp->cp_operand;
	struct constant ct;

	if (compile_constant(cm, cp, cn, &ct) == -1)
		return -1;
	if (ct.ct_isneg && !co->co_opd.op_issigned && compile_orders(cp))
		return compile_fail(cm, cn, "%s is never negative",
		    co->co_name);
	if (!compile_fits(cp, &ct))
		return compile_fail(cm, cn,
		    "this does not fit into the %u bits of %s",
		    8 * co->co_opd.op_size, co->co_name);
	*value = compile_cut(ct.ct_isneg ? -ct.ct_value : ct.ct_value,
	    &co->co_opd);
	return 0;
}

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
	cp->cp_operand.co_opd.op_issigned = 0;
	bits = *cp;
	bits.cp_op = DT_CMP_EQ;
	if (compile_value(cm, &bits, cp->cp_mask, &mask) == -1)
		return -1;
	in->in_mask = mask;
	if (mask == 0)
		return compile_fail(cm, cp->cp_mask, "these are no bits");
	return 0;
}

static int
compile_numbers(struct compile *cm, struct compare *cp, struct dt_insn *in)
{
	const char *name = cp->cp_operand.co_name;
	uint64_t value;

	if (!cp->cp_operand.co_isnumber)
		return compile_fail(cm, cp->cp_node,
		    "%s is a text; compare it with one, as %s == \"name\"",
		    name, name);
	if (compile_mask(cm, cp, in) == -1)
		return -1;
	in->in_left = cp->cp_operand.co_opd;
	in->in_op = DT_CMP_NE;
	if (cp->cp_const == NULL)
		return 0;
	in->in_op = cp->cp_op;
	if (compile_value(cm, cp, cp->cp_const, &value) == -1)
		return -1;
	in->in_value = value;
	if (in->in_value & ~in->in_mask && !compile_orders(cp))
		return compile_fail(cm, cp->cp_const,
		    "these bits are not all among those of %s that are "
		    "looked at",
		    name);
	return 0;
}

/* A user by name that is no word of ours: uid == "www-data". */
static int
compile_user(struct compile *cm, const struct compare *cp, struct dt_insn *in)
{
	char name[DT_COND_MAXSTR + 1];
	const struct passwd *pw;
	int len, isprefix;

	len = cond_lex_text(cm->cm_expr->ce_text, &cp->cp_const->cn_tok, name,
	    DT_COND_MAXSTR, &isprefix, cm->cm_error);
	if (len == -1)
		return -1;
	name[len] = '\0';
	if (isprefix || compile_orders(cp) || (pw = getpwnam(name)) == NULL)
		return compile_fail(cm, cp->cp_const, "this is no user here");
	in->in_left = cp->cp_operand.co_opd;
	in->in_op = cp->cp_op;
	in->in_mask = UINT64_MAX;
	in->in_value = pw->pw_uid;
	return 0;
}

/* Puts the text behind those that are there. */
static int
compile_put_text(struct compile *cm, const struct compare *cp,
    struct dt_insn *in, int *isprefix)
{
	const struct cond_operand *co = &cp->cp_operand;
	char text[DT_COND_MAXSTR];
	int len;

	len = cond_lex_text(cm->cm_expr->ce_text, &cp->cp_const->cn_tok, text,
	    sizeof(text), isprefix, cm->cm_error);
	if (len == -1)
		return -1;
	if (co->co_maxlen != 0 && (unsigned int)len > co->co_maxlen)
		return compile_fail(cm, cp->cp_const, "%s has %u bytes at most",
		    co->co_name, co->co_maxlen);
	if (*isprefix && len == 0)
		return compile_fail(cm, cp->cp_const, "this is any text");
	if (cm->cm_ntext + len > DT_COND_NTEXT)
		return compile_fail(cm, cp->cp_const,
		    "there is room for texts of %d bytes together",
		    DT_COND_NTEXT);
	memcpy(cm->cm_cond->co_text + cm->cm_ntext, text, len);
	in->in_text = cm->cm_ntext;
	in->in_len = len;
	cm->cm_ntext += len;
	return 0;
}

/* Returns 1 if it has to be the other way round: there is a comparison for a
 * prefix, and none for its absence. */
static int
compile_texts(struct compile *cm, const struct compare *cp, struct dt_insn *in)
{
	const struct cond_operand *co = &cp->cp_operand;
	int isprefix;

	if (co->co_opd.op_kind == DT_OPD_UID)
		return compile_user(cm, cp, in);
	if (!co->co_istext)
		return compile_fail(cm, cp->cp_const,
		    "%s is a number, not a text", co->co_name);
	if (cp->cp_mask != NULL)
		return compile_fail(cm, cp->cp_mask, "texts have no bits");
	if (compile_orders(cp))
		return compile_fail(cm, cp->cp_node,
		    "texts are compared by == and != only; \"abc*\" is any "
		    "that begins so");
	if (compile_put_text(cm, cp, in, &isprefix) == -1)
		return -1;
	in->in_left.op_kind = co->co_textkind;
	in->in_left.op_argn = co->co_opd.op_argn;
	in->in_op = isprefix ? DT_CMP_PREFIX : cp->cp_op;
	return isprefix && cp->cp_op == DT_CMP_NE;
}

/* The name of what is looked at, if this is one, or bits of one. */
static const struct cond_node *
compile_looked(struct compile *cm, const struct cond_node *cn,
    const struct cond_node **mask, struct cond_operand *co)
{
	const struct cond_node *left, *right;

	*mask = NULL;
	if (cn->cn_kind == COND_NAME)
		return cond_operand(cm->cm_probe, cm->cm_entry,
			   cn->cn_tok.tk_name, co) == 0
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

/* Nothing of the probe is here: which name should have been? */
static int
compile_nothing(struct compile *cm, const struct cond_node *cn)
{
	const struct cond_node *inner = cn;

	if (cn->cn_kind == COND_BITOR && cn->cn_left->cn_kind == COND_BITAND)
		return compile_fail(cm, cn,
		    "bits that are tested together are in parentheses: "
		    "flags & (A|B)");
	while (inner->cn_kind >= COND_BITAND && inner->cn_kind <= COND_COMPARE)
		inner = inner->cn_left;
	if (inner->cn_kind == COND_NAME)
		return compile_unknown(cm, inner, NULL);
	return compile_fail(cm, cn, "nothing of the probe is looked at here");
}

/* The same comparison with its sides exchanged. */
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

/* Finds out what is compared with what. */
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
		    "this is one too many: a condition has %d comparisons",
		    DT_COND_NINSN);
	cm->cm_later |= cp.cp_operand.co_islater;
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

/* Left, and if that does not decide, right. */
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

/* Labels become numbers of comparisons. */
static uint8_t
compile_target(const struct compile *cm, unsigned int label)
{
	return label >= LABEL_FIRST ? cm->cm_label[label - LABEL_FIRST] : label;
}

int
cond_compile(const struct cond_expr *ce, const struct probe *pr,
    const struct probe *entry, struct dt_cond *co, struct cond_error *er)
{
	struct compile cm = {
		.cm_expr = ce,
		.cm_probe = pr,
		.cm_entry = entry,
		.cm_cond = co,
		.cm_error = er,
	};
	unsigned int i;

	memset(co, 0, sizeof(*co));
	if (compile_node(&cm, ce->ce_root, LABEL_PASS, LABEL_FAIL) == -1)
		return -1;
	for (i = 0; i < co->co_ninsn; i++) {
		co->co_insn[i].in_true = compile_target(&cm, cm.cm_true[i]);
		co->co_insn[i].in_false = compile_target(&cm, cm.cm_false[i]);
	}
	return cm.cm_later ? COND_LATER : 0;
}

const struct cond_node *
cond_uses(const struct cond_expr *ce, const char *name)
{
	const struct cond_node *cn;

	for (cn = ce->ce_nodes; cn < ce->ce_nodes + ce->ce_n; cn++)
		if (cn->cn_kind == COND_NAME &&
		    strcmp(cn->cn_tok.tk_name, name) == 0)
			return cn;
	return NULL;
}
