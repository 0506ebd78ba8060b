/* SPDX-License-Identifier: ISC */
/*
 * Connects clauses with probes of the session: resolves patterns and the names
 * of arguments, and collects which parts of an event the clauses use.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/args.h"
#include "cli/script/script_bind.h"
#include "cli/script/script_lex.h"
#include "cli/script/script_name.h"
#include "cli/script/script_reads.h"
#include "cli/session/attach_cost.h"
#include "cli/session/refusal.h"

/* Arguments */

/* Returns the number of an argument, or SCRIPT_NR. */
static int
bind_argn(const struct bound *bo, const char *name)
{
	const struct dt_probe_desc *pd = &bo->bo_probe->pr_desc;
	unsigned int i;

	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++)
		if (strcmp(pd->pd_names[i].dtan_name, name) == 0)
			return arg_unreadable(bo->bo_probe, i) == NULL
			    ? (int)i
			    : SCRIPT_NR;
	if (strcmp(name, "ret") == 0 &&
	    strcmp(bo->bo_info.dtpi_name, "return") == 0 &&
	    arg_unreadable(bo->bo_probe, 0) == NULL)
		return SCRIPT_RET;
	return SCRIPT_NR;
}

/* Returns why the value of a field is never known, or NULL. */
static const char *
bind_unreadable(const struct bound *bo, const char *name)
{
	const struct dt_probe_desc *pd = &bo->bo_probe->pr_desc;
	unsigned int i;

	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++)
		if (strcmp(pd->pd_names[i].dtan_name, name) == 0)
			return arg_unreadable(bo->bo_probe, i);
	return strcmp(name, "ret") == 0 &&
		strcmp(bo->bo_info.dtpi_name, "return") == 0
	    ? arg_unreadable(bo->bo_probe, 0)
	    : NULL;
}

/* The same of retval and arg0 to arg11. */
static const char *
bind_unreadable_builtin(const struct bound *bo, const struct node *nd)
{
	const int isreturn = strcmp(bo->bo_info.dtpi_name, "return") == 0;

	if (strcmp(nd->nd_text, "retval") == 0)
		return isreturn ? arg_unreadable(bo->bo_probe, 0)
				: "only returns have a result";
	if (strncmp(nd->nd_text, "arg", 3) != 0)
		return NULL;
	if (isreturn)
		return "arguments are known at entries only";
	if (bo->bo_info.dtpi_flags & DTPI_CLOCK)
		return "clocks and counters have no arguments";
	return nd->nd_number < bo->bo_probe->pr_desc.pd_info.dtpi_nargs
	    ? arg_unreadable(bo->bo_probe, nd->nd_number)
	    : NULL;
}

/* Result of a walk through a clause for one probe. */
struct bind_walk {
	struct script_bind *bnw_bind;
	struct bound *bnw_bound;
	int8_t *bnw_argn;
	struct script_read *bnw_reads;
	uint64_t bnw_evtflags;
	const struct node *bnw_unreadable; /* a built-in value, or NULL */
};

/* Adds the parts of a field, of whose text only some uses need to know. */
static void
bind_field(struct bind_walk *bw, const struct node *nd, int istext)
{
	const int n = bw->bnw_argn[nd->nd_ref] = bind_argn(bw->bnw_bound,
	    nd->nd_text);

	if (n == SCRIPT_NR)
		return;
	bw->bnw_evtflags |= DTEVT_FUNCARGS;
	if (n >= 0 &&
	    (istext || bw->bnw_bound->bo_probe->pr_args[n] == VAL_NONE))
		bw->bnw_evtflags |= arg_evtflags(bw->bnw_bound->bo_probe, n);
}

int
script_bind_isnumber(const struct node *parent, const struct node *kid)
{
	const struct node *other;
	char types[64];
	const char *why;
	int i, n;

	switch (parent->nd_kind) {
	case ND_UNARY:
	case ND_CAST:
	case ND_MAP: /* a key */
	case ND_MEMBER:
	case ND_INDEX:
	case ND_DEREF:
		return 1;
	case ND_BINARY:
		other = parent->nd_kids == kid ? kid->nd_next : parent->nd_kids;
		return other->nd_type == ST_INT;
	case ND_CALL:
		if (parent->nd_func->sf_flags & FUNC_AGG)
			return 1;
		if (!(parent->nd_func->sf_flags & FUNC_FORMAT))
			return 0;
		n = format_check(parent->nd_kids->nd_text,
		    parent->nd_kids->nd_len, types, sizeof(types), &why);
		other = parent->nd_kids->nd_next;
		for (i = 0; i < n && other != NULL; i++, other = other->nd_next)
			if (other == kid)
				return types[i] == 'd';
		return 0;
	default:
		return 0;
	}
}

