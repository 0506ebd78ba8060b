/* SPDX-License-Identifier: ISC */
/* Runs a session for a profile. */
#include <err.h>
#include <stdio.h>

#include "cli/recording/profile_run.h"
#include "cli/session/session_ledger.h"

static int
profile_run_event(void *arg, const struct dt_event *ev)
{
	struct profile_run *pn = arg;
	struct profile_hits ph = { .phi_count = 1, .phi_weight = 1 };

	if (pn->prn_weigh(pn->prn_arg, ev, &ph) == 0)
		profile_add(&pn->prn_profile, ev, &ph);
	else
		pn->prn_profile.pf_out.opr_novalue++;
	profile_count_event(&pn->prn_count, ev, &ph);
	return 0;
}

/* With -o: writes all events; report excludes samples of idle CPUs. */
static int
profile_run_write(void *arg, const struct dt_event *ev)
{
	struct profile_run *pn = arg;

	return recorder_event(&pn->prn_recorder, ev);
}

static uint64_t
profile_run_idle(void *arg, uint64_t now)
{
	struct profile_run *pn = arg;
	uint64_t rows = profile_count_idle(&pn->prn_count, now);
	uint64_t names = profile_name(&pn->prn_profile, now);

	return names == 0 || (rows != 0 && rows < names) ? rows : names;
}

/* The end of the session: there is no other interval. */
static void
profile_run_interval(void *arg, uint64_t nsecs)
{
	struct profile_run *pn = arg;

	profile_count_end(&pn->prn_count, pn->prn_session.ss_lastint + nsecs);
}

void
profile_run_open(struct profile_run *pn, const struct opts *opts, int withidle,
    int (*weigh)(void *, const struct dt_event *, struct profile_hits *),
    void *arg)
{
	struct session *ss = &pn->prn_session;
	struct consumer consumer;

	pn->prn_isrecording = opts_isrecording(opts);
	pn->prn_istext = opts->o_file.ofi_name != NULL &&
	    opts->o_file.ofi_kind == FILE_TEXT;
	pn->prn_weigh = weigh;
	pn->prn_arg = arg;
	pn->prn_ops = (struct session_ops){
		.so_evtflags = DTEVT_EXECNAME | opts_stackflags(opts),
		.so_hidesuntil = 1, /* the event of --until is not a sample */
		.so_event = pn->prn_isrecording ? profile_run_write
						: profile_run_event,
		.so_idle = profile_run_idle,
		.so_interval = profile_run_interval,
		.so_openflags = DT_OPEN_BATCHED |
		    (pn->prn_isrecording ? DT_OPEN_LOWWATER : 0),
	};
	session_open(ss, opts, &pn->prn_ops, pn);
	if (pn->prn_isrecording) {
		recorder_open(&pn->prn_recorder, opts, &ss->ss_names,
		    session_lowwater, ss);
		consumer = recorder_consumer(&pn->prn_recorder);
	} else {
		out_open(&pn->prn_out, opts, &ss->ss_names);
		if (pn->prn_istext)
			out_file_begin(&pn->prn_out, &pn->prn_sink);
		consumer = out_consumer(&pn->prn_out);
	}
	session_consume(ss, &consumer);
	profile_begin(&pn->prn_profile, &ss->ss_names,
	    !pn->prn_isrecording && pn->prn_out.out_format->f_isexact,
	    withidle);
}

static void
profile_run_print(struct profile_run *pn)
{
	struct session *ss = &pn->prn_session;
	struct out_profile *op = &pn->prn_profile.pf_out;
	struct ledger_run lr = session_ledger_run(ss);

	op->opr_ledger = &ss->ss_ledger;
	op->opr_run = &lr;
	op->opr_nsecs = ss->ss_stop - ss->ss_start;
	op->opr_start = pn->prn_start;
	/* a command that still runs has the terminal, too */
	if (ss->ss_command.cd_pid == 0 || command_wait(&ss->ss_command, 0))
		out_page(&pn->prn_out);
	out_profile(&pn->prn_out,
	    profile_result(&pn->prn_profile, ss->ss_opts->o_print.opi_top));
	profile_end(&pn->prn_profile);
	profile_count_free(&pn->prn_count);
}

/*
 * Counts in the kernel if it can; otherwise all hits are events, which have a
 * thread and a time.
 */
static void
profile_run_count(struct profile_run *pn)
{
	const struct opts *o = pn->prn_session.ss_opts;
	enum out_time showstime = pn->prn_out.out_format->f_time;
	char why[256] = "";

	if (pn->prn_keys == NULL)
		snprintf(why, sizeof(why), "samples are events");
	else if (o->o_until.oun_n > 0)
		snprintf(why, sizeof(why), "--until needs events");
	else if (showstime == OUT_NEEDSTIME)
		snprintf(why, sizeof(why), "the output shows each of them");
	else
		profile_count_start(&pn->prn_count, &pn->prn_session,
		    &pn->prn_profile, pn->prn_keys, why, sizeof(why));
	if (*why != '\0' && showstime != OUT_NOTIME)
		profile_keep(&pn->prn_profile);
	if (!o->o_print.opi_verbose || pn->prn_keys == NULL)
		return;
	if (*why == '\0')
		warnx("hits are counted in the kernel");
	else
		warnx("hits are counted by dt: %s", why);
}

int
profile_run_end(struct profile_run *pn)
{
	int status;

	if (!pn->prn_isrecording)
		profile_run_count(pn);
	clock_gettime(CLOCK_REALTIME, &pn->prn_start);
	session_run(&pn->prn_session);
	if (!pn->prn_isrecording)
		profile_run_print(pn);
	status = session_end(&pn->prn_session);
	return pn->prn_istext
	    ? out_file_status(&pn->prn_out, &pn->prn_sink, status)
	    : status;
}

const char *
profile_run_check(const struct opts *o)
{
	if (o->o_print.opi_folded && o->o_file.ofi_name != NULL)
		return "-f prints to stdout; with -o, use FILE.folded";
	if (o->o_hosts.ohs_names != NULL && opts_isrecording(o))
		return "-o FILE.dt is a recording of one machine; it excludes -H";
	return NULL;
}
