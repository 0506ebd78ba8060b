/* SPDX-License-Identifier: ISC */
/*
 * Merges tables of the machines: the n-th table of each becomes the n-th that
 * is printed.  Rows are ordered by the number by which each machine orders
 * them.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/hosts/merge.h"
#include "cli/hosts/wire.h"
#include "cli/out/out_text.h"
#include "cli/out/out_wire.h"
#include "cli/stat/key.h"

#define MERGE_MAXROWS  (1 << 21)	 /* of a table */
#define MERGE_MAXBYTES (512 << 20)	 /* of the texts of a table */
#define MERGE_MAXCELLS (KEY_MAXKEYS + 3) /* sort key, numbers, cells, lines */
#define MERGE_MAXWIDTH 64		 /* of a column */

struct merge_column {
	char mco_name[6 * DTNAMESIZE];
	unsigned int mco_min, mco_max;
	int mco_isright;
};

/* Its texts follow each other in mta_text: numbers, cells, lines below. */
struct merge_row {
	int64_t mro_sort;
	size_t mro_text;
};

struct merge_table {
	struct merge_table *mta_next; /* of the same machine */
	uint64_t mta_nsecs, mta_nevents;
	int mta_isinterval;
	struct timespec mta_end;
	char mta_head[256]; /* names of the numbers */
	struct merge_column mta_columns[KEY_MAXKEYS];
	unsigned int mta_ncolumns;
	struct merge_row *mta_rows;
	size_t mta_n, mta_max;
	struct buf mta_text;
	struct buf mta_notes; /* each terminated by NUL */
};

/* A row of the merged table. */
struct merge_any {
	const struct merge_table *man_table;
	const struct merge_row *man_row;
	const struct host *man_host;
};

struct merge_all {
	struct merge_any *mal_rows;
	size_t mal_n;
	const struct merge_table *mal_first; /* has the columns of all */
	unsigned int mal_host;		     /* widths */
	unsigned int mal_widths[KEY_MAXKEYS];
};

/* Reading */

static void
table_free(struct merge_table *mt)
{
	if (mt == NULL)
		return;
	free(mt->mta_rows);
	buf_free(&mt->mta_text);
	buf_free(&mt->mta_notes);
	free(mt);
}

static int
table_begin(struct merge_host *mh, char **f, int n)
{
	struct merge_table *mt;
	uint64_t isinterval, secs, nsecs;

	if (n != WIRE_NTABLE || mh->mho_building != NULL)
		return -1;
	if ((mt = calloc(1, sizeof(*mt))) == NULL)
		err(1, NULL);
	mh->mho_building = mt;
	buf_init(&mt->mta_text, -1);
	buf_init(&mt->mta_notes, -1);
	if (wire_u64(f[0], UINT64_MAX, &mt->mta_nsecs) == -1 ||
	    wire_u64(f[1], 1, &isinterval) == -1 ||
	    wire_u64(f[2], INT64_MAX, &secs) == -1 ||
	    wire_u64(f[3], 999999999, &nsecs) == -1 ||
	    wire_u64(f[4], UINT64_MAX, &mt->mta_nevents) == -1 ||
	    strlen(f[5]) >= sizeof(mt->mta_head))
		return -1;
	mt->mta_isinterval = isinterval;
	mt->mta_end.tv_sec = secs;
	mt->mta_end.tv_nsec = nsecs;
	strcpy(mt->mta_head, f[5]);
	return 0;
}

static int
table_column(struct merge_table *mt, char **f, int n)
{
	struct merge_column *mc;
	uint64_t min, max, isright;

	if (n != WIRE_NCOLUMN || mt->mta_ncolumns == KEY_MAXKEYS ||
	    mt->mta_n > 0)
		return -1;
	mc = &mt->mta_columns[mt->mta_ncolumns++];
	if (strlen(f[0]) >= sizeof(mc->mco_name) ||
	    wire_u64(f[1], MERGE_MAXWIDTH, &min) == -1 ||
	    wire_u64(f[2], MERGE_MAXWIDTH, &max) == -1 ||
	    wire_u64(f[3], 1, &isright) == -1)
		return -1;
	strcpy(mc->mco_name, f[0]);
	mc->mco_min = min;
	mc->mco_max = max;
	mc->mco_isright = isright;
	return 0;
}

