/* SPDX-License-Identifier: ISC */
/*
 * Counts what users hold and refuses more than the limits.  The list contains
 * only users that hold something, so it is never longer than the number of
 * connections.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "bpf/dt_shared.h"

#include "daemon/access/fd_reserve.h"
#include "daemon/access/limit.h"
#include "daemon/access/peer.h"
#include "daemon/access/person.h"
#include "daemon/base/conf.h"
#include "daemon/base/conf_key.h"
#include "daemon/base/reason.h"

struct limit_max limit_max[LIMIT_N] = {
	[LIMIT_CONNECTIONS] = { 512, 64 },
	[LIMIT_OPENS] = { 128, 32 },
	[LIMIT_PROBES] = { 1ULL << 20, 1ULL << 18 },
	[LIMIT_RINGBYTES] = { 1ULL << 30, 64ULL << 20 },
	[LIMIT_MAPBYTES] = { 256ULL << 20, 32ULL << 20 },
	[LIMIT_CONDITIONS] = { DT_NCOND - 1, DT_NCOND / 4 },
	[LIMIT_SYMREQUESTS] = { 64, 32 },
};

/* Two rows: the total, and per user. */
#define CONF_LIMIT(key, li, want) \
	CONF(key, conf_bytes, limit_max[li].lm_all, want, CONF_RELOAD), \
	    CONF(key "-user", conf_bytes, limit_max[li].lm_user, want, \
		CONF_RELOAD)

#define CONF_BYTES  "bytes, with k, M or G"
#define CONF_NUMBER "a number, with k, M or G"

const struct conf_key limit_keys[] = {
	CONF_LIMIT("conditions", LIMIT_CONDITIONS, CONF_NUMBER),
	CONF_LIMIT("connections", LIMIT_CONNECTIONS, CONF_NUMBER),
	CONF_LIMIT("map-bytes", LIMIT_MAPBYTES, CONF_BYTES),
	CONF_LIMIT("opens", LIMIT_OPENS, CONF_NUMBER),
	CONF_LIMIT("probes", LIMIT_PROBES, CONF_NUMBER),
	CONF_LIMIT("ring-bytes", LIMIT_RINGBYTES, CONF_BYTES),
	CONF_LIMIT("symbol-requests", LIMIT_SYMREQUESTS, CONF_NUMBER),
	{ .ck_name = NULL },
};

/* A limit's setting, its unit, and the errno of a refusal. */
static const struct {
	const char *setting;
	const char *what;
	int error;
} limits[LIMIT_N] = {
	[LIMIT_CONNECTIONS] = { "connections", "connections", EMFILE },
	[LIMIT_OPENS] = { "opens", "opens", EMFILE },
	[LIMIT_PROBES] = { "probes", "enabled probes", EMFILE },
	[LIMIT_RINGBYTES] = { "ring-bytes", "bytes of rings", ENOMEM },
	[LIMIT_MAPBYTES] = { "map-bytes", "bytes of tables", ENOMEM },
	[LIMIT_CONDITIONS] = { "conditions", "different conditions", ENOSPC },
	[LIMIT_SYMREQUESTS] = { "symbol-requests", "requests for names",
	    EAGAIN },
};

/* The reasons that are not limits. */
static const char *const reasons[REFUSED_N] = {
	[REFUSED_RIGHTS] = "rights",
	[REFUSED_ALLOWDT] = "allowdt",
	[REFUSED_MEMORY] = "memory",
	[REFUSED_DESCRIPTORS] = "descriptors",
	[REFUSED_COST] = "brake",
};

struct limit_user {
	LIST_ENTRY(limit_user) lu_entry;
	uid_t lu_person;
	unsigned int lu_nkinds; /* nonzero elements of lu_used */
	uint64_t lu_used[LIMIT_N];
};

LIST_HEAD(limit_users, limit_user);

static pthread_mutex_t limit_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct limit_users users = LIST_HEAD_INITIALIZER(users);
static uint64_t all[LIMIT_N];
static uint64_t roots[LIMIT_N]; /* of all: held by exempt users */
static atomic_uint_fast64_t refusals[REFUSED_N];

/* Finds a user's row.  Under the lock. */
static struct limit_user *
limit_find(uid_t person)
{
	struct limit_user *lu;

	LIST_FOREACH(lu, &users, lu_entry)
		if (lu->lu_person == person)
			break;
	return lu;
}

/* Finds or adds a user's row.  NULL: out of memory.  Under the lock. */
static struct limit_user *
limit_find_or_add(uid_t person)
{
	struct limit_user *lu = limit_find(person);

	if (lu != NULL || (lu = calloc(1, sizeof(*lu))) == NULL)
		return lu;
	lu->lu_person = person;
	LIST_INSERT_HEAD(&users, lu, lu_entry);
	return lu;
}

static void
limit_drop(struct limit_user *lu)
{
	if (lu->lu_nkinds != 0)
		return;
	LIST_REMOVE(lu, lu_entry);
	free(lu);
}

static int
limit_exempt(uid_t person)
{
	return person == 0 || conf.cf_private;
}

/* Returns the remaining amount.  A limit may have been lowered below used. */
static uint64_t
limit_left(uint64_t used, uint64_t max)
{
	return used < max ? max - used : 0;
}

uint64_t
limit_kept(uid_t person, uint64_t n)
{
	return limit_exempt(person) || n < 2
	    ? 0
	    : (n + LIMIT_KEPT - 1) / LIMIT_KEPT;
}

