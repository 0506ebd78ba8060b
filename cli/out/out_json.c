/* SPDX-License-Identifier: ISC */
/*
 * Prints JSON lines: one object per line, the ledger last.  dt(1) documents the
 * keys, report.schema.json the lines of dt record and dt report.  New keys may
 * be added, with a new version of the schema; none changes its meaning.
 *
 * The output is written without a library because an event of record then costs
 * about a microsecond; json-c would build and free a tree of a dozen objects
 * for each.
 */
#include <string.h>

#include "cli/out/out_json.h"

/* Prints the machine and the start of a recording, once per stream. */
static void
json_head(struct out *out, const struct block_head *head)
{
	struct buf *b = &out->out_buf;

	buf_str(b, "{\"head\":{");
	json_u64(b, "schema", OUT_JSON_SCHEMA);
	json_key(b, "start");
	buf_s64(b, head->bf_start);
	json_field(b, "host", head->bf_host);
	json_key(b, "boot_id");
	if (head->bf_boot[0] != '\0')
		json_text(b, head->bf_boot);
	else
		buf_str(b, "null");
	json_field(b, "kernel", head->bf_release);
	json_field(b, "machine", head->bf_machine);
	json_u64(b, "cpus", head->bf_ncpu);
	json_u64(b, "part", head->bf_part);
	json_field(b, "writer", head->bf_writer);
	buf_str(b, "}}\n");
}

static void
json_probe(struct out *out, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct buf *b = &out->out_buf;
	unsigned int i;

	buf_c(b, '{');
	json_field(b, "probe", pr->pr_full);
	json_u64(b, "pbn", pd->pd_info.dtpi_pbn);
	json_key(b, "args");
	buf_c(b, '[');
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++) {
		buf_str(b, i > 0 ? ",{" : "{");
		json_field(b, "name", pd->pd_names[i].dtan_name);
		json_field(b, "type", pd->pd_types[i].dtai_argtype);
		buf_c(b, '}');
	}
	buf_str(b, "]}\n");
}

static void
json_prov(struct out *out, const struct dtioc_prov_info *pv)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_field(b, "provider", pv->dtpv_name);
	json_u64(b, "probes", pv->dtpv_nprobes);
	json_key(b, "available");
	buf_str(b, pv->dtpv_available ? "true" : "false");
	json_key(b, "reason");
	json_str(b, pv->dtpv_reason, sizeof(pv->dtpv_reason));
	buf_str(b, "}\n");
}

static void
json_tool(struct out *out, const char *name, const char *what)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_field(b, "tool", name);
	json_field(b, "description", what);
	buf_str(b, "}\n");
}

static void
json_stats(struct buf *b, const struct out_counts *ot, const struct hist *hi)
{
	unsigned int i;

	for (i = 0; i < HIST_NSTATS; i++) {
		if (!(ot->ot_stats >> i & 1))
			continue;
		json_key(b, hist_stat_name(i));
		if (hi != NULL)
			buf_s64(b, hist_stat(hi, i));
		else
			buf_str(b, "null");
	}
	if (ot->ot_ishist && hi != NULL) {
		json_key(b, "hist");
		hist_json(hi, b);
	}
}

static void
json_count(struct out *out, const struct out_counts *ot,
    const struct out_count *oc)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_interval(b, ot);
	if (ot->ot_isinterval)
		buf_c(b, ',');
	keys_json(ot->ot_by, oc->oc_key, b);
	json_u64(b, "count", oc->oc_count);
	if (keys_sumname(ot->ot_by) != NULL) {
		json_key(b, "sum");
		buf_s64(b, oc->oc_sum);
	}
	json_stats(b, ot, oc->oc_hist);
	if (oc->oc_key == NULL) {
		json_key(b, "other");
		buf_str(b, "true");
	}
	if (oc->oc_isfull) {
		json_key(b, "full");
		buf_str(b, "true");
	}
	buf_str(b, "}\n");
	buf_line(b);
}

static void
json_counts(struct out *out, const struct out_counts *ot)
{
	const struct out_count others = {
		.oc_count = ot->ot_nothers,
		.oc_sum = ot->ot_othersum,
	};
	const struct out_count full = {
		.oc_count = ot->ot_nfull,
		.oc_isfull = 1,
	};
	size_t i;

	for (i = 0; i < ot->ot_n; i++)
		json_count(out, ot, &ot->ot_counts[i]);
	if (ot->ot_nothers > 0)
		json_count(out, ot, &others);
	if (ot->ot_nfull > 0)
		json_count(out, ot, &full);
}

