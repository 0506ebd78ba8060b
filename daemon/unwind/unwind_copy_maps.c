/* SPDX-License-Identifier: ISC */
/* Keeps mappings for the walks of copies, the newest first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "daemon/base/clock.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/unwind/unwind_copy_maps.h"
#include "daemon/unwind/unwind_procs.h"

#define SECOND 1000000000ULL

#define LINES  256 /* of the hash by process; a power of two */

struct maps_entry {
	TAILQ_ENTRY(maps_entry) mae_entry;
	LIST_ENTRY(maps_entry) mae_line;
	uint32_t mae_pid, mae_exec;
	uint64_t mae_start;
	uint64_t mae_from, mae_until; /* when the process had them */
	uint64_t mae_made, mae_pause;
	uint32_t mae_n;
	struct unwind_map mae_maps[];
};

static TAILQ_HEAD(maps_list, maps_entry) all = TAILQ_HEAD_INITIALIZER(all);
static LIST_HEAD(maps_line, maps_entry) lines[LINES];
static size_t nmaps, nentries;

static struct maps_line *
line_of(uint32_t pid)
{
	return &lines[pid & (LINES - 1)];
}

/* Returns whether an entry is of this program of the process. */
static int
entry_is(const struct maps_entry *mae, const struct copy_proc *cpr)
{
	return mae->mae_pid == cpr->cpr_pid &&
	    mae->mae_start == cpr->cpr_start && mae->mae_exec == cpr->cpr_exec;
}

int
copy_maps_find(const struct copy_proc *cpr, struct copy_maps *cpm)
{
	const struct maps_entry *mae;

	LIST_FOREACH(mae, line_of(cpr->cpr_pid), mae_line)
		if (entry_is(mae, cpr) && mae->mae_from <= cpr->cpr_time &&
		    mae->mae_until > cpr->cpr_time) {
			*cpm = (struct copy_maps){ mae->mae_n, mae->mae_maps };
			return 1;
		}
	return 0;
}

int
copy_maps_ispaused(const struct copy_proc *cpr, uint64_t now)
{
	const struct maps_entry *mae;

	LIST_FOREACH(mae, line_of(cpr->cpr_pid), mae_line)
		if (entry_is(mae, cpr))
			return mae->mae_made + mae->mae_pause > now;
	return 0;
}

static void
entry_free(struct maps_entry *mae)
{
	TAILQ_REMOVE(&all, mae, mae_entry);
	LIST_REMOVE(mae, mae_line);
	nmaps -= mae->mae_n;
	nentries--;
	unwind_maps_drop(mae->mae_maps, mae->mae_n);
	free(mae);
}

int
copy_maps_add(const struct copy_proc *cpr, const struct proc_view *pv)
{
	uint64_t pause = pv->pv_cost * COPY_MAPS_SHARE;
	uint32_t n = pv->pv_nmaps > UNWIND_MAXMAPS ? UNWIND_MAXMAPS
						   : pv->pv_nmaps;
	struct maps_entry *mae;

	if ((mae = malloc(sizeof(*mae) + n * sizeof(mae->mae_maps[0]))) == NULL)
		return ENOMEM;
	while (nmaps + n > COPY_MAPS_MAX || nentries >= COPY_MAPS_PROCS)
		entry_free(TAILQ_LAST(&all, maps_list));
	mae->mae_pid = cpr->cpr_pid;
	mae->mae_exec = cpr->cpr_exec;
	mae->mae_start = cpr->cpr_start;
	mae->mae_from = pv->pv_from < cpr->cpr_time ? pv->pv_from
						    : cpr->cpr_time;
	mae->mae_until = pv->pv_until > cpr->cpr_time ? pv->pv_until
						      : cpr->cpr_time + 1;
	mae->mae_made = clock_monotonic();
	mae->mae_pause = pause > COPY_MAPS_PAUSE ? pause : COPY_MAPS_PAUSE;
	mae->mae_n = n;
	unwind_maps_fill(mae->mae_maps, n, pv);
	nmaps += n;
	nentries++;
	TAILQ_INSERT_HEAD(&all, mae, mae_entry);
	LIST_INSERT_HEAD(line_of(cpr->cpr_pid), mae, mae_line);
	return 0;
}

void
copy_maps_trim(uint64_t now)
{
	struct maps_entry *mae;

	while ((mae = TAILQ_LAST(&all, maps_list)) != NULL &&
	    mae->mae_made + COPY_MAPS_AGE * SECOND < now)
		entry_free(mae);
}

void
copy_maps_clear(void)
{
	copy_maps_trim(UINT64_MAX);
}
