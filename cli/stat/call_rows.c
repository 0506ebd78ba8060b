/* SPDX-License-Identifier: ISC */
/*
 * Names calls: a system call by its name alone, a function and a call of a 32-bit
 * program with its provider, any other pair of probes by both.
 */
#include <string.h>

#include "cli/calls/kernel_pair.h"
#include "cli/stat/call_rows.h"
#include "cli/stat/key_impl.h"

/* The order of the keys. */
enum {
	ROWS_PROBE,
	ROWS_FROM,
	ROWS_ERRNO
};

static const struct probe *
call_probe(const struct out_counts *ot, const struct key_val *v)
{
	return v->kv_what == KEY_NUM
	    ? name_cache_probe(ot->ot_by->ky_names, v->kv_num)
	    : NULL;
}

static void
call_name(struct buf *b, const struct probe *first, const struct probe *second)
{
	const struct dtioc_probe_info *pi = &second->pr_desc.pd_info;

	if (first != NULL && !kernel_pair_iscall(first, second)) {
		buf_str(b, first->pr_full);
		buf_str(b, " -> ");
		buf_str(b, second->pr_full);
	} else {
		if ((pi->dtpi_flags & (DTPI_CALL | DTPI_COMPAT)) != DTPI_CALL) {
			buf_str(b, pi->dtpi_prov);
			buf_c(b, ':');
		}
		buf_str(b, pi->dtpi_func);
	}
	buf_c(b, '\0');
}

void
call_rows_each(const struct out_counts *ot,
    void (*fn)(void *, const struct call_row *), void *arg)
{
	const struct out_count *oc = ot->ot_counts;
	struct key_val vals[KEY_MAXKEYS];
	const struct probe *second;
	struct call_row row;
	struct buf name;

	buf_init(&name, -1);
	for (; oc < ot->ot_counts + ot->ot_n; oc++) {
		key_vals(ot->ot_by, oc->oc_key, vals);
		if ((second = call_probe(ot, &vals[ROWS_PROBE])) == NULL)
			continue;
		name.b_len = 0;
		call_name(&name, call_probe(ot, &vals[ROWS_FROM]), second);
		row = (struct call_row){ .clw_name = name.b_data,
			.clw_count = oc->oc_count,
			.clw_times = oc->oc_hist };
		if (vals[ROWS_ERRNO].kv_what == KEY_NUM &&
		    vals[ROWS_ERRNO].kv_num != 0)
			row.clw_failed = oc->oc_count;
		fn(arg, &row);
	}
	buf_free(&name);
}
