/* SPDX-License-Identifier: ISC */
/*
 * Prints counts in the text format of Prometheus, as one metric: a counter, or
 * a histogram.  Keys are labels.  Rows with equal labels become one sample, and
 * the rows beyond the limit of keys have the value "other" for each label.
 * "# EOF" follows the last sample.
 *
 * The upper bound of a bucket is the largest integer below a power of two, up
 * to which the kernel's buckets are exact.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/out/out.h"

#define PROM_OTHER "other"

/* Powers of two that bound the buckets, in nanoseconds: 1 us to 17 s. */
#define PROM_NSFIRST 10
#define PROM_NSLAST  34
/* of other values */
#define PROM_FIRST 0
#define PROM_LAST  32

/* A sample, or all samples of a histogram. */
struct prom_row {
	char *pmr_labels; /* a="x",b="y" */
	uint64_t pmr_count;
	int64_t pmr_sum;
	struct hist pmr_hist;
};

/* Prints the name of a block device in place of its number, "8,0". */
static void
label_device(struct buf *b, const char *text)
{
	char path[64], target[256];
	unsigned int major, minor;
	const char *slash;
	ssize_t n = -1;

	if (sscanf(text, "%u,%u", &major, &minor) == 2) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major,
		    minor);
		n = readlink(path, target, sizeof(target) - 1);
	}
	if (n == -1) {
		buf_str(b, text);
		return;
	}
	target[n] = '\0';
	slash = strrchr(target, '/');
	buf_str(b, slash != NULL ? slash + 1 : target);
}

/* Keys whose labels have another name, or other values. */
static const struct label {
	const char *lb_key;
	const char *lb_name;
	void (*lb_text)(struct buf *, const char *text); /* NULL: unchanged */
} labels[] = {
	{ "DEV", "device", label_device },
	{ "SOCKUNIT", "unit", NULL },
};

/* Returns the row of a column, whose name is in capitals, or NULL. */
static const struct label *
label_find(const char *column)
{
	size_t i;

	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strcmp(labels[i].lb_key, column) == 0)
			return &labels[i];
	return NULL;
}

/* Returns the character of a label's name for one of a key's name. */
static char
label_char(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
}

static void
label_name(struct buf *b, const struct key_column *column)
{
	const struct label *lb = label_find(column->kl_name);
	const char *s = lb != NULL ? lb->lb_name : column->kl_name;

	for (; *s != '\0'; s++)
		buf_c(b, label_char(*s));
}

/* Appends the value of a key; the text is escaped for terminals already. */
static void
label_value(struct buf *b, struct keys *by, unsigned int i, const void *key)
{
	const struct label *lb = label_find(keys_column(by, i)->kl_name);
	struct buf text, value;
	const char *s;

	buf_init(&text, -1);
	buf_init(&value, -1);
	keys_text(by, i, key, &text);
	buf_c(&text, '\0');
	if (lb != NULL && lb->lb_text != NULL)
		lb->lb_text(&value, text.b_data);
	else
		buf_str(&value, text.b_data);
	buf_c(&value, '\0');
	for (s = value.b_data; *s != '\0'; s++) {
		if (*s == '\\' || *s == '"')
			buf_c(b, '\\');
		buf_c(b, *s);
	}
	buf_free(&text);
	buf_free(&value);
}

/* Returns the labels of a key; of NULL: of all other keys. */
static char *
prom_labels(struct keys *by, const void *key)
{
	unsigned int i;
	struct buf b;
	char *s;

	buf_init(&b, -1);
	for (i = 0; i < keys_ncolumns(by); i++) {
		if (i > 0)
			buf_c(&b, ',');
		label_name(&b, keys_column(by, i));
		buf_str(&b, "=\"");
		if (key != NULL)
			label_value(&b, by, i, key);
		else
			buf_str(&b, PROM_OTHER);
		buf_c(&b, '"');
	}
	buf_c(&b, '\0');
	if ((s = strdup(b.b_data)) == NULL)
		err(1, "counts");
	buf_free(&b);
	return s;
}

static int
prom_compare(const void *va, const void *vb)
{
	const struct prom_row *a = va, *b = vb;

	return strcmp(a->pmr_labels, b->pmr_labels);
}

static void
prom_free(struct prom_row *pm)
{
	free(pm->pmr_labels);
	hist_clear(&pm->pmr_hist);
}

/* Adds up rows with equal labels, which are sorted.  Returns how many remain. */
static size_t
prom_merge(struct prom_row *rows, size_t n)
{
	size_t i, kept = 0;

	for (i = 1; i < n; i++) {
		if (strcmp(rows[kept].pmr_labels, rows[i].pmr_labels) != 0) {
			rows[++kept] = rows[i];
			continue;
		}
		rows[kept].pmr_count += rows[i].pmr_count;
		rows[kept].pmr_sum += rows[i].pmr_sum;
		hist_join(&rows[kept].pmr_hist, &rows[i].pmr_hist);
		prom_free(&rows[i]);
	}
	return n > 0 ? kept + 1 : 0;
}

