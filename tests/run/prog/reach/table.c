/* SPDX-License-Identifier: ISC */
/*
 * The table of commands and states: the results of messages in each cell, and
 * the cells that no message can reach.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "tests/run/prog/reach/reach.h"

static struct cell {
	unsigned long ce_reached, ce_before; /* refused before */
	unsigned long ce_cut;		     /* cut off, or no reply */
} cells[MAXCMDS][NRSTATES];

static struct cell *
cell(const struct command *cm, const struct rstate *rs)
{
	return &cells[cm - commands][rs - rstates];
}

/* Returns why no message can reach a command in a state; NULL: one must. */
static const char *
impossible(const struct command *cm, const struct rstate *rs)
{
	if (rs->rs_flags & CLOSE_OUT)
		return "nobody is there for the reply; counted are messages "
		       "that the daemon survived";
	if ((rs->rs_flags & NO_OPEN) && cm->cm_num != WIRE_OPEN)
		return "without an open every command is EBADF before the "
		       "table is asked";
	return NULL;
}

void
table_count(const struct trial *tr, const struct rstate *rs, int error)
{
	struct cell *ce = cell(tr->tr_cmd, rs);

	if (tr->tr_fate == FATE_CUT)
		ce->ce_cut++;
	/* an unknown number has no function: the reply is all */
	else if (tr->tr_fate == FATE_REACHED || tr->tr_fate == FATE_NOTTY)
		ce->ce_reached++;
	else
		ce->ce_before++;
	if (error >= 0 && error < MAXERRORS)
		tr->tr_cmd->cm_errors[error]++;
}

static void
print_cells(void)
{
	const struct command *cm;
	const struct cell *ce;
	char text[32];
	size_t s;

	printf("messages that reached the command/were refused before, by "
	       "state\n%-18s",
	    "");
	for (s = 0; s < NRSTATES; s++)
		printf(" %9s", rstates[s].rs_name);
	printf("\n");
	for (cm = commands; cm < commands + ncommands; cm++) {
		printf("%-18s", cm->cm_name);
		for (s = 0; s < NRSTATES; s++) {
			ce = cell(cm, &rstates[s]);
			snprintf(text, sizeof(text), "%lu/%lu", ce->ce_reached,
			    ce->ce_before);
			if (rstates[s].rs_flags & CLOSE_OUT)
				snprintf(text, sizeof(text), "(%lu)",
				    ce->ce_cut);
			else if (impossible(cm, &rstates[s]) != NULL)
				snprintf(text, sizeof(text), "-/%lu",
				    ce->ce_before);
			printf(" %9s", text);
		}
		printf("\n");
	}
}

static void
print_errors(void)
{
	const struct command *cm;
	int e;

	for (cm = commands; cm < commands + ncommands; cm++) {
		printf("%s:", cm->cm_name);
		for (e = 0; e < MAXERRORS; e++)
			if (cm->cm_errors[e] != 0)
				printf(" %s %lu",
				    e == 0 ? "ok" : strerrorname_np(e),
				    cm->cm_errors[e]);
		printf("\n");
	}
}

static void
print_reasons(void)
{
	const char *why, *last = NULL;
	const struct command *cm;
	size_t s;

	for (s = 0; s < NRSTATES; s++)
		for (cm = commands; cm < commands + ncommands; cm++) {
			why = impossible(cm, &rstates[s]);
			if (why != NULL && why != last)
				printf("%s: %s\n", rstates[s].rs_name, why);
			last = why != NULL ? why : last;
		}
}

void
table_print(void)
{
	print_cells();
	print_errors();
	print_reasons();
}

void
table_check(void)
{
	const struct command *cm;
	const struct cell *ce;
	int bad = 0;
	size_t s;

	for (cm = commands; cm < commands + ncommands; cm++)
		for (s = 0; s < NRSTATES; s++) {
			ce = cell(cm, &rstates[s]);
			if (impossible(cm, &rstates[s]) == NULL
				? ce->ce_reached != 0
				: ce->ce_before + ce->ce_cut != 0)
				continue;
			warnx("%s in state %s: nothing has reached it",
			    cm->cm_name, rstates[s].rs_name);
			bad = 1;
		}
	if (bad)
		errx(1, "not everything was reached");
}
