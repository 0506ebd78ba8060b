/* SPDX-License-Identifier: ISC */
/*
 * Lets the kernel test predicates, join entries and returns (script_pair.c), and
 * count hits of probes whose only clause is one aggregation.  The interpreter
 * gives the same answer: statements for which this is not certain stay in the
 * interpreter.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_lex.h"
#include "cli/script/script_lower.h"
#include "cli/script/script_name.h"
#include "cli/script/script_pair.h"
#include "cli/session/refusal.h"

/* How a probe is counted. */
struct lowered {
	struct bound *low_bound;
	const struct node *low_target; /* the map */
	const struct node *low_call;   /* the function */
	struct dtioc_agg low_agg;
	unsigned int low_first; /* index of the first key in dtag_keys */
	uint64_t low_factor;	/* by which dt multiplies the values */
};

/* A value: an operand that is divided first, then multiplied. */
struct scale {
	uint64_t scl_divisor, scl_factor;
	uint64_t scl_max;   /* magnitude of the result, unless it wraps */
	int scl_isnegative; /* it may be negative */
	int scl_isover;	    /* the product may have more than 63 bits */
};

#define LOWER_MAXSHIFT 31		   /* a divisor has 32 bits */
#define LOWER_LONGEST  (UINT64_C(1) << 53) /* ns of a call: 104 days */

/* Conditions */

static void
lower_condition(struct script_lower *slo, struct bound *bo)
{
	struct script *sc = slo->slo_bind->sbi_script;
	const char *part, *all = NULL;
	unsigned int i;
	int isexact;
	char *both;

	bo->bo_isexact = 1;
	for (i = 0; i < bo->bo_nclauses; i++) {
		const struct node *pred = bo->bo_clauses[i].bc_clause->cla_pred;

		if (pred == NULL)
			return;
		part = script_condition(sc, bo, pred, &isexact);
		bo->bo_isexact &= isexact;
		if (part == NULL) {
			bo->bo_isexact = 0;
			return;
		}
		if (all != NULL) {
			both = script_alloc(sc, strlen(all) + strlen(part) + 5);
			stpcpy(stpcpy(stpcpy(both, all), " || "), part);
			part = both;
		}
		all = part;
	}
	bo->bo_condition = all;
}

/* Counts */

/*
 * Returns the value of a variable, which lower_statement() has checked, or of a
 * cast that changes no bit of it.
 */
static const struct node *
lower_value(const struct node *nd)
{
	for (;;)
		if (nd->nd_kind == ND_VAR && nd->nd_def != NULL)
			nd = nd->nd_def;
		else if (nd->nd_kind == ND_CAST && nd->nd_size == 8)
			nd = nd->nd_kids;
		else
			return nd;
}

static int
lower_isretval(const struct node *nd)
{
	return nd->nd_kind == ND_BUILTIN && strcmp(nd->nd_text, "retval") == 0;
}

static int
lower_isresult(const struct bound *bo, const struct node *nd)
{
	return strcmp(bo->bo_info.dtpi_name, "return") == 0 &&
	    (lower_isretval(nd) ||
		(nd->nd_kind == ND_FIELD &&
		    bo->bo_clauses[0].bc_hit.sht_argn[nd->nd_ref] ==
			SCRIPT_RET));
}

/* Returns whether a predicate is false for failed calls. */
static int
lower_issuccess(const struct bound *bo, const struct node *pred)
{
	const struct node *n;

	if (pred == NULL || pred->nd_kind != ND_BINARY)
		return 0;
	n = pred->nd_kids->nd_next;
	if (pred->nd_op == OP2('&', '&'))
		return lower_issuccess(bo, pred->nd_kids) ||
		    lower_issuccess(bo, n);
	return lower_isresult(bo, pred->nd_kids) && n->nd_kind == ND_NUMBER &&
	    n->nd_number >= 0 &&
	    (pred->nd_op == '>' || pred->nd_op == OP2('>', '=') ||
		pred->nd_op == OP2('=', '='));
}

/*
 * Returns whether a value is the result of a call as the kernel has it: a failed
 * call has -1 there, and -errno in args.ret.
 */
