/* SPDX-License-Identifier: ISC */
/* What cond_compile.c, cond_const.c and cond_text.c share. */
#ifndef CLI_COND_COND_COMPILE_H
#define CLI_COND_COND_COMPILE_H

#include "cli/cond/cond.h"

/* What is being compiled. */
struct compile {
	const struct cond_expr *cm_expr;
	const struct probe *cm_probe, *cm_entry;
	struct dt_cond *cm_cond;
	struct cond_error *cm_error;
	unsigned int cm_part;		 /* COND_EARLY and so on */
	const struct probe *cm_from;	 /* with COND_FROM, COND_TO */
	uint8_t cm_label[COND_MAXNODES]; /* the comparison that it is */
	unsigned int cm_nlabels;
	unsigned int cm_ntext; /* bytes of co_text */
	int cm_later;	       /* something is known later only */
	/* labels of each comparison */
	unsigned int cm_true[DT_COND_NINSN], cm_false[DT_COND_NINSN];
};

/* A constant.  bits: it came from ~, so all 64 are meant. */
struct constant {
	uint64_t cst_value; /* without its sign */
	int cst_isneg;
	int cst_isbits;
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

#define compile_fail(cm, cn, ...) \
	cond_fail((cm)->cm_error, (cn)->cn_begin, (cn)->cn_end, __VA_ARGS__)

/* The name is none here: says which may have been meant, and returns -1. */
int compile_unknown(struct compile *, const struct cond_node *,
    const struct cond_operand *of);
/* Whether the comparison orders: then a value must be one of the operand's. */
int compile_orders(const struct compare *);
/* The value of a constant as the evaluator compares it. */
int compile_value(struct compile *, const struct compare *,
    const struct cond_node *, uint64_t *value);

/* cond_text.c */
/* Returns 1 if it has to be the other way round: there is a comparison for a
 * prefix, and none for its absence. */
int
compile_texts(struct compile *cm, const struct compare *cp, struct dt_insn *in);

#endif /* CLI_COND_COND_COMPILE_H */