/* Appends a text with its end. */
static void
table_put(struct buf *b, const char *s)
{
	buf_mem(b, s, strlen(s) + 1);
}

static int
table_row(struct merge_table *mt, char **f, int n)
{
	struct merge_row *mr;
	int i;

	if (n != (int)mt->mta_ncolumns + 3 || mt->mta_n == MERGE_MAXROWS ||
	    mt->mta_text.b_len > MERGE_MAXBYTES)
		return -1;
	if (mt->mta_n == mt->mta_max) {
		mt->mta_max = mt->mta_max ? mt->mta_max * 2 : 64;
		mt->mta_rows = realloc(mt->mta_rows,
		    mt->mta_max * sizeof(*mt->mta_rows));
		if (mt->mta_rows == NULL)
			err(1, "rows");
	}
	mr = &mt->mta_rows[mt->mta_n];
	mr->mro_text = mt->mta_text.b_len;
	if (wire_s64(f[0], &mr->mro_sort) == -1)
		return -1;
	for (i = 1; i < n; i++)
		table_put(&mt->mta_text, f[i]);
	mt->mta_n++;
	return 0;
}

static int
table_note(struct merge_table *mt, char **f, int n)
{
	if (n != 1 || mt->mta_notes.b_len > MERGE_MAXBYTES)
		return -1;
	table_put(&mt->mta_notes, f[0]);
	return 0;
}

static int
table_end(struct merge_host *mh)
{
	struct merge_table **last = &mh->mho_tables;

	while (*last != NULL)
		last = &(*last)->mta_next;
	*last = mh->mho_building;
	mh->mho_building = NULL;
	mh->mho_ntables++;
	return 0;
}

static int
table_line(struct merge_host *mh, char letter, char **f, int n)
{
	struct merge_table *mt = mh->mho_building;

	if (letter == WIRE_TABLE)
		return table_begin(mh, f, n);
	if (mt == NULL || n < 0)
		return -1;
	switch (letter) {
	case WIRE_COLUMN:
		return table_column(mt, f, n);
	case WIRE_ROW:
		return table_row(mt, f, n);
	case WIRE_NOTE:
		return table_note(mt, f, n);
	case WIRE_END:
		return table_end(mh);
	default:
		return -1;
	}
}

int
merge_table_line(struct merge *mg, struct host *ho, char *line, size_t len)
{
	char *fields[MERGE_MAXCELLS];
	char letter = line[0];
	int n = wire_split(line, len, fields, MERGE_MAXCELLS);

	return table_line(&mg->mrg_each[ho->hst_i], letter, fields, n);
}

/* Printing */

/* Returns the n-th text of a row. */
static const char *
row_text(const struct merge_any *man, unsigned int n)
{
	const char *s = man->man_table->mta_text.b_data +
	    man->man_row->mro_text;

	for (; n > 0; n--)
		s += strlen(s) + 1;
	return s;
}

static int
rows_compare(const void *va, const void *vb)
{
	const struct merge_any *a = va, *b = vb;

	if (a->man_row->mro_sort != b->man_row->mro_sort)
		return a->man_row->mro_sort < b->man_row->mro_sort ? 1 : -1;
	if (a->man_host != b->man_host)
		return a->man_host < b->man_host ? -1 : 1;
	return a->man_row < b->man_row ? -1 : 1;
}

static void
rows_collect(const struct merge *mg, struct merge_all *ml)
{
	const struct merge_table *mt;
	size_t i, n = 0;
	unsigned int h;

	for (h = 0; h < mg->mrg_n; h++)
		if ((mt = mg->mrg_each[h].mho_tables) != NULL)
			n += mt->mta_n;
	if ((ml->mal_rows = calloc(n + 1, sizeof(*ml->mal_rows))) == NULL)
		err(1, "rows");
	for (h = 0; h < mg->mrg_n; h++) {
		mt = mg->mrg_each[h].mho_tables;
		for (i = 0; mt != NULL && i < mt->mta_n; i++)
			ml->mal_rows[ml->mal_n++] = (struct merge_any){ mt,
				&mt->mta_rows[i], &mg->mrg_hosts[h] };
	}
	qsort(ml->mal_rows, ml->mal_n, sizeof(*ml->mal_rows), rows_compare);
}

