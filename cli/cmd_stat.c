/* SPDX-License-Identifier: ISC */
/*
 * dt stat: counts events by probe and process.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "map.h"
#include "session.h"
#include "trace.h"

#define STAT_BUDGET (1 << 20) /* small events, read at once */

/* What is counted by.  Without gaps, as it is hashed and compared whole; in
 * this order, equal counts are sorted by process. */
struct stat_key {
	uint32_t sk_pbn;
	uint32_t sk_pid;
	char sk_comm[DT_REC_COMMLEN];
};

struct stat {
	struct session st_session;
	struct map st_map;	/* struct stat_key -> count */
	struct trace *st_trace; /* knows paths; NULL without --path */
};

static int
stat_event(void *arg, const struct dt_event *ev)
{
	struct stat *st = arg;
	struct stat_key key = {
		.sk_pbn = ev->ev_rec->dr_pbn,
		.sk_pid = ev->ev_rec->dr_pid,
	};

	if (st->st_trace != NULL && trace_event(st->st_trace, ev) == 0)
		return 0;
	if (ev->ev_comm != NULL) /* the section is as long as this */
		memcpy(key.sk_comm, ev->ev_comm, sizeof(key.sk_comm));
	map_get(&st->st_map, &key, sizeof(key))->me_count++;
	return 0;
}

static void
stat_print(void *arg, uint64_t nsecs)
{
	struct stat *st = arg;
	struct map_entry **list = map_sorted(&st->st_map);
	struct out_counts ot = {
		.ot_nsecs = nsecs,
		.ot_isinterval = st->st_session.ss_opts->o_interval != 0,
	};
	struct out_count *counts;
	struct stat_key *key;
	size_t i;

	clock_gettime(CLOCK_REALTIME, &ot.ot_end);
	if ((counts = calloc(st->st_map.mp_n + 1, sizeof(*counts))) == NULL)
		err(1, "counts");
	for (i = 0; i < st->st_map.mp_n; i++) {
		key = (struct stat_key *)list[i]->me_key;
		key->sk_comm[sizeof(key->sk_comm) - 1] = '\0';
		counts[ot.ot_n].oc_probe = names_probe(&st->st_session.ss_names,
		    key->sk_pbn);
		if (counts[ot.ot_n].oc_probe == NULL)
			continue; /* not enabled by us: can't be */
		counts[ot.ot_n].oc_pid = key->sk_pid;
		counts[ot.ot_n].oc_comm = key->sk_comm;
		counts[ot.ot_n++].oc_count = list[i]->me_count;
	}
	ot.ot_counts = counts;
	out_counts(&st->st_session.ss_out, &ot);
	free(counts);
	free(list);
	map_clear(&st->st_map);
}

static void
stat_started(void *arg)
{
	struct stat *st = arg;

	trace_live(st->st_trace, &st->st_session.ss_command);
}

static int
stat_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_evtflags = DTEVT_EXECNAME,
		.so_budget = STAT_BUDGET,
		.so_event = stat_event,
		.so_interval = stat_print,
	};
	struct stat st = { 0 };
	unsigned int i;

	if (opts->o_path != NULL) {
		ops.so_evtflags |= DTEVT_FUNCARGS | DTEVT_STRINGS;
		ops.so_openflags = DT_OPEN_ORDERED;
		ops.so_moreflags = trace_evtflags;
		ops.so_started = stat_started;
	}
	session_open(&st.st_session, opts, &ops, &st);
	if (opts->o_path != NULL)
		st.st_trace = trace_open(opts, &st.st_session.ss_names, NULL);
	for (i = 0; i < opts->o_nargs; i++)
		session_enable(&st.st_session, opts->o_args[i]);
	session_run(&st.st_session);
	st.st_session.ss_filtered = st.st_trace != NULL
	    ? trace_filtered(st.st_trace)
	    : 0;
	trace_close(st.st_trace);
	return session_end(&st.st_session);
}

static const char *
stat_set_interval(struct opts *o, const char *arg)
{
	if (opts_nsecs(arg, &o->o_interval) == -1 || o->o_interval < 1000000)
		return "should be seconds, 0.001 or more";
	return NULL;
}

static const struct opt stat_opts[] = {
	{ 'i', "interval", "SECONDS", stat_set_interval,
	    "print the counts of each such time, as 1 or 0.5" },
	{ 'F', "freq", "HZ", opts_set_hz, "rate of clock probes" }, { 0 }
};

const struct cmd cmd_stat = {
	.cmd_name = "stat",
	.cmd_args = "[-i SECONDS] PROBE ... [-- COMMAND]",
	.cmd_what = "count events by probe and process",
	.cmd_run = stat_run,
	.cmd_opts = stat_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS,
	.cmd_examples =
	    "  # the system calls of a command\n"
	    "  dt stat 'syscall:*:entry' -- ls\n"
	    "  # who opens files, for a second\n"
	    "  dt stat -d 1 syscall:openat:entry\n"
	    "  # who makes system calls, each second for three seconds\n"
	    "  dt stat -i 1 -d 3 'syscall:*:entry'\n",
};
