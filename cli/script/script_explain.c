/* SPDX-License-Identifier: ISC */
/*
 * --explain: prints the kernel's part of a script and dt's part, by statement,
 * and what each costs.  Sizes are known; times are measured (script_cost.c).
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/script/script_cost.h"
#include "cli/script/script_lower.h"

#define EXPLAIN_WIDTH	 60  /* bytes of a statement */
#define EXPLAIN_ROWBYTES 212 /* of both tables of DTIOCSAGG, see dt(4) */
#define EXPLAIN_TEXTS \
	(DTEVT_STRINGS | DTEVT_MEMORY | DTEVT_DATA | DTEVT_PATHS | DTEVT_READS)

static const struct {
	uint64_t flag;
	const char *text;
} parts[] = {
	{ DTEVT_EXECNAME, "comm" },
	{ DTEVT_WHO, "uid and cgroup" },
	{ DTEVT_FUNCARGS, "arguments" },
	{ DTEVT_STRINGS, "texts" },
	{ DTEVT_MEMORY, "memory" },
	{ DTEVT_DATA, "data" },
	{ DTEVT_KSTACK, "kernel stack" },
	{ DTEVT_USTACK, "user stack" },
};

/* Probes with the same explanation. */
struct explain_group {
	struct buf exg_text;
	const char *exg_first;
	unsigned int exg_n;
};

struct explain {
	const struct script *exp_script;
	struct script_costs *exp_costs; /* NULL: times are not printed */
	struct explain_group *exp_groups;
	unsigned int exp_n;
	int exp_ismeasured;
};

/* Statements */

/* Returns the length of a statement in its first line, without its block. */
static size_t
explain_length(const char *text)
{
	char quote = 0;
	size_t i;

	for (i = 0; text[i] != '\0' && text[i] != '\n'; i++)
		if (text[i] == '\\' && quote != 0 && text[i + 1] != '\0')
			i++;
		else if (quote != 0)
			quote = text[i] == quote ? 0 : quote;
		else if (text[i] == '"')
			quote = text[i];
		else if (strchr(";{}", text[i]) != NULL)
			break;
	while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t'))
		i--;
	return i;
}

static void
explain_statement(struct buf *b, const struct script *sc, const struct node *nd)
{
	const char *text = sc->scr_text + nd->nd_begin;
	const size_t len = explain_length(text);
	const size_t shown = len < EXPLAIN_WIDTH ? len : EXPLAIN_WIDTH;
	unsigned int line, column;
	char part[EXPLAIN_WIDTH + 1];

	memcpy(part, text, shown);
	part[shown] = '\0';
	script_place(sc->scr_text, nd->nd_begin, &line, &column);
	buf_printf(b, "    line %u: ", line);
	esc_str(b, part);
	buf_str(b,
	    shown < len || text[len + strspn(text + len, " \t")] == '\n' ||
		    text[len + strspn(text + len, " \t")] == '{'
		? " ...\n"
		: "\n");
}

static void
explain_clause(struct buf *b, const struct script *sc, const struct clause *cl)
{
	const struct node *nd;

	for (nd = cl->cla_body->nd_kids; nd != NULL; nd = nd->nd_next)
		explain_statement(b, sc, nd);
}

static void
explain_clauses(struct buf *b, const struct script *sc, const struct bound *bo)
{
	unsigned int i;

	for (i = 0; i < bo->bo_nclauses; i++)
		explain_clause(b, sc, bo->bo_clauses[i].bc_clause);
}

static void
explain_add(void *arg, struct node *nd)
{
	unsigned int *n = arg;

	*n += nd->nd_kind >= ND_ASSIGN && nd->nd_kind != ND_BLOCK;
}

/* Returns the number of statements, including those in blocks of others. */
static unsigned int
explain_count(const struct bound *bo)
{
	unsigned int i, n = 0;

	for (i = 0; i < bo->bo_nclauses; i++)
		node_walk(bo->bo_clauses[i].bc_clause->cla_body, explain_add,
		    &n);
	return n;
}

/* Costs */

