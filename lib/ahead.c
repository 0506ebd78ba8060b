/* SPDX-License-Identifier: ISC */
/*
 * Pieces of equal size, of which the first may be taken in part and the last
 * may be filled in part.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ahead.h"

#define AHEAD_PIECE (256U << 10)

struct dt_ahead_piece {
	struct dt_ahead_piece *ap_next;
	size_t ap_pos, ap_end; /* of the bytes that were not taken */
	uint8_t ap_data[AHEAD_PIECE];
};

void *
dt_ahead_space(struct dt_ahead *ah, size_t *nbytes)
{
	struct dt_ahead_piece *ap = ah->ah_last;

	if (ap == NULL || ap->ap_end == AHEAD_PIECE) {
		if ((ap = malloc(sizeof(*ap))) == NULL)
			return NULL;
		ap->ap_next = NULL;
		ap->ap_pos = ap->ap_end = 0;
		if (ah->ah_last != NULL)
			ah->ah_last->ap_next = ap;
		else
			ah->ah_first = ap;
		ah->ah_last = ap;
	}
	*nbytes = AHEAD_PIECE - ap->ap_end;
	return ap->ap_data + ap->ap_end;
}

void
dt_ahead_fed(struct dt_ahead *ah, size_t nbytes)
{
	ah->ah_last->ap_end += nbytes;
	ah->ah_nbytes += nbytes;
}

static void
ahead_drop(struct dt_ahead *ah)
{
	struct dt_ahead_piece *ap = ah->ah_first;

	if ((ah->ah_first = ap->ap_next) == NULL)
		ah->ah_last = NULL;
	free(ap);
}

size_t
dt_ahead_take(struct dt_ahead *ah, void *buf, size_t max)
{
	struct dt_ahead_piece *ap;
	size_t n, done = 0;

	while ((ap = ah->ah_first) != NULL && done < max) {
		n = ap->ap_end - ap->ap_pos;
		if (n > max - done)
			n = max - done;
		memcpy((uint8_t *)buf + done, ap->ap_data + ap->ap_pos, n);
		ap->ap_pos += n;
		done += n;
		if (ap->ap_pos == ap->ap_end)
			ahead_drop(ah);
	}
	ah->ah_nbytes -= done;
	return done;
}

void
dt_ahead_free(struct dt_ahead *ah)
{
	while (ah->ah_first != NULL)
		ahead_drop(ah);
	ah->ah_nbytes = 0;
}
