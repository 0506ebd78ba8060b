/* SPDX-License-Identifier: ISC */
/*
 * Looks up functions by name and by number.  The kernel's lists are read
 * without the table's lock and merged under it.  A lookup of a single name
 * reads only what it needs of the lists; the table is completed by the first
 * other query.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/kernel/func.h"
#include "daemon/kernel/func_deny.h"
#include "daemon/kernel/func_proto.h"
#include "daemon/kernel/func_read.h"

#define MAXSINGLE 3 /* names read singly before the whole list is read */

/* An entry of the table. */
struct func_entry {
	uint64_t fen_addr;	       /* 0: unloaded */
	uint32_t fen_name, fen_module; /* offsets into ftb_names */
	uint32_t fen_nth;	       /* among functions of its name, from 1 */
	const char *fen_denied;
};

/*
 * The table, by ftb_lock: entries that never move, and an order by name.  Name,
 * module and order of address identify a function across the kernel's lists.
 */
static struct func_table {
	pthread_rwlock_t ftb_lock;
	struct func_entry *ftb_entries;
	size_t ftb_n, ftb_max;
	uint32_t *ftb_sorted; /* indices, by name, module and address */
	char *ftb_names;
	size_t ftb_nnames, ftb_maxnames;
} ktable = { .ftb_lock = PTHREAD_RWLOCK_INITIALIZER };

/* All by refresh_mtx. */
static pthread_mutex_t refresh_mtx = PTHREAD_MUTEX_INITIALIZER;
static int isread;	      /* the table has entries */
static int iswhole;	      /* it has all functions */
static unsigned int nsingle;  /* names that were read singly */
static uint64_t modules_then; /* func_read_modules() at the last read */

static const struct func_entry *
func_table_nth(size_t place)
{
	return &ktable.ftb_entries[ktable.ftb_sorted[place]];
}

static const char *
func_table_name(const struct func_entry *ke)
{
	return ktable.ftb_names + ke->fen_name;
}

static const char *
func_table_module(const struct func_entry *ke)
{
	return ktable.ftb_names + ke->fen_module;
}

/*
 * Merging
 */

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

/* Returns the highest number that a function of this name has. */
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

/* Adds an entry for each line without one, in the order of the lines. */
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

/*
 * Updates the addresses of known functions, and stores the indices of lines
 * with unknown ones in lines[]; *np is their number.
 */
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
table_deny(void)
{
	struct func_entry *e;
	size_t i;

	for (i = 0; i < ktable.ftb_n; i++) {
		e = &ktable.ftb_entries[i];
		if (e->fen_denied == NULL && e->fen_addr != 0)
			e->fen_denied = func_deny_addr(e->fen_addr);
	}
}

/*
 * Updates the addresses of known functions and adds new ones; on an errno
 * nothing is added.  Then marks functions that the kernel does not permit to
 * probe.  Under the lock.
 */
static int
func_table_merge(const struct func_list *li)
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
	table_deny();
	return error;
}

/*
 * Returns the index in ftb_sorted of the first name that is not less than the
 * len bytes of prefix.
 */
static size_t
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

/*
 * Reading
 */

/* Reads the functions named only, or all if that is NULL. */
static int
table_refresh(const char *only)
{
	struct func_list li = { .li_only = only };
	int error;

	if ((error = func_read_get(&li)) != 0) {
		func_read_free(&li);
		return error;
	}
	func_deny_read();
	pthread_rwlock_wrlock(&ktable.ftb_lock);
	error = func_table_merge(&li);
	pthread_rwlock_unlock(&ktable.ftb_lock);
	log_debug("functions: %zu, of which %u have names that are too long",
	    li.li_n, li.li_nlong);
	func_read_free(&li);
	return error;
}

/* Under refresh_mtx. */
static int
refresh(const char *only, struct reason *rs)
{
	uint64_t now = func_read_modules();
	int error;

	if (isread && now != modules_then) {
		func_proto_forget();
		only = NULL; /* any entry may be outdated */
	}
	if ((error = table_refresh(only)) != 0)
		return reason_fail(rs, error,
		    "the functions of the kernel: %s%s", strerror(error),
		    error == EPERM
			? " (addresses are hidden: "
			  "kernel.kptr_restrict, or CAP_SYSLOG is missing)"
			: "");
	isread = 1;
	iswhole |= only == NULL;
	nsingle++;
	modules_then = now;
	return 0;
}

int
func_refresh(struct reason *rs)
{
	int error = 0;

	pthread_mutex_lock(&refresh_mtx);
	if (isread && func_read_modules() != modules_then)
		error = refresh(NULL, rs);
	pthread_mutex_unlock(&refresh_mtx);
	return error;
}

/* Copies the function's name if a pattern can match only one name. */
static int
only_name(const char *pattern, char *name)
{
	size_t len = strcspn(pattern, "*?[\\:@");

	if (pattern[len] != ':' || len >= DTNAMESIZE)
		return 0;
	memcpy(name, pattern, len);
	name[len] = '\0';
	return 1;
}

