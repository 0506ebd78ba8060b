/* SPDX-License-Identifier: ISC */
/*
 * dt offcpu: where threads wait, and for how long.  A wait is a pair of hits:
 * the thread leaves its CPU, and later runs again, with the same stacks.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/profile/waits.h"
#include "cli/recording/profile_run.h"
#include "cli/session/refusal.h"
#include "cli/session/session_learn.h"
#include "cli/stat/key.h"

/*
 * Probes in a thread that runs again: the hook at the end of the scheduler,
 * from Linux 6.17 on; before, the first function that it calls.
 */
static const char *const offcpu_ends[] = {
	"rawtracepoint:sched_exit_tp",
	"kprobe:finish_task_switch*:entry",
};

#define OFFCPU_NENDS (sizeof(offcpu_ends) / sizeof(offcpu_ends[0]))

static int
offcpu_wait(void *arg, const struct dt_event *ev, struct profile_hits *ph)
{
	return waits_weigh(arg, ev, ph);
}

/* Returns keys by which the kernel counts waits. */
static struct keys *
offcpu_keys(struct session *ss)
{
	char why[256];
	struct keys *by = keys_alloc(PROFILE_KEYS "," WAITS_KEY, "duration",
	    &ss->ss_names, why, sizeof(why));

	if (by == NULL)
		errx(1, "%s", why);
	session_learn(ss, by, WAITS_FROM);
	return by;
}

/*
 * Finds the probe of the second hit, and writes its name.  Compilers add
 * suffixes to the name of the function.
 */
static void
offcpu_find(struct session *ss, char *name, size_t size)
{
	struct dtioc_probe_info *pi;
	unsigned int i;

	for (i = 0; i < OFFCPU_NENDS; i++) {
		if (dt_lookup(ss->ss_dt, offcpu_ends[i], &pi) < 1)
			continue;
		snprintf(name, size, "%s:%s:%s", pi[0].dtpi_prov,
		    pi[0].dtpi_func, pi[0].dtpi_name);
		free(pi);
		return;
	}
	refusal_nomatch(ss->ss_dt, offcpu_ends[OFFCPU_NENDS - 1]);
}

static int
offcpu_run(struct opts *opts)
{
	struct profile_run pn = { 0 };
	struct session *ss = &pn.prn_session;
	struct waits wa;
	char to[3 * DTNAMESIZE];
	int status;

	if (opts_and(opts, WAITS_IF) == -1)
		err(1, NULL);
	opts->o_pair = (struct opts_pair){ .opa_from = WAITS_FROM,
		.opa_to = to,
		.opa_key = "tid" };
	profile_run_open(&pn, opts, 0, offcpu_wait, &wa);
	pn.prn_ops.so_evtflags |= DTEVT_FUNCARGS;
	pn.prn_ops.so_wantspending = 1;
	pn.prn_ops.so_iswaits = 1;
	waits_begin(&wa, &ss->ss_names, &pn.prn_profile);
	offcpu_find(ss, to, sizeof(to));
	session_pair_fromto(ss);
	pn.prn_keys = offcpu_keys(ss);
	status = profile_run_end(&pn);
	keys_free(pn.prn_keys);
	return status;
}

static const struct opt offcpu_opts[] = {
	OPT_GROUP("Stacks"),
	OPT_ROW_CALLGRAPH,
	PROFILE_OPT_ROWS,
	{ 0 },
};

const struct cmd cmd_offcpu = {
	.cmd_name = "offcpu",
	.cmd_args = "[-f] [-p PID] [-- COMMAND]",
	.cmd_what = "print where threads wait, and for how long",
	.cmd_run = offcpu_run,
	.cmd_opts = offcpu_opts,
	.cmd_flags = CMD_RECORDS | CMD_HOSTS,
	.cmd_check = profile_run_check,
	.cmd_examples =
	    "  # print the waits of a command and its descendants\n"
	    "  dt offcpu -- sh -c 'sleep 0.2; ls'\n"
	    "  # print the waits of the whole machine that took 1 ms or more\n"
	    "  dt offcpu -d 1 --if 'duration >= 1ms'\n"
	    "  # draw a flame graph for the browser\n"
	    "  dt offcpu -d 1 -o out.html\n",
};
