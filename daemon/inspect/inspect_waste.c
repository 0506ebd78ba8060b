/* SPDX-License-Identifier: ISC */
/* Keeps a table of users' waiting times. */
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_waste.h"

#define NWASTERS 64
#define PERIOD	 10000000000LL /* ns, after which all is forgiven */

struct waster {
	uid_t wst_uid;
	int64_t wst_msecs;
	int64_t wst_since; /* 0: the row is free */
};

static struct waster wasters[NWASTERS];

static int
is_old(const struct waster *wa, int64_t now)
{
	return wa->wst_since == 0 || now - wa->wst_since > PERIOD;
}

static struct waster *
waste_find(uid_t uid, int64_t now)
{
	size_t i;

	for (i = 0; i < NWASTERS; i++)
		if (!is_old(&wasters[i], now) && wasters[i].wst_uid == uid)
			return &wasters[i];
	return NULL;
}

/* Returns an old row, or the row with the least wasted time. */
static struct waster *
waste_room(int64_t now)
{
	struct waster *least = &wasters[0];
	size_t i;

	for (i = 0; i < NWASTERS; i++) {
		if (is_old(&wasters[i], now))
			return &wasters[i];
		if (wasters[i].wst_msecs < least->wst_msecs)
			least = &wasters[i];
	}
	return least;
}

void
waste_add(uid_t uid, int64_t msecs, int64_t now)
{
	struct waster *wa;

	if (msecs <= INSPECT_QUICK)
		return;
	if ((wa = waste_find(uid, now)) == NULL) {
		wa = waste_room(now);
		*wa = (struct waster){ .wst_uid = uid, .wst_since = now };
	}
	wa->wst_msecs += msecs - INSPECT_QUICK;
}

int
waste_is_over(uid_t uid, int64_t now)
{
	const struct waster *wa = waste_find(uid, now);

	return wa != NULL && wa->wst_msecs > INSPECT_WASTE;
}

size_t
waste_users(uid_t *uids, size_t max, int64_t now)
{
	size_t i, n = 0;

	for (i = 0; i < NWASTERS && n < max; i++)
		if (!is_old(&wasters[i], now) &&
		    wasters[i].wst_msecs > INSPECT_WASTE)
			uids[n++] = wasters[i].wst_uid;
	return n;
}