static int
lower_issame(const struct bound *bo, const struct node *nd)
{
	const struct bound_clause *bc = &bo->bo_clauses[0];

	return lower_isresult(bo, nd) &&
	    ((bo->bo_probe->pr_desc.pd_info.dtpi_flags & DTPI_FUNC) ||
		(lower_isretval(nd) && !bc->bc_hit.sht_islinux) ||
		lower_issuccess(bo, bc->bc_clause->cla_pred));
}

/* Finds the operand of a key or a value.  Returns 0 or -1. */
static int
lower_operand(const struct bound *bo, const struct node *nd, struct dt_opd *op)
{
	static const struct {
		const char *name;
		enum dt_opd_kind kind;
		uint8_t size;
	} rows[] = {
		{ "pid", DT_OPD_PID, 4 },
		{ "tid", DT_OPD_TID, 4 },
		{ "uid", DT_OPD_UID, 4 },
		{ "cpu", DT_OPD_CPU, 4 },
		{ "cgroup", DT_OPD_CGROUP, 8 },
		{ "comm", DT_OPD_COMM, 0 },
	};
	const struct node *stored;
	size_t i;
	int n;

	nd = lower_value(nd);
	*op = (struct dt_opd){ 0 };
	if (bo->bo_isreturn && script_pair_isduration(bo, nd)) {
		op->op_kind = DT_OPD_DURATION;
		op->op_size = 8;
		return 0;
	}
	if (bo->bo_isreturn && (stored = script_pair_value(bo, nd)) != NULL) {
		nd = stored;
		bo = bo->bo_other;
	}
	if (lower_issame(bo, nd)) {
		op->op_kind = DT_OPD_RETVAL;
		op->op_size = 8;
		op->op_issigned = 1;
		return 0;
	}
	if (nd->nd_kind == ND_BUILTIN)
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (strcmp(nd->nd_text, rows[i].name) == 0) {
				op->op_kind = rows[i].kind;
				op->op_size = rows[i].size;
				return 0;
			}
	if (nd->nd_kind != ND_FIELD)
		return -1;
	n = bo->bo_clauses[0].bc_hit.sht_argn[nd->nd_ref];
	if (n < 0 || bo->bo_probe->pr_args[n] == VAL_NONE)
		return -1;
	op->op_kind = DT_OPD_ARG;
	op->op_argn = n;
	val_width(bo->bo_probe->pr_args[n], &op->op_size, &op->op_issigned);
	return 0;
}

/*
 * Finds the value of a key that is equal for all hits of the probe, so that dt
 * adds it to the kernel's rows.  Returns 0 or -1.
 */
static int
lower_fixed(const struct bound *bo, const struct node *nd, struct sval *sv)
{
	const struct node *stored;

	nd = lower_value(nd);
	if (bo->bo_isreturn && (stored = script_pair_value(bo, nd)) != NULL) {
		nd = stored;
		bo = bo->bo_other;
	}
	switch (nd->nd_kind) {
	case ND_NUMBER:
		*sv = SVAL_INT(nd->nd_number);
		return 0;
	case ND_STRING:
		*sv = SVAL_STR(nd->nd_text, nd->nd_len);
		return 0;
	case ND_BUILTIN:
		return script_builtin_fixed(nd, &bo->bo_clauses[0].bc_hit, sv);
	default:
		return -1;
	}
}

/*
 * Finds x and the constant of x / N, x >> N, x * N, N * x or x << N.  A shift
 * counts as its power of two.  Returns the constant, 0: none of 32 bits.
 */
static uint64_t
lower_constant(const struct node *nd, const struct node **x, int *isproduct)
{
	const struct node *n;

	if (nd->nd_kind != ND_BINARY)
		return 0;
	*x = nd->nd_kids;
	n = nd->nd_kids->nd_next;
	*isproduct = nd->nd_op == '*' || nd->nd_op == OP2('<', '<');
	if (nd->nd_op == '*' && (*x)->nd_kind == ND_NUMBER) {
		*x = n;
		n = nd->nd_kids;
	}
	if (n->nd_kind != ND_NUMBER || n->nd_number < 0)
		return 0;
	if (nd->nd_op == OP2('<', '<') || nd->nd_op == OP2('>', '>'))
		return n->nd_number <= LOWER_MAXSHIFT
		    ? UINT64_C(1) << n->nd_number
		    : 0;
	return (nd->nd_op == '*' || nd->nd_op == '/') &&
		n->nd_number <= UINT32_MAX
	    ? n->nd_number
	    : 0;
}