uint64_t
script_bind_str(const struct bound *bo, const struct node *kid)
{
	const struct probe *pr = bo->bo_probe;
	int argn = SCRIPT_NR;

	if (kid->nd_kind == ND_FIELD)
		argn = bind_argn(bo, kid->nd_text);
	else if (kid->nd_kind == ND_BUILTIN &&
	    strncmp(kid->nd_text, "arg", 3) == 0)
		argn = kid->nd_number;
	else if (kid->nd_kind == ND_BUILTIN &&
	    strcmp(kid->nd_text, "retval") == 0)
		argn = SCRIPT_RET;
	if (argn == SCRIPT_RET)
		return pr->pr_desc.pd_info.dtpi_flags & DTPI_FUNC
		    ? DTEVT_STRINGS | DTEVT_RETTEXT
		    : 0;
	return argn >= 0 && argn < pr->pr_desc.pd_info.dtpi_nargs
	    ? arg_str_evtflags(pr, argn)
	    : 0;
}

static void
bind_builtin(struct bind_walk *bw, const struct node *nd)
{
	const char *why = bind_unreadable_builtin(bw->bnw_bound, nd);

	bw->bnw_evtflags |= nd->nd_builtin->sb_evtflags;
	if (why == NULL)
		return;
	bw->bnw_unreadable = nd;
	snprintf(bw->bnw_bind->sbi_why, sizeof(bw->bnw_bind->sbi_why),
	    "%s of %s cannot be read: %s", nd->nd_text,
	    bw->bnw_bound->bo_probe->pr_full, why);
}

static void
bind_node(void *arg, struct node *nd)
{
	struct bind_walk *bw = arg;
	struct node *kid;

	if (nd->nd_kind == ND_BUILTIN)
		bind_builtin(bw, nd);
	if (nd->nd_kind == ND_CALL)
		bw->bnw_evtflags |= nd->nd_func->sf_evtflags;
	if (nd->nd_kind == ND_CALL && strcmp(nd->nd_text, "str") == 0)
		bw->bnw_evtflags |= script_bind_str(bw->bnw_bound, nd->nd_kids);
	if (nd->nd_kind == ND_ASSIGN && nd->nd_isread)
		bw->bnw_evtflags |= script_bind_str(bw->bnw_bound,
		    nd->nd_kids->nd_next);
	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
		if (kid->nd_kind == ND_FIELD)
			bind_field(bw, kid, !script_bind_isnumber(nd, kid));
}

/* Reports a field, or a value by structs, that no probe of the pattern has. */
static int
bind_nofield(struct script_bind *sbi, const struct bound *bo,
    const struct node *nd)
{
	const struct dt_probe_desc *pd = &bo->bo_probe->pr_desc;
	char names[300];
	const char *why;
	size_t len = 0;
	unsigned int i;

	if (nd->nd_kind != ND_FIELD)
		return script_fail(&sbi->sbi_script->scr_error, nd->nd_begin,
		    nd->nd_end, "%s", sbi->sbi_why);
	if ((why = bind_unreadable(bo, nd->nd_text)) != NULL)
		return script_fail(&sbi->sbi_script->scr_error, nd->nd_begin,
		    nd->nd_end, "%s of %s cannot be read: %s", nd->nd_text,
		    bo->bo_probe->pr_full, why);
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS &&
	     len < sizeof(names) - DTNAMESIZE - 3;
	     i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s",
		    i > 0 ? ", " : "", pd->pd_names[i].dtan_name);
	if (strcmp(bo->bo_info.dtpi_name, "return") == 0)
		len += snprintf(names + len, sizeof(names) - len, "%sret",
		    i > 0 ? ", " : "");
	return script_fail(&sbi->sbi_script->scr_error, nd->nd_begin,
	    nd->nd_end, "%s:%s:%s has no argument %s%s%s",
	    bo->bo_info.dtpi_prov, bo->bo_info.dtpi_func, bo->bo_info.dtpi_name,
	    nd->nd_text, len > 0 ? "; it has " : "", len > 0 ? names : "");
}

/* Probes */