/*
 * Returns which limit refuses n: "" the total, "-user" the user's, or NULL.
 * Under the lock.
 */
static const char *
limit_which(uid_t person, uint64_t used, enum limit li, uint64_t n)
{
	const struct limit_max *lm = &limit_max[li];
	uint64_t kept = limit_kept(person, lm->lm_all);

	if (!limit_exempt(person) && n > limit_left(used, lm->lm_user))
		return "-user";
	return n > limit_left(all[li], lm->lm_all) ||
		n > limit_left(all[li] - roots[li], lm->lm_all - kept)
	    ? ""
	    : NULL;
}

static void
limit_tell(uid_t person, uint64_t used, enum limit li, uint64_t n,
    const char *which, struct reason *rs)
{
	const struct limit_max *lm = &limit_max[li];
	char who[40] = "all users together", kept[64] = "";
	uint64_t nkept = limit_kept(person, lm->lm_all);
	int isuser = *which != '\0';

	if (isuser)
		snprintf(who, sizeof(who), "user %u", (unsigned)person);
	else if (nkept != 0)
		snprintf(kept, sizeof(kept), ", %llu of them reserved for root",
		    (unsigned long long)nkept);
	reason_set(rs, "no %llu more %s: %s %s %llu of %llu%s: setting %s%s",
	    (unsigned long long)n, limits[li].what, who,
	    isuser ? "has" : "have",
	    (unsigned long long)(isuser ? used : all[li]),
	    (unsigned long long)(isuser ? lm->lm_user : lm->lm_all), kept,
	    limits[li].setting, which);
}

/* Adds n, which may be negative, to the counts.  Under the lock. */
static void
limit_change(struct limit_user *lu, enum limit li, int64_t n)
{
	lu->lu_nkinds -= lu->lu_used[li] != 0;
	lu->lu_used[li] += n;
	lu->lu_nkinds += lu->lu_used[li] != 0;
	all[li] += n;
	if (limit_exempt(lu->lu_person))
		roots[li] += n;
}

int
limit_take(uid_t person, enum limit li, uint64_t n, struct reason *rs)
{
	struct limit_user *lu;
	const char *which;
	int error = 0;

	if (n == 0)
		return 0;
	if (!limit_exempt(person) && !fd_reserve_left()) {
		reason_set(rs,
		    "no descriptor is left except those reserved for root");
		limit_refused(REFUSED_DESCRIPTORS);
		return EMFILE;
	}
	pthread_mutex_lock(&limit_mtx);
	if ((lu = limit_find_or_add(person)) == NULL)
		error = ENOMEM;
	else if ((which = limit_which(person, lu->lu_used[li], li, n)) !=
	    NULL) {
		limit_tell(person, lu->lu_used[li], li, n, which, rs);
		limit_refused(li);
		limit_drop(lu);
		error = limits[li].error;
	} else
		limit_change(lu, li, n);
	pthread_mutex_unlock(&limit_mtx);
	return error;
}

int
limit_room(uid_t person, enum limit li, uint64_t n)
{
	const struct limit_user *lu;
	const char *which;

	pthread_mutex_lock(&limit_mtx);
	lu = limit_find(person);
	which = limit_which(person, lu != NULL ? lu->lu_used[li] : 0, li, n);
	pthread_mutex_unlock(&limit_mtx);
	return which == NULL;
}

void
limit_give(uid_t person, enum limit li, uint64_t n)
{
	struct limit_user *lu;

	if (n == 0)
		return;
	pthread_mutex_lock(&limit_mtx);
	if ((lu = limit_find(person)) != NULL) {
		limit_change(lu, li, -(int64_t)n);
		limit_drop(lu);
	}
	pthread_mutex_unlock(&limit_mtx);
}

/* Takes n without a check.  Under the lock. */
static int
limit_add(uid_t person, enum limit li, uint64_t n)
{
	struct limit_user *lu = limit_find_or_add(person);

	if (lu == NULL)
		return ENOMEM;
	limit_change(lu, li, n);
	return 0;
}

void
limit_identify(struct peer *pr, uid_t owner)
{
	uid_t person = person_of_owner(pr->peer_uid, owner);
	int error;

	if (person == pr->peer_person)
		return;
	pthread_mutex_lock(&limit_mtx);
	error = limit_add(person, LIMIT_CONNECTIONS, 1);
	pthread_mutex_unlock(&limit_mtx);
	if (error != 0)
		return;
	limit_give(pr->peer_person, LIMIT_CONNECTIONS, 1);
	pr->peer_person = person;
}

uint64_t
limit_used(uid_t person, enum limit li, uint64_t *allp)
{
	const struct limit_user *lu;
	uint64_t n = 0;

	pthread_mutex_lock(&limit_mtx);
	if ((lu = limit_find(person)) != NULL)
		n = lu->lu_used[li];
	*allp = all[li];
	pthread_mutex_unlock(&limit_mtx);
	return n;
}

void
limit_refused(unsigned int reason)
{
	atomic_fetch_add(&refusals[reason], 1);
}

size_t
limit_refusals(struct limit_refusal *lr, size_t max)
{
	size_t i;

	for (i = 0; i < REFUSED_N && i < max; i++) {
		lr[i].lr_reason = i < LIMIT_N ? limits[i].setting : reasons[i];
		lr[i].lr_n = atomic_load(&refusals[i]);
	}
	return i;
}