static int
is_known(const char *name)
{
	size_t s, len = strlen(name) + 1;
	int r;

	pthread_rwlock_rdlock(&ktable.ftb_lock);
	s = func_table_from(name, len);
	r = s < ktable.ftb_n &&
	    strcmp(func_table_name(func_table_nth(s)), name) == 0;
	pthread_rwlock_unlock(&ktable.ftb_lock);
	return r;
}

int
func_read(const char *pattern, struct reason *rs)
{
	char name[DTNAMESIZE];
	int error = 0, one = only_name(pattern, name);

	pthread_mutex_lock(&refresh_mtx);
	if (func_read_modules() != modules_then)
		error = refresh(one ? name : NULL, rs);
	else if (!iswhole && !(one && is_known(name)))
		error = refresh(one && nsingle < MAXSINGLE ? name : NULL, rs);
	pthread_mutex_unlock(&refresh_mtx);
	return error;
}

/*
 * Lookups
 */

uint32_t
func_count(void)
{
	uint32_t n;

	pthread_rwlock_rdlock(&ktable.ftb_lock);
	n = ktable.ftb_n;
	pthread_rwlock_unlock(&ktable.ftb_lock);
	return n;
}

/*
 * Writes the name of a function's probes and returns its length.  A name that
 * is too long with its number is cut before the number, so it stays unique.
 */
static size_t
entry_name(const struct func_entry *e, char *buf)
{
	const char *name = func_table_name(e);
	size_t len = strlen(name);
	char nth[16];
	int n;

	memcpy(buf, name, len + 1);
	if (e->fen_nth == 1)
		return len;
	n = snprintf(nth, sizeof(nth), "@%u", e->fen_nth);
	if (len + n >= DTNAMESIZE)
		len = DTNAMESIZE - 1 - n;
	memcpy(buf + len, nth, n + 1);
	return len + n;
}

/* Returns whether the kernel itself has no other function of this name. */
static int
entry_is_only(uint32_t index)
{
	const struct func_entry *e = &ktable.ftb_entries[index], *next;
	size_t s = func_table_from(func_table_name(e),
	    strlen(func_table_name(e)) + 1);

	if (ktable.ftb_sorted[s] != index || *func_table_module(e) != '\0')
		return 0;
	if (s + 1 == ktable.ftb_n)
		return 1;
	next = func_table_nth(s + 1);
	return *func_table_module(next) != '\0' ||
	    strcmp(func_table_name(next), func_table_name(e)) != 0;
}

int
func_get(uint32_t index, struct func *fu)
{
	const struct func_entry *e;
	int error = ESRCH;

	memset(fu, 0, sizeof(*fu));
	pthread_rwlock_rdlock(&ktable.ftb_lock);
	if (index < ktable.ftb_n) {
		e = &ktable.ftb_entries[index];
		entry_name(e, fu->fu_name);
		snprintf(fu->fu_symbol, DTNAMESIZE, "%s", func_table_name(e));
		snprintf(fu->fu_module, DTNAMESIZE, "%s", func_table_module(e));
		fu->fu_addr = e->fen_addr;
		fu->fu_denied = e->fen_denied;
		fu->fu_isonly = entry_is_only(index);
		error = 0;
	}
	pthread_rwlock_unlock(&ktable.ftb_lock);
	return error;
}

static int
u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int
func_match(const char *pattern, uint32_t **listp, size_t *np, struct reason *rs)
{
	static const char *const probes[] = { ":entry", ":return" };
	/* length of the common beginning of all matches */
	size_t prefix = strcspn(pattern, "*?[\\:@"), max = 0, n = 0, s, len;
	char name[DTNAMESIZE + sizeof(":return")];
	const struct func_entry *e;
	uint32_t *list = NULL, i;
	struct globpat gp;
	int error;

	if ((error = globpat_compile(&gp, pattern, rs)) != 0)
		return error;
	pthread_rwlock_rdlock(&ktable.ftb_lock);
	for (s = func_table_from(pattern, prefix); s < ktable.ftb_n; s++) {
		e = func_table_nth(s);
		if (strncmp(func_table_name(e), pattern, prefix) != 0)
			break;
		if (e->fen_addr == 0)
			continue;
		len = entry_name(e, name);
		for (i = 0; i < 2 && error == 0; i++) {
			strcpy(name + len, probes[i]);
			if (!globpat_match(&gp, name) ||
			    (error = func_read_grow(&list, n + 1, &max,
				 sizeof(*list))) != 0)
				continue;
			list[n++] = 2 * ktable.ftb_sorted[s] + i;
		}
	}
	pthread_rwlock_unlock(&ktable.ftb_lock);
	if (error != 0) {
		free(list);
		return error;
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), u32_cmp);
	*listp = list;
	*np = n;
	return 0;
}