static struct bound *
bind_probe(struct script_bind *sbi, const struct dtioc_probe_info *pi,
    uint64_t period)
{
	struct hash_entry *e = hash_get(&sbi->sbi_hash, &pi->dtpi_pbn,
	    sizeof(pi->dtpi_pbn));
	struct bound *bo = e->he_ptr;

	if (bo != NULL)
		return bo;
	if ((bo = calloc(1, sizeof(*bo))) == NULL)
		err(1, "probes");
	e->he_ptr = bo;
	bo->bo_info = *pi;
	bo->bo_period = period;
	bo->bo_probe = name_cache_probe(&sbi->sbi_session->ss_names,
	    pi->dtpi_pbn);
	if (bo->bo_probe == NULL)
		refusal_ioctl(sbi->sbi_session->ss_dt, "arguments");
	sbi->sbi_bounds = reallocarray(sbi->sbi_bounds, sbi->sbi_n + 1,
	    sizeof(*sbi->sbi_bounds));
	if (sbi->sbi_bounds == NULL)
		err(1, "probes");
	sbi->sbi_bounds[sbi->sbi_n++] = bo;
	return bo;
}

/* Returns the name that the script sees in a variable "probe". */
static const char *
bind_name(struct script *sc, const struct bound *bo,
    const struct script_target *tg)
{
	const struct dtioc_probe_info *pi = &bo->bo_info;
	char *name;

	if (tg->tg_isclock)
		return tg->tg_name;
	name = script_alloc(sc, 4 * DTNAMESIZE);
	if (tg->tg_prefix != NULL)
		snprintf(name, 4 * DTNAMESIZE, "%s%s", tg->tg_prefix,
		    pi->dtpi_func);
	else
		snprintf(name, 4 * DTNAMESIZE, "%s", bo->bo_probe->pr_full);
	return name;
}

/* Returns the function's name, without the file of a user function. */
static const char *
bind_func(const struct dtioc_probe_info *pi)
{
	const int isfunc = pi->dtpi_flags & DTPI_FUNC &&
	    (strcmp(pi->dtpi_name, "entry") == 0 ||
		strcmp(pi->dtpi_name, "return") == 0);
	const char *colon = isfunc ? strchr(pi->dtpi_func, ':') : NULL;

	return colon != NULL ? colon + 1 : pi->dtpi_func;
}

static void
bind_add(struct script_bind *sbi, struct bound *bo, const struct clause *cl,
    const struct script_target *tg, const struct bind_walk *bw)
{
	bo->bo_clauses = reallocarray(bo->bo_clauses, bo->bo_nclauses + 1,
	    sizeof(*bo->bo_clauses));
	if (bo->bo_clauses == NULL)
		err(1, "probes");
	bo->bo_clauses[bo->bo_nclauses++] = (struct bound_clause){ cl,
		{ .sht_name = bind_name(sbi->sbi_script, bo, tg),
		    .sht_func = bind_func(&bo->bo_info),
		    .sht_probe = bo->bo_probe,
		    .sht_argn = bw->bnw_argn,
		    .sht_islinux = tg->tg_islinux,
		    .sht_reads = bw->bnw_reads } };
	bo->bo_evtflags |= bw->bnw_evtflags;
}

/* Two patterns of a clause may match the same probe. */
static int
bind_has(const struct bound *bo, const struct clause *cl)
{
	unsigned int i;

	for (i = 0; i < bo->bo_nclauses; i++)
		if (bo->bo_clauses[i].bc_clause == cl)
			return 1;
	return 0;
}

/* Returns a field of the clause that this probe does not have, or NULL. */
static const struct node *
bind_clause(struct script_bind *sbi, struct bound *bo, const struct clause *cl,
    const struct script_target *tg)
{
	struct script *sc = sbi->sbi_script;
	struct bind_walk bw = { .bnw_bind = sbi, .bnw_bound = bo };
	const struct node *missing;
	struct node top = { .nd_kind = ND_EXPR, .nd_kids = cl->cla_pred };
	unsigned int i;

	if (bind_has(bo, cl))
		return NULL;
	bw.bnw_argn = script_alloc(sc, sc->scr_nfields + 1);
	memset(bw.bnw_argn, -128, sc->scr_nfields);
	node_walk(&top, bind_node, &bw);
	node_walk(cl->cla_body, bind_node, &bw);
	missing = bw.bnw_unreadable;
	for (i = 0; i < sc->scr_nfields; i++)
		if (bw.bnw_argn[i] == SCRIPT_NR)
			missing = sc->scr_fields[i];
	if (sc->scr_nreads > 0)
		bw.bnw_reads = script_alloc(sc,
		    sc->scr_nreads * sizeof(*bw.bnw_reads));
	if (missing == NULL && sc->scr_nreads > 0)
		(void)script_reads_bind(sbi, bo, cl, bw.bnw_argn, bw.bnw_reads,
		    &missing);
	if (bo->bo_nreads > 0)
		bw.bnw_evtflags |= DTEVT_READS | DTEVT_FUNCARGS;
	bind_add(sbi, bo, cl, tg, &bw);
	return missing;
}

