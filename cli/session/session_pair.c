/* SPDX-License-Identifier: ISC */
/*
 * --slower, --from and --to: enables pairs of probes, which the kernel joins.
 * With --slower, each requested call is a pair of its entry and its return;
 * --from, --to and --key define any other pair.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/calls/kernel_pair.h"
#include "cli/opts/pair_key.h"
#include "cli/procs/call_effects.h"
#include "cli/session/refusal.h"
#include "cli/session/refused.h"
#include "cli/session/session.h"
#include "cli/stat/key.h"

/* Two probes and their names. */
struct session_pair {
	const struct dtioc_probe_info *sp_from, *sp_to;
	const struct probe *sp_fromprobe, *sp_toprobe;
	struct dtioc_pair sp_pa;
};

static const struct probe *
pair_probe(struct session *ss, const struct dtioc_probe_info *pi)
{
	const struct probe *pr = name_cache_probe(&ss->ss_names, pi->dtpi_pbn);

	if (pr == NULL)
		refusal_ioctl(ss->ss_dt, pi->dtpi_func);
	return pr;
}

/*
 * Conditions.  The first probe tests the arguments, so that calls that fail use
 * no space; the second tests the rest.  Arguments are the first probe's; with
 * --from and --to a name may have a side.
 *
 * Texts are read at the return, when all of their memory is present; but after
 * execve(2), the memory of the calling program no longer exists.
 */

/* Sets the condition of each hit of --from and --to. */
static void
pair_sides(struct session *ss, const struct session_pair *sp)
{
	const struct dtioc_probe_info *pi[] = { sp->sp_from, sp->sp_to };
	static const unsigned int sides[] = { COND_FROM, COND_TO };
	const struct cond_expr *ce = ss->ss_cond;
	const struct cond_node *cn = ce->ce_nodes;
	struct cond_error er;
	struct dt_cond co;
	unsigned int i;

	for (; cn < ce->ce_nodes + ce->ce_n; cn++) {
		const char *name = cn->cn_tok.tok_name;

		if (cn->cn_kind != COND_NAME ||
		    !key_isambiguous(name, ss->ss_opts->o_pair.opa_key))
			continue;
		cond_fail(&er, cn->cn_begin, cn->cn_end, KEY_TWOTHREADS, name,
		    name, name);
		session_cond_bad(ss, &er);
	}
	for (i = 0; i < 2; i++) {
		if (cond_compile_side(ce, sides[i], sp->sp_fromprobe,
			sp->sp_toprobe, &co, &er) == -1)
			session_cond_bad(ss, &er);
		if (co.co_ninsn > 0)
			session_cond_set(ss, pi[i], &co);
	}
}

/*
 * Sets one part on one of the two probes.  Returns whether the part is not
 * empty.
 */
static int
pair_compile(struct session *ss, const struct dtioc_probe_info *pi,
    const struct probe *pr, const struct probe *of, unsigned int part)
{
	struct cond_error er;
	struct dt_cond co;

	if (cond_compile_part(ss->ss_cond, part, pr, of, &co, &er) == -1)
		session_cond_bad(ss, &er);
	if (co.co_ninsn == 0)
		return 0;
	session_cond_set(ss, pi, &co);
	return 1;
}

static void
pair_condition(struct session *ss, const struct session_pair *sp)
{
	const struct probe *from = sp->sp_fromprobe, *to = sp->sp_toprobe;
	const struct call_effects *fo;
	unsigned int texts = 0;
	struct cond_error er;
	struct dt_cond co;

	if (ss->ss_cond == NULL)
		return;
	if (!kernel_pair_iscall(from, to)) {
		pair_sides(ss, sp);
		return;
	}
	if (cond_uses(ss->ss_cond, "duration") == NULL &&
	    cond_compile(ss->ss_cond, from, from, &co, &er) == 0) {
		session_cond_set(ss, sp->sp_from, &co);
		return;
	}
	fo = call_effects_find(sp->sp_from);
	if (call_effects_kind(fo) == EFFECTS_EXEC)
		texts = COND_TEXTS;
	pair_compile(ss, sp->sp_from, from, from, COND_EARLY | texts);
	pair_compile(ss, sp->sp_to, to, from, COND_LATE | texts);
}

/*
 * Enabling
 */

/* Disables the probe that was enabled last. */
static void
pair_disable(struct session *ss, const struct dtioc_probe_info *pi)
{
	struct dtioc_req rq = { .dtrq_pbn = pi->dtpi_pbn };
	int error = errno;

	dt_ioctl(ss->ss_dt, DTIOCPRBDISABLE, &rq);
	ss->ss_nenabled--;
	errno = error;
}

/*
 * Enables both probes, with their conditions.  Returns 1, 0 if the first was
 * already enabled, or -1 with errno and *failed.
 */
