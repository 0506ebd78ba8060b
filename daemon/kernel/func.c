/* SPDX-License-Identifier: ISC */
/*
 * Functions by name and by number, see daemon/kernel/func.h.  The kernel's
 * lists are read outside of the table's lock and merged under it.  Who asks for
 * one name gets what they have of it: the table is whole only when somebody has
 * asked for more.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/log.h"
#include "daemon/kernel/func.h"
#include "daemon/kernel/func_deny.h"
#include "daemon/kernel/func_proto.h"
#include "daemon/kernel/func_read.h"
#include "daemon/kernel/func_table.h"

#define MAXSINGLE 3 /* names; whoever wants more gets all in one go */

/* All by refresh_mtx. */
static pthread_mutex_t refresh_mtx = PTHREAD_MUTEX_INITIALIZER;
static int isread;	      /* something has been */
static int iswhole;	      /* all of it has been */
static unsigned int nsingle;  /* single names that have been */
static uint64_t modules_then; /* that were there */

/* only: a name, or NULL for all of them. */
static int
table_refresh(const char *only)
{
	struct klist li = { .li_only = only };
	struct kranges kr;
	int error;

	if ((error = klist_get(&li)) != 0) {
		klist_free(&li);
		return error;
	}
	kdeny_read(&kr);
	pthread_rwlock_wrlock(&ktable.kt_lock);
	error = ktable_merge(&li, &kr);
	pthread_rwlock_unlock(&ktable.kt_lock);
	log_debug("functions: %zu, of which %u have names that are too long",
	    li.li_n, li.li_nlong);
	free(kr.kr_list);
	klist_free(&li);
	return error;
}

/* Under refresh_mtx. */
static int
refresh(const char *only, char *text, size_t size)
{
	uint64_t now = klist_modules();
	int error;

	if (isread && now != modules_then) {
		kproto_forget();
		only = NULL; /* whatever is known may have gone */
	}
	if ((error = table_refresh(only)) != 0) {
		snprintf(text, size, "the functions of the kernel: %s%s",
		    strerror(error),
		    error == EPERM
			? " (addresses are hidden: "
			  "kernel.kptr_restrict, or CAP_SYSLOG lacks)"
			: "");
		return error;
	}
	isread = 1;
	iswhole |= only == NULL;
	nsingle++;
	modules_then = now;
	return 0;
}

int
kfunc_refresh(char *text, size_t size)
{
	int error = 0;

	pthread_mutex_lock(&refresh_mtx);
	if (isread && klist_modules() != modules_then)
		error = refresh(NULL, text, size);
	pthread_mutex_unlock(&refresh_mtx);
	return error;
}

/* The name that all functions have that match, if that can be told. */
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

	pthread_rwlock_rdlock(&ktable.kt_lock);
	s = ktable_from(name, len);
	r = s < ktable.kt_n && strcmp(ktable_name(ktable_nth(s)), name) == 0;
	pthread_rwlock_unlock(&ktable.kt_lock);
	return r;
}

int
kfunc_read(const char *pattern, char *text, size_t size)
{
	char name[DTNAMESIZE];
	int error = 0, one = only_name(pattern, name);

	pthread_mutex_lock(&refresh_mtx);
	if (klist_modules() != modules_then)
		error = refresh(one ? name : NULL, text, size);
	else if (!iswhole && !(one && is_known(name)))
		error = refresh(one && nsingle < MAXSINGLE ? name : NULL, text,
		    size);
	pthread_mutex_unlock(&refresh_mtx);
	return error;
}

/*
 * Looking
 */

uint32_t
kfunc_count(void)
{
	uint32_t n;

	pthread_rwlock_rdlock(&ktable.kt_lock);
	n = ktable.kt_n;
	pthread_rwlock_unlock(&ktable.kt_lock);
	return n;
}

/* Writes the name that probes have and returns its length; one that has no
 * room for its number is cut, and still no other's. */
static size_t
entry_name(const struct kentry *e, char *buf)
{
	const char *name = ktable_name(e);
	size_t len = strlen(name);
	char nth[16];
	int n;

	memcpy(buf, name, len + 1);
	if (e->ke_nth == 1)
		return len;
	n = snprintf(nth, sizeof(nth), "@%u", e->ke_nth);
	if (len + n >= DTNAMESIZE)
		len = DTNAMESIZE - 1 - n;
	memcpy(buf + len, nth, n + 1);
	return len + n;
}

/* Whether nobody else in the kernel itself has its name: it has the first. */
static int
entry_is_only(uint32_t index)
{
	const struct kentry *e = &ktable.kt_entries[index], *next;
	size_t s = ktable_from(ktable_name(e), strlen(ktable_name(e)) + 1);

	if (ktable.kt_sorted[s] != index || *ktable_module(e) != '\0')
		return 0;
	if (s + 1 == ktable.kt_n)
		return 1;
	next = ktable_nth(s + 1);
	return *ktable_module(next) != '\0' ||
	    strcmp(ktable_name(next), ktable_name(e)) != 0;
}

int
kfunc_get(uint32_t index, struct kfunc *kf)
{
	const struct kentry *e;
	int error = ESRCH;

	memset(kf, 0, sizeof(*kf));
	pthread_rwlock_rdlock(&ktable.kt_lock);
	if (index < ktable.kt_n) {
		e = &ktable.kt_entries[index];
		entry_name(e, kf->kf_name);
		snprintf(kf->kf_symbol, DTNAMESIZE, "%s", ktable_name(e));
		snprintf(kf->kf_module, DTNAMESIZE, "%s", ktable_module(e));
		kf->kf_addr = e->ke_addr;
		kf->kf_denied = e->ke_denied;
		kf->kf_isonly = entry_is_only(index);
		error = 0;
	}
	pthread_rwlock_unlock(&ktable.kt_lock);
	return error;
}

static int
u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int
kfunc_match(const char *pattern, uint32_t **listp, size_t *np, char *text)
{
	static const char *const probes[] = { ":entry", ":return" };
	/* what all that match begin with, as far as it is a name */
	size_t prefix = strcspn(pattern, "*?[\\:@"), max = 0, n = 0, s, len;
	char name[DTNAMESIZE + sizeof(":return")];
	const struct kentry *e;
	uint32_t *list = NULL, i;
	struct globpat gp;
	int error;

	if ((error = globpat_compile(&gp, pattern, text)) != 0)
		return error;
	pthread_rwlock_rdlock(&ktable.kt_lock);
	for (s = ktable_from(pattern, prefix); s < ktable.kt_n; s++) {
		e = ktable_nth(s);
		if (strncmp(ktable_name(e), pattern, prefix) != 0)
			break;
		if (e->ke_addr == 0)
			continue;
		len = entry_name(e, name);
		for (i = 0; i < 2 && error == 0; i++) {
			strcpy(name + len, probes[i]);
			if (!globpat_match(&gp, name) ||
			    (error = klist_grow(&list, n + 1, &max,
				 sizeof(*list))) != 0)
				continue;
			list[n++] = 2 * ktable.kt_sorted[s] + i;
		}
	}
	pthread_rwlock_unlock(&ktable.kt_lock);
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
