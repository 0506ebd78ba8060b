/* SPDX-License-Identifier: ISC */
/*
 * Enables the probes of a session: resolves patterns, periods and conditions.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/opts/period.h"
#include "cli/procs/call_effects.h"
#include "cli/session/attach_cost.h"
#include "cli/session/refusal.h"
#include "cli/session/refused.h"
#include "cli/session/session.h"

/*
 * Prints a note that interval ticks are not filtered by process, if a process
 * filter is set.
 */
static void
session_note_interval(struct session *ss, const struct dtioc_probe_info *pi)
{
	const struct opts *o = ss->ss_opts;

	if ((o->o_filter.dtfi_set & ~(uint32_t)DTFI_CHILDREN) == 0 &&
	    o->o_select.ose_cgroup == NULL)
		return;
	if (pi->dtpi_flags & DTPI_ANYTASK)
		warnx("interval ticks are not filtered by process, user, "
		      "name or cgroup (profile ticks are)");
}

static void
session_keep(struct session *ss, uint32_t pbn)
{
	ss->ss_probes = realloc(ss->ss_probes,
	    (ss->ss_nenabled + 1) * sizeof(*ss->ss_probes));
	if (ss->ss_probes == NULL)
		err(1, "probes");
	ss->ss_probes[ss->ss_nenabled++] = (struct session_probe){
		.spb_pbn = pbn,
	};
}

int
session_enable_one(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period, int hidden)
{
	struct dtioc_req rq = {
		.dtrq_pbn = pi->dtpi_pbn,
		.dtrq_evtflags = hidden ? DTEVT_EXECNAME
					: ss->ss_ops->so_evtflags,
		.dtrq_nsecs = period_of(pi, ss->ss_opts->o_hz, period),
	};
	const struct probe *pr;

	if (ss->ss_ops->so_moreflags != NULL && !hidden)
		rq.dtrq_evtflags |= ss->ss_ops->so_moreflags(ss->ss_arg, pi);
	if (ss->ss_opts->o_until.oun_n > 0) /* the ledger names the process */
		rq.dtrq_evtflags |= DTEVT_EXECNAME;
	if (dt_ioctl(ss->ss_dt, DTIOCPRBENABLE, &rq) == -1)
		return errno == EEXIST ? 0 : -1; /* two patterns match it */
	session_keep(ss, pi->dtpi_pbn);
	ss->ss_haswaits |= (rq.dtrq_evtflags & DTEVT_USTACK) != 0;
	session_note_interval(ss, pi);
	name_cache_add_info(&ss->ss_names, pi);
	if (ss->ss_consumer.cns_ops->cso_enabled != NULL &&
	    (pr = name_cache_probe(&ss->ss_names, pi->dtpi_pbn)) != NULL)
		ss->ss_consumer.cns_ops->cso_enabled(ss->ss_consumer.cns_arg,
		    pr);
	return 1;
}

/* Enables a probe; with --until, its events end the recording. */
static int
session_add(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period, int isuntil)
{
	int hidden = isuntil && ss->ss_ops->so_hidesuntil, n;

	if ((n = session_enable_one(ss, pi, period, hidden)) == -1 || !isuntil)
		return n;
	hash_get(&ss->ss_until, &pi->dtpi_pbn, sizeof(pi->dtpi_pbn))
	    ->he_count |= n;
	return n;
}

/* Writes the key of a function's probe of this name. */
static size_t
half_key(char *key, size_t size, const struct dtioc_probe_info *pi,
    const char *name)
{
	return snprintf(key, size, "%s:%s:%s", pi->dtpi_prov, pi->dtpi_func,
	    name);
}

void
session_halves(struct hash *halves, const struct dtioc_probe_info *pi, size_t n)
{
	char key[3 * DTNAMESIZE];
	size_t i, len;

	*halves = (struct hash){ 0 };
	for (i = 0; i < n; i++) {
		len = half_key(key, sizeof(key), &pi[i], pi[i].dtpi_name);
		hash_get(halves, key, len)->he_ptr = (void *)&pi[i];
	}
}

