/* SPDX-License-Identifier: ISC */
/* dt profile: samples stacks and prints where the time is spent. */
#include <time.h>

#include "cli/opts/cmd.h"
#include "cli/profile/profile.h"
#include "cli/session/session.h"

#define PROFILE_PROBE "profile:hz:97" /* the request sets the rate */
#define PROFILE_HZ    99	      /* not in step with clocks of 100 Hz */

struct profiling {
	struct session pg_session;
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
	struct session *ss = &pg->pg_session;
	struct out_event oe = { .oe_ev = ev };

	oe.oe_probe = names_probe(&ss->ss_names, ev->ev_rec->dr_pbn);
	return oe.oe_probe != NULL ? out_event(&ss->ss_out, &oe) : 0;
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
	out_profile(&ss->ss_out, profile_result(&pg->pg_profile, opts->o_top));
	profile_end(&pg->pg_profile);
}

static int
profile_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME | DTEVT_KSTACK | DTEVT_USTACK,
		.so_hidesuntil = 1, /* the event of --until is not a sample */
		.so_event = profiling_event,
		.so_idle = profiling_idle,
	};
	struct profiling pg = { 0 };
	struct session *ss = &pg.pg_session;
	int isrecording = opts->o_file != NULL && opts->o_filekind == FILE_DT;

	if (opts->o_hz == 0)
		opts->o_hz = PROFILE_HZ;
	if (isrecording) {
		ops.so_openflags = DT_OPEN_LOWWATER;
		ops.so_event = profiling_write;
	}
	session_open(ss, opts, &ops, &pg);
	profile_begin(&pg.pg_profile, &ss->ss_names,
	    ss->ss_out.out_format->f_isexact, opts->o_idle);
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
	if (o->o_folded && o->o_file != NULL)
		return "-f is for stdout: with -o, FILE.folded";
	return NULL;
}

static const struct opt profile_opts[] = {
	{ 'F', "freq", "HZ", opts_set_hz,
	    "samples a second on each CPU (99), up to 5000" },
	{ 'f', "folded", NULL, opts_set_folded,
	    "print folded stacks, for flame graphs" },
	{ 0, "top", "N", opts_set_top, "so many functions and stacks (10)" },
	{ 0, "idle", NULL, opts_set_idle, "do not leave out idle CPUs" },
	{ 'o', "output", "FILE", opts_set_any,
	    "write a flame graph (.svg, .html), .folded, .pb.gz, or .dt" },
	{ 0, "lines", NULL, opts_set_lines,
	    "with source lines and inlined functions" },
	{ 0, "max-size", "SIZE", opts_set_maxsize,
	    "with -o: end when the file has so much, as 4G" },
	{ 0, "embed-symbols", NULL, opts_set_embed,
	    "with -o: names of programs' code, too, not the kernel's only" },
	{ 0, "rotate", "N", opts_set_rotate,
	    "with -o: then go on in a new file, and keep N" },
	{ 0 }
};

const struct cmd cmd_profile = {
	.cmd_name = "profile",
	.cmd_args = "[-F HZ] [-f] [-- COMMAND]",
	.cmd_what = "hottest functions and stacks",
	.cmd_run = profile_run,
	.cmd_opts = profile_opts,
	.cmd_flags = CMD_RECORDS,
	.cmd_check = profile_check,
	.cmd_examples =
	    "  # the whole machine, for a second\n"
	    "  dt profile -d 1\n"
	    "  # one command\n"
	    "  dt profile -- dd if=/dev/zero of=/dev/null count=1M\n"
	    "  # a flame graph, for the browser\n"
	    "  dt profile -d 1 -o out.html\n"
	    "  # for go tool pprof\n"
	    "  dt profile -d 1 -o out.pb.gz\n"
	    "  # input of flamegraph.pl and its like\n"
	    "  dt profile -f -d 1 > out.folded\n"
	    "  # every sample, for dt report\n"
	    "  dt profile -d 1 -o out.dt\n",
};
