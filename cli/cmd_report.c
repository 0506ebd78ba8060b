/* SPDX-License-Identifier: ISC */
/*
 * dt report: prints a recording as dt record would have printed its events, or
 * as stat and profile would have counted them.  The file is foreign:
 * block_read.c tests its structure, dt_decode() the inside of a record, esc.c
 * makes its names fit for the terminal.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "ledger.h"
#include "names.h"
#include "out.h"
#include "profile.h"
#include "replay.h"
#include "tally.h"
#include "trace.h"

struct report {
	const struct report_view *rp_view;
	struct tally *rp_tally;	   /* --stat */
	struct profile rp_profile; /* --profile */
	struct names rp_names;
	struct out rp_out;
	struct trace *rp_trace;
	uint64_t rp_nevents;
	uint64_t rp_oldest; /* CLOCK_MONOTONIC: of the first event */
	uint64_t rp_youngest;
	struct dt_ledger rp_ledger;
	int rp_hasledger;
	struct block_stop rp_stop; /* bs_why 0: there was none */
};

/*
 * Views: what becomes of the events.  The one without an option is that of
 * record.
 */

static void
report_record_begin(struct report *rp, const struct opts *opts)
{
	rp->rp_trace = trace_open(opts, &rp->rp_names, &rp->rp_out);
}

static int
report_record_event(struct report *rp, const struct dt_event *ev)
{
	return trace_event(rp->rp_trace, ev) == -1 ? -1 : 0;
}

static void
report_record_end(struct report *rp, const struct opts *opts)
{
	(void)opts;
	trace_end(rp->rp_trace);
}

static void
report_stat_begin(struct report *rp, const struct opts *opts)
{
	char why[1024];
	struct by *by;

	by = by_alloc(opts->o_by, opts->o_sum, &rp->rp_names, why, sizeof(why));
	if (by == NULL)
		errx(1, "%s", why);
	if ((rp->rp_tally = calloc(1, sizeof(*rp->rp_tally))) == NULL)
		err(1, NULL);
	tally_init(rp->rp_tally, by, opts->o_maxkeys, opts->o_hist);
	if (opts->o_path != NULL)
		rp->rp_trace = trace_open(opts, &rp->rp_names, NULL);
}

static void
report_stat_probe(struct report *rp, const struct probe *pr)
{
	by_learn(rp->rp_tally->ta_by, pr);
}