const struct dtioc_probe_info *
session_other(const struct hash *halves, const struct dtioc_probe_info *pi)
{
	const struct hash_entry *e;
	char key[3 * DTNAMESIZE];
	const char *name;

	if (strcmp(pi->dtpi_name, "entry") == 0)
		name = "return";
	else if (strcmp(pi->dtpi_name, "return") == 0)
		name = "entry";
	else
		return NULL;
	e = hash_find(halves, key, half_key(key, sizeof(key), pi, name));
	return e != NULL ? e->he_ptr : NULL;
}

/*
 * Returns whether such a call is one event of both of its probes.  A call that
 * creates a process also returns in the child, without an entry there: its
 * returns stay events of their own.
 */
static int
session_joins(const struct session *ss, const struct dtioc_probe_info *pi)
{
	return ss->ss_ops->so_wantsargs &&
	    call_effects_kind(call_effects_find(pi)) != EFFECTS_FORK;
}

/* Enables one probe, with its condition. */
static int
session_add_cond(struct session *ss, const struct dtioc_probe_info *pi,
    uint64_t period)
{
	struct dt_cond co;
	int added;

	if (ss->ss_cond == NULL)
		return session_add(ss, pi, period, 0);
	session_cond_make(ss, pi, 0, &co);
	if ((added = session_add(ss, pi, period, 0)) == 1)
		session_cond_set(ss, pi, &co);
	return added;
}

/* Enables the i-th of n probes, or the call that it belongs to. */
static int
session_add_call(struct session *ss, const struct hash *halves,
    const struct dtioc_probe_info *pi, uint64_t period)
{
	const struct dtioc_probe_info *other = session_other(halves, pi);
	const char *half = ss->ss_ops->so_half;
	int isentry = strcmp(pi->dtpi_name, "entry") == 0, added;

	if (other == NULL)
		return session_add_cond(ss, pi, period);
	if (session_cond_islater(ss, isentry ? pi : other)) {
		if (session_joins(ss, pi))
			return isentry ? session_pair_call(ss, pi, other) : 0;
		half = "return";
	}
	if (half != NULL && strcmp(pi->dtpi_name, half) != 0)
		return 0;
	added = session_add_cond(ss, pi, period);
	if (half != NULL && added == 1)
		name_cache_add_call(&ss->ss_names, pi->dtpi_pbn);
	return added;
}

ssize_t
session_lookup(struct dt *dt, const char *pattern,
    struct dtioc_probe_info **pip, uint64_t *periodp)
{
	char clock[PERIOD_NAME];
	uint64_t period = period_clock(pattern, clock, sizeof(clock));
	struct dtioc_probe_info *pi;
	ssize_t n;

	*periodp = 0;
	if (period == 0 || (n = dt_lookup(dt, clock, &pi)) == -1)
		return dt_lookup(dt, pattern, pip);
	if ((pi[0].dtpi_flags & DTPI_CLOCK) == 0) {
		free(pi);
		return dt_lookup(dt, pattern, pip);
	}
	if (pi[0].dtpi_unit == DTPI_NSECS && period < PERIOD_MIN)
		errx(1, "%s: a clock's period is 200 microseconds at least",
		    pattern);
	*periodp = period;
	*pip = pi;
	return n;
}

/*
 * A pattern may match probes that are unavailable here: they are skipped if
 * only some are.
 */
void
session_enable_all(struct session *ss, const char *pattern, int isuntil)
{
	struct dtioc_probe_info *pi;
	struct refused rf = { .rfs_n = 0 };
	char what[3 * DTNAMESIZE];
	struct hash halves;
	uint64_t period;
	ssize_t i, n, nfailed = 0;

	n = session_lookup(ss->ss_dt, pattern, &pi, &period);
	if (n == -1) {
		if (errno == ENOENT)
			refusal_nomatch(ss->ss_dt, pattern);
		refusal_ioctl(ss->ss_dt, pattern);
	}
	ss->ss_nfuncs += attach_cost_count(pi, n);
	if (ss->ss_nfuncs > ATTACH_COST_FUNCS &&
	    !ss->ss_opts->o_limits.oli_force)
		attach_cost_refuse(ss->ss_dt, pattern, ss->ss_nfuncs);
	session_halves(&halves, pi, n);
	for (i = 0; i < n; i++) {
		if ((isuntil ? session_add(ss, &pi[i], period, 1)
			     : session_add_call(ss, &halves, &pi[i], period)) !=
		    -1)
			continue;
		snprintf(what, sizeof(what), "%s:%s:%s", pi[i].dtpi_prov,
		    pi[i].dtpi_func, pi[i].dtpi_name);
		if (errno == EPERM || n == 1 ||
		    (nfailed == i && nfailed == n - 1))
			refusal_ioctl(ss->ss_dt, what);
		nfailed++;
		refused_add(&rf, &pi[i], dt_error(ss->ss_dt));
	}
	refused_print(&rf, pattern);
	hash_clear(&halves);
	free(pi);
}