/* Returns the bytes of an event in a ring, without stacks and texts. */
static unsigned int
explain_bytes(const struct bound *bo)
{
	const struct bound *entry = bo->bo_isreturn ? bo->bo_other : bo;
	const uint64_t flags = bo->bo_evtflags;
	const int isreturn = strcmp(bo->bo_info.dtpi_name, "return") == 0;
	unsigned int n = sizeof(struct dt_ringhdr) + sizeof(struct dt_rec);

	n += isreturn ? sizeof(struct dt_rec_ret) : 0;
	if ((flags & DTEVT_FUNCARGS) && (!isreturn || bo->bo_isreturn))
		n += 8 * entry->bo_probe->pr_desc.pd_info.dtpi_nargs;
	n += flags & DTEVT_EXECNAME ? DT_REC_COMMLEN : 0;
	n += flags & DTEVT_WHO ? sizeof(struct dt_rec_who) : 0;
	n += flags & DTEVT_KSTACK ? sizeof(struct dt_rec_stack) : 0;
	n += flags & DTEVT_USTACK ? sizeof(struct dt_rec_stack) : 0;
	n += flags & EXPLAIN_TEXTS ? sizeof(struct dt_rec_strings) : 0;
	n += bo->bo_isreturn ? sizeof(struct dt_rec_duration) : 0;
	return n;
}

static void
explain_size(struct buf *b, const struct bound *bo)
{
	buf_printf(b, "  event: %u bytes", explain_bytes(bo));
	if (bo->bo_evtflags & (DTEVT_KSTACK | DTEVT_USTACK))
		buf_str(b, ", and 8 per frame of a stack");
	if (bo->bo_evtflags & EXPLAIN_TEXTS)
		buf_str(b, ", and what is read: 8 and its length each");
	buf_c(b, '\n');
}

/* Prints what the kernel does in addition to what was measured. */
static void
explain_more(struct buf *b, const struct bound *bo)
{
	if (bo->bo_nreads > 0)
		buf_printf(b, ", without its %u values read by structs",
		    bo->bo_nreads);
	else if (bo->bo_evtflags & (EXPLAIN_TEXTS & ~DTEVT_STRINGS))
		buf_str(b, ", without its memory and data");
}

static const struct cost *
explain_measure(struct explain *ex, const struct bound *bo, enum cost_how how,
    int ispair)
{
	const struct cost_kind ck = { how, ispair, bo->bo_evtflags };
	const struct cost *cst = NULL;

	if (ex->exp_costs != NULL)
		cst = script_costs_get(ex->exp_costs, &ck);
	ex->exp_ismeasured |= cst != NULL;
	return cst;
}

static void
explain_time(struct explain *ex, struct buf *b, const struct bound *bo)
{
	const struct cost *cst, *drop;

	cst = explain_measure(ex, bo,
	    bo->bo_iscounted ? COST_COUNTED : COST_EVENT, bo->bo_isreturn);
	if (cst == NULL)
		return;
	buf_printf(b, "  kernel: %llu ns per %s",
	    (unsigned long long)cst->cto_kernel,
	    bo->bo_isreturn ? "call, for both hits" : "hit");
	if (!bo->bo_iscounted)
		explain_more(b, bo);
	if (bo->bo_condition != NULL &&
	    (drop = explain_measure(ex, bo, COST_DROPPED, 0)) != NULL)
		buf_printf(b, "; %llu ns if it drops the hit",
		    (unsigned long long)drop->cto_kernel);
	buf_c(b, '\n');
	if (!bo->bo_iscounted)
		buf_printf(b,
		    "  dt: %llu ns to read an event, and for each statement "
		    "about %llu ns: %u of them\n",
		    (unsigned long long)cst->cto_read,
		    (unsigned long long)cst->cto_statement,
		    explain_count(bo) +
			(bo->bo_isreturn ? explain_count(bo->bo_other) : 0));
}

static void
explain_cost(struct explain *ex, struct buf *b, const struct bound *bo)
{
	if (bo->bo_iscounted)
		buf_printf(b,
		    "  memory: a table of the kernel, %u rows, %u kB\n",
		    DTAG_ROWS, DTAG_ROWS * EXPLAIN_ROWBYTES / 1024);
	else
		explain_size(b, bo);
	explain_time(ex, b, bo);
}

/* Probes */

static void
explain_event(struct buf *b, const struct bound *bo)
{
	const char *sep = " with ";
	size_t i;

	buf_str(b,
	    bo->bo_other == NULL ? "  dt executes the clause for each event"
				 : "  dt executes both clauses for each event");
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (bo->bo_evtflags & parts[i].flag) {
			buf_str(b, sep);
			buf_str(b, parts[i].text);
			sep = ", ";
		}
	if (bo->bo_nreads > 0)
		buf_printf(b, "%s%u value%s read by structs", sep,
		    bo->bo_nreads, bo->bo_nreads == 1 ? "" : "s");
	buf_c(b, '\n');
}

