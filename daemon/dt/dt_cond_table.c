/* SPDX-License-Identifier: ISC */
/*
 * The entries of dt_conds: conditions as programs evaluate them. Requests with
 * the same condition share an entry, in all sessions; an entry without
 * references is free. Control thread only: an entry is released when no program
 * reads it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_maps.h"

static struct {
	unsigned int nrefs; /* requests; 0: free */
	uint64_t hash;
	uid_t person; /* user of the first request, charged for the entry */
} lines[DT_NCOND];

/* FNV-1a, of words. */
static uint64_t
condline_hash(const struct dt_cond_entry *cl)
{
	uint64_t h = 0xcbf29ce484222325ULL, word;
	size_t i;

	_Static_assert(sizeof(*cl) % sizeof(word) == 0,
	    "an entry consists of words");

	for (i = 0; i < sizeof(*cl) / sizeof(word); i++) {
		memcpy(&word, (const char *)cl + i * sizeof(word),
		    sizeof(word));
		h = (h ^ word) * 0x100000001b3ULL;
	}
	return h;
}

int
dt_cond_table_get(uid_t person, const struct dt_cond_entry *cl, uint16_t *line,
    struct reason *rs)
{
	int error;
	uint64_t hash = condline_hash(cl);
	unsigned int i, empty = 0;

	for (i = 1; i < DT_NCOND; i++) {
		if (lines[i].nrefs == 0) {
			if (empty == 0)
				empty = i;
		} else if (lines[i].hash == hash &&
		    memcmp(&dt_maps.dtm_conds[i], cl, sizeof(*cl)) == 0)
			break;
	}
	if (i == DT_NCOND) {
		error = limit_take(person, LIMIT_CONDITIONS, 1, rs);
		if (error != 0)
			return error;
		if ((i = empty) == 0) {
			limit_give(person, LIMIT_CONDITIONS, 1);
			limit_refused(LIMIT_CONDITIONS);
			return reason_fail(rs, ENOSPC,
			    "there are %d different conditions already",
			    DT_NCOND - 1);
		}
		lines[i].person = person;
		dt_maps.dtm_conds[i] = *cl;
		lines[i].hash = hash;
	}
	lines[i].nrefs++;
	*line = i;
	return 0;
}

void
dt_cond_table_put(uint16_t line)
{
	if (line != 0 && --lines[line].nrefs == 0)
		limit_give(lines[line].person, LIMIT_CONDITIONS, 1);
}
