/* SPDX-License-Identifier: ISC */
/*
 * Finds clauses that measure calls:
 *
 *	ENTRY { @x[tid] = nsecs; }
 *	RETURN /@x[tid]/ { @ns = hist(nsecs - @x[tid]); delete(@x[tid]); }
 *
 * The kernel joins the hits of such a call (DTIOCSPAIR), which become one event
 * for both clauses, or are counted by their duration.  Only complete calls
 * become events.  The result is the same because nothing else in the script uses
 * these maps, and END clears them.
 */
#include <string.h>

#include "cli/calls/kernel_pair.h"
#include "cli/script/script_lex.h"
#include "cli/script/script_name.h"
#include "cli/script/script_pair.h"

/*
 * Parts of events that the clauses may use.  An event of a pair has the return's
 * parts; for the entry's predicate, the kernel tests them.
 */
#define PAIR_FLAGS (DTEVT_EXECNAME | DTEVT_WHO | DTEVT_FUNCARGS)
#define PAIR_NARGS 6 /* arguments of the entry that the event has */

/* Two clauses. */
struct clause_pair {
	const struct script *clp_script;
	const struct clause *clp_entry, *clp_return;
};

/* Trees */

static int
pair_isname(const struct node *nd, const char *name)
{
	return nd->nd_kind == ND_BUILTIN && strcmp(nd->nd_text, name) == 0;
}

/* Returns whether a node is @x[tid]; x: this map, -1 any. */
static int
pair_isentry(const struct node *nd, int64_t x)
{
	return nd->nd_kind == ND_MAP && nd->nd_nkids == 1 &&
	    pair_isname(nd->nd_kids, "tid") && (x == -1 || nd->nd_ref == x);
}

/* Returns the statement that stores a map at the entry, or NULL. */
static const struct node *
pair_store(const struct clause *entry, unsigned int map)
{
	const struct node *nd;

	for (nd = entry->cla_body->nd_kids; nd != NULL; nd = nd->nd_next)
		if (nd->nd_kids->nd_ref == map)
			return nd;
	return NULL;
}

/* Returns the map in delete(@x[tid]), or -1. */
static int64_t
pair_deleted(const struct node *statement)
{
	const struct node *call = statement->nd_kids;

	if (statement->nd_kind != ND_EXPR || call->nd_kind != ND_CALL ||
	    strcmp(call->nd_func->sf_name, "delete") != 0 ||
	    call->nd_nkids != 1 || !pair_isentry(call->nd_kids, -1))
		return -1;
	return call->nd_kids->nd_ref;
}

/* Returns the map x if a predicate is @x[tid] or @x[tid] != 0; or -1. */
static int64_t
pair_tested(const struct node *pred)
{
	if (pred == NULL)
		return -1;
	if (pred->nd_kind == ND_BINARY && pred->nd_op == OP2('!', '=') &&
	    pred->nd_kids->nd_next->nd_kind == ND_NUMBER &&
	    pred->nd_kids->nd_next->nd_number == 0)
		pred = pred->nd_kids;
	return pair_isentry(pred, -1) ? (int64_t)pred->nd_ref : -1;
}

/* Clauses */

/* Returns whether a value is a number of a pair's event, or a name. */
static int
pair_isknown(const struct node *nd)
{
	return nd->nd_kind == ND_NUMBER || nd->nd_kind == ND_FIELD ||
	    pair_isname(nd, "func") || pair_isname(nd, "probe") ||
	    pair_isname(nd, "nsecs") || pair_isname(nd, "tid") ||
	    pair_isname(nd, "pid") ||
	    (nd->nd_kind == ND_BUILTIN && strncmp(nd->nd_text, "arg", 3) == 0 &&
		nd->nd_number < PAIR_NARGS);
}

/* Returns whether a clause only stores such values of the hit by thread. */
static int
pair_stores(const struct clause *cl)
{
	const struct node *nd = cl->cla_body->nd_kids;

	for (; nd != NULL; nd = nd->nd_next)
		if (nd->nd_kind != ND_ASSIGN || nd->nd_op != 0 ||
		    nd->nd_isread || !pair_isentry(nd->nd_kids, -1) ||
		    pair_store(cl, nd->nd_kids->nd_ref) != nd ||
		    !pair_isknown(nd->nd_kids->nd_next))
			return 0;
	return cl->cla_body->nd_kids != NULL;
}

