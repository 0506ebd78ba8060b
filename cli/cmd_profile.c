/* SPDX-License-Identifier: ISC */
/*
 * dt profile: samples stacks and prints where the time is spent; or with --on
 * or --from, the stacks of a probe's hits by their number, by a value, or by
 * the duration of a pair.
 */
#include <err.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/profile/weigh.h"
#include "cli/recording/profile_run.h"
#include "cli/session/session_learn.h"
#include "cli/stat/key.h"

#define PROFILE_PROBE "profile:hz:97" /* the request sets the rate */
#define PROFILE_HZ    99	      /* not in step with clocks of 100 Hz */

struct profile_opts {
	struct opts pfo_common;
	int pfo_idle;	     /* --idle */
	const char *pfo_on;  /* --on; NULL: samples, or a pair */
	const char *pfo_sum; /* --sum; NULL: hits, or durations */
};

static int
profiling_sample(void *arg, const struct dt_event *ev, struct profile_hits *ph)
{
	(void)arg;
	(void)ev;
	*ph = (struct profile_hits){ .phi_count = 1, .phi_weight = 1 };
	return 0;
}

static int
profiling_samples(const struct profile_opts *po, struct opts *opts)
{
	struct profile_run pn = { 0 };

	if (opts->o_hz == 0)
		opts->o_hz = PROFILE_HZ;
	profile_run_open(&pn, opts, po->pfo_idle, profiling_sample, NULL);
	pn.prn_profile.pf_out.opr_period = 1000000000 / opts->o_hz;
	session_enable(&pn.prn_session, PROFILE_PROBE);
	return profile_run_end(&pn);
}

static int
profiling_hit(void *arg, const struct dt_event *ev, struct profile_hits *ph)
{
	return weigh_hit(arg, ev, ph);
}

/* Passes all probes to the key of the weight, and sets what it needs. */
static void
profiling_keys(struct profile_run *pn, const struct profile_opts *po,
    struct keys *by)
{
	const struct opts_pair *oa = &po->pfo_common.o_pair;
	const char *const patterns[] = { po->pfo_on, oa->opa_from, oa->opa_to };
	char why[1024];
	unsigned int i;

	if (key_wants_probes(by) || keys_wants_unit(by)) {
		for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
			if (patterns[i] != NULL)
				session_learn(&pn->prn_session, by,
				    patterns[i]);
		if (key_check(by, why, sizeof(why)) == -1)
			errx(1, "%s", why);
		pn->prn_ops.so_wantsargs = key_wants_probes(by);
	}
	pn->prn_ops.so_evtflags |= keys_evtflags(by);
}

static int
profiling_hits(struct profile_opts *po, const char *sum)
{
	struct opts *opts = &po->pfo_common;
	struct profile_run pn = { 0 };
	struct session *ss = &pn.prn_session;
	struct weigh wg;
	char why[256];
	int status;

	/* probes may be of idle CPUs, for example interrupts */
	profile_run_open(&pn, opts, 1, profiling_hit, &wg);
	if (weigh_begin(&wg, &pn.prn_profile, &ss->ss_names, sum, why,
		sizeof(why)) == -1)
		errx(2, "%s", why);
	profiling_keys(&pn, po, wg.wgh_keys);
	weigh_unit(&wg, &pn.prn_profile);
	if (po->pfo_on != NULL)
		session_enable(ss, po->pfo_on);
	else
		session_pair_fromto(ss);
	pn.prn_keys = wg.wgh_keys;
	status = profile_run_end(&pn);
	weigh_end(&wg);
	return status;
}

