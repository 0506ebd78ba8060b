/* SPDX-License-Identifier: ISC */
/*
 * The kernel counts a call separately for each errno; a row of dt syscalls has
 * all of them, and the times of all.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/stat/key_impl.h"
#include "cli/stat/syscall_rows.h"

/* The order of the keys. */
enum {
	ROWS_PROBE,
	ROWS_ERRNO,
	ROWS_PID,
	ROWS_COMM
};

/* Finds the row of a count, or adds it. */
static struct out_syscall *
rows_get(struct out_syscalls *ol, struct hash *map, const struct key_val *vals)
{
	struct key_short key = { .kh_pbn = vals[ROWS_PROBE].kv_num };
	struct out_syscall *oc;
	const struct probe *pr;
	struct hash_entry *e;

	if (ol->osl_isbypid) {
		key.kh_pid = vals[ROWS_PID].kv_num;
		if (vals[ROWS_COMM].kv_len > 0)
			memcpy(key.kh_comm, vals[ROWS_COMM].kv_str,
			    vals[ROWS_COMM].kv_len);
	}
	e = hash_get(map, &key, sizeof(key));
	if (e->he_count != 0)
		return &ol->osl_rows[e->he_count - 1];
	oc = &ol->osl_rows[ol->osl_n++];
	e->he_count = ol->osl_n;
	pr = name_cache_probe(vals->kv_by->ky_names, key.kh_pbn);
	oc->osc_name = pr != NULL ? pr->pr_desc.pd_info.dtpi_func : "-";
	if (ol->osl_isbypid) {
		oc->osc_pid = key.kh_pid;
		oc->osc_comm = vals[ROWS_COMM].kv_str;
		oc->osc_ncomm = vals[ROWS_COMM].kv_len;
	}
	return oc;
}

/* Adds calls that failed in one way. */
static void
rows_fail(struct out_syscall *oc, uint32_t error, uint64_t n)
{
	struct out_failure *of;

	of = realloc(oc->osc_failures,
	    (oc->osc_nfailures + 1) * sizeof(*oc->osc_failures));
	if (of == NULL)
		err(1, "counts");
	oc->osc_failures = of;
	oc->osc_failures[oc->osc_nfailures++] = (struct out_failure){ error,
		n };
	oc->osc_failed += n;
}

static void
rows_add(struct out_syscalls *ol, struct hash *map, const struct out_count *n)
{
	struct key_val vals[KEY_MAXKEYS];
	struct out_syscall *oc;

	key_vals(ol->osl_counts->ot_by, n->oc_key, vals);
	oc = rows_get(ol, map, vals);
	oc->osc_count += n->oc_count;
	if (vals[ROWS_ERRNO].kv_what == KEY_NUM && vals[ROWS_ERRNO].kv_num != 0)
		rows_fail(oc, vals[ROWS_ERRNO].kv_num, n->oc_count);
	if (n->oc_hist != NULL)
		hist_join(&oc->osc_times, n->oc_hist);
}

static int
rows_compare_failures(const void *va, const void *vb)
{
	const struct out_failure *a = va, *b = vb;

	if (a->ofl_count != b->ofl_count)
		return a->ofl_count < b->ofl_count ? 1 : -1;
	return a->ofl_errno < b->ofl_errno ? -1 : 1;
}

static int
rows_compare(const void *va, const void *vb)
{
	const struct out_syscall *a = va, *b = vb;
	int c;

	if (a->osc_times.hi_sum != b->osc_times.hi_sum)
		return a->osc_times.hi_sum < b->osc_times.hi_sum ? 1 : -1;
	if (a->osc_count != b->osc_count)
		return a->osc_count < b->osc_count ? 1 : -1;
	if ((c = strcmp(a->osc_name, b->osc_name)) != 0)
		return c;
	return (a->osc_pid > b->osc_pid) - (a->osc_pid < b->osc_pid);
}

void
syscall_rows_make(struct out_syscalls *ol, const struct out_counts *ot,
    int isbypid)
{
	struct hash map = { 0 };
	size_t i;

	*ol = (struct out_syscalls){
		.osl_counts = ot,
		.osl_rows = calloc(ot->ot_n + 1, sizeof(*ol->osl_rows)),
		.osl_isbypid = isbypid,
	};
	if (ol->osl_rows == NULL)
		err(1, "counts");
	for (i = 0; i < ot->ot_n; i++)
		rows_add(ol, &map, &ot->ot_counts[i]);
	hash_clear(&map);
	qsort(ol->osl_rows, ol->osl_n, sizeof(*ol->osl_rows), rows_compare);
	for (i = 0; i < ol->osl_n; i++)
		if (ol->osl_rows[i].osc_nfailures > 1)
			qsort(ol->osl_rows[i].osc_failures,
			    ol->osl_rows[i].osc_nfailures,
			    sizeof(*ol->osl_rows[i].osc_failures),
			    rows_compare_failures);
}

void
syscall_rows_free(struct out_syscalls *ol)
{
	size_t i;

	for (i = 0; i < ol->osl_n; i++) {
		hist_clear(&ol->osl_rows[i].osc_times);
		free(ol->osl_rows[i].osc_failures);
	}
	free(ol->osl_rows);
}