/* Returns an operand without constants. */
static struct scale
lower_unscaled(const struct dt_opd *op)
{
	struct scale scl = { 1, 1, UINT64_MAX, op->op_issigned, 0 };

	if (op->op_kind == DT_OPD_DURATION)
		scl.scl_max = LOWER_LONGEST;
	else if (op->op_size < 8)
		scl.scl_max >>= 64 - 8 * op->op_size;
	return scl;
}

static int
lower_multiply(struct scale *scl, uint64_t n)
{
	scl->scl_isover |= scl->scl_max > INT64_MAX / n;
	scl->scl_max *= n;
	return __builtin_mul_overflow(scl->scl_factor, n, &scl->scl_factor) ||
		scl->scl_factor > INT64_MAX
	    ? -1
	    : 0;
}

/*
 * Divides a value, or a product of which one constant divides the other.  The
 * numbers are unsigned for this.
 */
static int
lower_divide(struct scale *scl, uint64_t n)
{
	if (scl->scl_factor > 1) {
		if (scl->scl_isover || scl->scl_isnegative)
			return -1;
		if (scl->scl_factor % n == 0) {
			scl->scl_max /= n;
			scl->scl_factor /= n;
			return 0;
		}
		if (n % scl->scl_factor != 0)
			return -1;
		scl->scl_max /= scl->scl_factor;
		n /= scl->scl_factor;
		scl->scl_factor = 1;
	}
	if (n > 1 && scl->scl_isnegative) {
		scl->scl_max = UINT64_MAX;
		scl->scl_isnegative = 0;
	}
	scl->scl_max /= n;
	scl->scl_divisor *= n;
	return scl->scl_divisor > UINT32_MAX ? -1 : 0;
}

/*
 * Finds the operand of a value and its constants.  Several divisions are one by
 * their product.  Returns 0 or -1.
 */
static int
lower_scaled(const struct bound *bo, const struct node *nd, struct dt_opd *op,
    struct scale *scl)
{
	const struct node *x = NULL;
	int isproduct = 0;
	uint64_t n;

	nd = lower_value(nd);
	if (lower_operand(bo, nd, op) == 0) {
		*scl = lower_unscaled(op);
		return op->op_size == 0 ? -1 : 0;
	}
	if ((n = lower_constant(nd, &x, &isproduct)) == 0 ||
	    lower_scaled(bo, x, op, scl) == -1)
		return -1;
	return isproduct ? lower_multiply(scl, n) : lower_divide(scl, n);
}

/*
 * Returns whether dt can multiply what the kernel has aggregated: sums wrap
 * around as the values do, and all others must not.
 */
static int
lower_isexact(const struct script_name *sn, const struct scale *scl)
{
	const int64_t n = scl->scl_factor;

	if (n == 1)
		return 1;
	switch (sn->sn_type) {
	case ST_SUM:
	case ST_AVG:
	case ST_STATS:
		return 1;
	case ST_MIN:
	case ST_MAX:
		return !scl->scl_isover;
	case ST_HIST:
		return !scl->scl_isover && (n & (n - 1)) == 0;
	case ST_LHIST:
		return !scl->scl_isover && sn->sn_lhist[0] % n == 0 &&
		    sn->sn_lhist[2] % n == 0;
	default:
		return 0;
	}
}

static unsigned int
lower_nwords(const struct dt_opd *op)
{
	return op->op_kind == DT_OPD_COMM ? 2 : 1;
}

static void
lower_hist(struct lowered *low, const struct script_name *sn)
{
	struct dtioc_agg *ag = &low->low_agg;
	const int64_t n = low->low_factor;

	if (sn->sn_type == ST_HIST)
		ag->dtag_hist = DTAG_LOG;
	if (sn->sn_type != ST_LHIST)
		return;
	ag->dtag_hist = DTAG_LINEAR;
	ag->dtag_min = sn->sn_lhist[0] / n;
	ag->dtag_step = sn->sn_lhist[2] / n;
	ag->dtag_nsteps = (sn->sn_lhist[1] - sn->sn_lhist[0]) / sn->sn_lhist[2];
}

