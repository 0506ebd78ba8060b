/* SPDX-License-Identifier: ISC */
/* Builds unwind tables from call frame information. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/unwind_cfi.h"
#include "symbolizer/unwind_rows.h"

#define ROWS_MAX (16U << 20) /* for a request; libc has 23,500 */

/* A row before the division into pages. */
struct flat_row {
	uint64_t fr_addr;
	uint32_t fr_rule;
	uint32_t
	    fr_nth; /* order of arrival: of equal addresses the last counts,
			  * but a function's end gives way to a beginning */
};

struct builder {
	struct unwind_table *bu_table;
	uint64_t bu_from, bu_to;
	struct flat_row *bu_v;
	size_t bu_n, bu_max;
};

/*
 * Rules
 */

static uint32_t
rule_hash(const struct unwind_rule *un)
{
	uint32_t words[3], h = 2166136261u;
	unsigned int i;

	memcpy(words, un, sizeof(words));
	for (i = 0; i < 3; i++)
		h = (h ^ words[i]) * 2654435761u;
	return h ^ h >> 15;
}

static uint32_t *
rule_line(const struct unwind_table *ut, const struct unwind_rule *un)
{
	uint32_t h = rule_hash(un);

	while (ut->ut_lines[h &= ut->ut_nlines - 1] != 0 &&
	    memcmp(&ut->ut_rules[ut->ut_lines[h] - 1], un, sizeof(*un)) != 0)
		h++;
	return &ut->ut_lines[h];
}

/* Doubles the array of rules; the hash is at most half full. */
static int
rules_grow(struct unwind_table *ut)
{
	size_t i, max = ut->ut_nlines == 0 ? 256 : ut->ut_nlines;
	struct unwind_rule *rules;
	uint32_t *lines;

	if ((rules = reallocarray(ut->ut_rules, max, sizeof(*rules))) == NULL)
		return ENOMEM;
	ut->ut_rules = rules;
	if ((lines = calloc(2 * max, sizeof(*lines))) == NULL)
		return ENOMEM;
	free(ut->ut_lines);
	ut->ut_lines = lines;
	ut->ut_nlines = 2 * max;
	for (i = 0; i < ut->ut_nrules; i++)
		*rule_line(ut, &ut->ut_rules[i]) = i + 1;
	return 0;
}

/* Returns the number of a rule, which is added if it is new. */
static int
rule_number(struct unwind_table *ut, const struct unwind_rule *un,
    uint32_t *nth)
{
	uint32_t *line;
	int error;

	if (ut->ut_nrules >= ut->ut_nlines / 2 && (error = rules_grow(ut)) != 0)
		return error;
	line = rule_line(ut, un);
	if (*line == 0) {
		if (ut->ut_nrules >= UNWIND_RULES)
			return E2BIG;
		ut->ut_rules[ut->ut_nrules++] = *un;
		*line = ut->ut_nrules;
	}
	*nth = *line - 1;
	return 0;
}

/*
 * Rows
 */

static int
row_add(void *arg, uint64_t addr, const struct unwind_rule *un)
{
	struct builder *bu = arg;
	struct flat_row *v;
	size_t max;
	int error;

	if (addr >= bu->bu_to)
		return 0;
	if (bu->bu_n == bu->bu_max) {
		max = bu->bu_max == 0 ? 4096 : bu->bu_max * 2;
		if (max > ROWS_MAX)
			return E2BIG;
		if ((v = reallocarray(bu->bu_v, max, sizeof(*v))) == NULL)
			return ENOMEM;
		bu->bu_v = v;
		bu->bu_max = max;
	}
	v = &bu->bu_v[bu->bu_n];
	v->fr_addr = addr < bu->bu_from ? bu->bu_from : addr;
	v->fr_nth = un->un_cfa == UNWIND_CFA_NONE ? 0 : bu->bu_n + 1;
	if ((error = rule_number(bu->bu_table, un, &v->fr_rule)) == 0)
		bu->bu_n++;
	return error;
}

static int
row_compare(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->fr_addr != y->fr_addr)
		return x->fr_addr < y->fr_addr ? -1 : 1;
	return x->fr_nth < y->fr_nth ? -1 : x->fr_nth > y->fr_nth;
}

