/* SPDX-License-Identifier: ISC */
/*
 * Finds the code of a line.  The line tables of all units are read, because a
 * line of a header has code in many.  The first row of the line in each
 * function, and in each inlined copy of one, is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/instructions.h"
#include "symbolizer/lines.h"
#include "symbolizer/source_lines.h"

#define ROWS_MAX (1U << 20)

/* A row: where the line, or the nearest one after it so far, has code. */
struct source_row {
	uint64_t sro_addr;
	uint64_t sro_scope;
};

struct source_search {
	struct lines *ssr_lines;
	const struct elffile *ssr_main;
	const struct probe_query *ssr_query;
	int ssr_line; /* the nearest one so far, 0: none */
	int ssr_ismore;
	struct source_row *ssr_v;
	size_t ssr_n, ssr_max;
};

/* Returns whether a path ends with the file, at the start of a component. */
static int
is_file(const char *path, const char *file)
{
	size_t n = strlen(path), len = strlen(file);

	return n >= len && strcmp(path + n - len, file) == 0 &&
	    (n == len || *file == '/' || path[n - len - 1] == '/');
}

static int
add_row(struct source_search *ssr, uint64_t addr)
{
	size_t max = ssr->ssr_max == 0 ? 64 : 2 * ssr->ssr_max;
	struct source_row *v;

	if (ssr->ssr_n == ROWS_MAX) {
		ssr->ssr_ismore = 1;
		return 0;
	}
	if (ssr->ssr_n == ssr->ssr_max) {
		if ((v = realloc(ssr->ssr_v, max * sizeof(*v))) == NULL)
			return ENOMEM;
		ssr->ssr_v = v;
		ssr->ssr_max = max;
	}
	ssr->ssr_v[ssr->ssr_n++] = (struct source_row){ addr, 0 };
	return 0;
}

/* Takes a row of the file: of the line, or one after it that is nearer. */
static int
take_row(struct source_search *ssr, Dwarf_Line *row)
{
	Dwarf_Addr addr;
	bool is;
	int line;

	if (dwarf_lineno(row, &line) != 0 || line <= 0 ||
	    (uint32_t)line < ssr->ssr_query->pq_line ||
	    (ssr->ssr_line != 0 && line > ssr->ssr_line) ||
	    dwarf_linebeginstatement(row, &is) != 0 || !is ||
	    dwarf_lineendsequence(row, &is) != 0 || is ||
	    dwarf_lineaddr(row, &addr) != 0 ||
	    elffile_ataddr(ssr->ssr_main, addr) == NULL)
		return 0;
	if (line != ssr->ssr_line)
		ssr->ssr_n = 0;
	ssr->ssr_line = line;
	return add_row(ssr, addr);
}

static int
unit_visit(void *arg, Dwarf_Die *unit)
{
	struct source_search *ssr = arg;
	const char *path, *last = NULL;
	Dwarf_Lines *rows;
	Dwarf_Line *row;
	size_t i, n;
	int error = 0, is = 0;

	if (dwarf_getsrclines(unit, &rows, &n) != 0)
		return 0;
	if ((error = lines_work(ssr->ssr_lines, n)) != 0)
		return error;
	for (i = 0; i < n && error == 0; i++) {
		row = dwarf_onesrcline(rows, i);
		path = dwarf_linesrc(row, NULL, NULL);
		if (path == NULL)
			continue;
		if (path != last)
			is = is_file(path, ssr->ssr_query->pq_name);
		last = path;
		if (is)
			error = take_row(ssr, row);
	}
	return error;
}

static int
addr_cmp(const void *a, const void *b)
{
	const struct source_row *x = a, *y = b;

	return x->sro_addr < y->sro_addr ? -1 : x->sro_addr > y->sro_addr;
}

static int
scope_cmp(const void *a, const void *b)
{
	const struct source_row *x = a, *y = b;

	if (x->sro_scope != y->sro_scope)
		return x->sro_scope < y->sro_scope ? -1 : 1;
	return addr_cmp(a, b);
}

