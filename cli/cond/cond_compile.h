/* SPDX-License-Identifier: ISC */
/* State shared by cond_compile.c, cond_const.c and cond_text.c. */
#ifndef CLI_COND_COND_COMPILE_H
#define CLI_COND_COND_COMPILE_H

#include "cli/cond/cond.h"

/* A compilation in progress. */
struct compile {
	const struct cond_expr *cm_expr;
	const struct probe *cm_probe, *cm_entry;
	struct dt_cond *cm_cond;
	struct cond_error *cm_error;
	unsigned int cm_part;		 /* COND_EARLY and the like */
	const struct probe *cm_from;	 /* with COND_FROM, COND_TO */
	uint8_t cm_label[COND_MAXNODES]; /* comparison of each label */
	unsigned int cm_nlabels;
	unsigned int cm_ntext; /* bytes of co_text */
	int cm_later;	       /* uses a value that is known later only */
	/* labels of each comparison */
	unsigned int cm_true[DT_COND_NINSN], cm_false[DT_COND_NINSN];
};

/* A constant.  cst_isbits: it is the operand of ~, so all 64 bits count. */
struct constant {
	uint64_t cst_value; /* magnitude */
	int cst_isneg;
	int cst_isbits;
};

/* A comparison while it is compiled. */
struct compare {
	const struct cond_node *cp_node;  /* the whole comparison */
	const struct cond_node *cp_name;  /* name of the value compared */
	const struct cond_node *cp_mask;  /* or NULL */
	const struct cond_node *cp_const; /* or NULL: compares with != 0 */
	enum dt_compare cp_op;
	struct cond_operand cp_operand;
};

#define compile_fail(cm, cn, ...) \
	cond_fail((cm)->cm_error, (cn)->cn_begin, (cn)->cn_end, __VA_ARGS__)

/* Reports an unknown name and suggests a similar one; returns -1. */
int compile_unknown(struct compile *, const struct cond_node *,
    const struct cond_operand *of);
/*
 * Returns whether the operator orders; then a value must be in the operand's
 * range.
 */
int compile_orders(const struct compare *);
/* Computes the value of a constant as the evaluator compares it. */
int compile_value(struct compile *, const struct compare *,
    const struct cond_node *, uint64_t *value);

/* cond_text.c */
/*
 * Returns 1 if the comparison has to be inverted: the evaluator can test for a
 * prefix, but not for its absence.
 */
int
compile_texts(struct compile *cm, const struct compare *cp, struct dt_insn *in);

#endif /* CLI_COND_COND_COMPILE_H */