/* A walk through a clause that may not use the entry's maps in another way. */
struct pair_walk {
	const struct clause_pair *pwk_pair;
	int pwk_isreturn; /* it is the clause of the return */
	int pwk_isbad;
};

static void
pair_node(void *arg, struct node *nd)
{
	struct pair_walk *pw = arg;
	const struct node *kid = nd->nd_kids;

	if (nd->nd_kind == ND_MAP &&
	    pair_store(pw->pwk_pair->clp_entry, nd->nd_ref) != NULL &&
	    !(pw->pwk_isreturn && pair_isentry(nd, -1)))
		pw->pwk_isbad = 1;
	if (!pw->pwk_isreturn)
		return;
	/* the statements after a return could be those that delete */
	if (nd->nd_kind == ND_RETURN ||
	    ((nd->nd_kind == ND_ASSIGN || nd->nd_kind == ND_INCR) &&
		kid->nd_kind == ND_MAP &&
		pair_store(pw->pwk_pair->clp_entry, kid->nd_ref) != NULL))
		pw->pwk_isbad = 1;
}

static int
pair_isend(const struct clause *cl)
{
	return cl->cla_probes->scn_next == NULL &&
	    strcmp(cl->cla_probes->scn_name, "END") == 0;
}

/* Returns whether a statement of END is clear(@x) of one of the maps. */
static int
pair_isclear(const struct clause_pair *clp, const struct node *nd)
{
	const struct node *call = nd->nd_kids;

	return nd->nd_kind == ND_EXPR && call->nd_kind == ND_CALL &&
	    strcmp(call->nd_func->sf_name, "clear") == 0 &&
	    pair_store(clp->clp_entry, call->nd_kids->nd_ref) != NULL;
}

/* Checks a clause other than the entry's. */
static int
pair_checkclause(const struct clause_pair *clp, const struct clause *cl)
{
	struct pair_walk pw = { clp, cl == clp->clp_return, 0 };
	struct node *nd;

	node_walk(cl->cla_pred, pair_node, &pw);
	for (nd = cl->cla_body->nd_kids; nd != NULL; nd = nd->nd_next) {
		/* node_walk() would go on with the following statements */
		struct node one = *nd;

		one.nd_next = NULL;
		if (!pair_isend(cl) || !pair_isclear(clp, nd))
			node_walk(&one, pair_node, &pw);
	}
	return !pw.pwk_isbad;
}

/* Returns whether END clears a map. */
static int
pair_iscleared(const struct clause_pair *clp, unsigned int map)
{
	const struct clause *cl = clp->clp_script->scr_clauses;
	const struct node *nd;

	for (; cl != NULL; cl = cl->cla_next)
		for (nd = cl->cla_body->nd_kids; pair_isend(cl) && nd != NULL;
		     nd = nd->nd_next)
			if (pair_isclear(clp, nd) &&
			    nd->nd_kids->nd_kids->nd_ref == map)
				return 1;
	return 0;
}

/* Returns whether the return's clause deletes the map that it tests. */
static int
pair_deletes(const struct clause *ret, unsigned int map)
{
	const struct node *nd = ret->cla_body->nd_kids;

	while (nd != NULL && pair_deleted(nd) != map)
		nd = nd->nd_next;
	return nd != NULL;
}

/* Returns whether one clause stores the time of entries, the other uses it. */
static int
pair_isclauses(const struct clause_pair *clp)
{
	const int64_t map = pair_tested(clp->clp_return->cla_pred);
	const struct node *nd;
	const struct clause *cl;

	if (map == -1 || pair_store(clp->clp_entry, map) == NULL ||
	    !pair_deletes(clp->clp_return, map))
		return 0;
	for (nd = clp->clp_entry->cla_body->nd_kids; nd != NULL;
	     nd = nd->nd_next)
		if (!pair_iscleared(clp, nd->nd_kids->nd_ref))
			return 0;
	for (cl = clp->clp_script->scr_clauses; cl != NULL; cl = cl->cla_next)
		if (cl != clp->clp_entry && !pair_checkclause(clp, cl))
			return 0;
	return 1;
}

/* Probes */

static int
pair_hasclause(const struct bound *bo, const struct clause *cl)
{
	return bo->bo_nclauses == 1 && bo->bo_clauses[0].bc_clause == cl;
}