/* Which arguments there are is known when the first event comes. */
static int
report_stat_event(struct report *rp, const struct dt_event *ev)
{
	char why[1024];

	if (rp->rp_nevents == 1 &&
	    by_check(rp->rp_tally->ta_by, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	if (rp->rp_trace == NULL || trace_event(rp->rp_trace, ev) != 0)
		tally_event(rp->rp_tally, ev);
	return 0;
}

static void
report_stat_end(struct report *rp, const struct opts *opts)
{
	(void)opts;
	tally_end(rp->rp_tally);
	tally_print(rp->rp_tally, &rp->rp_out, rp->rp_youngest - rp->rp_oldest,
	    0);
	tally_free(rp->rp_tally);
	free(rp->rp_tally);
}

static void
report_profile_begin(struct report *rp, const struct opts *opts)
{
	rp->rp_profile.pf_names = &rp->rp_names;
	rp->rp_profile.pf_withidle = opts->o_idle;
}

static int
report_profile_event(struct report *rp, const struct dt_event *ev)
{
	profile_event(&rp->rp_profile, ev);
	return 0;
}

static void
report_profile_end(struct report *rp, const struct opts *opts)
{
	profile_print(&rp->rp_profile, &rp->rp_out, opts->o_top);
}

/* By o_view; rv_probe may be NULL. */
static const struct report_view {
	void (*rv_begin)(struct report *, const struct opts *);
	void (*rv_probe)(struct report *, const struct probe *);
	int (*rv_event)(struct report *, const struct dt_event *);
	void (*rv_end)(struct report *, const struct opts *);
} report_views[] = {
	[VIEW_RECORD] = { report_record_begin, NULL, report_record_event,
	    report_record_end },
	[VIEW_STAT] = { report_stat_begin, report_stat_probe, report_stat_event,
	    report_stat_end },
	[VIEW_PROFILE] = { report_profile_begin, NULL, report_profile_event,
	    report_profile_end },
};

/*
 * Items
 */

static ssize_t
report_read(void *arg, void *buf, size_t nbytes)
{
	return read(*(int *)arg, buf, nbytes);
}

static int
report_probe(struct report *rp, const struct block_item *it)
{
	const struct block_probe *pb = &it->bi_probe;
	struct dt_probe_desc pd;
	struct dtioc_probe_info *pi = &pd.pd_info;
	unsigned int i;

	memset(&pd, 0, sizeof(pd));
	pi->dtpi_pbn = pb->pb_pbn;
	pi->dtpi_nargs = pb->pb_nargs;
	snprintf(pi->dtpi_prov, sizeof(pi->dtpi_prov), "%s", pb->pb_prov);
	snprintf(pi->dtpi_func, sizeof(pi->dtpi_func), "%s", pb->pb_func);
	snprintf(pi->dtpi_name, sizeof(pi->dtpi_name), "%s", pb->pb_name);
	for (i = 0; i < pb->pb_nargs && i < DT_REC_NARGS; i++) {
		snprintf(pd.pd_types[i].dtai_argtype, DTNAMESIZE, "%s",
		    pb->pb_args[i].type);
		snprintf(pd.pd_names[i].dtan_name, DTNAMESIZE, "%s",
		    pb->pb_args[i].name);
		pd.pd_names[i].dtan_flags = pb->pb_args[i].flags;
	}
	names_add_probe(&rp->rp_names, &pd);
	if (rp->rp_view->rv_probe != NULL)
		rp->rp_view->rv_probe(rp,
		    names_probe(&rp->rp_names, pb->pb_pbn));
	return 0;
}

static int
report_ksym(struct report *rp, const struct block_item *it)
{
	names_add_ksym(&rp->rp_names, it->bi_ksym.pc, it->bi_ksym.name,
	    it->bi_ksym.offset);
	return 0;
}

/* What is wrong with a record, or NULL. */
static const char *
report_verify(void *arg, const struct dt_rec *rec)
{
	struct report *rp = arg;
	const struct probe *pr = names_probe(&rp->rp_names, rec->dr_pbn);
	struct dt_event ev;

	if (pr == NULL)
		return "an event is of a probe that the file doesn't describe";
	if (dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1)
		return "an event contradicts itself";
	return NULL;
}

static int
report_cgroup(struct report *rp, const struct block_item *it)
{
	cgroups_add(&rp->rp_names.nm_cgroups, it->bi_cgroup.id,
	    it->bi_cgroup.path);
	return 0;
}

/* Users have the names of this machine if it is the one that recorded; numbers,
 * those of its architecture. */
static int
report_head(struct report *rp, const struct block_item *it)
{
	char host[HOST_NAME_MAX + 1];

	if (gethostname(host, sizeof(host)) == 0)
		rp->rp_names.nm_ishere = strcmp(host, it->bi_head->bf_host) ==
		    0;
	rp->rp_names.nm_machine = machine_find(it->bi_head->bf_machine);
	return 0;
}

static int
report_record(struct report *rp, const struct block_item *it)
{
	const struct dt_rec *rec = it->bi_rec;
	const struct probe *pr = names_probe(&rp->rp_names, rec->dr_pbn);
	struct dt_event ev;
	int64_t nsecs;

	if (pr == NULL ||
	    dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1)
		return 0; /* report_verify() has looked: can't be */
	ev.ev_cpu = it->bi_cpu;
	nsecs = (int64_t)(rec->dr_time + (uint64_t)it->bi_clock);
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	if (ev.ev_realtime.tv_nsec < 0) { /* before 1970 */
		ev.ev_realtime.tv_sec--;
		ev.ev_realtime.tv_nsec += 1000000000;
	}
	if (rp->rp_nevents++ == 0)
		rp->rp_oldest = rec->dr_time;
	if (rec->dr_time < rp->rp_youngest)
		rp->rp_out.out_late++; /* it was when it was recorded */
	else
		rp->rp_youngest = rec->dr_time;
	return rp->rp_view->rv_event(rp, &ev);
}

static int
report_file(struct report *rp, const struct block_item *it)
{
	if (rp->rp_trace != NULL)
		procs_set(trace_procs(rp->rp_trace), it->bi_file.pid,
		    it->bi_file.fd, it->bi_file.path);
	return 0;
}

static int
report_stop(struct report *rp, const struct block_item *it)
{
	rp->rp_stop = it->bi_stop;
	return 0;
}

static int
report_ledger(struct report *rp, const struct block_item *it)
{
	rp->rp_ledger = it->bi_ledger;
	rp->rp_hasledger = 1;
	return 0;
}

/* By the type of an item; each returns 0, or -1 to end. */
static int (*const report_items[])(struct report *,
    const struct block_item *) = {
	[BLOCK_PROBE] = report_probe,
	[BLOCK_KSYM] = report_ksym,
	[BLOCK_DATA] = report_record,
	[BLOCK_STOP] = report_stop,
	[BLOCK_LEDGER] = report_ledger,
	[BLOCK_CGROUP] = report_cgroup,
	[BLOCK_FILE] = report_file,
};

static int
report_item(struct report *rp, const struct block_item *it)
{
	if (it->bi_type == BLOCK_HEAD)
		return report_head(rp, it);
	if (it->bi_type >= sizeof(report_items) / sizeof(report_items[0]) ||
	    report_items[it->bi_type] == NULL)
		return 0; /* what a report has no use for */
	return report_items[it->bi_type](rp, it);
}

/* What was wrong with the file, or NULL. */
static const char *
report_items_of(struct report *rp, struct replay *r)
{
	struct block_item it;

	while (replay_next(r, &it) == 1) {
		if (report_item(rp, &it) == -1)
			return NULL; /* of the output */
	}
	return replay_damage(r);
}

static void
report_print_ledger(struct report *rp, const struct ledger_run *lr)
{
	struct buf b;

	if (!rp->rp_hasledger)
		return;
	buf_init(&b, STDERR_FILENO);
	ledger_text(&b, &rp->rp_ledger, lr);
	buf_flush(&b);
	buf_free(&b);
}

/* The file that comes after NAME.2 is NAME.1, and after that NAME. */
static void
report_print_next(const struct report *rp, const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t n;

	if (dot == NULL || opts_number(dot + 1, 1, UINT32_MAX, &n) == -1)
		warnx("%s has %llu events, and the recording goes on in "
		      "another file",
		    name, (unsigned long long)rp->rp_nevents);
	else if (n == 1)
		warnx("%s has %llu events, and the recording goes on in %.*s",
		    name, (unsigned long long)rp->rp_nevents, (int)(dot - name),
		    name);
	else
		warnx("%s has %llu events, and the recording goes on in "
		      "%.*s.%llu",
		    name, (unsigned long long)rp->rp_nevents, (int)(dot - name),
		    name, (unsigned long long)n - 1);
}

/* Why the file ends before the recording does, if that is so. */
static void
report_print_stop(const struct report *rp, const char *name)
{
	const struct block_stop *stop = &rp->rp_stop;
	char rest[96] = "";

	if (stop->bs_unwritten > 0)
		snprintf(rest, sizeof(rest),
		    "; %llu events that came after that are not in it",
		    (unsigned long long)stop->bs_unwritten);
	switch (stop->bs_why) {
	case 0:
		break;
	case BLOCK_STOP_NEXT:
		report_print_next(rp, name);
		break;
	case BLOCK_STOP_SIZE:
		warnx("%s was full (--max-size)%s", name, rest);
		break;
	case BLOCK_STOP_ERROR:
		warnx("%s could be written no further: %s%s", name,
		    strerror(stop->bs_errno), rest);
		break;
	default:
		warnx("%s ends early, for a reason that this dt doesn't "
		      "know%s",
		    name, rest);
	}
}

static void
report_damage(const char *name, const char *bad, uint64_t offset,
    uint64_t nevents)
{
	if (offset == 0)
		warnx("%s: %s", name, bad);
	else
		warnx("%s: at byte %llu: %s; all before it was printed "
		      "(%llu events)",
		    name, (unsigned long long)offset, bad,
		    (unsigned long long)nevents);
}

static int
report_open(const char *name)
{
	int fd;

	if (strcmp(name, "-") == 0)
		return STDIN_FILENO;
	if ((fd = open(name, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", name);
	return fd;
}

static int
report_run(struct opts *opts)
{
	struct report rp = { 0 };
	struct ledger_run lr = { .lr_isreport = 1 };
	struct replay *r;
	const char *bad;
	int error, fd;

	fd = report_open(opts->o_args[0]);
	r = replay_alloc(report_read, report_verify, &fd, &rp);
	names_init(&rp.rp_names, NULL);
	out_open(&rp.rp_out, opts, &rp.rp_names);
	rp.rp_view = &report_views[opts->o_view];
	rp.rp_view->rv_begin(&rp, opts);
	bad = report_items_of(&rp, r);
	rp.rp_view->rv_end(&rp, opts);
	if (rp.rp_trace != NULL)
		lr.lr_filtered = trace_filtered(rp.rp_trace);
	lr.lr_shown = rp.rp_nevents - lr.lr_filtered;
	trace_close(rp.rp_trace);
	lr.lr_late = rp.rp_out.out_late;
	if (rp.rp_hasledger)
		out_ledger(&rp.rp_out, &rp.rp_ledger, &lr);
	if ((error = out_close(&rp.rp_out)) != 0)
		errx(1, "output: %s", strerror(error));
	report_print_ledger(&rp, &lr);
	report_print_stop(&rp, opts->o_args[0]);
	if (bad != NULL)
		report_damage(opts->o_args[0], bad, replay_offset(r),
		    rp.rp_nevents);
	replay_free(r);
	names_free(&rp.rp_names);
	if (bad != NULL)
		return 1;
	return opts->o_strict && ledger_lost(&rp.rp_ledger) > 0 ? 3 : 0;
}

static const char *
report_set_stat(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_view = VIEW_STAT;
	return NULL;
}

static const char *
report_set_profile(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_view = VIEW_PROFILE;
	return NULL;
}

/* Options that only a view has. */
static const char *
report_check(const struct opts *o)
{
	if (o->o_view != VIEW_STAT &&
	    (o->o_by != NULL || o->o_sum != NULL || o->o_maxkeys != 0 ||
		o->o_hist))
		return "--by, --sum, --hist and --max-keys need --stat";
	if (o->o_hist && o->o_sum == NULL)
		return "--hist needs --sum: what is counted, as duration";
	if (o->o_view != VIEW_PROFILE && (o->o_folded || o->o_idle))
		return "-f and --idle need --profile";
	if (o->o_view == VIEW_PROFILE && o->o_path != NULL)
		return "--path goes not with --profile";
	if (o->o_view != VIEW_RECORD && o->o_nojoin)
		return "--no-join goes neither with --stat nor with --profile";
	if (o->o_view == VIEW_RECORD && o->o_top != 0)
		return "--top needs --stat or --profile";
	if (o->o_view != VIEW_RECORD && o->o_columns != NULL)
		return "--columns goes neither with --stat nor with --profile";
	return NULL;
}

static const struct opt report_opts[] = { { 'j', "json", NULL, opts_set_json,
					      "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when events had been lost" },
	{ 0, "path", "PREFIX", opts_set_path,
	    "only calls with paths that begin so" },
	{ 0, "no-join", NULL, opts_set_nojoin,
	    "calls and their results apart, as they came" },
	{ 0, "columns", "LIST", opts_set_columns,
	    "show these in front, as time,comm,uid; or add +uid,cgroup" },
	{ 0, "stat", NULL, report_set_stat, "count, as dt stat" },
	{ 0, "by", "KEY,KEY", opts_set_by,
	    "with --stat: by these, as comm,errno (probe,pid,comm)" },
	{ 0, "sum", "ARG", opts_set_sum,
	    "with --stat: add up an argument, retval or duration, too" },
	{ 0, "hist", NULL, opts_set_hist, "with --sum: how that is spread" },
	{ 0, "max-keys", "N", opts_set_maxkeys,
	    "with --stat: room for so many rows (1000000)" },
	{ 0, "profile", NULL, report_set_profile,
	    "functions and stacks, as dt profile" },
	{ 'f', "folded", NULL, opts_set_folded,
	    "with --profile: folded stacks, for flame graphs" },
	{ 0, "idle", NULL, opts_set_idle,
	    "with --profile: do not leave out idle CPUs" },
	{ 0, "top", "N", opts_set_top,
	    "with --stat, --profile: so many rows, or stacks" },
	{ 0 } };

const struct cmd cmd_report = {
	.cmd_name = "report",
	.cmd_args = "[-j] [--stat | --profile] FILE.dt",
	.cmd_what = "print a recording, or count what is in it",
	.cmd_run = report_run,
	.cmd_opts = report_opts,
	.cmd_flags = CMD_FILE,
	.cmd_check = report_check,
	.cmd_examples = "  # first there must be a recording\n"
			"  dt record -o ls.dt 'syscall:*' -- ls\n"
			"  # its events\n"
			"  dt report ls.dt\n"
			"  # for programs\n"
			"  dt report -j ls.dt\n"
			"  # which calls failed, and how\n"
			"  dt report --stat --by probe,errno ls.dt\n"
			"  # where the stacks were\n"
			"  dt record -g -o lsg.dt syscall:openat:entry -- ls\n"
			"  dt report --profile lsg.dt\n",
};
