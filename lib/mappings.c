/* SPDX-License-Identifier: ISC */
/*
 * dt_mappings(): the executable mappings of a process at a time.  They are
 * transferred in pages; if the process changes its mappings between two pages,
 * the fetch starts again, MAPS_TRIES times at most.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"

#define MAPS_MAX   (1U << 20) /* mappings; the default of Linux is 65,530 */
#define MAPS_BYTES (256U << 20)
#define MAPS_TRIES 8

/* Pages received; wmp_path counts in the joined strings. */
struct pages {
	struct wire_map *pg_maps;
	size_t pg_n;
	char *pg_strings;
	size_t pg_nbytes;
	struct wire_syms pg_head; /* header of the first page */
};

static void
pages_free(struct pages *pg)
{
	free(pg->pg_maps);
	free(pg->pg_strings);
	memset(pg, 0, sizeof(*pg));
}

/* Validates a page: first lengths, then every entry. */
static int
pages_check(struct dt *dt, const uint8_t *buf, size_t len, struct wire_syms *ws)
{
	struct wire_map wm;
	size_t nbytes;
	uint32_t i;

	if (len < sizeof(*ws))
		return dt_ctl_nonsense(dt, "mappings have no header");
	memcpy(ws, buf, sizeof(*ws));
	if (ws->ws_count > (len - sizeof(*ws)) / sizeof(wm) ||
	    ws->ws_count > ws->ws_total || ws->ws_total > MAPS_MAX)
		return dt_ctl_nonsense(dt, "mappings have a wrong length");
	nbytes = len - sizeof(*ws) - ws->ws_count * sizeof(wm);
	if (nbytes > 0 && buf[len - 1] != '\0')
		return dt_ctl_nonsense(dt, "an unterminated path");
	for (i = 0; i < ws->ws_count; i++) {
		memcpy(&wm, buf + sizeof(*ws) + i * sizeof(wm), sizeof(wm));
		if (wm.wmp_path > nbytes ||
		    wm.wmp_buildidlen > sizeof(wm.wmp_buildid) ||
		    wm.wmp_start >= wm.wmp_end)
			return dt_ctl_nonsense(dt, "a mapping out of bounds");
	}
	return 0;
}

static int
pages_add(struct dt *dt, struct pages *pg, const uint8_t *buf, size_t len,
    const struct wire_syms *ws)
{
	size_t n = ws->ws_count, size = n * sizeof(struct wire_map);
	size_t nbytes = len - sizeof(*ws) - size, i;
	struct wire_map *maps;
	char *strings;

	if (pg->pg_n + n > MAPS_MAX || pg->pg_nbytes + nbytes > MAPS_BYTES)
		return dt_fail(dt, ENOMEM, "too many mappings");
	maps = reallocarray(pg->pg_maps, pg->pg_n + n + 1, sizeof(*maps));
	if (maps == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	pg->pg_maps = maps;
	strings = realloc(pg->pg_strings, pg->pg_nbytes + nbytes + 1);
	if (strings == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	pg->pg_strings = strings;
	memcpy(maps + pg->pg_n, buf + sizeof(*ws), size);
	memcpy(strings + pg->pg_nbytes, buf + sizeof(*ws) + size, nbytes);
	for (i = pg->pg_n; i < pg->pg_n + n; i++)
		if (maps[i].wmp_path != 0)
			maps[i].wmp_path += (uint32_t)pg->pg_nbytes;
	pg->pg_n += n;
	pg->pg_nbytes += nbytes;
	return 0;
}

/* Fetches all pages.  Returns 1, 0 if the process changed meanwhile, or -1. */
static int
pages_get(struct dt *dt, struct wire_maps *wm, uint8_t *buf, struct pages *pg)
{
	struct wire_syms ws;
	size_t len;

	do {
		wm->wms_first = (uint32_t)pg->pg_n;
		if (dt_ctl_call(dt, DTIOCGMAPS, wm, sizeof(*wm), buf,
			WIRE_MAXPAYLOAD, &len) == -1 ||
		    pages_check(dt, buf, len, &ws) == -1)
			return -1;
		if (pg->pg_n == 0)
			pg->pg_head = ws;
		else if (ws.ws_gen != pg->pg_head.ws_gen ||
		    ws.ws_total != pg->pg_head.ws_total)
			return 0;
		if (ws.ws_count == 0 && pg->pg_n < ws.ws_total)
			return dt_ctl_nonsense(dt, "mappings are missing");
		if (pages_add(dt, pg, buf, len, &ws) == -1)
			return -1;
	} while (pg->pg_n < pg->pg_head.ws_total);
	return 1;
}

/* Copies the result into one allocation: mappings, build ids, strings. */
static int
pages_box(struct dt *dt, const struct pages *pg, struct dt_mappings *maps)
{
	size_t idsize = sizeof(((struct wire_map *)0)->wmp_buildid), i;
	const struct wire_map *wm;
	struct dt_mapping *dm;
	uint8_t *ids;
	char *strings;

	dm = malloc((pg->pg_n + 1) * (sizeof(*dm) + idsize) + pg->pg_nbytes);
	if (dm == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	ids = (uint8_t *)(dm + pg->pg_n);
	strings = (char *)ids + pg->pg_n * idsize;
	if (pg->pg_nbytes > 0)
		memcpy(strings, pg->pg_strings, pg->pg_nbytes);
	maps->dm_n = pg->pg_n;
	maps->dm_maps = dm;
	maps->dm_from = pg->pg_head.ws_from;
	maps->dm_until = pg->pg_head.ws_until;
	maps->dm_gen = pg->pg_head.ws_gen;
	for (i = 0; i < pg->pg_n; i++, dm++, ids += idsize) {
		wm = &pg->pg_maps[i];
		memcpy(ids, wm->wmp_buildid, idsize);
		*dm = (struct dt_mapping){
			.dm_start = wm->wmp_start,
			.dm_end = wm->wmp_end,
			.dm_offset = wm->wmp_offset,
			.dm_fileid = wm->wmp_file,
			.dm_kind = wm->wmp_kind,
			.dm_path = wm->wmp_path ? strings + wm->wmp_path - 1
						: "",
			.dm_buildid = wm->wmp_buildidlen > 0 ? ids : NULL,
			.dm_buildidlen = wm->wmp_buildidlen,
		};
	}
	return 0;
}

int
dt_mappings(struct dt *dt, pid_t pid, uint64_t nsecs, struct dt_mappings *maps)
{
	struct wire_maps wm = { .wms_pid = (uint32_t)pid,
		.wms_time = nsecs,
		.wms_max = UINT32_MAX };
	struct pages pg = { 0 };
	uint8_t *buf;
	int i, r = 0;

	if (maps == NULL)
		return dt_fail(dt, EFAULT, NULL);
	if (pid <= 0)
		return dt_fail(dt, EINVAL, "no such process");
	if ((buf = malloc(WIRE_MAXPAYLOAD)) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	for (i = 0; r == 0 && i < MAPS_TRIES; i++) {
		pages_free(&pg);
		r = pages_get(dt, &wm, buf, &pg);
	}
	free(buf);
	if (r == 0)
		r = dt_fail(dt, EAGAIN,
		    "the process changes its code too "
		    "fast");
	if (r == 1)
		r = pages_box(dt, &pg, maps);
	pages_free(&pg);
	return r;
}

void
dt_mappings_free(struct dt_mappings *maps)
{
	if (maps == NULL)
		return;
	free((void *)(uintptr_t)maps->dm_maps);
	memset(maps, 0, sizeof(*maps));
}