/* Returns the return of an entry, if it has the return's clause only. */
static struct bound *
pair_other(const struct script_bind *sbi, const struct clause_pair *clp,
    const struct bound *entry)
{
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++)
		if (pair_hasclause(sbi->sbi_bounds[i], clp->clp_return) &&
		    kernel_pair_iscall(entry->bo_probe,
			sbi->sbi_bounds[i]->bo_probe))
			return sbi->sbi_bounds[i];
	return NULL;
}

/* A walk through a return's clause; an event of a pair lacks its arguments. */
struct args_walk {
	const int8_t *awk_argn;
	int awk_uses;
};

static void
pair_argument(void *arg, struct node *nd)
{
	struct args_walk *aw = arg;

	aw->awk_uses |= nd->nd_kind == ND_FIELD &&
	    aw->awk_argn[nd->nd_ref] != SCRIPT_RET;
	aw->awk_uses |= nd->nd_kind == ND_BUILTIN &&
	    strncmp(nd->nd_text, "arg", 3) == 0;
}

static int
pair_usesargs(const struct bound *ret)
{
	const struct bound_clause *bc = &ret->bo_clauses[0];
	struct args_walk aw = { bc->bc_hit.sht_argn, 0 };

	node_walk(bc->bc_clause->cla_body, pair_argument, &aw);
	return aw.awk_uses;
}

/* Returns whether the event of a pair has the values that the entry stores. */
static int
pair_hasvalues(const struct bound *entry)
{
	const struct script_hit *sh = &entry->bo_clauses[0].bc_hit;
	const struct clause *cl = entry->bo_clauses[0].bc_clause;
	const struct node *nd = cl->cla_body->nd_kids;
	int n;

	for (; nd != NULL; nd = nd->nd_next) {
		if (nd->nd_kids->nd_next->nd_kind != ND_FIELD)
			continue;
		n = sh->sht_argn[nd->nd_kids->nd_next->nd_ref];
		if (n < 0 || n >= PAIR_NARGS ||
		    entry->bo_probe->pr_args[n] == VAL_NONE)
			return 0;
	}
	return (entry->bo_evtflags & ~(uint64_t)PAIR_FLAGS) == 0 &&
	    entry->bo_nreads == 0 &&
	    (cl->cla_pred == NULL ||
		(entry->bo_condition != NULL && entry->bo_isexact));
}

static int
pair_isprobes(const struct script_bind *sbi, const struct clause_pair *clp,
    const struct bound *entry)
{
	struct bound *ret = pair_other(sbi, clp, entry);

	return ret != NULL && ret->bo_nreads == 0 &&
	    (ret->bo_evtflags & ~(uint64_t)PAIR_FLAGS) == 0 &&
	    pair_hasvalues(entry) && !pair_usesargs(ret);
}

static int
pair_isevent(const struct clause *cl)
{
	const struct script_probe *sp = cl->cla_probes;
	struct script_target tg;
	char why[256];

	while (sp != NULL &&
	    script_target(sp->scn_name, &tg, why, sizeof(why)) == 0 &&
	    tg.tg_kind == TARGET_EVENT)
		sp = sp->scn_next;
	return sp == NULL;
}

/*
 * Returns whether all probes of both clauses are pairs.  Several calls must be
 * system calls, since functions call each other, and the innermost replaces
 * what the outer one has stored.
 */
static int
pair_isall(const struct script_bind *sbi, const struct clause_pair *clp)
{
	unsigned int i, nentries = 0, nreturns = 0, nsyscalls = 0;
	const struct bound *bo;

	for (i = 0; i < sbi->sbi_n; i++) {
		bo = sbi->sbi_bounds[i];
		nreturns += pair_hasclause(bo, clp->clp_return);
		if (!pair_hasclause(bo, clp->clp_entry))
			continue;
		nentries++;
		nsyscalls += (bo->bo_info.dtpi_flags & DTPI_CALL) != 0;
		if (!pair_isprobes(sbi, clp, bo))
			return 0;
	}
	return nentries > 0 && nentries == nreturns &&
	    (nentries == 1 || nentries == nsyscalls) &&
	    pair_isevent(clp->clp_entry) && pair_isevent(clp->clp_return);
}

