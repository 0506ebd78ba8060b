/* SPDX-License-Identifier: ISC */
/* dt profile: samples stacks and prints where the time is spent. */
#include "cli/opts/cmd.h"
#include "cli/recording/profile_run.h"

#define PROFILE_PROBE "profile:hz:97" /* the request sets the rate */
#define PROFILE_HZ    99	      /* not in step with clocks of 100 Hz */

struct profile_opts {
	struct opts pfo_common;
	int pfo_idle; /* --idle */
};

static void
profiling_sample(struct profile_run *pn, const struct dt_event *ev)
{
	profile_event(&pn->prn_profile, ev);
}

static int
profiling(struct opts *opts)
{
	struct profile_run pn = { 0 };

	if (opts->o_hz == 0)
		opts->o_hz = PROFILE_HZ;
	profile_run_open(&pn, opts, ((struct profile_opts *)opts)->pfo_idle,
	    profiling_sample, NULL);
	pn.prn_profile.pf_out.opr_period = 1000000000 / opts->o_hz;
	session_enable(&pn.prn_session, PROFILE_PROBE);
	return profile_run_end(&pn);
}

static const struct opt profile_opts[] = {
	OPT_GROUP("Samples"),
	OPT_ROW_HZ("take HZ samples per second and CPU (default 99)"),
	{ 0, "idle", NULL, "include idle CPUs", OPT_FLAG,
	    OPT_OF(struct profile_opts, pfo_idle) },
	OPT_ROW_CALLGRAPH,
	OPT_GROUP("Output"),
	OPT_ROW_TOP("print at most N functions and N stacks (default 10)"),
	OPT_ROW_LINES("print source lines and inlined functions"),
	OPT_ROW_FOLDED,
	PROFILE_OPT_OUTPUT,
	OPT_GROUP("With -o FILE.dt"),
	OPT_ROWS_RECORDING,
	{ 0 },
};

const struct cmd cmd_profile = {
	.cmd_name = "profile",
	.cmd_args = "[-F HZ] [-f] [-- COMMAND]",
	.cmd_what = "sample stacks and print the hottest functions",
	.cmd_run = profiling,
	.cmd_size = sizeof(struct profile_opts),
	.cmd_opts = profile_opts,
	.cmd_flags = CMD_RECORDS,
	.cmd_check = profile_run_check,
	.cmd_examples =
	    "  # sample the whole machine for a second\n"
	    "  dt profile -d 1\n"
	    "  # sample one command\n"
	    "  dt profile -- dd if=/dev/zero of=/dev/null count=1M\n"
	    "  # draw a flame graph for the browser\n"
	    "  dt profile -d 1 -o out.html\n"
	    "  # write a profile for go tool pprof\n"
	    "  dt profile -d 1 -o out.pb.gz\n"
	    "  # print the input of flamegraph.pl\n"
	    "  dt profile -f -d 1 > out.folded\n"
	    "  # write every sample, for dt report\n"
	    "  dt profile -d 1 -o out.dt\n",
};
