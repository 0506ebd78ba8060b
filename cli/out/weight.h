/* SPDX-License-Identifier: ISC */
/* The weight of stacks as text, by the unit of a profile. */
#ifndef CLI_OUT_WEIGHT_H
#define CLI_OUT_WEIGHT_H

#include "cli/base/buf.h"
#include "cli/result/profile.h"

/* Returns the name of the column: "SAMPLES", "TIME". */
const char *weight_head(const struct out_profile *);
/* Prints "1234" or "12.30ms". */
void weight_short(struct buf *, const struct out_profile *, uint64_t);
/* Prints "1,234 samples", "12.30ms" or "1,234". */
void weight_long(struct buf *, const struct out_profile *, uint64_t);
/* Prints "1,234 samples", or "12.30ms in 3 waits, 1.00ms in 1 ...". */
void weight_total(struct buf *, const struct out_profile *);
/* Prints "3 voluntary waits, mean 4.10ms"; nothing if hits are the weight. */
void
weight_hits(struct buf *, const struct out_profile *, const struct out_stack *);
/* Returns whether the weight is the sum of a value, which has a name. */
int weight_hasname(enum profile_unit);
/* Returns whether weights differ from the number of hits. */
int weight_isvalue(const struct out_profile *);
int weight_istime(const struct out_profile *); /* ns */
/* Returns the name of the value: "off-CPU time". */
const char *weight_title(const struct out_profile *);
/* Return type and unit as pprof names them: "offcpu" and "nanoseconds". */
const char *weight_type(const struct out_profile *);
const char *weight_unit(const struct out_profile *);
/* Returns "hits", the type of their number. */
const char *weight_hits_type(const struct out_profile *);
/* Returns "voluntary" or "involuntary", NULL if it is not a wait. */
const char *weight_wait(enum profile_wait);

#endif /* CLI_OUT_WEIGHT_H */