/* Describes the key of a probe's count.  Returns 0 or -1. */
static int
lower_keys(const struct script_lower *slo, struct lowered *low)
{
	struct dtioc_agg *ag = &low->low_agg;
	unsigned int nwords = slo->slo_hasprobe;
	const struct node *kid;
	struct sval sv;

	if (slo->slo_hasprobe)
		ag->dtag_keys[ag->dtag_nkeys++] = (struct dt_opd){
			.op_kind = DT_OPD_PROBE,
			.op_size = 4
		};
	low->low_first = ag->dtag_nkeys;
	for (kid = low->low_target->nd_kids; kid != NULL; kid = kid->nd_next) {
		if (lower_fixed(low->low_bound, kid, &sv) == 0)
			continue;
		if (ag->dtag_nkeys == DTAG_NKEYS ||
		    lower_operand(low->low_bound, kid,
			&ag->dtag_keys[ag->dtag_nkeys]) == -1)
			return -1;
		nwords += lower_nwords(&ag->dtag_keys[ag->dtag_nkeys++]);
	}
	return nwords > DTAG_NWORDS ? -1 : 0;
}

/* Describes the count of a probe.  Returns 0, or -1: dt has to count. */
static int
lower_describe(const struct script_lower *slo, struct lowered *low)
{
	const struct script *sc = slo->slo_bind->sbi_script;
	struct dtioc_agg *ag = &low->low_agg;
	const struct script_name *sn = &sc->scr_maps[low->low_target->nd_ref];
	struct scale scl;

	low->low_factor = 1;
	*ag = (struct dtioc_agg){
		.dtag_pbn = low->low_bound->bo_info.dtpi_pbn
	};
	if (lower_keys(slo, low) == -1)
		return -1;
	if (low->low_call->nd_nkids == 0)
		return 0;
	if (lower_scaled(low->low_bound, low->low_call->nd_kids,
		&ag->dtag_value, &scl) == -1 ||
	    !lower_isexact(sn, &scl))
		return -1;
	ag->dtag_divisor = scl.scl_divisor > 1 ? scl.scl_divisor : 0;
	low->low_factor = scl.scl_factor;
	if (sn->sn_type == ST_LHIST &&
	    (sn->sn_lhist[1] - sn->sn_lhist[0]) % sn->sn_lhist[2] != 0)
		return -1;
	lower_hist(low, sn);
	return 0;
}

static void
lower_effect(void *arg, struct node *nd)
{
	int *is = arg;

	*is |= nd->nd_kind == ND_CALL || nd->nd_kind == ND_INCR;
}

/* Returns whether a statement only gives a variable its first value. */
static int
lower_isvariable(const struct node *first, const struct node *nd)
{
	int is = 0;

	if (nd->nd_kind != ND_ASSIGN || nd->nd_op != 0 ||
	    nd->nd_kids->nd_kind != ND_VAR)
		return 0;
	node_walk(nd->nd_kids->nd_next, lower_effect, &is);
	for (; first != nd; first = first->nd_next)
		is |= first->nd_kids->nd_ref == nd->nd_kids->nd_ref;
	return !is;
}

/*
 * Finds the aggregation of a probe's clauses, if they do nothing else but give
 * variables their values before it.
 */
static const struct node *
lower_statement(const struct bound *bo)
{
	const struct clause *cl = bo->bo_clauses[0].bc_clause;
	const struct node *nd = cl->cla_body->nd_kids, *value;

	if (bo->bo_nclauses != 1)
		return NULL;
	while (nd != NULL && lower_isvariable(cl->cla_body->nd_kids, nd))
		nd = nd->nd_next;
	if (nd == NULL ||
	    (bo->bo_isreturn ? !script_pair_isrest(bo, nd->nd_next)
			     : nd->nd_next != NULL) ||
	    nd->nd_kind != ND_ASSIGN || nd->nd_kids->nd_kind != ND_MAP)
		return NULL;
	value = nd->nd_kids->nd_next;
	return value->nd_kind == ND_CALL && value->nd_func->sf_flags & FUNC_AGG
	    ? nd
	    : NULL;
}

