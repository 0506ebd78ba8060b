/* SPDX-License-Identifier: ISC */
/* Prints maps as bpftrace(8) does, as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_map.h"

#define BAR 52 /* characters of the longest bar */

static int
print_ishist(const struct smap *sm)
{
	return sm->sm_nbuckets > 0;
}

/* 1024 is 1K, as bounds of histograms by powers of two */
static void
print_bound(char *text, size_t size, uint64_t v)
{
	static const char units[] = "\0KMGTPE";
	int i = 0;

	while (v != 0 && v % 1024 == 0 && units[i + 1] != '\0') {
		v /= 1024;
		i++;
	}
	snprintf(text, size, i > 0 ? "%llu%c" : "%llu", (unsigned long long)v,
	    units[i]);
}

static void
print_range(const struct smap *sm, unsigned int i, char *text, size_t size)
{
	char from[24], to[24];
	int64_t min, max;

	smap_bucket(sm, i, &min, &max);
	if (sm->sm_name->sn_type == ST_HIST) {
		print_bound(from, sizeof(from), min);
		print_bound(to, sizeof(to), (uint64_t)max + 1);
	} else {
		snprintf(from, sizeof(from), "%lld", (long long)min);
		snprintf(to, sizeof(to), "%lld",
		    (long long)((uint64_t)max + 1));
	}
	if (i == 0)
		snprintf(text, size, "(..., %s)",
		    sm->sm_name->sn_type == ST_HIST ? "0" : to);
	else if (sm->sm_name->sn_type == ST_HIST && i <= 2)
		snprintf(text, size, "[%s]", from);
	else if (sm->sm_name->sn_type == ST_LHIST && max == INT64_MAX)
		snprintf(text, size, "[%s, ...)", from);
	else
		snprintf(text, size, "[%s, %s)", from, to);
}

/* Stores the first bucket that prints, and the one after the last. */
static void
print_used(const struct smap *sm, const struct smap_value *smv,
    unsigned int *first, unsigned int *end)
{
	unsigned int i;

	*first = *end = 0;
	for (i = 0; i < sm->sm_nbuckets; i++) {
		if (smv->smv_buckets[i] == 0)
			continue;
		if (*end == 0)
			*first = i;
		*end = i + 1;
	}
}

static void
print_hist(struct buf *b, const struct smap *sm, const struct smap_value *smv,
    uint64_t div)
{
	unsigned int i, first, end, bar;
	uint64_t top = 1, n;
	char range[64];

	print_used(sm, smv, &first, &end);
	for (i = first; i < end; i++)
		if (smv->smv_buckets[i] > top)
			top = smv->smv_buckets[i];
	for (i = first; i < end; i++) {
		n = smv->smv_buckets[i];
		print_range(sm, i, range, sizeof(range));
		bar = (double)n / top * BAR;
		buf_printf(b, "%-16s%8llu |%.*s%*s|\n", range,
		    (unsigned long long)(n / div), bar,
		    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
		    BAR - bar, "");
	}
	buf_c(b, '\n');
}

static void
print_value(struct buf *b, const struct smap *sm, const struct smap_value *smv,
    struct name_cache *nm, uint64_t div)
{
	struct sval sv = smap_read(sm, smv);

	if (sm->sm_name->sn_type == ST_STATS) {
		buf_printf(b, "count %llu, average %lld, total %lld\n",
		    (unsigned long long)smv->smv_count,
		    (long long)(smv->smv_count > 0
			    ? smv->smv_sum / (int64_t)smv->smv_count
			    : 0),
		    (long long)smv->smv_sum);
		return;
	}
	if (sv.sv_type == ST_INT && div > 1)
		sv.sv_number /= (int64_t)div;
	sval_text(b, &sv, nm, 1);
	buf_c(b, '\n');
}