static int
pair_enable(struct session *ss, struct session_pair *sp,
    const struct dtioc_probe_info **failed)
{
	int n;

	*failed = sp->sp_from;
	if ((n = session_enable_one(ss, sp->sp_from, 0, 0)) != 1)
		return n; /* 0: two patterns match it */
	*failed = sp->sp_to;
	if ((n = session_enable_one(ss, sp->sp_to, 0, 0)) != 1) {
		if (n == 0)
			errno = EEXIST;
		pair_disable(ss, sp->sp_from);
		return -1;
	}
	sp->sp_fromprobe = pair_probe(ss, sp->sp_from);
	sp->sp_toprobe = pair_probe(ss, sp->sp_to);
	sp->sp_pa.dtpa_from = sp->sp_from->dtpi_pbn;
	sp->sp_pa.dtpa_to = sp->sp_to->dtpi_pbn;
	sp->sp_pa.dtpa_min = ss->ss_opts->o_pair.opa_slower;
	if (dt_ioctl(ss->ss_dt, DTIOCSPAIR, &sp->sp_pa) == -1) {
		pair_disable(ss, sp->sp_to);
		pair_disable(ss, sp->sp_from);
		return -1;
	}
	ss->ss_probes[ss->ss_nenabled - 2].spb_part = SESSION_FIRST;
	ss->ss_probes[ss->ss_nenabled - 1].spb_part = SESSION_SECOND;
	ss->ss_probes[ss->ss_nenabled - 1].spb_first = sp->sp_pa.dtpa_from;
	pair_condition(ss, sp);
	return 1;
}

static void
pair_deny(struct session *ss, const struct dtioc_probe_info *pi)
{
	char what[3 * DTNAMESIZE];

	snprintf(what, sizeof(what), "%s:%s:%s", pi->dtpi_prov, pi->dtpi_func,
	    pi->dtpi_name);
	refusal_ioctl(ss->ss_dt, what);
}

/*
 * Calls
 */

#define pair_tid ((struct dt_opd){ .op_kind = DT_OPD_TID, .op_size = 4 })

/* Like pair_enable(); the key is the thread of both hits. */
static int
pair_call(struct session *ss, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret, const struct dtioc_probe_info **failed)
{
	struct session_pair sp = { .sp_from = entry,
		.sp_to = ret,
		.sp_pa = { .dtpa_nkeys = 1,
		    .dtpa_fromkey = { pair_tid },
		    .dtpa_tokey = { pair_tid } } };
	int n = pair_enable(ss, &sp, failed);

	if (n == 1) /* the event is the return's */
		name_cache_add_call(&ss->ss_names, ret->dtpi_pbn);
	return n;
}

int
session_pair_enabled(struct session *ss, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret)
{
	struct dtioc_pair pa = { .dtpa_from = entry->dtpi_pbn,
		.dtpa_to = ret->dtpi_pbn,
		.dtpa_nkeys = 1,
		.dtpa_fromkey = { pair_tid },
		.dtpa_tokey = { pair_tid } };
	struct session_probe *spb = ss->ss_probes;

	if (dt_ioctl(ss->ss_dt, DTIOCSPAIR, &pa) == -1)
		return -1;
	for (; spb < ss->ss_probes + ss->ss_nenabled; spb++) {
		if (spb->spb_pbn == pa.dtpa_from)
			spb->spb_part = SESSION_FIRST;
		if (spb->spb_pbn != pa.dtpa_to)
			continue;
		spb->spb_part = SESSION_SECOND;
		spb->spb_first = pa.dtpa_from;
	}
	return 0;
}

int
session_pair_call(struct session *ss, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret)
{
	const struct dtioc_probe_info *failed;
	int n = pair_call(ss, entry, ret, &failed);

	return n == -1 && errno == EEXIST ? 0 : n;
}

/* A pattern that matches either probe of a call selects both. */
static ssize_t
pair_lookup(struct session *ss, const char *pattern,
    struct dtioc_probe_info **pi)
{
	char call[3 * DTNAMESIZE], *colon;
	ssize_t n;

	snprintf(call, sizeof(call), "%s", pattern);
	colon = strrchr(call, ':');
	if (colon != NULL &&
	    (strcmp(colon, ":entry") == 0 || strcmp(colon, ":return") == 0))
		*colon = '\0';
	if ((n = dt_lookup(ss->ss_dt, call, pi)) == -1) {
		if (errno == ENOENT)
			refusal_nomatch(ss->ss_dt, pattern);
		refusal_ioctl(ss->ss_dt, pattern);
	}
	return n;
}

static void
pair_nocalls(const char *pattern)
{
	struct buf b;

	buf_init(&b, -1);
	esc_str(&b, pattern);
	buf_c(&b, '\0');
	errx(1,
	    "%s: only calls, which have an entry and a return, have a "
	    "duration; use --from and --to for other probes",
	    b.b_data);
}

