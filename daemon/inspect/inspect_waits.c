/* SPDX-License-Identifier: ISC */
/* Keeps a table of users' waiting times. */
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_waits.h"

#define WAITS_USERS  64
#define WAITS_PERIOD 10000000000LL /* ns, after which all is forgiven */

struct user_wait {
	uid_t uwt_uid;
	int64_t uwt_msecs;
	int64_t uwt_since; /* 0: the row is free */
};

static struct user_wait user_waits[WAITS_USERS];

static int
waits_isold(const struct user_wait *uw, int64_t now)
{
	return uw->uwt_since == 0 || now - uw->uwt_since > WAITS_PERIOD;
}

static struct user_wait *
waits_find(uid_t uid, int64_t now)
{
	size_t i;

	for (i = 0; i < WAITS_USERS; i++)
		if (!waits_isold(&user_waits[i], now) &&
		    user_waits[i].uwt_uid == uid)
			return &user_waits[i];
	return NULL;
}

/* Returns an old row, or the row with the shortest wait. */
static struct user_wait *
waits_spare(int64_t now)
{
	struct user_wait *least = &user_waits[0];
	size_t i;

	for (i = 0; i < WAITS_USERS; i++) {
		if (waits_isold(&user_waits[i], now))
			return &user_waits[i];
		if (user_waits[i].uwt_msecs < least->uwt_msecs)
			least = &user_waits[i];
	}
	return least;
}

void
waits_add(uid_t uid, int64_t msecs, int64_t now)
{
	struct user_wait *uw;

	if (msecs <= INSPECT_QUICK)
		return;
	if ((uw = waits_find(uid, now)) == NULL) {
		uw = waits_spare(now);
		*uw = (struct user_wait){ .uwt_uid = uid, .uwt_since = now };
	}
	uw->uwt_msecs += msecs - INSPECT_QUICK;
}

int
waits_too_long(uid_t uid, int64_t now)
{
	const struct user_wait *uw = waits_find(uid, now);

	return uw != NULL && uw->uwt_msecs > INSPECT_USERWAIT;
}

size_t
waits_users(uid_t *uids, size_t max, int64_t now)
{
	size_t i, n = 0;

	for (i = 0; i < WAITS_USERS && n < max; i++)
		if (!waits_isold(&user_waits[i], now) &&
		    user_waits[i].uwt_msecs > INSPECT_USERWAIT)
			uids[n++] = user_waits[i].uwt_uid;
	return n;
}
