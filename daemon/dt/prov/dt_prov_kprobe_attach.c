/* SPDX-License-Identifier: ISC */
/*
 * Attaches all functions that a session has enabled: joins entry and return of
 * a function, stores the requests in an entry of the programs' table, and
 * attaches each program to its functions by the best available method.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/prov/dt_prov_kprobe_load.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"
#include "daemon/kernel/func.h"
#include "daemon/kernel/func_proto.h"
#include "daemon/kernel/load_error.h"
#include "daemon/perf/perf_event.h"

static void
shape(const struct dt_pcb *dp, const struct func_proto *kp,
    struct dt_kprobe_entry *kl)
{
	int isreturn = KPROBE_DIR(dp->dp_dtp->dtp_sysnum) == ATTACH_RETURN;

	memset(kl, 0, sizeof(*kl));
	kl->kl_req = dp->dp_req;
	if (isreturn)
		kl->kl_ret = kp->fpr_ret;
	else {
		kl->kl_nargs = kp->fpr_nargs;
		memcpy(kl->kl_arg, kp->fpr_args, sizeof(kl->kl_arg));
	}
	kprobe_run_texts(kl, kp->fpr_args, dp, isreturn);
}

/* A function with enabled probes of a session. */
struct kprobe_want {
	uint32_t kpw_index;
	uint64_t kpw_addr;
	uint32_t kpw_btfid;		 /* as af_btfid */
	const struct dt_pcb *kpw_pcb[2]; /* NULL: not that */
	uint16_t kpw_entry[2];
};

static int
want_cmp(const void *a, const void *b)
{
	const struct kprobe_want *x = a, *y = b;

	return x->kpw_index < y->kpw_index ? -1 : x->kpw_index > y->kpw_index;
}

/* Joins entry and return of each function. Returns the number of functions. */
static size_t
want_join(struct kprobe_want *list, size_t n)
{
	size_t i, out = 0;

	qsort(list, n, sizeof(*list), want_cmp);
	for (i = 0; i < n; i++) {
		if (out > 0 && list[out - 1].kpw_index == list[i].kpw_index) {
			if (list[i].kpw_pcb[0] != NULL)
				list[out - 1].kpw_pcb[0] = list[i].kpw_pcb[0];
			else
				list[out - 1].kpw_pcb[1] = list[i].kpw_pcb[1];
		} else
			list[out++] = list[i];
	}
	return out;
}

/* Returns all functions of the session, *np of them. */
static struct kprobe_want *
want_all(const struct dt_enabled *en, size_t *np)
{
	struct kprobe_want *list = calloc(en->den_nslow + 1, sizeof(*list));
	const struct dt_pcb *dp;
	uint32_t num;
	size_t n = 0;

	if (list == NULL)
		return NULL;
	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext) {
		if (dp->dp_dtp->dtp_prov != &dt_prov_kprobe)
			continue;
		num = dp->dp_dtp->dtp_sysnum;
		list[n].kpw_index = KPROBE_INDEX(num);
		list[n++].kpw_pcb[KPROBE_DIR(num)] = dp;
	}
	*np = want_join(list, n);
	return list;
}

/*
 * Returns the number of probes for which a method of attaching is chosen.  For
 * registers one for any number is: a trampoline, for a few, does not save them.
 */
static size_t
want_number(const struct dt_enabled *en)
{
	const struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext)
		if (dp->dp_hasregs && dp->dp_dtp->dtp_prov == &dt_prov_kprobe)
			return ATTACH_MULTI;
	return en->den_nslow;
}

/*
 * Returns whether entry and return of a function share a program.  Sessions of
 * the kernel may skip calls that wait, so returns use the method without a pool
 * if that is for this number of probes.
 */
static int
want_session(const struct dt_enabled *en, const struct attach_method *many)
{
	const char *why;

	return many->am_session != 0 &&
	    (!attach_haspool() ||
		attach_method(ATTACH_RETURN, want_number(en), &why) == many);
}