void
session_pair_calls(struct session *ss, const char *pattern)
{
	const struct dtioc_probe_info *failed, *ret;
	struct dtioc_probe_info *pi;
	ssize_t i, n = pair_lookup(ss, pattern, &pi);
	size_t npairs = 0, nfailed = 0;
	struct refused rf = { .rfs_n = 0 };
	struct hash halves;
	char why[256];

	session_halves(&halves, pi, n);
	for (i = 0; i < n; i++) {
		if (strcmp(pi[i].dtpi_name, "entry") != 0 ||
		    (ret = session_other(&halves, &pi[i])) == NULL)
			continue;
		npairs++;
		if (pair_call(ss, &pi[i], ret, &failed) != -1)
			continue;
		if (errno == EPERM || n == 2)
			pair_deny(ss, failed);
		if (nfailed++ == 0)
			snprintf(why, sizeof(why), "%s: %s", failed->dtpi_func,
			    dt_error(ss->ss_dt));
		refused_add(&rf, failed, dt_error(ss->ss_dt));
	}
	if (npairs == 0)
		pair_nocalls(pattern);
	if (nfailed == npairs)
		errx(1, "%s", why);
	refused_print(&rf, pattern);
	hash_clear(&halves);
	free(pi);
}

/*
 * Any two probes
 */

/*
 * Returns the probe of a pattern, which the caller frees.  A pattern for a call
 * means its entry, or its return.
 */
static struct dtioc_probe_info *
pair_find(struct session *ss, const char *opt, const char *pattern,
    const char *side)
{
	struct dtioc_probe_info *pi;
	ssize_t n, i;

	if ((n = dt_lookup(ss->ss_dt, pattern, &pi)) == -1) {
		if (errno == ENOENT)
			refusal_nomatch(ss->ss_dt, pattern);
		refusal_ioctl(ss->ss_dt, pattern);
	}
	if (n == 2 && strcmp(pi[0].dtpi_func, pi[1].dtpi_func) == 0 &&
	    strcmp(pi[0].dtpi_prov, pi[1].dtpi_prov) == 0)
		for (i = 0; i < n; i++)
			if (strcmp(pi[i].dtpi_name, side) == 0) {
				pi[0] = pi[i];
				n = 1;
			}
	if (n != 1)
		errx(1, "%s needs one probe; this matches %zd", opt, n);
	return pi;
}

/* Returns an operand of one of the two probes. */
static struct dt_opd
pair_operand(struct session *ss, const struct dtioc_probe_info *pi,
    const char *name)
{
	const struct probe *pr = pair_probe(ss, pi);
	const struct probe *entry = session_cond_entry(ss, pi);
	struct cond_operand co;
	const char *near;

	if (cond_operand(pr, entry, name, &co) == -1) {
		near = cond_nearest(pr, entry, NULL, name);
		errx(1, "--key %s: %s has no such value%s%s%s", name,
		    pr->pr_full, near != NULL ? "; did you mean " : "",
		    near != NULL ? near : "", near != NULL ? "?" : "");
	}
	if (!co.cop_isnumber)
		errx(1, "--key %s: is a string; a key must be a number", name);
	if (co.cop_opd.op_kind == DT_OPD_DURATION)
		errx(1, "--key %s: the duration is the result of a pair", name);
	if (cond_shadows(pr, name))
		warnx("--key %s: is the thread's at the hit of %s; the "
		      "argument is args.%s",
		    name, pr->pr_full, name);
	return co.cop_opd;
}

static void
pair_keys(struct session *ss, struct session_pair *sp)
{
	struct dtioc_pair *pa = &sp->sp_pa;
	struct pair_key_name kn[DTPA_NKEYS];
	unsigned int i;

	pa->dtpa_nkeys = pair_key_parse(ss->ss_opts->o_pair.opa_key, kn);
	for (i = 0; i < pa->dtpa_nkeys; i++) {
		pa->dtpa_fromkey[i] = pair_operand(ss, sp->sp_from,
		    kn[i].kn_from);
		pa->dtpa_tokey[i] = pair_operand(ss, sp->sp_to, kn[i].kn_to);
	}
}

void
session_pair_fromto(struct session *ss)
{
	const struct opts *o = ss->ss_opts;
	const struct dtioc_probe_info *failed;
	struct dtioc_probe_info *from, *to;
	struct session_pair sp = { 0 };

	sp.sp_from = from = pair_find(ss, "--from", o->o_pair.opa_from,
	    "entry");
	sp.sp_to = to = pair_find(ss, "--to", o->o_pair.opa_to, "return");
	if (from->dtpi_pbn == to->dtpi_pbn)
		errx(1, "--from and --to are the same probe");
	pair_keys(ss, &sp);
	if (ss->ss_ops->so_wantsfirst &&
	    !(pair_key_same(o->o_pair.opa_key, "tid") &&
		kernel_pair_iscall(pair_probe(ss, from), pair_probe(ss, to))))
		sp.sp_pa.dtpa_flags = DTPA_FIRST;
	if (pair_enable(ss, &sp, &failed) == -1)
		pair_deny(ss, failed);
	free(from);
	free(to);
}