/* A probe of one of the clauses that has another clause too. */
static int
pair_isshared(const struct script_bind *sbi, const struct clause_pair *clp)
{
	const struct bound *bo;
	unsigned int i, j;

	for (i = 0; i < sbi->sbi_n; i++) {
		bo = sbi->sbi_bounds[i];
		for (j = 0; bo->bo_nclauses > 1 && j < bo->bo_nclauses; j++)
			if (bo->bo_clauses[j].bc_clause == clp->clp_entry ||
			    bo->bo_clauses[j].bc_clause == clp->clp_return)
				return 1;
	}
	return 0;
}

static void
pair_make(const struct script_bind *sbi, const struct clause_pair *clp)
{
	struct bound *bo, *other;
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++) {
		bo = sbi->sbi_bounds[i];
		if (!pair_hasclause(bo, clp->clp_entry))
			continue;
		other = pair_other(sbi, clp, bo);
		bo->bo_other = other;
		other->bo_other = bo;
		other->bo_isreturn = 1;
		/* the event is of the return */
		other->bo_evtflags |= bo->bo_evtflags;
	}
}

void
script_pair_plan(struct script_bind *sbi)
{
	struct clause_pair clp = { .clp_script = sbi->sbi_script };
	const struct clause *all = sbi->sbi_script->scr_clauses;

	for (clp.clp_entry = all; clp.clp_entry != NULL;
	     clp.clp_entry = clp.clp_entry->cla_next) {
		if (!pair_stores(clp.clp_entry))
			continue;
		for (clp.clp_return = all; clp.clp_return != NULL;
		     clp.clp_return = clp.clp_return->cla_next)
			if (clp.clp_return != clp.clp_entry &&
			    pair_isclauses(&clp) && !pair_isshared(sbi, &clp) &&
			    pair_isall(sbi, &clp))
				pair_make(sbi, &clp);
	}
}

/* Removes the predicate of a clause for one probe. */
static void
pair_nopredicate(struct script *sc, struct bound *bo)
{
	struct clause *cl = script_alloc(sc, sizeof(*cl));

	*cl = *bo->bo_clauses[0].bc_clause;
	cl->cla_pred = NULL;
	bo->bo_clauses[0].bc_clause = cl;
}

void
script_pair_set(struct script_bind *sbi)
{
	struct bound *bo;
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++) {
		bo = sbi->sbi_bounds[i];
		if (bo->bo_other == NULL || bo->bo_isreturn)
			continue;
		if (session_pair_enabled(sbi->sbi_session, &bo->bo_info,
			&bo->bo_other->bo_info) == 0) {
			/* the kernel tests it, with the thread of the entry */
			pair_nopredicate(sbi->sbi_script, bo);
			continue;
		}
		bo->bo_other->bo_iscounted = 0;
		bo->bo_other->bo_isreturn = 0;
		bo->bo_other->bo_other = NULL;
		bo->bo_other = NULL;
	}
}

/* Counts */

int
script_pair_isrest(const struct bound *ret, const struct node *nd)
{
	const struct clause *entry = ret->bo_other->bo_clauses[0].bc_clause;
	int64_t map = pair_tested(ret->bo_clauses[0].bc_clause->cla_pred);

	/* a number of the entry may be 0 */
	if (!pair_isname(pair_store(entry, map)->nd_kids->nd_next, "nsecs"))
		return 0;
	for (; nd != NULL; nd = nd->nd_next) {
		map = pair_deleted(nd);
		if (map == -1 || pair_store(entry, map) == NULL)
			return 0;
	}
	return 1;
}

const struct node *
script_pair_value(const struct bound *ret, const struct node *nd)
{
	const struct node *store;

	if (!pair_isentry(nd, -1))
		return NULL;
	store = pair_store(ret->bo_other->bo_clauses[0].bc_clause, nd->nd_ref);
	return store != NULL ? store->nd_kids->nd_next : NULL;
}

int
script_pair_isduration(const struct bound *ret, const struct node *nd)
{
	const struct node *start;

	if (nd->nd_kind != ND_BINARY || nd->nd_op != '-' ||
	    !pair_isname(nd->nd_kids, "nsecs"))
		return 0;
	start = script_pair_value(ret, nd->nd_kids->nd_next);
	return start != NULL && pair_isname(start, "nsecs");
}
