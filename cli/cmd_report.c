/* SPDX-License-Identifier: ISC */
/*
 * dt report: prints a recording as dt record would have printed its events.
 * The file is foreign: block.c tests its structure, dt_decode() the inside of
 * a record, esc.c makes its names fit for the terminal.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/block.h"

#include "cmd.h"
#include "ledger.h"
#include "names.h"
#include "out.h"
#include "trace.h"

struct report {
	struct names rp_names;
	struct out rp_out;
	struct trace *rp_trace;
	int64_t rp_clock; /* to add for CLOCK_REALTIME */
	uint64_t rp_nevents;
	uint64_t rp_youngest; /* CLOCK_MONOTONIC */
	struct dt_ledger rp_ledger;
	int rp_hasledger;
	const char *rp_bad; /* what was wrong with an item */
};

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
	for (i = 0; i < pb->pb_nargs && i < DTMAXFUNCARGS; i++) {
		snprintf(pd.pd_types[i].dtai_argtype, DTNAMESIZE, "%s",
		    pb->pb_args[i].type);
		snprintf(pd.pd_names[i].dtan_name, DTNAMESIZE, "%s",
		    pb->pb_args[i].name);
		pd.pd_names[i].dtan_flags = pb->pb_args[i].flags;
	}
	names_add_probe(&rp->rp_names, &pd);
	return 0;
}

static int
report_clock(struct report *rp, const struct block_item *it)
{
	rp->rp_clock = it->bi_clock;
	return 0;
}

static int
report_ksym(struct report *rp, const struct block_item *it)
{
	names_add_ksym(&rp->rp_names, it->bi_ksym.pc, it->bi_ksym.name,
	    it->bi_ksym.offset);
	return 0;
}

static int
report_record(struct report *rp, const struct block_item *it)
{
	const struct dt_rec *rec = it->bi_rec;
	const struct probe *pr;
	struct dt_event ev;
	int64_t nsecs;

	if (rec->dr_kind != DT_REC_EVENT)
		return 0; /* of a later version */
	if ((pr = names_probe(&rp->rp_names, rec->dr_pbn)) == NULL) {
		rp->rp_bad = "an event is of a probe that the file doesn't "
			     "describe";
		return -1;
	}
	if (dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1) {
		rp->rp_bad = "an event contradicts itself";
		return -1;
	}
	ev.ev_cpu = it->bi_cpu;
	nsecs = (int64_t)(rec->dr_time + (uint64_t)rp->rp_clock);
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	if (ev.ev_realtime.tv_nsec < 0) { /* before 1970 */
		ev.ev_realtime.tv_sec--;
		ev.ev_realtime.tv_nsec += 1000000000;
	}
	rp->rp_nevents++;
	if (rec->dr_time < rp->rp_youngest)
		rp->rp_out.out_late++; /* it was when it was recorded */
	else
		rp->rp_youngest = rec->dr_time;
	return trace_event(rp->rp_trace, &ev) == -1 ? -1 : 0;
}

static int
report_file(struct report *rp, const struct block_item *it)
{
	procs_set(trace_procs(rp->rp_trace), it->bi_file.pid, it->bi_file.fd,
	    it->bi_file.path);
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
	[BLOCK_CLOCK] = report_clock,
	[BLOCK_KSYM] = report_ksym,
	[BLOCK_DATA] = report_record,
	[BLOCK_LEDGER] = report_ledger,
	[BLOCK_FILE] = report_file,
};

static int
report_item(struct report *rp, const struct block_item *it)
{
	if (it->bi_type >= sizeof(report_items) / sizeof(report_items[0]) ||
	    report_items[it->bi_type] == NULL)
		return 0; /* the head, and what a report has no use for */
	return report_items[it->bi_type](rp, it);
}

/* What was wrong with the file, or NULL. */
static const char *
report_items_of(struct report *rp, struct block_reader *r)
{
	struct block_item it;
	int n;

	while ((n = block_next(r, &it)) == 1) {
		if (report_item(rp, &it) == -1)
			return rp->rp_bad;
	}
	return block_damage(r);
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
	struct block_reader *r;
	const char *bad;
	int error, fd;

	fd = report_open(opts->o_args[0]);
	if ((r = block_reader_alloc(report_read, &fd)) == NULL)
		err(1, NULL);
	names_init(&rp.rp_names, NULL);
	out_open(&rp.rp_out, opts, &rp.rp_names);
	rp.rp_trace = trace_open(opts, &rp.rp_names, &rp.rp_out);
	bad = report_items_of(&rp, r);
	trace_end(rp.rp_trace);
	lr.lr_filtered = trace_filtered(rp.rp_trace);
	lr.lr_shown = rp.rp_nevents - lr.lr_filtered;
	trace_close(rp.rp_trace);
	lr.lr_late = rp.rp_out.out_late;
	if (rp.rp_hasledger)
		out_ledger(&rp.rp_out, &rp.rp_ledger, &lr);
	if ((error = out_close(&rp.rp_out)) != 0)
		errx(1, "output: %s", strerror(error));
	report_print_ledger(&rp, &lr);
	if (bad != NULL)
		report_damage(opts->o_args[0], bad, block_offset(r),
		    rp.rp_nevents);
	block_reader_free(r);
	names_free(&rp.rp_names);
	if (bad != NULL)
		return 1;
	return opts->o_strict && ledger_lost(&rp.rp_ledger) > 0 ? 3 : 0;
}

static const struct opt report_opts[] = { { 'j', "json", NULL, opts_set_json,
					      "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when events had been lost" },
	{ 0, "path", "PREFIX", opts_set_path,
	    "only calls with paths that begin so" },
	{ 0, "no-join", NULL, opts_set_nojoin,
	    "calls and their results apart, as they came" },
	{ 0 } };

const struct cmd cmd_report = {
	.cmd_name = "report",
	.cmd_args = "[-j] FILE.dt",
	.cmd_what = "print a recording of dt record -o",
	.cmd_run = report_run,
	.cmd_opts = report_opts,
	.cmd_flags = CMD_FILE,
	.cmd_examples = "  # first there must be a recording\n"
			"  dt record -o ls.dt 'syscall:*' -- ls\n"
			"  # its events\n"
			"  dt report ls.dt\n"
			"  # for programs\n"
			"  dt report -j ls.dt\n",
};