/* Keeps the first row of each scope; a row without one stands for itself. */
static void
keep_first(struct source_search *ssr)
{
	size_t i, n = 0;

	qsort(ssr->ssr_v, ssr->ssr_n, sizeof(*ssr->ssr_v), addr_cmp);
	for (i = 0; i < ssr->ssr_n; i++)
		if (i == 0 ||
		    ssr->ssr_v[i].sro_addr != ssr->ssr_v[n - 1].sro_addr)
			ssr->ssr_v[n++] = ssr->ssr_v[i];
	ssr->ssr_n = n;
	for (i = 0; i < n; i++)
		ssr->ssr_v[i].sro_scope = lines_scope(ssr->ssr_lines,
		    ssr->ssr_v[i].sro_addr);
	qsort(ssr->ssr_v, n, sizeof(*ssr->ssr_v), scope_cmp);
	for (i = n = 0; i < ssr->ssr_n; i++)
		if (i == 0 || ssr->ssr_v[i].sro_scope == 0 ||
		    ssr->ssr_v[i].sro_scope != ssr->ssr_v[n - 1].sro_scope)
			ssr->ssr_v[n++] = ssr->ssr_v[i];
	ssr->ssr_n = n;
	qsort(ssr->ssr_v, n, sizeof(*ssr->ssr_v), addr_cmp);
}

/* The symbol's name, as for functions; else the one in DWARF. */
static void
name_of(struct object_file *ob, uint64_t addr, const struct lines_hit *lh,
    char name[SYMREQ_NAME])
{
	char raw[SYMREQ_NAME];
	uint64_t start = 0;

	if (object_file_function(ob, addr, raw, &start) == 0 && raw[0] != '\0')
		demangle_name(raw, strlen(raw), name);
	else if (lh->lh_n > 0 && lh->lh_func[lh->lh_n - 1] != NULL)
		demangle_name(lh->lh_func[lh->lh_n - 1],
		    strlen(lh->lh_func[lh->lh_n - 1]), name);
	else
		name[0] = '\0';
}

static void
put_row(struct source_search *ssr, struct object_file *ob, uint64_t addr,
    struct probe_sink *sink)
{
	const struct elfload *el = elffile_ataddr(ssr->ssr_main, addr);
	char name[SYMREQ_NAME];
	struct found_site fo = { .fo_name = name,
		.fo_more = ssr->ssr_query->pq_name };
	struct lines_hit lh;

	fo.fo_site.psi_off = addr - el->el_addr + el->el_off;
	fo.fo_site.psi_start = fo.fo_site.psi_off;
	fo.fo_site.psi_line = ssr->ssr_line;
	fo.fo_site.psi_flags = instructions_flags(ssr->ssr_main,
	    fo.fo_site.psi_off);
	if ((uint32_t)ssr->ssr_line == ssr->ssr_query->pq_line)
		fo.fo_site.psi_flags |= PROBE_SITE_EXACT;
	lines_find(ssr->ssr_lines, addr, &lh);
	name_of(ob, addr, &lh, name);
	if (lh.lh_end != 0 && lh.lh_start >= el->el_addr) {
		fo.fo_site.psi_start = lh.lh_start - el->el_addr + el->el_off;
		fo.fo_site.psi_size = lh.lh_end - lh.lh_start;
	}
	sink->psk_put(sink, &fo);
}

int
source_lines_find(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct source_search ssr = { .ssr_lines = object_file_lines(ob),
		.ssr_main = object_file_main(ob),
		.ssr_query = pq };
	size_t i;
	int error;

	if (ssr.ssr_lines == NULL || pq->pq_name[0] == '\0')
		return 0;
	lines_begin(ssr.ssr_lines);
	error = lines_units(ssr.ssr_lines, unit_visit, &ssr);
	if (error == E2BIG) {
		ssr.ssr_ismore = 1;
		error = 0;
	}
	if (error == 0 && ssr.ssr_n > 0) {
		lines_begin(ssr.ssr_lines);
		keep_first(&ssr);
	}
	for (i = 0; i < ssr.ssr_n && i < pq->pq_max && error == 0; i++)
		put_row(&ssr, ob, ssr.ssr_v[i].sro_addr, sink);
	if (i < ssr.ssr_n || ssr.ssr_ismore)
		sink->psk_more(sink);
	lines_trim(ssr.ssr_lines);
	free(ssr.ssr_v);
	return error;
}