/*
 * Returns whether another probe of the clause exists: scripts name a function of
 * the kernel by its names in several versions.  Preserves errno.
 */
static int
bind_hasother(struct script_bind *sbi, const struct clause *cl,
    const struct script_probe *missing)
{
	const int error = errno;
	const struct script_probe *sp;
	struct dtioc_probe_info *pi;
	struct script_target tg;
	uint64_t period;
	char why[256];
	int found = 0;

	for (sp = cl->cla_probes; sp != NULL && !found; sp = sp->scn_next) {
		if (sp == missing ||
		    script_target(sp->scn_name, &tg, why, sizeof(why)) == -1)
			continue;
		found = tg.tg_kind != TARGET_EVENT;
		if (!found &&
		    session_lookup(sbi->sbi_session->ss_dt, tg.tg_pattern, &pi,
			&period) > 0) {
			free(pi);
			found = 1;
		}
	}
	errno = error;
	return found;
}

int
script_bind(struct script_bind *sbi, const struct clause *cl,
    const struct script_probe *sp, const struct script_target *tg)
{
	struct session *ss = sbi->sbi_session;
	const struct node *missing = NULL, *field;
	const struct bound *bad = NULL;
	struct dtioc_probe_info *pi;
	uint64_t period;
	struct bound *bo;
	ssize_t i, n, ngood = 0;

	n = session_lookup(ss->ss_dt, tg->tg_pattern, &pi, &period);
	if (n == -1 && errno == ENOENT && bind_hasother(sbi, cl, sp)) {
		warnx("no probe matches %s; the clause's other probes do",
		    tg->tg_pattern);
		return 0;
	}
	if (n == -1 && errno == ENOENT) {
		snprintf(sbi->sbi_nomatch, sizeof(sbi->sbi_nomatch), "%s",
		    tg->tg_pattern);
		return script_fail(&sbi->sbi_script->scr_error, sp->scn_begin,
		    sp->scn_end, "no probe matches %s", tg->tg_pattern);
	}
	if (n == -1)
		refusal_ioctl(ss->ss_dt, tg->tg_pattern);
	ss->ss_nfuncs += attach_cost_count(pi, n);
	if (ss->ss_nfuncs > ATTACH_COST_FUNCS &&
	    !ss->ss_opts->o_limits.oli_force)
		attach_cost_refuse(ss->ss_dt, tg->tg_pattern, ss->ss_nfuncs);
	for (i = 0; i < n; i++) {
		bo = bind_probe(sbi, &pi[i], period);
		if (bo->bo_period != period) {
			free(pi);
			return script_fail(&sbi->sbi_script->scr_error,
			    sp->scn_begin, sp->scn_end,
			    "%s has another rate elsewhere; a script has one",
			    bo->bo_info.dtpi_prov);
		}
		if ((field = bind_clause(sbi, bo, cl, tg)) != NULL) {
			missing = field;
			bad = bo;
		} else
			ngood++;
	}
	free(pi);
	return missing != NULL && ngood == 0 ? bind_nofield(sbi, bad, missing)
					     : 0;
}

/* Probes that are unavailable here are skipped if others are not. */
void
script_bind_enable(struct script_bind *sbi)
{
	struct session *ss = sbi->sbi_session;
	unsigned int i, nfailed = 0;
	char what[3 * DTNAMESIZE];

	for (i = 0; i < sbi->sbi_n; i++) {
		const struct bound *bo = sbi->sbi_bounds[i];

		if (session_enable_one(ss, &bo->bo_info, bo->bo_period, 0) !=
		    -1)
			continue;
		snprintf(what, sizeof(what), "%s", bo->bo_probe->pr_full);
		if (errno == EPERM || sbi->sbi_n <= 4)
			refusal_ioctl(ss->ss_dt, what);
		if (nfailed++ == 0)
			warnx("%s: %s", what, dt_error(ss->ss_dt));
	}
	if (nfailed > 0)
		warnx("%u of %u probes cannot be enabled", nfailed, sbi->sbi_n);
}

void
script_bind_free(struct script_bind *sbi)
{
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++) {
		free(sbi->sbi_bounds[i]->bo_clauses);
		free(sbi->sbi_bounds[i]);
	}
	free(sbi->sbi_bounds);
	hash_clear(&sbi->sbi_hash);
}