/*
 * Makes the rows of counts.  Hits for which the kernel's table was full are
 * among the others; their values are unknown.
 */
static struct prom_row *
prom_rows(const struct out_counts *ot, size_t *n)
{
	struct prom_row *rows = calloc(ot->ot_n + 1, sizeof(*rows)), *pm;
	size_t i;

	if (rows == NULL)
		err(1, "counts");
	for (i = 0; i < ot->ot_n; i++) {
		pm = &rows[i];
		pm->pmr_labels = prom_labels(ot->ot_by,
		    ot->ot_counts[i].oc_key);
		pm->pmr_count = ot->ot_counts[i].oc_count;
		pm->pmr_sum = ot->ot_counts[i].oc_sum;
		if (ot->ot_counts[i].oc_hist != NULL)
			hist_join(&pm->pmr_hist, ot->ot_counts[i].oc_hist);
	}
	*n = ot->ot_n;
	if (ot->ot_nothers + ot->ot_nfull > 0) {
		pm = &rows[(*n)++];
		pm->pmr_labels = prom_labels(ot->ot_by, NULL);
		pm->pmr_count = ot->ot_nothers + ot->ot_nfull;
		pm->pmr_sum = ot->ot_othersum;
		hist_join(&pm->pmr_hist, ot->ot_otherhist);
		/* without a bucket, in +Inf only */
		pm->pmr_hist.hi_count += ot->ot_nfull;
	}
	qsort(rows, *n, sizeof(*rows), prom_compare);
	*n = prom_merge(rows, *n);
	return rows;
}

/* Samples */

static void
prom_begin(struct buf *b, const char *name, const char *suffix,
    const char *inner, const char *le)
{
	int islabels = *inner != '\0' || le != NULL;

	buf_str(b, name);
	buf_str(b, suffix);
	if (islabels)
		buf_c(b, '{');
	buf_str(b, inner);
	if (le != NULL)
		buf_printf(b, "%sle=\"%s\"", *inner != '\0' ? "," : "", le);
	buf_str(b, islabels ? "} " : " ");
}

static void
prom_sum(struct buf *b, int64_t sum, int istime)
{
	if (istime && sum >= 0)
		buf_printf(b, "%lld.%09lld", (long long)sum / 1000000000,
		    (long long)sum % 1000000000);
	else
		buf_s64(b, sum);
	buf_c(b, '\n');
}

static void
prom_histogram(struct buf *b, const char *name, const struct prom_row *pm,
    int istime)
{
	int64_t end, first = INT64_MIN;
	uint64_t n = 0;
	unsigned int i;
	char le[32];

	for (i = istime ? PROM_NSFIRST : PROM_FIRST;
	     i <= (istime ? PROM_NSLAST : PROM_LAST); i++) {
		end = INT64_C(1) << i;
		n += hist_between(&pm->pmr_hist, first, end);
		first = end;
		snprintf(le, sizeof(le), "%.15g",
		    (double)(end - 1) * (istime ? 1e-9 : 1));
		prom_begin(b, name, "_bucket", pm->pmr_labels, le);
		buf_u64(b, n);
		buf_c(b, '\n');
	}
	prom_begin(b, name, "_bucket", pm->pmr_labels, "+Inf");
	buf_u64(b, pm->pmr_hist.hi_count);
	buf_c(b, '\n');
	prom_begin(b, name, "_sum", pm->pmr_labels, NULL);
	prom_sum(b, pm->pmr_hist.hi_sum, istime);
	prom_begin(b, name, "_count", pm->pmr_labels, NULL);
	buf_u64(b, pm->pmr_hist.hi_count);
	buf_c(b, '\n');
}

static void
prom_counter(struct buf *b, const char *name, const struct prom_row *pm,
    int issum, int istime)
{
	prom_begin(b, name, "", pm->pmr_labels, NULL);
	if (issum)
		prom_sum(b, pm->pmr_sum, istime);
	else {
		buf_u64(b, pm->pmr_count);
		buf_c(b, '\n');
	}
}

static void
prom_counts(struct out *out, const struct out_counts *ot)
{
	const char *sum = keys_sumname(ot->ot_by);
	int istime = sum != NULL && strcmp(sum, "duration") == 0;
	struct buf *b = &out->out_buf;
	struct prom_row *rows;
	char name[512];
	size_t i, n;

	snprintf(name, sizeof(name), "%s%s%s",
	    out->out_opts->o_print.opi_prometheus, istime ? "_seconds" : "",
	    ot->ot_ishist ? "" : "_total");
	buf_printf(b, "# TYPE %s %s\n", name,
	    ot->ot_ishist ? "histogram" : "counter");
	rows = prom_rows(ot, &n);
	for (i = 0; i < n; i++) {
		if (ot->ot_ishist)
			prom_histogram(b, name, &rows[i], istime);
		else
			prom_counter(b, name, &rows[i], sum != NULL, istime);
		prom_free(&rows[i]);
	}
	free(rows);
	buf_str(b, "# EOF\n");
	buf_flush(b);
}

const struct out_format out_prometheus = {
	.f_name = "prometheus",
	.f_counts = prom_counts,
};