static void
json_check(struct buf *b, const struct out_check *ox)
{
	static const char *const verdicts[] = {
		[OUT_OK] = "ok",
		[OUT_FACT] = "fact",
		[OUT_WARNING] = "warning",
		[OUT_MISSING] = "missing",
	};

	buf_c(b, '{');
	json_field(b, "section", ox->ox_section);
	json_field(b, "check", ox->ox_name);
	json_field(b, "verdict", verdicts[ox->ox_verdict]);
	json_field(b, "found", ox->ox_found);
	json_field(b, "advice", ox->ox_advice != NULL ? ox->ox_advice : "");
	buf_c(b, '}');
}

static void
json_trial(struct buf *b, const struct out_trial *ol)
{
	buf_c(b, '{');
	json_field(b, "probe", ol->ol_probe);
	json_key(b, "works");
	buf_str(b, ol->ol_works ? "true" : "false");
	json_u64(b, "made", ol->ol_made);
	json_u64(b, "read", ol->ol_read);
	json_u64(b, "enable", ol->ol_enable);
	json_u64(b, "record", ol->ol_record);
	json_u64(b, "event", ol->ol_event);
	buf_c(b, '}');
}

/* One object, on one line. */
static void
json_doctor(struct out *out, const struct out_doctor *od)
{
	struct buf *b = &out->out_buf;
	const char *sep = "";
	size_t i;

	buf_c(b, '{');
	json_field(b, "release", od->od_release);
	json_key(b, "works");
	buf_str(b, od->od_works ? "true" : "false");
	json_key(b, "checks");
	buf_c(b, '[');
	for (i = 0; i < od->od_nchecks; i++, sep = ",") {
		buf_str(b, sep);
		json_check(b, &od->od_checks[i]);
	}
	buf_c(b, ']');
	json_key(b, "trials");
	buf_c(b, '[');
	for (i = 0, sep = ""; i < od->od_ntrials; i++) {
		if (od->od_trials[i].ol_probe == NULL)
			continue;
		buf_str(b, sep);
		json_trial(b, &od->od_trials[i]);
		sep = ",";
	}
	buf_str(b, "]}\n");
}

static void
json_ledger(struct out *out, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	const char *why = ledger_stopped(dl, lr);
	struct buf *b = &out->out_buf;

	buf_str(b, "{\"ledger\":{");
	json_u64(b, "fired", dl->dl_fired);
	json_u64(b, "read", ledger_events(dl));
	json_u64(b, "dropped", dl->dl_dropped);
	json_u64(b, "recursed", dl->dl_recursed);
	if (dl->dl_mode == DT_MODE_AGGREGATE) {
		json_u64(b, "counted", dl->dl_counted);
		json_u64(b, "mapfull", dl->dl_mapfull);
	}
	json_key(b, "missed");
	if (dl->dl_flags & DT_LEDGER_MISSED_UNKNOWN)
		buf_str(b, "null"); /* the kernel did not report it */
	else
		buf_u64(b, dl->dl_missed);
	json_u64(b, "excluded", dl->dl_excluded);
	json_u64(b, "skipped", ledger_skipped(dl));
	json_u64(b, "late", lr->lr_late);
	if (dl->dl_unpaired != 0)
		json_u64(b, "unpaired", dl->dl_unpaired);
	if (out->out_opts->o_select.ose_path != NULL) {
		json_u64(b, "filtered", lr->lr_filtered);
		json_u64(b, "path_unknown", lr->lr_unknown);
	}
	if (lr->lr_pending != 0)
		json_u64(b, "pending", lr->lr_pending);
	if (lr->lr_guesses != 0)
		json_u64(b, "path_late", lr->lr_guesses);
	if (dl->dl_flags & DT_LEDGER_NEWEST)
		json_u64(b, "kept", lr->lr_shown);
	buf_c(b, '}');
	if (lr->lr_ncpu != 0)
		json_u64(b, "cost", lr->lr_cost);
	if (why != NULL) {
		json_key(b, "stopped");
		json_str(b, why, strlen(why));
	}
	if (dl->dl_flags & DT_LEDGER_NOTABLES)
		buf_str(b, ",\"no_tables\":true");
	if (dl->dl_flags & DT_LEDGER_ENDED)
		buf_str(b, ",\"ended\":true");
	buf_str(b, "}\n");
}

const struct out_format out_json = {
	.f_name = "json",
	.f_flags = CONSUMER_PATHS,
	.f_isexact = 1,
	.f_head = json_head,
	.f_probe = json_probe,
	.f_prov = json_prov,
	.f_tool = json_tool,
	.f_call = json_event,
	.f_counts = json_counts,
	.f_syscalls = json_syscalls,
	.f_profile = json_profile,
	.f_where = json_where,
	.f_kcov = json_kcov,
	.f_doctor = json_doctor,
	.f_ledger = json_ledger,
};
