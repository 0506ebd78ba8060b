/* SPDX-License-Identifier: ISC */
/*
 * Caches replies in a list, the most recently used first.  Few are in it: a
 * session queries once for each probe that a client names.  Above the size
 * limit, the last ones are removed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "common/clock.h"
#include "daemon/sym/probe_cache.h"

#define ENTRIES_MAX 1024

struct probe_entry {
	struct symbol_key pce_key; /* sk_path is pce_path */
	char *pce_path;
	struct probe_query pce_query;
	struct file_probes pce_found;
	size_t pce_nbytes;
	time_t pce_used;
	TAILQ_ENTRY(probe_entry) pce_entry;
};

static pthread_mutex_t cache_mtx = PTHREAD_MUTEX_INITIALIZER;
static TAILQ_HEAD(probe_entries, probe_entry) entries = TAILQ_HEAD_INITIALIZER(
    entries);
static size_t nbytes;
static unsigned int nentries;

static void *
copy(const void *p, size_t n, int *ok)
{
	void *to;

	if (n == 0)
		return NULL;
	if ((to = malloc(n)) == NULL)
		*ok = 0;
	else
		memcpy(to, p, n);
	return to;
}

/* Returns 0 if memory runs out. */
static int
copy_found(struct file_probes *to, const struct file_probes *from)
{
	struct file_probes fip = *from;
	int ok = 1;

	fip.fip_sites = copy(from->fip_sites,
	    from->fip_nsites * sizeof(*from->fip_sites), &ok);
	fip.fip_args = copy(from->fip_args,
	    from->fip_nargs * sizeof(*from->fip_args), &ok);
	fip.fip_strings = copy(from->fip_strings, from->fip_nbytes, &ok);
	if (ok)
		*to = fip;
	else
		file_probes_free(&fip);
	return ok;
}

static int
is_same(const struct probe_entry *pre, const struct symbol_key *sk,
    const struct probe_query *pq)
{
	const struct symbol_key *k = &pre->pce_key;

	return k->sk_dev == sk->sk_dev && k->sk_ino == sk->sk_ino &&
	    k->sk_ctime == sk->sk_ctime && k->sk_size == sk->sk_size &&
	    k->sk_root == sk->sk_root &&
	    memcmp(&pre->pce_query, pq, sizeof(*pq)) == 0 &&
	    strcmp(pre->pce_path, sk->sk_path) == 0;
}

static struct probe_entry *
entry_find(const struct symbol_key *sk, const struct probe_query *pq)
{
	struct probe_entry *pre;

	TAILQ_FOREACH(pre, &entries, pce_entry)
		if (is_same(pre, sk, pq))
			break;
	return pre;
}

static void
entry_free(struct probe_entry *pre)
{
	file_probes_free(&pre->pce_found);
	free(pre->pce_path);
	free(pre);
}

static void
entry_remove(struct probe_entry *pre)
{
	TAILQ_REMOVE(&entries, pre, pce_entry);
	nbytes -= pre->pce_nbytes;
	nentries--;
	entry_free(pre);
}

static void
entry_insert(struct probe_entry *pre)
{
	TAILQ_INSERT_HEAD(&entries, pre, pce_entry);
	nbytes += pre->pce_nbytes;
	nentries++;
	pre->pce_used = clock_secs();
	while (nbytes > PROBE_CACHE_BYTES || nentries > ENTRIES_MAX)
		entry_remove(TAILQ_LAST(&entries, probe_entries));
}

int
probe_cache_get(const struct symbol_key *sk, const struct probe_query *pq,
    struct file_probes *fip)
{
	struct probe_entry *pre;
	int ok = 0;

	pthread_mutex_lock(&cache_mtx);
	if ((pre = entry_find(sk, pq)) != NULL) {
		TAILQ_REMOVE(&entries, pre, pce_entry);
		TAILQ_INSERT_HEAD(&entries, pre, pce_entry);
		pre->pce_used = clock_secs();
		ok = copy_found(fip, &pre->pce_found);
	}
	pthread_mutex_unlock(&cache_mtx);
	return ok;
}

void
probe_cache_put(const struct symbol_key *sk, const struct probe_query *pq,
    const struct file_probes *fip)
{
	struct probe_entry *pre, *old;
	size_t n;

	n = sizeof(*pre) + strlen(sk->sk_path) + 1 + fip->fip_nbytes +
	    fip->fip_nsites * sizeof(*fip->fip_sites) +
	    fip->fip_nargs * sizeof(*fip->fip_args);
	if (n > PROBE_CACHE_BYTES / 4 ||
	    (pre = calloc(1, sizeof(*pre))) == NULL)
		return;
	pre->pce_key = *sk;
	pre->pce_query = *pq;
	pre->pce_nbytes = n;
	if ((pre->pce_path = strdup(sk->sk_path)) == NULL ||
	    !copy_found(&pre->pce_found, fip)) {
		entry_free(pre);
		return;
	}
	pthread_mutex_lock(&cache_mtx);
	if ((old = entry_find(sk, pq)) != NULL)
		entry_remove(old);
	entry_insert(pre);
	pthread_mutex_unlock(&cache_mtx);
}

void
probe_cache_trim(int seconds)
{
	struct probe_entry *pre, *next;
	time_t before = clock_secs() - seconds;

	pthread_mutex_lock(&cache_mtx);
	for (pre = TAILQ_FIRST(&entries); pre != NULL; pre = next) {
		next = TAILQ_NEXT(pre, pce_entry);
		if (pre->pce_used <= before)
			entry_remove(pre);
	}
	pthread_mutex_unlock(&cache_mtx);
}