static void
explain_bound(struct explain *ex, struct buf *b, const struct bound *bo)
{
	if (bo->bo_condition != NULL) {
		buf_str(b, "  the kernel drops hits unless ");
		esc_str(b, bo->bo_condition);
		buf_c(b, '\n');
	}
	if (bo->bo_other != NULL && !bo->bo_isreturn) {
		buf_str(b,
		    "  the kernel keeps the hit for the return, without "
		    "an event\n");
		explain_clauses(b, ex->exp_script, bo);
		return;
	}
	if (bo->bo_other != NULL)
		buf_str(b,
		    "  the kernel joins the hit with the thread's entry, "
		    "and drops hits without one\n");
	if (bo->bo_iscounted)
		buf_str(b, "  the kernel counts the hits, without events\n");
	else
		explain_event(b, bo);
	explain_clauses(b, ex->exp_script, bo);
	explain_cost(ex, b, bo);
}

static int
explain_issame(const struct buf *a, const struct buf *b)
{
	return a->b_len == b->b_len &&
	    memcmp(a->b_data, b->b_data, a->b_len) == 0;
}

/* Adds a probe to the group of those with the same text, which it takes. */
static void
explain_group(struct explain *ex, const char *name, struct buf *text)
{
	unsigned int i;

	for (i = 0; i < ex->exp_n; i++)
		if (explain_issame(&ex->exp_groups[i].exg_text, text)) {
			ex->exp_groups[i].exg_n++;
			buf_free(text);
			return;
		}
	ex->exp_groups = reallocarray(ex->exp_groups, ex->exp_n + 1,
	    sizeof(*ex->exp_groups));
	if (ex->exp_groups == NULL)
		err(1, NULL);
	ex->exp_groups[ex->exp_n++] = (struct explain_group){ *text, name, 1 };
}

static void
explain_groups(struct explain *ex, struct buf *b)
{
	const struct explain_group *exg;
	unsigned int i;

	for (i = 0; i < ex->exp_n; i++) {
		exg = &ex->exp_groups[i];
		esc_str(b, exg->exg_first);
		if (exg->exg_n > 1)
			buf_printf(b, " and %u more", exg->exg_n - 1);
		buf_str(b, ":\n");
		buf_mem(b, exg->exg_text.b_data, exg->exg_text.b_len);
		buf_free(&ex->exp_groups[i].exg_text);
	}
	free(ex->exp_groups);
}

/* BEGIN, END and interval. */
static void
explain_edges(struct buf *b, const struct script *sc)
{
	const struct clause *cl;
	const struct script_probe *sp;
	struct script_target tg;
	char why[256];

	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next)
		for (sp = cl->cla_probes; sp != NULL; sp = sp->scn_next) {
			if (script_target(sp->scn_name, &tg, why,
				sizeof(why)) == -1 ||
			    tg.tg_kind == TARGET_EVENT)
				continue;
			esc_str(b, sp->scn_name);
			buf_str(b,
			    ":\n  dt executes the clause, without a "
			    "hit\n");
			explain_clause(b, sc, cl);
		}
}

static void
explain_notes(const struct explain *ex, struct buf *b)
{
	const char *why = ex->exp_costs != NULL
	    ? script_costs_why(ex->exp_costs)
	    : NULL;

	if (ex->exp_ismeasured)
		buf_str(b,
		    "Times were measured here and now, with calls of "
		    "getppid(2) or faccessat(2).\nThe hook of a function, "
		    "above all of a program, takes more time.\n");
	if (why == NULL)
		return;
	buf_str(b, "Times could not be measured: ");
	esc_str(b, why);
	buf_c(b, '\n');
}

void
script_explain(const struct script *sc, const struct script_lower *slo,
    struct script_costs *costs, struct buf *b)
{
	struct explain ex = { .exp_script = sc, .exp_costs = costs };
	const struct script_bind *sbi = slo->slo_bind;
	struct buf text;
	unsigned int i;

	for (i = 0; sbi != NULL && i < sbi->sbi_n; i++) {
		buf_init(&text, -1);
		explain_bound(&ex, &text, sbi->sbi_bounds[i]);
		explain_group(&ex, sbi->sbi_bounds[i]->bo_probe->pr_full,
		    &text);
	}
	explain_groups(&ex, b);
	explain_edges(b, sc);
	explain_notes(&ex, b);
}
