/* SPDX-License-Identifier: ISC */
/*
 * Keeps slow files and their owners in two small tables, each with the entries
 * that were used last.
 */
#include <pthread.h>
#include <errno.h>
#include <stddef.h>

#include "common/clock.h"
#include "daemon/sym/slow_files.h"

#define SLOW_FILES  256
#define SLOW_OWNERS 64

struct slow {
	struct slow_file sz_file;
	int sz_failed;
	int64_t sz_until; /* ms; 0: unused */
};

struct slow_owner {
	uid_t swo_uid;
	int64_t swo_msecs; /* as of swo_at */
	int64_t swo_at;	   /* ms; 0: unused */
};

/* By slow_mtx. */
static pthread_mutex_t slow_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct slow slows[SLOW_FILES];
static struct slow_owner owners[SLOW_OWNERS];

/* Returns the entry of a file, or the one that expires first. */
static struct slow *
slow_find(const struct slow_file *sl, int *isfound)
{
	struct slow *sw, *first = slows;

	for (sw = slows; sw < &slows[SLOW_FILES]; sw++) {
		*isfound = sw->sz_until != 0 &&
		    sw->sz_file.slf_dev == sl->slf_dev &&
		    sw->sz_file.slf_ino == sl->slf_ino;
		if (*isfound)
			return sw;
		if (sw->sz_until < first->sz_until)
			first = sw;
	}
	return first;
}

/* Returns the entry of an owner, or the oldest one. */
static struct slow_owner *
owner_find(uid_t uid, int *isfound)
{
	struct slow_owner *ow, *old = owners;

	for (ow = owners; ow < &owners[SLOW_OWNERS]; ow++) {
		*isfound = ow->swo_at != 0 && ow->swo_uid == uid;
		if (*isfound)
			return ow;
		if (ow->swo_at < old->swo_at)
			old = ow;
	}
	return old;
}

static int64_t
owner_msecs(struct slow_owner *ow)
{
	int64_t halves = (clock_msecs() - ow->swo_at) / SLOW_FILES_HALF;

	ow->swo_msecs = halves > 62 ? 0 : ow->swo_msecs >> halves;
	ow->swo_at += halves * SLOW_FILES_HALF;
	return ow->swo_msecs;
}

static int
is_exempt(const struct slow_file *sl)
{
	return sl->slf_owner == 0 || sl->slf_owner == (uid_t)-1;
}

int
slow_files_check(const struct slow_file *sl)
{
	const struct slow *sw;
	int isfound, error = 0;

	pthread_mutex_lock(&slow_mtx);
	sw = slow_find(sl, &isfound);
	if (isfound && clock_msecs() < sw->sz_until &&
	    (sw->sz_failed || sw->sz_file.slf_gen != sl->slf_gen))
		error = EIO;
	pthread_mutex_unlock(&slow_mtx);
	return error;
}

int
slow_files_limit(const struct slow_file *sl, int max)
{
	int isfound, ismuch;
	struct slow_owner *ow;

	pthread_mutex_lock(&slow_mtx);
	ow = owner_find(sl->slf_owner, &isfound);
	ismuch = isfound && owner_msecs(ow) >= SLOW_FILES_MUCH;
	pthread_mutex_unlock(&slow_mtx);
	return ismuch && max > SLOW_FILES_MSECS ? SLOW_FILES_MSECS : max;
}

void
slow_files_note(const struct slow_file *sl, int64_t msecs, int error)
{
	struct slow_owner *ow;
	struct slow *sw;
	int isfound;

	if (msecs < SLOW_FILES_LEAST)
		return;
	pthread_mutex_lock(&slow_mtx);
	sw = slow_find(sl, &isfound);
	*sw = (struct slow){ *sl, error != 0,
		clock_msecs() + SLOW_FILES_FACTOR * msecs };
	if (!is_exempt(sl)) {
		ow = owner_find(sl->slf_owner, &isfound);
		if (!isfound)
			*ow = (struct slow_owner){ sl->slf_owner, 0,
				clock_msecs() };
		ow->swo_msecs = owner_msecs(ow) + msecs;
	}
	pthread_mutex_unlock(&slow_mtx);
}
