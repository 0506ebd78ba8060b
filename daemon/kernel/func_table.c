/* SPDX-License-Identifier: ISC */
/*
 * Stores functions and merges new lists by name, module and order of address,
 * which identify a function across lists.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/func_deny.h"
#include "daemon/kernel/func_read.h"
#include "daemon/kernel/func_table.h"

struct func_table ktable = { .ftb_lock = PTHREAD_RWLOCK_INITIALIZER };

static int
entry_cmp_line(const struct func_entry *e, const struct func_list *li,
    const struct func_name *ln)
{
	int d = strcmp(func_table_name(e), li->li_names + ln->kn_name);

	return d != 0
	    ? d
	    : strcmp(func_table_module(e), li->li_names + ln->kn_module);
}

static int
sorted_cmp(const void *a, const void *b)
{
	const struct func_entry *x = &ktable.ftb_entries[*(const uint32_t *)a];
	const struct func_entry *y = &ktable.ftb_entries[*(const uint32_t *)b];
	int d;

	if ((d = strcmp(func_table_name(x), func_table_name(y))) != 0 ||
	    (d = strcmp(func_table_module(x), func_table_module(y))) != 0)
		return d;
	return x->fen_nth < y->fen_nth ? -1 : x->fen_nth > y->fen_nth;
}

/* The highest number that the name has been given. */
static uint32_t
last_nth(const char *name, size_t nsorted)
{
	size_t lo = 0, hi = nsorted, mid;
	uint32_t nth = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(func_table_name(func_table_nth(mid)), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < nsorted &&
	     strcmp(func_table_name(func_table_nth(lo)), name) == 0;
	     lo++)
		if (func_table_nth(lo)->fen_nth > nth)
			nth = func_table_nth(lo)->fen_nth;
	return nth;
}

static int
table_add(const struct func_list *li, const struct func_name *ln, uint32_t nth,
    uint32_t module)
{
	struct func_entry *e;
	int error;

	if (ktable.ftb_n == FUNC_MAX)
		return E2BIG;
	if ((error = func_read_grow(&ktable.ftb_entries, ktable.ftb_n + 1,
		 &ktable.ftb_max, sizeof(*ktable.ftb_entries))) != 0)
		return error;
	e = &ktable.ftb_entries[ktable.ftb_n];
	memset(e, 0, sizeof(*e));
	if ((error = func_read_put(&ktable.ftb_names, &ktable.ftb_nnames,
		 &ktable.ftb_maxnames, li->li_names + ln->kn_name,
		 &e->fen_name)) != 0)
		return error;
	e->fen_module = module;
	if (module == UINT32_MAX &&
	    (error = func_read_put(&ktable.ftb_names, &ktable.ftb_nnames,
		 &ktable.ftb_maxnames, li->li_names + ln->kn_module,
		 &e->fen_module)) != 0)
		return error;
	e->fen_addr = ln->kn_addr;
	e->fen_nth = nth;
	e->fen_denied = func_deny_name(func_table_name(e));
	ktable.ftb_n++;
	return 0;
}

/* Adds lines that no entry has, in their order. */
static int
table_add_all(const struct func_list *li, const uint32_t *lines, size_t n,
    size_t nsorted)
{
	const char *name, *before = NULL;
	uint32_t nth = 0, module, empty = UINT32_MAX;
	const struct func_name *ln;
	size_t i;
	int error;

	for (i = 0; i < n; i++) {
		ln = &li->li_lines[lines[i]];
		name = li->li_names + ln->kn_name;
		if (before == NULL || strcmp(before, name) != 0)
			nth = last_nth(name, nsorted);
		before = name;
		module = li->li_names[ln->kn_module] == '\0' ? empty
							     : UINT32_MAX;
		if ((error = table_add(li, ln, ++nth, module)) != 0)
			return error;
		if (li->li_names[ln->kn_module] == '\0')
			empty = ktable.ftb_entries[ktable.ftb_n - 1].fen_module;
	}
	return 0;
}

/* Writes down where those that are known are now; *np: how many lines[] has of
 * those that are not. */
static void
table_find(const struct func_list *li, uint32_t *lines, size_t *np)
{
	size_t i, s = 0;
	struct func_entry *e;
	int d;

	for (s = 0; s < ktable.ftb_n; s++)
		if (li->li_only == NULL ||
		    strcmp(func_table_name(&ktable.ftb_entries[s]),
			li->li_only) == 0)
			ktable.ftb_entries[s].fen_addr = 0;
	for (i = 0, s = 0, *np = 0; i < li->li_n; i++) {
		d = 1;
		while (s < ktable.ftb_n) {
			e = &ktable.ftb_entries[ktable.ftb_sorted[s]];
			if ((d = entry_cmp_line(e, li, &li->li_lines[i])) >= 0)
				break;
			s++;
		}
		if (s < ktable.ftb_n && d == 0) {
			e->fen_addr = li->li_lines[i].kn_addr;
			s++;
		} else
			lines[(*np)++] = i;
	}
}

static void
table_deny(const struct deny_ranges *kr)
{
	struct func_entry *e;
	size_t i;

	for (i = 0; kr->dgs_n > 0 && i < ktable.ftb_n; i++) {
		e = &ktable.ftb_entries[i];
		if (e->fen_denied == NULL && e->fen_addr != 0)
			e->fen_denied = func_deny_addr(kr, e->fen_addr);
	}
}

int
func_table_merge(const struct func_list *li, const struct deny_ranges *kr)
{
	size_t i, nsorted = ktable.ftb_n, nnew;
	uint32_t *lines, *p;
	int error;

	if ((lines = malloc((li->li_n + 1) * sizeof(*lines))) == NULL)
		return ENOMEM;
	table_find(li, lines, &nnew);
	error = table_add_all(li, lines, nnew, nsorted);
	free(lines);
	if (error != 0 || nnew == 0)
		goto out;
	if ((p = realloc(ktable.ftb_sorted, ktable.ftb_n * sizeof(*p))) ==
	    NULL) {
		error = ENOMEM;
		goto out;
	}
	ktable.ftb_sorted = p;
	for (i = nsorted; i < ktable.ftb_n; i++)
		ktable.ftb_sorted[i] = i;
	qsort(ktable.ftb_sorted, ktable.ftb_n, sizeof(*p), sorted_cmp);
out:
	if (error != 0)
		ktable.ftb_n = nsorted;
	table_deny(kr);
	return error;
}

size_t
func_table_from(const char *prefix, size_t len)
{
	size_t lo = 0, hi = ktable.ftb_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strncmp(func_table_name(func_table_nth(mid)), prefix, len) <
		    0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
