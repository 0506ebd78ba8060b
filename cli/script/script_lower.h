/* SPDX-License-Identifier: ISC */
/* The kernel's part of a script: conditions, and counts by key. */
#ifndef CLI_SCRIPT_SCRIPT_LOWER_H
#define CLI_SCRIPT_SCRIPT_LOWER_H

#include "cli/script/script_bind.h"
#include "cli/stat/kernel_rows.h"

struct script_lower {
	struct script_bind *slo_bind;
	struct srun *slo_run;
	struct kernel_rows slo_rows;
	struct hash slo_counts; /* pbn -> struct lowered */
	int slo_hasprobe;	/* rows begin with the number of their probe */
	unsigned int slo_nconditions;
	int slo_failed; /* a snapshot has failed */
};

/*
 * Called before the probes are enabled: decides, and sets bo_iscounted.  isall 0:
 * the kernel only tests the condition of --if (several -p become one too).
 */
void script_lower_plan(struct script_lower *, struct script_bind *,
    struct srun *, int isall);
/* Called after: sends conditions and aggregations. */
void script_lower_set(struct script_lower *);
/* Adds the kernel's counts to the maps. */
void script_lower_sync(struct script_lower *);
/* For so_idle: the time of the next snapshot; 0: none. */
uint64_t script_lower_idle(struct script_lower *, uint64_t now);
void script_lower_free(struct script_lower *);

/* script_condition.c: a predicate in the language of --if; NULL: it has none. */
const char *script_condition(struct script *, const struct bound *,
    const struct node *pred, int *isexact);
/*
 * Adds the condition of --if to a bound block.  If the kernel does not accept
 * it together with the predicate, it tests only --if.
 */
void script_condition_add(struct script *, struct bound *, const char *option);
/*
 * script_explain.c: prints which statement runs where, and its sizes; with
 * costs, also its times.
 */
struct script_costs;
void script_explain(const struct script *, const struct script_lower *,
    struct script_costs *, struct buf *);

#endif /* CLI_SCRIPT_SCRIPT_LOWER_H */