static void
table_widths(struct merge_all *ml, size_t nrows)
{
	const struct merge_column *mc;
	unsigned int c, *w;
	size_t i, n;

	ml->mal_host = strlen("HOST");
	for (i = 0; i < nrows; i++)
		if ((n = strlen(ml->mal_rows[i].man_host->hst_name)) >
		    ml->mal_host)
			ml->mal_host = n;
	for (c = 0; c < ml->mal_first->mta_ncolumns; c++) {
		mc = &ml->mal_first->mta_columns[c];
		w = &ml->mal_widths[c];
		*w = mc->mco_min;
		if (*w < strlen(mc->mco_name))
			*w = strlen(mc->mco_name);
		for (i = 0; i < nrows && *w < mc->mco_max; i++) {
			n = strlen(row_text(&ml->mal_rows[i], c + 1));
			if (n > *w)
				*w = n < mc->mco_max ? n : mc->mco_max;
		}
	}
}

static void
table_cell(struct buf *b, const struct merge_all *ml, unsigned int c,
    const char *text)
{
	const struct merge_column *mc = &ml->mal_first->mta_columns[c];
	size_t from;

	buf_str(b, mc->mco_isright ? " " : "  ");
	from = b->b_len;
	esc_str(b, text);
	text_cell(b, from, ml->mal_widths[c], mc->mco_isright,
	    c + 1 == ml->mal_first->mta_ncolumns);
}

