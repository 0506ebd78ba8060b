/* SPDX-License-Identifier: ISC */
/* Prints the weight of stacks, and names its unit. */
#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/out/weight.h"

static const struct {
	const char *head;
	const char *one, *many; /* hits */
	const char *type, *unit, *title;
	int isvalue; /* differs from the number of hits */
	/* prints a value with its unit; NULL: a number */
	const char *(*text)(char[VAL_NSECS], int64_t);
} weight_units[PROFILE_NUNITS] = {
	[PROFILE_SAMPLES] = { "SAMPLES", "sample", "samples", "samples",
	    "count", "CPU samples", 0, NULL },
	[PROFILE_HITS] = { "HITS", "hit", "hits", "hits", "count", "hits", 0,
	    NULL },
	[PROFILE_NSECS] = { "TIME", "hit", "hits", "duration", "nanoseconds",
	    "time of calls", 1, val_nsecs },
	[PROFILE_WAITS] = { "TIME", "wait", "waits", "offcpu", "nanoseconds",
	    "off-CPU time", 1, val_nsecs },
	[PROFILE_SUM] = { "SUM", "hit", "hits", "sum", NULL, "sum", 1, NULL },
	[PROFILE_NBYTES] = { "BYTES", "hit", "hits", "sum", "bytes", "bytes", 1,
	    val_nbytes },
};

static const char *const weight_waits[PROFILE_NWAITS] = {
	[PROFILE_VOLUNTARY] = "voluntary",
	[PROFILE_INVOLUNTARY] = "involuntary",
};

const char *
weight_head(const struct out_profile *op)
{
	return weight_units[op->opr_unit].head;
}

const char *
weight_type(const struct out_profile *op)
{
	return weight_units[op->opr_unit].type;
}

const char *
weight_unit(const struct out_profile *op)
{
	const char *unit = weight_units[op->opr_unit].unit;

	return unit != NULL ? unit : op->opr_name;
}

const char *
weight_hits_type(const struct out_profile *op)
{
	return weight_units[op->opr_unit].many;
}

const char *
weight_wait(enum profile_wait wait)
{
	return weight_waits[wait];
}

int
weight_hasname(enum profile_unit unit)
{
	return unit == PROFILE_SUM || unit == PROFILE_NBYTES;
}

int
weight_isvalue(const struct out_profile *op)
{
	return weight_units[op->opr_unit].isvalue;
}

int
weight_istime(const struct out_profile *op)
{
	return weight_units[op->opr_unit].text == val_nsecs;
}

const char *
weight_title(const struct out_profile *op)
{
	return weight_units[op->opr_unit].title;
}

void
weight_short(struct buf *b, const struct out_profile *op, uint64_t weight)
{
	char text[VAL_NSECS];

	if (weight_units[op->opr_unit].text != NULL)
		buf_str(b, weight_units[op->opr_unit].text(text, weight));
	else
		buf_u64(b, weight);
}

static void
weight_n(struct buf *b, const struct out_profile *op, uint64_t n)
{
	buf_grouped(b, n);
	buf_c(b, ' ');
	buf_str(b,
	    n == 1 ? weight_units[op->opr_unit].one
		   : weight_units[op->opr_unit].many);
}

void
weight_long(struct buf *b, const struct out_profile *op, uint64_t weight)
{
	if (!weight_isvalue(op))
		weight_n(b, op, weight);
	else if (weight_units[op->opr_unit].text != NULL)
		weight_short(b, op, weight);
	else
		buf_grouped(b, weight);
}

static void
weight_kinds(struct buf *b, const struct out_profile *op)
{
	unsigned int i;

	for (i = PROFILE_NOWAIT + 1; i < PROFILE_NWAITS; i++) {
		buf_printf(b, "%s%s ", i == PROFILE_NOWAIT + 1 ? "" : ", ",
		    weight_waits[i]);
		weight_short(b, op, op->opr_waits[i].nsecs);
		buf_str(b, " in ");
		weight_n(b, op, op->opr_waits[i].hits);
	}
}

void
weight_total(struct buf *b, const struct out_profile *op)
{
	if (weight_hasname(op->opr_unit)) {
		buf_str(b, "sum of ");
		esc_str(b, op->opr_name);
		buf_str(b, ": ");
	}
	if (op->opr_unit == PROFILE_WAITS)
		weight_kinds(b, op);
	else
		weight_long(b, op, op->opr_total);
	if (weight_isvalue(op) && op->opr_unit != PROFILE_WAITS) {
		buf_str(b, " in ");
		weight_n(b, op, op->opr_hits);
	}
	if (op->opr_novalue > 0) {
		buf_str(b, "; without a value: ");
		weight_n(b, op, op->opr_novalue);
	}
}

void
weight_hits(struct buf *b, const struct out_profile *op,
    const struct out_stack *os)
{
	uint64_t n = os->os_hits;

	if (!weight_isvalue(op) || n == 0)
		return;
	buf_grouped(b, n);
	if (os->os_wait != PROFILE_NOWAIT)
		buf_printf(b, " %s", weight_waits[os->os_wait]);
	buf_printf(b, " %s, mean ",
	    n == 1 ? weight_units[op->opr_unit].one
		   : weight_units[op->opr_unit].many);
	weight_short(b, op, (os->os_weight + n / 2) / n);
}