static void
lower_count(struct script_lower *slo, struct bound *bo)
{
	const struct node *nd = lower_statement(bo);
	struct lowered *low;

	if (nd == NULL ||
	    (bo->bo_clauses[0].bc_clause->cla_pred != NULL &&
		!bo->bo_isreturn &&
		(bo->bo_condition == NULL || !bo->bo_isexact)))
		return;
	if ((low = calloc(1, sizeof(*low))) == NULL)
		err(1, "probes");
	low->low_bound = bo;
	low->low_target = nd->nd_kids;
	low->low_call = nd->nd_kids->nd_next;
	if (lower_describe(slo, low) == -1) {
		free(low);
		return;
	}
	bo->bo_iscounted = 1;
	if (dt_hash_put(&slo->slo_counts, bo->bo_info.dtpi_pbn, low) == -1)
		err(1, "probes");
}

/* Adds the condition of --if; exits if it is wrong for the probe. */
static void
lower_option(struct script_lower *slo, struct bound *bo, const char *option)
{
	struct dt_cond co;

	session_cond_make(slo->slo_bind->sbi_session, &bo->bo_info, 0, &co);
	script_condition_add(slo->slo_bind->sbi_script, bo, option);
}

void
script_lower_plan(struct script_lower *slo, struct script_bind *sbi,
    struct srun *sr, int isall)
{
	const struct opts *o = sbi->sbi_session->ss_opts;
	const char *option = o->o_select.ose_if;
	unsigned int i;

	slo->slo_bind = sbi;
	slo->slo_run = sr;
	slo->slo_hasprobe = sbi->sbi_n > 1;
	for (i = 0; i < sbi->sbi_n; i++) {
		struct bound *bo = sbi->sbi_bounds[i];

		if (option != NULL ||
		    bo->bo_clauses[0].bc_clause->cla_pred != NULL)
			bo->bo_entry = session_cond_entry(slo->slo_bind
							      ->sbi_session,
			    &bo->bo_info);
		/* interval takes none */
		if (isall && (bo->bo_info.dtpi_flags & DTPI_ANYTASK) == 0)
			lower_condition(slo, bo);
		if (option != NULL)
			lower_option(slo, bo, option);
	}
	/* these select hits, not calls */
	if (isall && option == NULL && o->o_select.ose_path == NULL)
		script_pair_plan(sbi);
	for (i = 0; isall && i < sbi->sbi_n; i++)
		lower_count(slo, sbi->sbi_bounds[i]);
}

/* Rows */

/* Reads the words of a key as a value.  Returns their number. */
static unsigned int
lower_word(const struct dt_opd *op, const uint64_t *w, struct sval *sv)
{
	if (op->op_kind == DT_OPD_COMM) {
		*sv = SVAL_STR(w, strnlen((const char *)w, DT_REC_COMMLEN));
		return 2;
	}
	*sv = SVAL_INT(*w);
	return 1;
}

static int64_t
lower_product(const struct lowered *low, int64_t value)
{
	return (uint64_t)value * low->low_factor;
}

