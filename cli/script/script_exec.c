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

	*sr = (struct srun){ .srn_script = sc, .srn_limits = *sl };
	sr->srn_maps = calloc(sc->scr_nmaps + 1, sizeof(*sr->srn_maps));
	sr->srn_vars = calloc(sc->scr_nvars + 1, sizeof(*sr->srn_vars));
	if (sr->srn_maps == NULL || sr->srn_vars == NULL)
		err(1, "script");
	for (i = 0; i < sc->scr_nmaps; i++)
		smap_init(&sr->srn_maps[i], &sc->scr_maps[i], sl->slm_keys);
	buf_init(&sr->srn_out, fd);
	sr->srn_rand = (uint64_t)time(NULL) * 2654435761u + 88172645463325252u;
}

void
srun_free(struct srun *sr)
{
	unsigned int i;

	for (i = 0; i < sr->srn_script->scr_nmaps; i++)
		smap_free(&sr->srn_maps[i]);
	free(sr->srn_maps);
	free(sr->srn_vars);
	srun_release(sr, 1);
	buf_free(&sr->srn_out);
}

/* Assignments */

void
srun_assign(struct srun *sr, const struct node *target, const struct sval *sv)
{
	struct smap_value *smv;

	if (target->nd_kind == ND_VAR) {
		sr->srn_vars[target->nd_ref] = *sv;
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
	if (nd->nd_isread && sv.sv_text == NULL) {
		old = srun_read(sr, nd);
		sv.sv_text = old.sv_text;
		sv.sv_len = old.sv_len;
	}
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
	if (sr->srn_jump == SRUN_RETURN)
		return 0;
	if (sr->srn_jump == SRUN_BREAK) {
		sr->srn_jump = SRUN_GO;
		return 0;
	}
	sr->srn_jump = SRUN_GO;
	return 1;
}

static void
exec_loop(struct srun *sr, const struct node *nd)
{
	const struct node *cond = nd->nd_kids, *body = cond->nd_next;
	const int isunroll = nd->nd_kind == ND_UNROLL;
	uint64_t n = 0, max = sr->srn_limits.slm_loops;
	struct sval sv;

	if (isunroll) {
		sv = srun_eval(sr, cond);
		if ((uint64_t)sv.sv_number < max)
			max = sv.sv_number;
	}
	while (isunroll || exec_istrue(sr, cond)) {
		if (n++ == max) {
			sr->srn_nloops += max == sr->srn_limits.slm_loops;
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
		for (kid = nd->nd_kids; kid != NULL && sr->srn_jump == SRUN_GO;
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
		sr->srn_jump = SRUN_BREAK;
		break;
	case ND_CONTINUE:
		sr->srn_jump = SRUN_CONTINUE;
		break;
	case ND_RETURN:
		sr->srn_jump = SRUN_RETURN;
		break;
	default:
		break;
	}
}

void
srun_clause(struct srun *sr, const struct clause *cl,
    const struct script_hit *sh, const struct dt_event *ev, uint64_t now)
{
	sr->srn_hit = sh;
	sr->srn_ev = ev;
	if (now != sr->srn_time)
		sr->srn_issynced = 0;
	sr->srn_time = now;
	if (ev != NULL)
		sr->srn_realtime = ev->ev_realtime;
	else
		clock_gettime(CLOCK_REALTIME, &sr->srn_realtime);
	sr->srn_jump = SRUN_GO;
	/* old values point to the event of an earlier clause */
	memset(sr->srn_vars, 0,
	    sr->srn_script->scr_nvars * sizeof(*sr->srn_vars));
	if (cl->cla_pred == NULL || exec_istrue(sr, cl->cla_pred))
		exec_statement(sr, cl->cla_body);
	srun_release(sr, 0);
}

/* End */

int
srun_hasmaps(const struct srun *sr)
{
	unsigned int i;

	for (i = 0; i < sr->srn_script->scr_nmaps; i++)
		if (sr->srn_maps[i].sm_n > 0)
			return 1;
	return 0;
}

/* In the order of their names, as bpftrace(8) does. */
void
srun_maps(struct srun *sr)
{
	const struct script *sc = sr->srn_script;
	unsigned int i, n, next;
	const char *last = NULL;

	for (n = 0; n < sc->scr_nmaps; n++) {
		next = sc->scr_nmaps;
		for (i = 0; i < sc->scr_nmaps; i++)
			if ((last == NULL ||
				strcmp(sc->scr_maps[i].sn_name, last) > 0) &&
			    (next == sc->scr_nmaps ||
				strcmp(sc->scr_maps[i].sn_name,
				    sc->scr_maps[next].sn_name) < 0))
				next = i;
		if (next == sc->scr_nmaps)
			return;
		last = sc->scr_maps[next].sn_name;
		srun_print_map(sr, next, 0, 1);
	}
}

void
srun_ustack(struct srun *sr, const struct dt_event *ev)
{
	const struct dt_rec_stack *st = ev->ev_ustack;

	if (st != NULL && st->drs_end < STACK_NENDS)
		sr->srn_ustacks[st->drs_end]++;
}

/*
 * Prints how many user stacks lack their outer frames, and why.  Not those that
 * end where no table has the code, as also the first frame of ld.so does.
 */
static void
notes_ustacks(const struct srun *sr)
{
	static const unsigned int ends[] = { DT_STACK_LIMIT, DT_STACK_ERRNO,
		DT_STACK_BUSY, DT_STACK_FAULT, DT_STACK_RULE, DT_STACK_NOMAP,
		DT_STACK_PENDING, DT_STACK_EVICTED };
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sr->srn_ustacks[ends[i]] > 0)
			fprintf(stderr,
			    "dt: user stacks without their outer frames: %llu "
			    "(%s)\n",
			    (unsigned long long)sr->srn_ustacks[ends[i]],
			    stack_end_names[ends[i]]);
}

void
srun_notes(const struct srun *sr)
{
	const struct smap *sm;
	unsigned int i;

	for (i = 0; i < sr->srn_script->scr_nmaps; i++) {
		sm = &sr->srn_maps[i];
		if (sm->sm_refused > 0)
			fprintf(stderr,
			    "dt: @%s was full with %zu keys: it misses %llu "
			    "values (--max-map-keys)\n",
			    sm->sm_name->sn_name, sm->sm_max,
			    (unsigned long long)sm->sm_refused);
	}
	if (sr->srn_nzero > 0)
		fprintf(stderr, "dt: %llu divisions by zero had the result 0\n",
		    (unsigned long long)sr->srn_nzero);
	if (sr->srn_ntuples > 0)
		fprintf(stderr,
		    "dt: %llu tuples had more than %d values, and were 0\n",
		    (unsigned long long)sr->srn_ntuples, SCRIPT_MAXTUPLE);
	if (sr->srn_nloops > 0)
		fprintf(stderr,
		    "dt: %llu loops ended after %llu turns (--max-loops)\n",
		    (unsigned long long)sr->srn_nloops,
		    (unsigned long long)sr->srn_limits.slm_loops);
	if (sr->srn_nunread > 0)
		fprintf(stderr,
		    "dt: %llu values could not be read from memory, and were "
		    "0\n",
		    (unsigned long long)sr->srn_nunread);
	notes_ustacks(sr);
	if (sr->srn_ncut > 0)
		fprintf(stderr,
		    "dt: %llu texts were cut after %llu bytes "
		    "(--max-string)\n",
		    (unsigned long long)sr->srn_ncut,
		    (unsigned long long)sr->srn_limits.slm_string);
}