/* Returns whether the probe cannot be enabled any more, and names it. */
static int
session_isrefused(struct session *ss, uint32_t pbn, struct refused *rf)
{
	const struct probe *pr = name_cache_probe(&ss->ss_names, pbn);
	struct dtioc_req rq = { .dtrq_pbn = pbn };

	if (dt_ioctl(ss->ss_dt, DTIOCPRBENABLE, &rq) == 0 || errno == EEXIST)
		return 0;
	if (pr != NULL)
		refused_add(rf, &pr->pr_desc.pd_info, dt_error(ss->ss_dt));
	return 1;
}

/* Does nothing if the probe is no longer enabled. */
static void
session_disable(struct session *ss, uint32_t pbn)
{
	struct dtioc_req rq = { .dtrq_pbn = pbn };

	(void)dt_ioctl(ss->ss_dt, DTIOCPRBDISABLE, &rq);
}

/* Returns the index of the first probe of the pair of a second one. */
static unsigned int
session_first(const struct session *ss, unsigned int second)
{
	const struct session_probe *spb = ss->ss_probes;
	unsigned int i;

	/* scripts may have others in between */
	if (second > 0 && spb[second - 1].spb_pbn == spb[second].spb_first)
		return second - 1;
	for (i = 0; i < ss->ss_nenabled; i++)
		if (spb[i].spb_pbn == spb[second].spb_first)
			return i;
	return second;
}

/* Drops the other probe of a pair, too. */
static void
session_drop_pairs(const struct session *ss, char *isrefused)
{
	unsigned int i, first;

	for (i = 0; i < ss->ss_nenabled; i++) {
		if (ss->ss_probes[i].spb_part != SESSION_SECOND)
			continue;
		first = session_first(ss, i);
		isrefused[i] |= isrefused[first];
		isrefused[first] = isrefused[i];
	}
}

size_t
session_drop_refused(struct session *ss)
{
	struct refused rf = { .rfs_n = 0 };
	struct session_probe *spb = ss->ss_probes;
	char *isrefused = calloc(ss->ss_nenabled + 1, 1);
	unsigned int i, n = 0, nrefused = 0;

	if (isrefused == NULL)
		err(1, NULL);
	for (i = 0; i < ss->ss_nenabled; i++) {
		isrefused[i] = session_isrefused(ss, spb[i].spb_pbn, &rf);
		nrefused += isrefused[i];
	}
	session_drop_pairs(ss, isrefused);
	for (i = 0; i < ss->ss_nenabled; i++)
		if (isrefused[i])
			session_disable(ss, spb[i].spb_pbn);
		else
			spb[n++] = spb[i];
	free(isrefused);
	ss->ss_nenabled = n;
	refused_print(&rf, NULL);
	if (n == 0)
		errx(1, "no probe is left");
	return nrefused;
}

void
session_enable(struct session *ss, const char *pattern)
{
	if (ss->ss_opts->o_pair.opa_isslower)
		session_pair_calls(ss, pattern);
	else
		session_enable_all(ss, pattern, 0);
}

void
session_enable_args(struct session *ss)
{
	unsigned int i;

	if (ss->ss_opts->o_pair.opa_from != NULL)
		session_pair_fromto(ss);
	for (i = 0; i < ss->ss_opts->o_nargs; i++)
		session_enable(ss, ss->ss_opts->o_args[i]);
}
