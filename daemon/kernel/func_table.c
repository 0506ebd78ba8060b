/* SPDX-License-Identifier: ISC */
/*
 * The table of func_table.h.  A new list is merged by name, module and order of
 * address: that is how a function is known again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/func_deny.h"
#include "daemon/kernel/func_read.h"
#include "daemon/kernel/func_table.h"

struct ktable ktable = { .kt_lock = PTHREAD_RWLOCK_INITIALIZER };

static int
entry_cmp_line(const struct kentry *e, const struct klist *li,
    const struct kname *ln)
{
	int d = strcmp(ktable_name(e), li->li_names + ln->kn_name);

	return d != 0 ? d
		      : strcmp(ktable_module(e), li->li_names + ln->kn_module);
}

static int
sorted_cmp(const void *a, const void *b)
{
	const struct kentry *x = &ktable.kt_entries[*(const uint32_t *)a];
	const struct kentry *y = &ktable.kt_entries[*(const uint32_t *)b];
	int d;

	if ((d = strcmp(ktable_name(x), ktable_name(y))) != 0 ||
	    (d = strcmp(ktable_module(x), ktable_module(y))) != 0)
		return d;
	return x->ke_nth < y->ke_nth ? -1 : x->ke_nth > y->ke_nth;
}

/* The highest number that the name has been given. */
static uint32_t
last_nth(const char *name, size_t nsorted)
{
	size_t lo = 0, hi = nsorted, mid;
	uint32_t nth = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(ktable_name(ktable_nth(mid)), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < nsorted && strcmp(ktable_name(ktable_nth(lo)), name) == 0;
	     lo++)
		if (ktable_nth(lo)->ke_nth > nth)
			nth = ktable_nth(lo)->ke_nth;
	return nth;
}

static int
table_add(const struct klist *li, const struct kname *ln, uint32_t nth,
    uint32_t module)
{
	struct kentry *e;
	int error;

	if (ktable.kt_n == KFUNC_MAX)
		return E2BIG;
	if ((error = klist_grow(&ktable.kt_entries, ktable.kt_n + 1,
		 &ktable.kt_max, sizeof(*ktable.kt_entries))) != 0)
		return error;
	e = &ktable.kt_entries[ktable.kt_n];
	memset(e, 0, sizeof(*e));
	if ((error = klist_put(&ktable.kt_names, &ktable.kt_nnames,
		 &ktable.kt_maxnames, li->li_names + ln->kn_name,
		 &e->ke_name)) != 0)
		return error;
	e->ke_module = module;
	if (module == UINT32_MAX &&
	    (error = klist_put(&ktable.kt_names, &ktable.kt_nnames,
		 &ktable.kt_maxnames, li->li_names + ln->kn_module,
		 &e->ke_module)) != 0)
		return error;
	e->ke_addr = ln->kn_addr;
	e->ke_nth = nth;
	e->ke_denied = kdeny_name(ktable_name(e));
	ktable.kt_n++;
	return 0;
}

/* Adds lines that no entry has, in their order. */
static int
table_add_all(const struct klist *li, const uint32_t *lines, size_t n,
    size_t nsorted)
{
	const char *name, *before = NULL;
	uint32_t nth = 0, module, empty = UINT32_MAX;
	const struct kname *ln;
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
			empty = ktable.kt_entries[ktable.kt_n - 1].ke_module;
	}
	return 0;
}

/* Writes down where those that are known are now; *np: how many lines[] has of
 * those that are not. */
static void
table_find(const struct klist *li, uint32_t *lines, size_t *np)
{
	size_t i, s = 0;
	struct kentry *e;
	int d;

	for (s = 0; s < ktable.kt_n; s++)
		if (li->li_only == NULL ||
		    strcmp(ktable_name(&ktable.kt_entries[s]), li->li_only) ==
			0)
			ktable.kt_entries[s].ke_addr = 0;
	for (i = 0, s = 0, *np = 0; i < li->li_n; i++) {
		d = 1;
		while (s < ktable.kt_n) {
			e = &ktable.kt_entries[ktable.kt_sorted[s]];
			if ((d = entry_cmp_line(e, li, &li->li_lines[i])) >= 0)
				break;
			s++;
		}
		if (s < ktable.kt_n && d == 0) {
			e->ke_addr = li->li_lines[i].kn_addr;
			s++;
		} else
			lines[(*np)++] = i;
	}
}

static void
table_deny(const struct kranges *kr)
{
	struct kentry *e;
	size_t i;

	for (i = 0; kr->kr_n > 0 && i < ktable.kt_n; i++) {
		e = &ktable.kt_entries[i];
		if (e->ke_denied == NULL && e->ke_addr != 0)
			e->ke_denied = kdeny_addr(kr, e->ke_addr);
	}
}

int
ktable_merge(const struct klist *li, const struct kranges *kr)
{
	size_t i, nsorted = ktable.kt_n, nnew;
	uint32_t *lines, *p;
	int error;

	if ((lines = malloc((li->li_n + 1) * sizeof(*lines))) == NULL)
		return ENOMEM;
	table_find(li, lines, &nnew);
	error = table_add_all(li, lines, nnew, nsorted);
	free(lines);
	if (error != 0 || nnew == 0)
		goto out;
	if ((p = realloc(ktable.kt_sorted, ktable.kt_n * sizeof(*p))) == NULL) {
		error = ENOMEM;
		goto out;
	}
	ktable.kt_sorted = p;
	for (i = nsorted; i < ktable.kt_n; i++)
		ktable.kt_sorted[i] = i;
	qsort(ktable.kt_sorted, ktable.kt_n, sizeof(*p), sorted_cmp);
out:
	if (error != 0)
		ktable.kt_n = nsorted;
	table_deny(kr);
	return error;
}

size_t
ktable_from(const char *prefix, size_t len)
{
	size_t lo = 0, hi = ktable.kt_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strncmp(ktable_name(ktable_nth(mid)), prefix, len) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