static void
table_head(struct out *out, const struct merge_all *ml)
{
	const struct merge_table *mt = ml->mal_first;
	struct buf *b = &out->out_buf;
	unsigned int c;
	size_t from;

	if (mt->mta_head[0] == '\0')
		return; /* histograms */
	buf_str(b, out->out_colours[OUT_BOLD]);
	esc_str(b, mt->mta_head);
	buf_str(b, "  ");
	from = b->b_len;
	buf_str(b, "HOST");
	text_cell(b, from, ml->mal_host, 0, mt->mta_ncolumns == 0);
	for (c = 0; c < mt->mta_ncolumns; c++)
		table_cell(b, ml, c, mt->mta_columns[c].mco_name);
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

/* Prints lines, each of which is escaped. */
static void
table_lines(struct buf *b, const char *s)
{
	size_t n;

	for (; *s != '\0'; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		esc_text(b, s, n);
		if (s[n] == '\n')
			buf_c(b, '\n');
	}
}

static void
table_print_row(struct buf *b, const void *arg, size_t i)
{
	const struct merge_all *ml = arg;
	const struct merge_any *man = &ml->mal_rows[i];
	unsigned int c, n = ml->mal_first->mta_ncolumns;
	const char *lines = row_text(man, n + 1);
	size_t from;

	esc_str(b, row_text(man, 0));
	if (ml->mal_first->mta_head[0] == '\0') {
		buf_str(b, "HOST ");
		esc_str(b, man->man_host->hst_name);
	} else {
		buf_str(b, "  ");
		from = b->b_len;
		esc_str(b, man->man_host->hst_name);
		text_cell(b, from, ml->mal_host, 0, n == 0);
	}
	for (c = 0; c < n; c++)
		table_cell(b, ml, c, row_text(man, c + 1));
	if (*lines != '\0') {
		buf_str(b, ml->mal_first->mta_head[0] == '\0' ? "  " : "");
		table_lines(b, lines);
		buf_c(b, '\n');
	}
	buf_c(b, '\n');
}

/* Prints the line before an interval: its latest end, and the sums. */
static void
table_interval(struct merge *mg, const struct merge_table *first)
{
	struct buf *b = &mg->mrg_out.out_buf;
	const struct merge_table *mt, *last = first;
	uint64_t nevents = 0;
	unsigned int h, n = 0;

	if (!first->mta_isinterval)
		return;
	for (h = 0; h < mg->mrg_n; h++) {
		if ((mt = mg->mrg_each[h].mho_tables) == NULL)
			continue;
		n++;
		nevents += mt->mta_nevents;
		if (mt->mta_end.tv_sec > last->mta_end.tv_sec ||
		    (mt->mta_end.tv_sec == last->mta_end.tv_sec &&
			mt->mta_end.tv_nsec > last->mta_end.tv_nsec))
			last = mt;
	}
	val_time(b, &last->mta_end);
	buf_printf(b, "  %.3f s, %llu events of %u host%s\n",
	    last->mta_nsecs / 1e9, (unsigned long long)nevents, n,
	    n == 1 ? "" : "s");
}

static void
table_notes(struct merge *mg)
{
	struct buf *b = &mg->mrg_out.out_buf;
	const struct merge_table *mt;
	const char *s, *end;
	unsigned int h;

	for (h = 0; h < mg->mrg_n; h++) {
		if ((mt = mg->mrg_each[h].mho_tables) == NULL ||
		    mt->mta_notes.b_len == 0)
			continue;
		s = mt->mta_notes.b_data;
		for (end = s + mt->mta_notes.b_len; s < end;
		     s += strlen(s) + 1) {
			esc_str(b, mg->mrg_hosts[h].hst_name);
			buf_str(b, ": ");
			table_lines(b, s + strspn(s, " "));
			buf_c(b, '\n');
		}
	}
}

/* Returns whether two tables have the same columns. */
static int
table_isalike(const struct merge_table *a, const struct merge_table *b)
{
	unsigned int c;

	if (strcmp(a->mta_head, b->mta_head) != 0 ||
	    a->mta_ncolumns != b->mta_ncolumns)
		return 0;
	for (c = 0; c < a->mta_ncolumns; c++)
		if (strcmp(a->mta_columns[c].mco_name,
			b->mta_columns[c].mco_name) != 0)
			return 0;
	return 1;
}

static void
table_shift(struct merge_host *mh)
{
	struct merge_table *mt = mh->mho_tables;

	if (mt == NULL)
		return;
	mh->mho_tables = mt->mta_next;
	mh->mho_ntables--;
	table_free(mt);
}

/* Returns the table of the first machine; drops those with other columns. */
static const struct merge_table *
tables_first(struct merge *mg)
{
	const struct merge_table *first = NULL;
	struct merge_host *mh;
	unsigned int h;

	for (h = 0; h < mg->mrg_n; h++) {
		mh = &mg->mrg_each[h];
		if (first == NULL)
			first = mh->mho_tables;
		if (mh->mho_tables == NULL ||
		    table_isalike(first, mh->mho_tables))
			continue;
		host_stop(&mg->mrg_hosts[h], "sent a table with other columns");
		while (mh->mho_tables != NULL) /* it may have sent several */
			table_shift(mh);
	}
	return first;
}

int
merge_tables_due(const struct merge *mg)
{
	unsigned int h;

	for (h = 0; h < mg->mrg_n; h++)
		if (mg->mrg_each[h].mho_tables == NULL &&
		    !host_isover(&mg->mrg_hosts[h]))
			return 0;
	return 1;
}

int
merge_tables_print(struct merge *mg)
{
	struct out *out = &mg->mrg_out;
	struct merge_all ml = { .mal_first = tables_first(mg) };
	struct text_space tr;
	unsigned int h;

	if (ml.mal_first == NULL)
		return 0;
	if (mg->mrg_last != NULL && mg->mrg_last != &out->out_buf)
		buf_flush(mg->mrg_last);
	mg->mrg_last = &out->out_buf;
	rows_collect(mg, &ml);
	tr = text_space(out, ml.mal_n, ml.mal_first->mta_isinterval);
	table_interval(mg, ml.mal_first);
	if (ml.mal_n > 0) {
		table_widths(&ml, tr.txr_rows);
		table_head(out, &ml);
		text_rows(out, &tr, ml.mal_n, table_print_row, &ml);
	}
	table_notes(mg);
	if (ml.mal_first->mta_isinterval && ml.mal_n > 0)
		buf_c(&out->out_buf, '\n');
	free(ml.mal_rows);
	for (h = 0; h < mg->mrg_n; h++)
		table_shift(&mg->mrg_each[h]);
	return 1;
}

void
merge_tables_free(struct merge *mg)
{
	unsigned int h;

	for (h = 0; h < mg->mrg_n; h++) {
		while (mg->mrg_each[h].mho_tables != NULL)
			table_shift(&mg->mrg_each[h]);
		table_free(mg->mrg_each[h].mho_building);
	}
}
