/* SPDX-License-Identifier: ISC */
/* Rows of dt_conds and dt_reads, which are shared by their content. */
#include <errno.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_row_table.h"

struct row_use {
	unsigned int ruse_n; /* requests; 0: free */
	uint64_t ruse_hash;
	uid_t ruse_person; /* user of the first request, charged for the row */
};

static struct row_use cond_uses[DT_NCOND], read_uses[DT_NREADROWS];

static const struct {
	const char *what;
	struct row_use *uses;
	unsigned int n;
	size_t size;
} tables[DT_NROWKIND] = {
	[DT_ROW_COND] = { "conditions", cond_uses, DT_NCOND,
	    sizeof(struct dt_cond_entry) },
	[DT_ROW_READ] = { "reads of probes", read_uses, DT_NREADROWS,
	    sizeof(struct dt_readrow) },
};

_Static_assert(sizeof(struct dt_cond_entry) % 8 == 0, "row_hash()");
_Static_assert(sizeof(struct dt_readrow) % 8 == 0, "row_hash()");

static void *
row_at(enum dt_row_kind kind, unsigned int i)
{
	return kind == DT_ROW_COND ? (void *)&dt_maps.dtm_conds[i]
				   : (void *)&dt_maps.dtm_reads[i];
}

/* FNV-1a, of words. */
static uint64_t
row_hash(const void *row, size_t size)
{
	uint64_t h = 0xcbf29ce484222325ULL, word;
	size_t i;

	for (i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const char *)row + i, sizeof(word));
		h = (h ^ word) * 0x100000001b3ULL;
	}
	return h;
}

/* Makes a row, which the user is charged for. */
static int
row_make(enum dt_row_kind kind, uid_t person, const void *row, unsigned int i,
    struct reason *rs)
{
	int error = limit_take(person, LIMIT_CONDITIONS, 1, rs);

	if (error != 0)
		return error;
	if (i == 0) {
		limit_give(person, LIMIT_CONDITIONS, 1);
		limit_refused(LIMIT_CONDITIONS);
		return reason_fail(rs, ENOSPC,
		    "there are %d different %s already", tables[kind].n - 1,
		    tables[kind].what);
	}
	memcpy(row_at(kind, i), row, tables[kind].size);
	tables[kind].uses[i].ruse_person = person;
	tables[kind].uses[i].ruse_hash = row_hash(row, tables[kind].size);
	return 0;
}

int
dt_row_get(enum dt_row_kind kind, uid_t person, const void *row, uint16_t *line,
    struct reason *rs)
{
	struct row_use *uses = tables[kind].uses;
	const size_t size = tables[kind].size;
	uint64_t hash = row_hash(row, size);
	unsigned int i, empty = 0;
	int error;

	for (i = 1; i < tables[kind].n; i++) {
		if (uses[i].ruse_n == 0) {
			if (empty == 0)
				empty = i;
		} else if (uses[i].ruse_hash == hash &&
		    memcmp(row_at(kind, i), row, size) == 0)
			break;
	}
	if (i == tables[kind].n) {
		i = empty;
		if ((error = row_make(kind, person, row, i, rs)) != 0)
			return error;
	}
	uses[i].ruse_n++;
	*line = i;
	return 0;
}

void
dt_row_put(enum dt_row_kind kind, uint16_t line)
{
	struct row_use *uses = tables[kind].uses;

	if (line != 0 && --uses[line].ruse_n == 0)
		limit_give(uses[line].ruse_person, LIMIT_CONDITIONS, 1);
}
