/* SPDX-License-Identifier: ISC */
/* Executes the statements of a clause. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/script/script_name.h"

static void exec_statement(struct srun *, const struct node *);

void
srun_init(struct srun *sr, const struct script *sc, int fd,
    const struct script_limits *sl)
{
	unsigned int i;

	*sr = (struct srun){ .sr_script = sc, .sr_limits = *sl };
	sr->sr_maps = calloc(sc->sc_nmaps + 1, sizeof(*sr->sr_maps));
	sr->sr_vars = calloc(sc->sc_nvars + 1, sizeof(*sr->sr_vars));
	if (sr->sr_maps == NULL || sr->sr_vars == NULL)
		err(1, "script");
	for (i = 0; i < sc->sc_nmaps; i++)
		smap_init(&sr->sr_maps[i], &sc->sc_maps[i], sl->sl_keys);
	buf_init(&sr->sr_out, fd);
	sr->sr_rand = (uint64_t)time(NULL) * 2654435761u + 88172645463325252u;
}

static void
srun_release(struct srun *sr)
{
	struct srun_block *srb;

	/* the first field of a block is the next one */
	while ((srb = sr->sr_blocks) != NULL) {
		memcpy(&sr->sr_blocks, srb, sizeof(srb));
		free(srb);
	}
	sr->sr_used = 0;
}

void
srun_free(struct srun *sr)
{
	unsigned int i;

	for (i = 0; i < sr->sr_script->sc_nmaps; i++)
		smap_free(&sr->sr_maps[i]);
	free(sr->sr_maps);
	free(sr->sr_vars);
	srun_release(sr);
	buf_free(&sr->sr_out);
}

/* Assignments */

void
srun_assign(struct srun *sr, const struct node *target, const struct sval *sv)
{
	struct smap_value *smv;

	if (target->nd_kind == ND_VAR) {
		sr->sr_vars[target->nd_ref] = *sv;
		return;
	}
	if ((smv = smap_get(srun_key(sr, target))) == NULL)
		return;
	if (smv->smv_value.sv_text == NULL && sv->sv_text == NULL) {
		smv->smv_value = *sv;
		return;
	}
	sval_clear(&smv->smv_value);
	smv->smv_value = sval_copy(sv);
}

static void
exec_aggregate(struct srun *sr, const struct node *target,
    const struct node *call)
{
	struct sval sv = SVAL_INT(1);
	struct smap_value *smv;
	struct smap *sm;

	if (call->nd_nkids > 0)
		sv = srun_eval(sr, call->nd_kids);
	sm = srun_key(sr, target);
	if ((smv = smap_get(sm)) != NULL)
		smap_add(sm, smv, 1, sv.sv_number, sv.sv_number, sv.sv_number,
		    sv.sv_number);
}

static void
exec_assign(struct srun *sr, const struct node *nd)
{
	const struct node *target = nd->nd_kids, *value = target->nd_next;
	struct sval sv, old;

	if (value->nd_kind == ND_CALL && value->nd_func->sf_flags & FUNC_AGG) {
		exec_aggregate(sr, target, value);
		return;
	}
	sv = srun_eval(sr, value);
	if (nd->nd_op != 0) {
		old = srun_eval(sr, target);
		sv = srun_binary(sr, nd->nd_op, &old, &sv);
	}
	srun_assign(sr, target, &sv);
}

/* Control */

static int
exec_istrue(struct srun *sr, const struct node *nd)
{
	struct sval sv = srun_eval(sr, nd);

	return sval_istrue(&sv);
}

static void
exec_if(struct srun *sr, const struct node *nd)
{
	const struct node *yes = nd->nd_kids->nd_next;

	if (exec_istrue(sr, nd->nd_kids))
		exec_statement(sr, yes);
	else if (yes->nd_next != NULL)
		exec_statement(sr, yes->nd_next);
}

/* Returns whether the loop goes on after a turn. */
static int
exec_goes_on(struct srun *sr)
{
	if (sr->sr_jump == SRUN_RETURN)
		return 0;
	if (sr->sr_jump == SRUN_BREAK) {
		sr->sr_jump = SRUN_GO;
		return 0;
	}
	sr->sr_jump = SRUN_GO;
	return 1;
}

