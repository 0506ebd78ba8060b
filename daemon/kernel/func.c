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
#include "daemon/kernel/func_table.h"

#define MAXSINGLE 3 /* names read singly before the whole list is read */

/* All by refresh_mtx. */
static pthread_mutex_t refresh_mtx = PTHREAD_MUTEX_INITIALIZER;
static int isread;	      /* the table has entries */
static int iswhole;	      /* it has all functions */
static unsigned int nsingle;  /* names that were read singly */
static uint64_t modules_then; /* func_read_modules() at the last read */

/* only: a name, or NULL for all of them. */
static int
table_refresh(const char *only)
{
	struct func_list li = { .li_only = only };
	struct deny_ranges kr;
	int error;

	if ((error = func_read_get(&li)) != 0) {
		func_read_free(&li);
		return error;
	}
	func_deny_read(&kr);
	pthread_rwlock_wrlock(&ktable.ftb_lock);
	error = func_table_merge(&li, &kr);
	pthread_rwlock_unlock(&ktable.ftb_lock);
	log_debug("functions: %zu, of which %u have names that are too long",
	    li.li_n, li.li_nlong);
	free(kr.dgs_list);
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

/* Copies the function name of a pattern that can match only one name. */
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
 * Looking
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
