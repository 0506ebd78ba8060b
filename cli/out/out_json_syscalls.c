/* SPDX-License-Identifier: ISC */
/* Prints the calls of dt syscalls as JSON lines; times are nanoseconds. */
#include <stdio.h>

#include "cli/base/val.h"
#include "cli/out/out_json.h"

static void
json_failures(struct buf *b, const struct out_syscall *oc)
{
	const struct out_failure *of = oc->osc_failures;
	const char *name;
	char number[16];
	size_t i;

	json_key(b, "errors");
	buf_c(b, '{');
	for (i = 0; i < oc->osc_nfailures; i++, of++) {
		snprintf(number, sizeof(number), "%u", of->ofl_errno);
		name = val_errname(of->ofl_errno);
		json_u64(b, name != NULL ? name : number, of->ofl_count);
	}
	buf_c(b, '}');
}

static void
json_times(struct buf *b, const struct hist *hi)
{
	static const enum hist_stat stats[] = { HIST_AVG, HIST_MIN, HIST_P50,
		HIST_P90, HIST_P99, HIST_MAX };
	unsigned int i;

	json_key(b, "sum");
	if (hi->hi_count != 0)
		buf_s64(b, hi->hi_sum);
	else
		buf_str(b, "null");
	for (i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		json_key(b, hist_stat_name(stats[i]));
		if (hi->hi_count != 0)
			buf_s64(b, hist_stat(hi, stats[i]));
		else
			buf_str(b, "null");
	}
}

static void
json_syscall(struct out *out, const struct out_syscalls *ol,
    const struct out_syscall *oc)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_interval(b, ol->osl_counts);
	json_field(b, "call", oc->osc_name);
	if (ol->osl_isbypid) {
		json_u64(b, "pid", oc->osc_pid);
		json_key(b, "comm");
		json_bytes(b, oc->osc_comm, oc->osc_ncomm);
	}
	json_u64(b, "count", oc->osc_count);
	json_u64(b, "failed", oc->osc_failed);
	json_failures(b, oc);
	json_times(b, &oc->osc_times);
	buf_str(b, "}\n");
	buf_line(b);
}

/* A row of calls that are in no other one; key: why. */
static void
json_rest(struct out *out, const struct out_counts *ot, const char *key,
    uint64_t n)
{
	struct buf *b = &out->out_buf;

	if (n == 0)
		return;
	buf_c(b, '{');
	json_interval(b, ot);
	json_key(b, "call");
	buf_str(b, "null");
	json_u64(b, "count", n);
	json_key(b, key);
	buf_str(b, "true}\n");
}

void
json_syscalls(struct out *out, const struct out_syscalls *ol)
{
	const struct out_counts *ot = ol->osl_counts;
	size_t i;

	for (i = 0; i < ol->osl_n; i++)
		json_syscall(out, ol, &ol->osl_rows[i]);
	json_rest(out, ot, "other", ot->ot_nothers);
	json_rest(out, ot, "full", ot->ot_nfull);
}