/* Sorts the rows, and removes those that repeat or are covered. */
static void
rows_settle(struct builder *bu)
{
	struct flat_row *v = bu->bu_v;
	size_t i, n = 0;

	qsort(v, bu->bu_n, sizeof(*v), row_compare);
	for (i = 0; i < bu->bu_n; i++) {
		if (i + 1 < bu->bu_n && v[i].fr_addr == v[i + 1].fr_addr)
			continue;
		if (n == 0 || v[n - 1].fr_rule != v[i].fr_rule)
			v[n++] = v[i];
	}
	bu->bu_n = n;
}

/* Divides the rows into pages; each page begins with a row. */
static int
rows_divide(struct builder *bu, size_t npages)
{
	struct unwind_table *ut = bu->bu_table;
	uint32_t rule, n = 0;
	size_t i = 0, page;
	uint64_t start;
	int error;

	if ((error = rule_number(ut, &(struct unwind_rule){ .un_cfa = 0 },
		 &rule)) != 0)
		return error;
	free(ut->ut_rows);
	free(ut->ut_first);
	ut->ut_rows = reallocarray(NULL, bu->bu_n + npages,
	    sizeof(*ut->ut_rows));
	ut->ut_first = reallocarray(NULL, npages + 1, sizeof(*ut->ut_first));
	ut->ut_page = bu->bu_from >> UNWIND_PAGE_SHIFT;
	ut->ut_npages = npages;
	if (ut->ut_rows == NULL || ut->ut_first == NULL)
		return ENOMEM;
	for (page = 0; page < npages; page++) {
		start = bu->bu_from + page * UNWIND_PAGE;
		ut->ut_first[page] = n;
		if (i >= bu->bu_n || bu->bu_v[i].fr_addr != start)
			ut->ut_rows[n++] = (struct unwind_row){ 0, rule };
		for (;
		     i < bu->bu_n && bu->bu_v[i].fr_addr - start < UNWIND_PAGE;
		     i++) {
			rule = bu->bu_v[i].fr_rule;
			ut->ut_rows[n++] = (struct unwind_row){
				bu->bu_v[i].fr_addr - start, rule
			};
		}
	}
	ut->ut_first[npages] = n;
	return 0;
}

/* Adds the rows of a section of frame information.  ENOENT: there is none. */
static int
section_add(struct builder *bu, const struct elffile *ef, const char *name,
    int iseh)
{
	GElf_Shdr sh;
	struct cfi cf = { .cf_iseh = iseh,
		.cf_machine = ef->ef_ehdr.e_machine };
	int error;

	cf.cf_bytes = elffile_bytes(elffile_section(ef, name, &sh),
	    &cf.cf_size);
	if (cf.cf_bytes == NULL || sh.sh_type == SHT_NOBITS ||
	    (sh.sh_flags & SHF_COMPRESSED))
		return ENOENT;
	cf.cf_addr = sh.sh_addr;
	error = cfi_rows(&cf, bu->bu_from, bu->bu_to, row_add, bu);
	return error == EBADMSG ? 0 : error;
}

int
unwind_build(struct unwind_table *ut, const struct elffile *ef, uint64_t page,
    size_t npages)
{
	struct builder bu = { .bu_table = ut,
		.bu_from = page << UNWIND_PAGE_SHIFT,
		.bu_to = (page + npages) << UNWIND_PAGE_SHIFT };
	int error;

	error = section_add(&bu, ef, ".eh_frame", 1);
	if (error == ENOENT)
		error = section_add(&bu, ef, ".debug_frame", 0);
	else if (error == 0 && bu.bu_n == 0 &&
	    (error = section_add(&bu, ef, ".debug_frame", 0)) == ENOENT)
		error = 0; /* this part of the code has no functions */
	if (error == 0) {
		rows_settle(&bu);
		error = rows_divide(&bu, npages);
	}
	free(bu.bu_v);
	return error;
}

void
unwind_free(struct unwind_table *ut)
{
	free(ut->ut_rules);
	free(ut->ut_lines);
	free(ut->ut_first);
	free(ut->ut_rows);
	memset(ut, 0, sizeof(*ut));
}