static int
profiling(struct opts *opts)
{
	struct profile_opts *po = (struct profile_opts *)opts;
	struct opts_pair *oa = &opts->o_pair;
	const char *sum = po->pfo_sum;

	if (po->pfo_on == NULL && oa->opa_from == NULL)
		return profiling_samples(po, opts);
	if (sum == NULL && (oa->opa_from != NULL || oa->opa_isslower))
		sum = "duration";
	/* the kernel measures durations, so they need pairs */
	if (sum != NULL && strcmp(sum, "duration") == 0 && oa->opa_from == NULL)
		oa->opa_isslower = 1;
	return profiling_hits(po, sum);
}

static const char *
profiling_check(const struct opts *o)
{
	const struct profile_opts *po = (const struct profile_opts *)o;
	int hashits = po->pfo_on != NULL || o->o_pair.opa_from != NULL;
	const char *bad;

	if ((bad = profile_run_check(o)) != NULL ||
	    (bad = opts_check_pair(o)) != NULL)
		return bad;
	if (po->pfo_on != NULL && o->o_pair.opa_from != NULL)
		return "--on and --from exclude each other";
	if (!hashits && (po->pfo_sum != NULL || o->o_pair.opa_isslower))
		return "--sum and --slower need a probe: --on PROBE";
	if (hashits && (po->pfo_idle || o->o_hz != 0))
		return "-F and --idle are for samples; they exclude --on and "
		       "--from";
	return NULL;
}

static const char *
profiling_check_on(struct opts *o, const char *arg)
{
	if (((struct profile_opts *)o)->pfo_on != NULL)
		return "may be given only once";
	return *arg == '\0' ? "should be a probe" : NULL;
}

static const struct opt profile_opts[] = {
	OPT_GROUP("Samples"),
	OPT_ROW_HZ("take HZ samples per second and CPU (default 99)"),
	{ 0, "idle", NULL, "include idle CPUs", OPT_FLAG,
	    OPT_OF(struct profile_opts, pfo_idle) },
	OPT_ROW_CALLGRAPH,
	OPT_GROUP("Hits of a probe"),
	{ 0, "on", "PROBE", "take the stacks of PROBE's hits, not of a clock",
	    OPT_STRING, OPT_OF(struct profile_opts, pfo_on),
	    .opt_check = profiling_check_on },
	{ 0, "event", "PROBE", "the same as --on", OPT_STRING,
	    OPT_OF(struct profile_opts, pfo_on),
	    .opt_check = profiling_check_on },
	{ 0, "sum", "ARG", "weigh hits by an argument, retval or duration",
	    OPT_STRING, OPT_OF(struct profile_opts, pfo_sum) },
	PROFILE_OPT_ROWS,
	{ 0 },
};

const struct cmd cmd_profile = {
	.cmd_name = "profile",
	.cmd_args = "[-F HZ] [--on PROBE [--sum ARG]] [-f] [-- COMMAND]",
	.cmd_what = "sample stacks and print the hottest functions",
	.cmd_run = profiling,
	.cmd_size = sizeof(struct profile_opts),
	.cmd_opts = profile_opts,
	.cmd_flags = CMD_RECORDS | CMD_PAIRS | CMD_HOSTS,
	.cmd_check = profiling_check,
	.cmd_examples =
	    "  # sample the whole machine for a second\n"
	    "  dt profile -d 1\n"
	    "  # sample one command\n"
	    "  dt profile -- dd if=/dev/zero of=/dev/null count=1M\n"
	    "  # draw a flame graph for the browser\n"
	    "  dt profile -d 1 -o out.html\n"
	    "  # write a profile for go tool pprof\n"
	    "  dt profile -d 1 -o out.pb.gz\n"
	    "  # print which code opens files, by the number of calls\n"
	    "  dt profile --on syscall:openat:entry -- ls -R /etc\n"
	    "  # print which code reads most bytes\n"
	    "  dt profile -d 1 --on syscall:read:return --sum retval\n"
	    "  # print the input of flamegraph.pl\n"
	    "  dt profile -f -d 1 > out.folded\n"
	    "  # write every sample, for dt report\n"
	    "  dt profile -d 1 -o out.dt\n",
};
