/* SPDX-License-Identifier: ISC */
/*
 * Handles the items of a recording: descriptions, names, events, and its end.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/report.h"
#include "cli/sym/rec_symbols.h"

/*
 * Flags of probes in older files, which do not contain them, by provider.  New
 * providers are not added.
 */
static const struct {
	const char *prov;
	uint8_t flags;
} report_flags[] = {
	{ "profile", DTPI_CLOCK },
	{ "interval", DTPI_CLOCK | DTPI_ANYTASK },
	{ "syscall", DTPI_CALL },
	{ "syscall32", DTPI_CALL | DTPI_COMPAT },
	{ "kprobe", DTPI_FUNC },
	{ "tracepoint", DTPI_FIELDS | DTPI_RECORD },
	{ "rawtracepoint", DTPI_FIELDS },
};

static uint8_t
report_flags_of(const struct block_probe *pb)
{
	size_t i;

	for (i = 0; i < sizeof(report_flags) / sizeof(report_flags[0]); i++)
		if (pb->pb_flags == 0 &&
		    strcmp(report_flags[i].prov, pb->pb_prov) == 0)
			return report_flags[i].flags;
	return pb->pb_flags;
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
	pi->dtpi_flags = report_flags_of(pb);
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
	name_cache_add_probe(&rp->rpt_names, &pd);
	if (rp->rpt_view->rv_probe != NULL)
		rp->rpt_view->rv_probe(rp,
		    name_cache_probe(&rp->rpt_names, pb->pb_pbn));
	return 0;
}

static int
report_ksym(struct report *rp, const struct block_item *it)
{
	name_cache_add_ksym(&rp->rpt_names, it->bi_ksym.pc, it->bi_ksym.name,
	    it->bi_ksym.offset);
	return 0;
}

const char *
report_verify(void *arg, const struct dt_rec *rec)
{
	struct report *rp = arg;
	const struct probe *pr = name_cache_probe(&rp->rpt_names, rec->dr_pbn);
	struct dt_event ev;

	if (pr == NULL)
		return "an event has a probe that the file does not describe";
	if (dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1)
		return "an event is inconsistent";
	return NULL;
}

static int
report_cgroup(struct report *rp, const struct block_item *it)
{
	cgroups_add(&rp->rpt_names.nm_cgroups, it->bi_cgroup.id,
	    it->bi_cgroup.path);
	return 0;
}

/*
 * Uses this machine's user names if it made the recording, and the constants of
 * the recording's architecture.  Prints the head.
 */
static int
report_head(struct report *rp, const struct block_item *it)
{
	char host[HOST_NAME_MAX + 1];

	if (gethostname(host, sizeof(host)) == 0)
		rp->rpt_names.nm_ishere = strcmp(host, it->bi_head->bf_host) ==
		    0;
	rp->rpt_start.tv_sec = it->bi_head->bf_start / 1000000000;
	rp->rpt_start.tv_nsec = it->bi_head->bf_start % 1000000000;
	rp->rpt_names.nm_machine = machine_find(it->bi_head->bf_machine);
	return out_head(&rp->rpt_out, it->bi_head);
}

static int
report_record(struct report *rp, const struct block_item *it)
{
	const struct dt_rec *rec = it->bi_rec;
	const struct probe *pr = name_cache_probe(&rp->rpt_names, rec->dr_pbn);
	struct dt_event ev;
	int64_t nsecs;

	if (pr == NULL ||
	    dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == -1)
		return 0; /* cannot fail: report_verify() has checked it */
	ev.ev_cpu = it->bi_cpu;
	nsecs = (int64_t)(rec->dr_time + (uint64_t)it->bi_clock);
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	if (ev.ev_realtime.tv_nsec < 0) { /* before 1970 */
		ev.ev_realtime.tv_sec--;
		ev.ev_realtime.tv_nsec += 1000000000;
	}
	if (rp->rpt_nread++ == 0)
		rp->rpt_first = rec->dr_time;
	if (!report_isselected(rp, &ev))
		return 0;
	if (rp->rpt_nevents++ == 0)
		rp->rpt_oldest = rec->dr_time;
	if (rec->dr_time < rp->rpt_youngest)
		rp->rpt_late++; /* was already late when recorded */
	else
		rp->rpt_youngest = rec->dr_time;
	return rp->rpt_view->rv_event(rp, &ev);
}

static int
report_file(struct report *rp, const struct block_item *it)
{
	if (rp->rpt_trace != NULL)
		procs_set(calls_procs(rp->rpt_trace), it->bi_file.pid,
		    it->bi_file.fd, it->bi_file.path);
	return 0;
}

static int
report_maps(struct report *rp, const struct block_item *it)
{
	rec_symbols_add(rp->rpt_names.nm_umaps, &it->bi_map);
	return 0;
}

static int
report_usym(struct report *rp, const struct block_item *it)
{
	rec_symbols_add_name(rp->rpt_names.nm_umaps, &it->bi_usym);
	return 0;
}

static int
report_stop(struct report *rp, const struct block_item *it)
{
	rp->rpt_stop = it->bi_stop;
	return 0;
}

static int
report_ledger(struct report *rp, const struct block_item *it)
{
	rp->rpt_ledger = it->bi_ledger;
	rp->rpt_hasledger = 1;
	return 0;
}

/* By type of the item; each returns 0, or -1 to end. */
static int (*const report_items[])(struct report *,
    const struct block_item *) = {
	[BLOCK_PROBE] = report_probe,
	[BLOCK_KSYM] = report_ksym,
	[BLOCK_DATA] = report_record,
	[BLOCK_STOP] = report_stop,
	[BLOCK_LEDGER] = report_ledger,
	[BLOCK_CGROUP] = report_cgroup,
	[BLOCK_FILE] = report_file,
	[BLOCK_MAPS] = report_maps,
	[BLOCK_USYM] = report_usym,
};

int
report_item(struct report *rp, const struct block_item *it)
{
	if (it->bi_type == BLOCK_HEAD)
		return report_head(rp, it);
	if (it->bi_type >= sizeof(report_items) / sizeof(report_items[0]) ||
	    report_items[it->bi_type] == NULL)
		return 0; /* not needed in a report */
	return report_items[it->bi_type](rp, it);
}