/* Finds the address of the function, and the entries of its probes. */
static int
want_prepare(struct dt_enabled *en, struct kprobe_want *wa, int session,
    struct reason *rs)
{
	struct dt_kprobe_entry kl;
	struct func_proto kp;
	struct func fu;
	int dir, error;

	error = func_get(wa->kpw_index, &fu);
	if (error != 0 || fu.fu_addr == 0)
		return reason_fail(rs, ENXIO, "%s was unloaded with its module",
		    fu.fu_name);
	wa->kpw_addr = fu.fu_addr;
	wa->kpw_btfid = fu.fu_isonly ? func_proto_btfid(fu.fu_symbol) : 0;
	func_proto_get(fu.fu_symbol, fu.fu_module, &kp, NULL);
	for (dir = 1; dir >= 0; dir--) { /* an entry knows its return */
		if (wa->kpw_pcb[dir] == NULL)
			continue;
		shape(wa->kpw_pcb[dir], &kp, &kl);
		if (session && dir == 0 && wa->kpw_pcb[1] != NULL) {
			kl.kl_return = wa->kpw_entry[1];
			kl.kl_returnpbn = wa->kpw_pcb[1]->dp_dtp->dtp_pbn -
			    wa->kpw_pcb[0]->dp_dtp->dtp_pbn;
		}
		error = kprobe_run_entry(en->den_kprobes, &kl,
		    &wa->kpw_entry[dir]);
		if (error != 0)
			return reason_fail(rs, error,
			    "cannot store the request for %s: %s", fu.fu_name,
			    strerror(error));
	}
	return 0;
}

/* Returns 1 if this program serves a direction of the function. */
static int
want_is(const struct kprobe_want *wa, enum attach_kind which, int session)
{
	int both = session && wa->kpw_pcb[0] != NULL && wa->kpw_pcb[1] != NULL;

	if (which == ATTACH_SESSION)
		return both;
	return !both && wa->kpw_pcb[which] != NULL;
}

/* Returns whether the fast programs suffice for all functions. */
static int
want_quick(const struct dt_enabled *en, const struct kprobe_want *list,
    size_t n)
{
	const struct dt_sess *o = &dt_maps.dtm_table
				       ->t_sess[en->den_client->dcl_slot];
	size_t i;
	int dir;

	for (i = 0; i < n; i++)
		for (dir = 0; dir < 2; dir++)
			if (list[i].kpw_pcb[dir] != NULL &&
			    !dt_isquick(o,
				&kprobe_table.fut_table
				     ->ktb_entry[list[i].kpw_entry[dir]]
				     .kl_req))
				return 0;
	return 1;
}

/* Returns the kind of programs to attach to all functions. */
static int
want_variant(const struct dt_enabled *en, const struct kprobe_want *list,
    size_t n)
{
	if (want_quick(en, list, n))
		return ATTACH_QUICK;
	return dt_tables_isneeded(en) ? ATTACH_TABLES : 0;
}

/* Fills the list of functions of a program. Returns their number. */
static size_t
want_members(const struct dt_enabled *en, enum attach_kind which, int session,
    const struct kprobe_want *list, size_t nlist, struct attach_func *members)
{
	int dir = ATTACH_WHERE(which) == ATTACH_RETURN;
	size_t i, n = 0;

	for (i = 0; i < nlist; i++) {
		if (!want_is(&list[i], ATTACH_WHERE(which), session))
			continue;
		members[n].af_addr = list[i].kpw_addr;
		members[n].af_btfid = list[i].kpw_btfid;
		members[n].af_nth = i;
		members[n++].af_cookie = DT_KCOOKIE(en->den_client->dcl_slot,
		    en->den_kprobes->kpr_run, list[i].kpw_entry[dir],
		    list[i].kpw_pcb[dir]->dp_dtp->dtp_pbn);
	}
	return n;
}

/*
 * Attaching: all functions of a program by one method, or as many as possible
 * by the method for a few
 */

/*
 * Attaches functions by the method for a few, and removes them from the list.
 */
