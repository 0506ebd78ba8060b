/* SPDX-License-Identifier: ISC */
/*
 * dt_ledger() and dt_note().  A thread may start the next run before another
 * one has read the END of the last, and the daemon may send a single END for
 * both.  An END therefore has the number of runs that it closes, and starts
 * are counted here.  A note belongs to the END after it.
 */
#include <errno.h>
#include <string.h>

#include "lib/handle.h"

void
dt_ends_init(struct dt_ends *en)
{
	pthread_mutex_init(&en->en_lock, NULL);
}

void
dt_ends_free(struct dt_ends *en)
{
	pthread_mutex_destroy(&en->en_lock);
}

void
dt_ends_start(struct dt_ends *en)
{
	pthread_mutex_lock(&en->en_lock);
	en->en_runs++;
	pthread_mutex_unlock(&en->en_lock);
}

void
dt_ends_unstart(struct dt_ends *en)
{
	pthread_mutex_lock(&en->en_lock);
	en->en_runs--;
	pthread_mutex_unlock(&en->en_lock);
}

void
dt_ends_note(struct dt_ends *en, const char *note)
{
	pthread_mutex_lock(&en->en_lock);
	strcpy(en->en_next, note);
	pthread_mutex_unlock(&en->en_lock);
}

void
dt_ends_end(struct dt_ends *en, const struct dt_ledger *ledger)
{
	pthread_mutex_lock(&en->en_lock);
	en->en_valid = true;
	en->en_ledger = *ledger;
	strcpy(en->en_note,
	    ledger->dl_flags & DT_LEDGER_STOPPED ? en->en_next : "");
	en->en_next[0] = '\0';
	pthread_mutex_unlock(&en->en_lock);
}

/* Returns whether the last END closes all runs; with the lock held. */
static bool
ends_valid(const struct dt_ends *en)
{
	return en->en_valid && en->en_ledger.dl_runs == en->en_runs;
}

bool
dt_ends_isover(struct dt_ends *en)
{
	bool isover;

	pthread_mutex_lock(&en->en_lock);
	isover = en->en_runs == 0 || ends_valid(en);
	pthread_mutex_unlock(&en->en_lock);
	return isover;
}

const char *
dt_note(const struct dt *dt)
{
	struct dt_ends *en = (struct dt_ends *)&dt->h_ends;
	const char *note = dt_tprof_note(&dt->h_tprof);

	if (note != NULL)
		return note;
	pthread_mutex_lock(&en->en_lock);
	if (ends_valid(en) && en->en_note[0] != '\0')
		note = en->en_note;
	pthread_mutex_unlock(&en->en_lock);
	return note;
}

int
dt_ledger(const struct dt *dt, struct dt_ledger *ledger)
{
	/* the library allocated the handle, so it is not const */
	struct dt_ends *en = (struct dt_ends *)&dt->h_ends;
	int r = -1;

	pthread_mutex_lock(&en->en_lock);
	if (ends_valid(en)) {
		*ledger = en->en_ledger;
		r = 0;
	}
	pthread_mutex_unlock(&en->en_lock);
	if (r == -1)
		errno = EAGAIN;
	return r;
}