static void
lower_row(void *arg, const struct dtioc_aggrow *row, void *known)
{
	struct script_lower *slo = arg;
	const uint64_t *w = row->dtrw_words;
	const struct lowered *low;
	struct smap_value *smv;
	const struct node *kid;
	struct smap *sm;
	struct sval sv;
	unsigned int i;
	int64_t first = 1, last;

	(void)known;
	low = dt_hash_ptr(&slo->slo_counts,
	    slo->slo_hasprobe ? *w
			      : slo->slo_bind->sbi_bounds[0]->bo_info.dtpi_pbn);
	if (low == NULL)
		return; /* unreachable: dtd returns rows of our probes */
	sm = &slo->slo_run->srn_maps[low->low_target->nd_ref];
	sm->sm_key.b_len = 0;
	w += slo->slo_hasprobe;
	i = low->low_first;
	for (kid = low->low_target->nd_kids; kid != NULL; kid = kid->nd_next) {
		if (lower_fixed(low->low_bound, kid, &sv) == -1)
			w += lower_word(&low->low_agg.dtag_keys[i++], w, &sv);
		sval_pack(&sm->sm_key, &sv);
	}
	if ((smv = smap_get(sm)) == NULL) {
		sm->sm_refused += row->dtrw_count - 1;
		return;
	}
	if (row->dtrw_bucket == 0) {
		smap_add(sm, smv, row->dtrw_count, row->dtrw_count, 1, 1, 1);
		return;
	}
	if (low->low_agg.dtag_hist == DTAG_PLAIN ||
	    dt_agg_bucket(&low->low_agg, row->dtrw_bucket, &first, &last) != 1)
		first = row->dtrw_min;
	/* the first bucket of a linear histogram is open */
	if (first < row->dtrw_min)
		first = row->dtrw_min;
	smap_add(sm, smv, row->dtrw_count, lower_product(low, row->dtrw_sum),
	    lower_product(low, first), lower_product(low, row->dtrw_min),
	    lower_product(low, row->dtrw_max));
}

static void
lower_set_condition(struct script_lower *slo, const struct bound *bo)
{
	struct cond_expr *ce = malloc(sizeof(*ce));
	struct cond_error er;
	struct dt_cond co;

	if (ce == NULL)
		err(1, NULL);
	if (cond_parse(ce, bo->bo_condition, &er) == 0 &&
	    cond_compile(ce, bo->bo_probe,
		bo->bo_entry != NULL ? bo->bo_entry : bo->bo_probe, &co,
		&er) == 0)
		session_cond_set(slo->slo_bind->sbi_session, &bo->bo_info, &co);
	free(ce);
}

void
script_lower_set(struct script_lower *slo)
{
	struct script_bind *sbi = slo->slo_bind;
	struct kernel_rows *kr = &slo->slo_rows;
	struct lowered *low;
	unsigned int i;

	if (sbi == NULL)
		return;
	kernel_rows_begin(kr, sbi->sbi_session->ss_dt, DTAG_ROWS);
	kr->krw_add = lower_row;
	kr->krw_arg = slo;
	script_pair_set(sbi);
	for (i = 0; i < sbi->sbi_n; i++) {
		struct bound *bo = sbi->sbi_bounds[i];

		if (bo->bo_condition != NULL)
			lower_set_condition(slo, bo);
		low = dt_hash_ptr(&slo->slo_counts, bo->bo_info.dtpi_pbn);
		if (low == NULL || !bo->bo_iscounted)
			continue;
		/* hits that dtd refuses to count are events */
		if (kernel_rows_set(kr, &low->low_agg) == -1)
			bo->bo_iscounted = 0;
		else
			slo->slo_run->srn_maps[low->low_target->nd_ref]
			    .sm_iscounted = 1;
	}
}

void
script_lower_sync(struct script_lower *slo)
{
	struct session *ss;
	uint64_t n, nfull;

	if (slo->slo_rows.krw_nset == 0 || slo->slo_failed)
		return;
	ss = slo->slo_bind->sbi_session;
	if (ss->ss_broken)
		return;
	if (kernel_rows_snapshot(&slo->slo_rows, 0, &n, &nfull) == -1) {
		slo->slo_failed = 1;
		warnx("cannot read the counts: %s", dt_error(ss->ss_dt));
		return;
	}
	session_counted(ss, n);
}

uint64_t
script_lower_idle(struct script_lower *slo, uint64_t now)
{
	struct kernel_rows *kr = &slo->slo_rows;
	struct session *ss;
	uint64_t n, nfull;

	if (slo->slo_bind == NULL || kr->krw_nset == 0 || slo->slo_failed)
		return 0;
	ss = slo->slo_bind->sbi_session;
	if (ss->ss_stop != 0)
		return 0;
	if (kernel_rows_isdue(kr, now) &&
	    kernel_rows_snapshot(kr, now, &n, &nfull) != -1)
		session_counted(ss, n);
	return kr->krw_next;
}

void
script_lower_free(struct script_lower *slo)
{
	kernel_rows_free(&slo->slo_rows);
	hash_free(&slo->slo_counts);
}
