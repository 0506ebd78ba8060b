/* SPDX-License-Identifier: ISC */
/*
 * Threads that were traced when their session was closed.  The BSD original
 * keeps such a session until the thread ends, and the thread cannot enable
 * another.  Here the session is freed at once, and the last few threads are
 * remembered.
 */
#include "daemon/kcov/kcov_softc.h"

#define NDYING 256

static struct peer_thread dying[NDYING]; /* [K] the latest, in a ring */
static unsigned int ndying;		 /* [K] number so far */

void
kcov_dying_add(const struct peer_thread *th)
{
	if (peer_thread_lives(th))
		dying[ndying++ % NDYING] = *th;
}

int
kcov_dying_has(const struct peer_thread *th)
{
	unsigned int i;

	for (i = 0; i < NDYING; i++)
		if (peer_thread_same(&dying[i], th))
			return 1;
	return 0;
}
