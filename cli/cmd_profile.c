/* SPDX-License-Identifier: ISC */
/* dt profile: samples stacks and prints where the time is spent. */
#include <time.h>

#include "cli/opts/cmd.h"
#include "cli/out/out.h"
#include "cli/profile/profile.h"
#include "cli/recording/recorder.h"
#include "cli/session/session.h"

#define PROFILE_PROBE "profile:hz:97" /* the request sets the rate */
#define PROFILE_HZ    99	      /* not in step with clocks of 100 Hz */

struct profile_opts {
	struct opts pfo_common;
	int pfo_idle; /* --idle */
};

struct profiling {
	struct session pg_session;
	struct out pg_out;	     /* unless it records */
	struct recorder pg_recorder; /* with -o FILE.dt */
	struct profile pg_profile;
	struct timespec pg_start; /* CLOCK_REALTIME */
};

static int
profiling_event(void *arg, const struct dt_event *ev)
{
	struct profiling *pg = arg;

	profile_event(&pg->pg_profile, ev);
	return 0;
}

/*
 * With -o: writes all samples, including those of idle CPUs; report excludes
 * them.
 */
static int
profiling_write(void *arg, const struct dt_event *ev)
{
	struct profiling *pg = arg;

	return recorder_event(&pg->pg_recorder, ev);
}

static uint64_t
profiling_idle(void *arg, uint64_t now)
{
	struct profiling *pg = arg;

	return profile_name(&pg->pg_profile, now);
}

static void
profiling_print(struct profiling *pg, const struct opts *opts)
{
	struct session *ss = &pg->pg_session;
	struct out_profile *op = &pg->pg_profile.pf_out;

	op->opr_period = 1000000000 / opts->o_hz;
	op->opr_nsecs = ss->ss_stop - ss->ss_start;
	op->opr_start = pg->pg_start;
	out_profile(&pg->pg_out,
	    profile_result(&pg->pg_profile, opts->o_print.opi_top));
	profile_end(&pg->pg_profile);
}

static int
profile_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | opts_stackflags(opts),
		.so_hidesuntil = 1, /* the event of --until is not a sample */
		.so_event = profiling_event,
		.so_idle = profiling_idle,
		.so_openflags = DT_OPEN_BATCHED,
	};
	struct profiling pg = { 0 };
	struct consumer consumer;
	struct session *ss = &pg.pg_session;
	int isrecording = opts->o_file.ofi_name != NULL &&
	    opts->o_file.ofi_kind == FILE_DT;

	if (opts->o_hz == 0)
		opts->o_hz = PROFILE_HZ;
	if (isrecording) {
		ops.so_openflags |= DT_OPEN_LOWWATER;
		ops.so_event = profiling_write;
	}
	session_open(ss, opts, &ops, &pg);
	if (isrecording) {
		recorder_open(&pg.pg_recorder, opts, &ss->ss_names,
		    session_lowwater, ss);
		consumer = recorder_consumer(&pg.pg_recorder);
	} else {
		out_open(&pg.pg_out, opts, &ss->ss_names);
		consumer = out_consumer(&pg.pg_out);
	}
	session_consume(ss, &consumer);
	profile_begin(&pg.pg_profile, &ss->ss_names,
	    !isrecording && pg.pg_out.out_format->f_isexact,
	    ((struct profile_opts *)opts)->pfo_idle);
	session_enable(ss, PROFILE_PROBE);
	clock_gettime(CLOCK_REALTIME, &pg.pg_start);
	session_run(ss);
	if (!isrecording)
		profiling_print(&pg, opts);
	return session_end(ss);
}

static const char *
profile_check(const struct opts *o)
{
	if (o->o_print.opi_folded && o->o_file.ofi_name != NULL)
		return "-f prints to stdout; with -o, use FILE.folded";
	return NULL;
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
	OPT_ROW_OUTPUT("FILE",
	    "write a file: .svg, .html, .folded, .pb.gz or .dt",
	    opts_check_any),
	OPT_GROUP("With -o FILE.dt"),
	OPT_ROWS_RECORDING,
	{ 0 },
};

const struct cmd cmd_profile = {
	.cmd_name = "profile",
	.cmd_args = "[-F HZ] [-f] [-- COMMAND]",
	.cmd_what = "sample stacks and print the hottest functions",
	.cmd_run = profile_run,
	.cmd_size = sizeof(struct profile_opts),
	.cmd_opts = profile_opts,
	.cmd_flags = CMD_RECORDS,
	.cmd_check = profile_check,
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