static int
attach_few(struct dt_enabled *en, enum attach_kind which,
    const struct attach_method *am, struct attach_func *members, size_t *np)
{
	size_t i, n = 0, nth;
	int error;

	for (i = 0; i < *np; i++) {
		error = attach_funcs(am, &en->den_kprobes->kpr_links, -1, which,
		    &members[i], 1, &en->den_cancel, &nth);
		if (error == ECANCELED)
			return error;
		if (error != 0)
			members[n++] = members[i];
	}
	*np = n;
	return 0;
}

static int
attach_many(struct dt_enabled *en, enum attach_kind which,
    const struct attach_method *am, const struct kprobe_want *list,
    const struct attach_func *members, size_t n, struct reason *rs)
{
	const struct dt_probe *dtp;
	size_t nth = 0;
	int error;

	if (am->am_few == 0) {
		error = kprobe_load_get(am, which);
		if (error != 0 && ATTACH_ISTABLES(which) && !en->den_hasreads) {
			which -= ATTACH_TABLES;
			dt_tables_failed(en);
			error = kprobe_load_get(am, which);
		}
		if (error != 0)
			return reason_fail(rs, error,
			    "this kernel refuses the programs of kprobe: %s",
			    dt_refused(error));
		kprobe_run_uses(en->den_kprobes, which);
	}
	error = attach_funcs(am, &en->den_kprobes->kpr_links,
	    kprobe_load_fd(which), which, members, n, &en->den_cancel, &nth);
	if (error != 0 && error != ECANCELED) {
		dtp = list[members[nth].af_nth]
			  .kpw_pcb[ATTACH_WHERE(which) == ATTACH_RETURN]
			  ->dp_dtp;
		reason_set(rs, "cannot attach kprobe:%s:%s%s: %s",
		    dtp->dtp_func, dtp->dtp_name,
		    am->am_piece > 1 && n > 1 ? ", or one after it" : "",
		    perf_event_strerror(error));
	}
	return error;
}

/* many: the method for any number. */
static int
attach_one(struct dt_enabled *en, enum attach_kind which,
    const struct attach_method *many, const struct kprobe_want *list,
    size_t nlist, struct attach_func *members, struct reason *rs)
{
	size_t n = want_members(en, which, want_session(en, many), list, nlist,
	    members);
	const struct attach_method *am;
	const char *why;
	int error = 0;

	if (n == 0)
		return 0;
	am = attach_method(which, want_number(en), &why);
	if (am != many && am != NULL)
		error = attach_few(en, which, am, members, &n);
	if (n > 0 && error == 0)
		error = attach_many(en, which, many, list, members, n, rs);
	return error;
}

static int
attach_all(struct dt_enabled *en, struct kprobe_want *list, size_t n,
    struct reason *rs)
{
	const struct attach_method *many;
	struct attach_func *members;
	int which, variant = 0, error;
	const char *why;
	size_t i;

	many = attach_method(ATTACH_ENTRY, ATTACH_MULTI, &why);
	if (many == NULL)
		return reason_fail(rs, EOPNOTSUPP, "%s", why);
	if ((error = kprobe_load_init()) != 0 ||
	    (error = kprobe_run_begin(en, &kprobe_table, &en->den_kprobes)) !=
		0)
		return error;
	if ((members = calloc(n, sizeof(*members))) == NULL)
		return ENOMEM;
	for (i = 0; error == 0 && i < n; i++)
		error = want_prepare(en, &list[i], want_session(en, many), rs);
	if (error == 0)
		variant = want_variant(en, list, n);
	for (which = 0; error == 0 && which < ATTACH_QUICK; which++)
		error = attach_one(en, variant + which, many, list, n, members,
		    rs);
	free(members);
	return error;
}

int
kprobe_attach(struct dt_enabled *en, struct reason *rs)
{
	struct kprobe_want *list;
	size_t n;
	int error;

	/* modules may have been loaded again, at other addresses */
	if ((error = func_refresh(rs)) != 0)
		return error;
	if ((list = want_all(en, &n)) == NULL)
		return ENOMEM;
	if (n > 0)
		error = attach_all(en, list, n, rs);
	free(list);
	return error;
}
