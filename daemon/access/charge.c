/* SPDX-License-Identifier: ISC */
/*
 * Sums CPU time per person and averages it, so that a burst (loading a large
 * file of debug information) counts less than sustained work.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

#include "daemon/access/charge.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"

#define CHARGE_SEC   1000000000ULL
#define CHARGE_LEAST 1000 /* ns in a second; rows below it are freed */

struct charge {
	LIST_ENTRY(charge) ch_entry;
	uid_t ch_person;
	uint64_t ch_nsecs;   /* since the last period */
	uint64_t ch_average; /* ns in a second */
};

LIST_HEAD(charges, charge);

static pthread_mutex_t charge_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct charges charges = LIST_HEAD_INITIALIZER(charges);

/* Finds a row.  Under the lock. */
static struct charge *
charge_find(uid_t person)
{
	struct charge *ch;

	LIST_FOREACH(ch, &charges, ch_entry)
		if (ch->ch_person == person)
			break;
	return ch;
}

static void
charge_free(struct charge *ch)
{
	LIST_REMOVE(ch, ch_entry);
	free(ch);
}

void
charge_cpu(uid_t person, uint64_t nsecs)
{
	struct charge *ch;

	if (nsecs == 0 || person == 0 || conf.cf_private)
		return;
	pthread_mutex_lock(&charge_mtx);
	if ((ch = charge_find(person)) == NULL &&
	    (ch = calloc(1, sizeof(*ch))) != NULL) {
		ch->ch_person = person;
		LIST_INSERT_HEAD(&charges, ch, ch_entry);
	}
	if (ch != NULL)
		ch->ch_nsecs += nsecs;
	pthread_mutex_unlock(&charge_mtx);
	if (ch == NULL)
		log_warnx("out of memory: CPU time of user %u is not counted",
		    (unsigned)person);
}

uint64_t
charge_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * CHARGE_SEC + ts.tv_nsec;
}

void
charge_period(uint64_t nsecs)
{
	double weight = (double)nsecs / (CHARGE_SECS * CHARGE_SEC), rate;
	struct charge *ch, *next;

	if (nsecs == 0)
		return;
	if (weight > 1)
		weight = 1;
	pthread_mutex_lock(&charge_mtx);
	for (ch = LIST_FIRST(&charges); ch != NULL; ch = next) {
		next = LIST_NEXT(ch, ch_entry);
		rate = (double)ch->ch_nsecs * CHARGE_SEC / nsecs;
		ch->ch_average += (rate - ch->ch_average) * weight;
		ch->ch_nsecs = 0;
		if (ch->ch_average < CHARGE_LEAST)
			charge_free(ch);
	}
	pthread_mutex_unlock(&charge_mtx);
}

void
charge_reset(void)
{
	struct charge *ch;

	pthread_mutex_lock(&charge_mtx);
	while ((ch = LIST_FIRST(&charges)) != NULL)
		charge_free(ch);
	pthread_mutex_unlock(&charge_mtx);
}

uint64_t
charge_of(uid_t person)
{
	const struct charge *ch;
	uint64_t n;

	pthread_mutex_lock(&charge_mtx);
	n = (ch = charge_find(person)) != NULL ? ch->ch_average : 0;
	pthread_mutex_unlock(&charge_mtx);
	return n;
}