void
smap_print(struct buf *b, const struct smap *sm, struct name_cache *nm,
    uint64_t top, uint64_t div)
{
	const enum script_type type = sm->sm_name->sn_type;
	struct smap_row *rows;
	size_t i, n;
	unsigned int j;

	rows = smap_rows(sm, &n);
	for (i = top > 0 && n > top ? n - top : 0; i < n; i++) {
		buf_printf(b, "@%s", sm->sm_name->sn_name);
		for (j = 0; j < sm->sm_name->sn_nkeys; j++) {
			buf_str(b, j == 0 ? "[" : ", ");
			sval_text(b, &rows[i].smr_keys[j], nm, 1);
		}
		buf_str(b, j > 0 ? "]: " : ": ");
		if (print_ishist(sm)) {
			buf_c(b, '\n');
			print_hist(b, sm, rows[i].smr_value, div);
		} else
			print_value(b, sm, rows[i].smr_value, nm, div);
	}
	if (type == ST_STATS || type == ST_AVG)
		buf_c(b, '\n');
	free(rows);
}

/* JSON */

static void
json_hist(struct buf *b, const struct smap *sm, const struct smap_value *smv,
    uint64_t div)
{
	unsigned int i, first, end;
	int64_t min, max;

	print_used(sm, smv, &first, &end);
	buf_c(b, '[');
	for (i = first; i < end; i++) {
		smap_bucket(sm, i, &min, &max);
		buf_str(b, i > first ? ", {" : "{");
		if (i > 0)
			buf_printf(b, "\"min\": %lld, ", (long long)min);
		if (max != INT64_MAX)
			buf_printf(b, "\"max\": %lld, ", (long long)max);
		buf_printf(b, "\"count\": %llu}",
		    (unsigned long long)(smv->smv_buckets[i] / div));
	}
	buf_c(b, ']');
}

static void
json_value(struct buf *b, const struct smap *sm, const struct smap_value *smv,
    struct name_cache *nm, uint64_t div)
{
	struct sval sv = smap_read(sm, smv);

	if (print_ishist(sm)) {
		json_hist(b, sm, smv, div);
		return;
	}
	if (sm->sm_name->sn_type == ST_STATS) {
		buf_printf(b,
		    "{\"count\": %llu, \"average\": %lld, \"total\": %lld}",
		    (unsigned long long)smv->smv_count,
		    (long long)(smv->smv_count > 0
			    ? smv->smv_sum / (int64_t)smv->smv_count
			    : 0),
		    (long long)smv->smv_sum);
		return;
	}
	if (sv.sv_type == ST_INT && div > 1)
		sv.sv_number /= (int64_t)div;
	sval_json(b, &sv, nm);
}

static void
json_key(struct buf *b, const struct smap *sm, const struct smap_row *row,
    struct name_cache *nm)
{
	struct buf key;
	unsigned int j;

	buf_init(&key, -1);
	for (j = 0; j < sm->sm_name->sn_nkeys; j++) {
		if (j > 0)
			buf_c(&key, ',');
		sval_text(&key, &row->smr_keys[j], nm, 1);
	}
	sval_json_str(b, key.b_data, key.b_len);
	buf_free(&key);
}

void
smap_print_json(struct buf *b, const struct smap *sm, struct name_cache *nm,
    uint64_t top, uint64_t div)
{
	const enum script_type type = sm->sm_name->sn_type;
	const char *kind = print_ishist(sm)	 ? "hist"
	    : type == ST_STATS || type == ST_AVG ? "stats"
						 : "map";
	struct smap_row *rows;
	size_t i, n, first;

	rows = smap_rows(sm, &n);
	first = top > 0 && n > top ? n - top : 0;
	if (n > 0) {
		buf_printf(b, "{\"type\": \"%s\", \"data\": {\"@%s\": ", kind,
		    sm->sm_name->sn_name);
		if (sm->sm_name->sn_nkeys == 0)
			json_value(b, sm, rows[0].smr_value, nm, div);
		else
			buf_c(b, '{');
		for (i = first; sm->sm_name->sn_nkeys > 0 && i < n; i++) {
			if (i > first)
				buf_str(b, ", ");
			json_key(b, sm, &rows[i], nm);
			buf_str(b, ": ");
			json_value(b, sm, rows[i].smr_value, nm, div);
		}
		buf_str(b, sm->sm_name->sn_nkeys > 0 ? "}}}\n" : "}}\n");
	}
	free(rows);
}
