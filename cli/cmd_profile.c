/* SPDX-License-Identifier: ISC */
/*
 * dt profile: where the time goes.
 */
#include "cmd.h"
#include "profile.h"
#include "session.h"

#define PROFILE_PROBE "profile:hz:97" /* the rate is in the request */
#define PROFILE_HZ    99	      /* not in step with clocks of 100 Hz */

struct profiling {
	struct session pg_session;
	struct profile pg_profile;
};

static int
profiling_event(void *arg, const struct dt_event *ev)
{
	struct profiling *pg = arg;

	profile_event(&pg->pg_profile, ev);
	return 0;
}

static int
profile_run(struct opts *opts)
{
	static const struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | DTEVT_KSTACK | DTEVT_USTACK,
		.so_hidesuntil = 1, /* what ends it is no sample */
		.so_event = profiling_event,
	};
	struct profiling pg = { 0 };
	struct session *ss = &pg.pg_session;

	if (opts->o_hz == 0)
		opts->o_hz = PROFILE_HZ;
	session_open(ss, opts, &ops, &pg);
	pg.pg_profile.pf_names = &ss->ss_names;
	pg.pg_profile.pf_withidle = opts->o_idle;
	session_enable(ss, PROFILE_PROBE);
	session_run(ss);
	profile_print(&pg.pg_profile, &ss->ss_out, opts->o_top);
	return session_end(ss);
}

static const struct opt profile_opts[] = {
	{ 'F', "freq", "HZ", opts_set_hz,
	    "samples a second on each CPU (99), up to 5000" },
	{ 'f', "folded", NULL, opts_set_folded,
	    "print folded stacks, for flame graphs" },
	{ 0, "top", "N", opts_set_top, "so many functions and stacks (10)" },
	{ 0, "idle", NULL, opts_set_idle, "do not leave out idle CPUs" }, { 0 }
};

const struct cmd cmd_profile = {
	.cmd_name = "profile",
	.cmd_args = "[-F HZ] [-f] [-- COMMAND]",
	.cmd_what = "hottest functions and stacks",
	.cmd_run = profile_run,
	.cmd_opts = profile_opts,
	.cmd_flags = CMD_RECORDS,
	.cmd_examples =
	    "  # the whole machine, for a second\n"
	    "  dt profile -d 1\n"
	    "  # one command\n"
	    "  dt profile -- dd if=/dev/zero of=/dev/null count=1M\n"
	    "  # input of flamegraph.pl and its like\n"
	    "  dt profile -f -d 1 > out.folded\n",
};