static void
exec_loop(struct srun *sr, const struct node *nd)
{
	const struct node *cond = nd->nd_kids, *body = cond->nd_next;
	const int isunroll = nd->nd_kind == ND_UNROLL;
	uint64_t n = 0, max = sr->sr_limits.sl_loops;
	struct sval sv;

	if (isunroll) {
		sv = srun_eval(sr, cond);
		if ((uint64_t)sv.sv_number < max)
			max = sv.sv_number;
	}
	while (isunroll || exec_istrue(sr, cond)) {
		if (n++ == max) {
			sr->sr_nloops += max == sr->sr_limits.sl_loops;
			return;
		}
		exec_statement(sr, body);
		if (!exec_goes_on(sr))
			return;
	}
}

static void
exec_statement(struct srun *sr, const struct node *nd)
{
	const struct node *kid;

	switch (nd->nd_kind) {
	case ND_BLOCK:
		for (kid = nd->nd_kids; kid != NULL && sr->sr_jump == SRUN_GO;
		     kid = kid->nd_next)
			exec_statement(sr, kid);
		break;
	case ND_ASSIGN:
		exec_assign(sr, nd);
		break;
	case ND_EXPR:
		(void)srun_eval(sr, nd->nd_kids);
		break;
	case ND_IF:
		exec_if(sr, nd);
		break;
	case ND_WHILE:
	case ND_UNROLL:
		exec_loop(sr, nd);
		break;
	case ND_BREAK:
		sr->sr_jump = SRUN_BREAK;
		break;
	case ND_CONTINUE:
		sr->sr_jump = SRUN_CONTINUE;
		break;
	case ND_RETURN:
		sr->sr_jump = SRUN_RETURN;
		break;
	default:
		break;
	}
}

void
srun_clause(struct srun *sr, const struct clause *cl,
    const struct script_hit *sh, const struct dt_event *ev, uint64_t now)
{
	sr->sr_hit = sh;
	sr->sr_ev = ev;
	sr->sr_time = now;
	if (ev != NULL)
		sr->sr_realtime = ev->ev_realtime;
	else
		clock_gettime(CLOCK_REALTIME, &sr->sr_realtime);
	sr->sr_jump = SRUN_GO;
	/* those of the clause before point to its event */
	memset(sr->sr_vars, 0, sr->sr_script->sc_nvars * sizeof(*sr->sr_vars));
	if (cl->cl_pred == NULL || exec_istrue(sr, cl->cl_pred))
		exec_statement(sr, cl->cl_body);
	if (sr->sr_blocks != NULL &&
	    *(struct srun_block **)sr->sr_blocks != NULL)
		srun_release(sr);
	sr->sr_used = 0;
}

/* End */

/* In the order of their names, as bpftrace(8) does. */
void
srun_maps(struct srun *sr)
{
	const struct script *sc = sr->sr_script;
	unsigned int i, n, next;
	const char *last = NULL;

	for (n = 0; n < sc->sc_nmaps; n++) {
		next = sc->sc_nmaps;
		for (i = 0; i < sc->sc_nmaps; i++)
			if ((last == NULL ||
				strcmp(sc->sc_maps[i].sn_name, last) > 0) &&
			    (next == sc->sc_nmaps ||
				strcmp(sc->sc_maps[i].sn_name,
				    sc->sc_maps[next].sn_name) < 0))
				next = i;
		if (next == sc->sc_nmaps)
			return;
		last = sc->sc_maps[next].sn_name;
		srun_print_map(sr, next, 0, 1);
	}
}

void
srun_notes(const struct srun *sr)
{
	const struct smap *sm;
	unsigned int i;

	for (i = 0; i < sr->sr_script->sc_nmaps; i++) {
		sm = &sr->sr_maps[i];
		if (sm->sm_refused > 0)
			fprintf(stderr,
			    "dt: @%s was full with %zu keys: it misses %llu "
			    "values (--max-map-keys)\n",
			    sm->sm_name->sn_name, sm->sm_max,
			    (unsigned long long)sm->sm_refused);
	}
	if (sr->sr_nzero > 0)
		fprintf(stderr, "dt: %llu divisions by zero had the result 0\n",
		    (unsigned long long)sr->sr_nzero);
	if (sr->sr_nloops > 0)
		fprintf(stderr,
		    "dt: %llu loops ended after %llu turns (--max-loops)\n",
		    (unsigned long long)sr->sr_nloops,
		    (unsigned long long)sr->sr_limits.sl_loops);
	if (sr->sr_ncut > 0)
		fprintf(stderr,
		    "dt: %llu texts were cut after %llu bytes "
		    "(--max-string)\n",
		    (unsigned long long)sr->sr_ncut,
		    (unsigned long long)sr->sr_limits.sl_string);
}
