/* SPDX-License-Identifier: ISC */
/*
 * Finds the maps that a script assigns, since delete() and others may use a map
 * before the clause that assigns it.
 */
#include "cli/base/suggest.h"
#include "cli/script/script_assigned.h"
#include "cli/script/script_name.h"

static void
assigned_node(void *arg, struct node *nd)
{
	struct script *sc = arg;
	const struct node *target = nd->nd_kids;
	const struct script_func *sf;
	struct script_name *sn;

	if ((nd->nd_kind != ND_ASSIGN && nd->nd_kind != ND_INCR) ||
	    target->nd_kind != ND_MAP)
		return;
	sn = &sc->scr_maps[target->nd_ref];
	sn->sn_isassigned = 1;
	if (nd->nd_kind == ND_INCR)
		return;
	if (!sn->sn_isused) {
		sn->sn_isused = 1;
		sn->sn_nkeys = target->nd_nkids;
		sn->sn_keys = script_alloc(sc,
		    (sn->sn_nkeys + 1) * sizeof(*sn->sn_keys));
	}
	sf = script_func_agg(target->nd_next);
	if (sf != NULL && sn->sn_type == ST_NONE && sf->sf_type != ST_LHIST)
		sn->sn_type = sf->sf_type;
}

void
script_assigned(struct script *sc)
{
	const struct clause *cl;

	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next) {
		node_walk(cl->cla_pred, assigned_node, sc);
		node_walk(cl->cla_body, assigned_node, sc);
	}
}

/* Returns the most similar name of a map with values, or NULL. */
static const char *
assigned_near(struct script *sc, const char *name)
{
	const char **names = script_alloc(sc, sc->scr_nmaps * sizeof(*names));
	unsigned int i, n = 0;

	for (i = 0; i < sc->scr_nmaps; i++)
		if (sc->scr_maps[i].sn_isassigned)
			names[n++] = sc->scr_maps[i].sn_name;
	return suggest_word(name, names, n);
}

int
script_assigned_check(struct script *sc, const struct node *map)
{
	const struct script_name *sn = &sc->scr_maps[map->nd_ref];
	const char *near;

	if (sn->sn_isassigned)
		return 0;
	near = assigned_near(sc, sn->sn_name);
	return script_fail(&sc->scr_error, map->nd_begin, map->nd_end,
	    "@%s has no values: no statement assigns it%s%s", sn->sn_name,
	    near != NULL ? "; did you mean @" : "", near != NULL ? near : "");
}
