/* SPDX-License-Identifier: ISC */
/*
 * Finds functions of a file by a pattern, and makes their probes: names, places
 * and arguments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"

static const char *const dir_names[] = { "entry", "return" };

/* A look-up: what is wanted, and the numbers found so far. */
struct uprobe_lookup {
	struct dt_enabled *ulk_enabled;
	struct dt_file *ulk_file;
	struct globpat ulk_dir;
	uint32_t *ulk_list;
	size_t ulk_n, ulk_max;
	struct reason *ulk_reason;
};

static int
lookup_put(struct uprobe_lookup *ulk, uint32_t pbn)
{
	size_t max = ulk->ulk_max == 0 ? 64 : 2 * ulk->ulk_max;
	uint32_t *list;

	if (ulk->ulk_n == ulk->ulk_max) {
		list = realloc(ulk->ulk_list, max * sizeof(*list));
		if (list == NULL)
			return ENOMEM;
		ulk->ulk_list = list;
		ulk->ulk_max = max;
	}
	ulk->ulk_list[ulk->ulk_n++] = pbn;
	return 0;
}

/* Without debug information: the registers of the calling convention. */
static int
args_default(struct user_probe *up, int isreturn)
{
	unsigned int i;

	up->usp_nargs = isreturn ? 1 : DT_UPLACE_NARGS;
	up->usp_args = calloc(up->usp_nargs, sizeof(*up->usp_args));
	if (up->usp_args == NULL)
		return ENOMEM;
	for (i = 0; i < up->usp_nargs; i++) {
		strcpy(up->usp_args[i].ua_type, isreturn ? "long"
							 : "unsigned long");
		if (isreturn)
			strcpy(up->usp_args[i].ua_name, "retval");
		else
			snprintf(up->usp_args[i].ua_name, DTNAMESIZE, "arg%u",
			    i);
	}
	return 0;
}

/* Adds the probes of a function, an entry and its return. */
static int
lookup_add(struct uprobe_lookup *ulk, const char *func, uint64_t offset)
{
	struct user_probe up;
	uint32_t pbn;
	int dir, error;

	for (dir = 0; dir < 2; dir++) {
		memset(&up, 0, sizeof(up));
		up.usp_probe.dtp_prov = &dt_prov_uprobe;
		up.usp_file = ulk->ulk_file;
		up.usp_isreturn = dir;
		user_probe_names(&up, ulk->ulk_file, func, dir_names[dir]);
		if ((up.usp_places = calloc(1, sizeof(*up.usp_places))) == NULL)
			return ENOMEM;
		up.usp_nplaces = 1;
		up.usp_places->upc_offset = offset;
		if ((error = args_default(&up, dir)) != 0) {
			free(up.usp_places);
			return error;
		}
		pbn = user_probes_add(ulk->ulk_enabled, &up, ulk->ulk_reason);
		if (pbn == 0)
			return ENOMEM;
		if (globpat_match(&ulk->ulk_dir, dir_names[dir]) &&
		    (error = lookup_put(ulk, pbn)) != 0)
			return error;
	}
	return 0;
}

/* Splits FUNCTION:DIRECTION at the last colon. */
static int
lookup_split(struct uprobe_lookup *ulk, const char *rest, char *func,
    size_t size)
{
	const char *colon = strrchr(rest, ':');

	if (colon == NULL || (size_t)(colon - rest) >= size)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "the pattern is not FUNCTION:entry or FUNCTION:return");
	memcpy(func, rest, colon - rest);
	func[colon - rest] = '\0';
	return globpat_compile(&ulk->ulk_dir, colon + 1, ulk->ulk_reason);
}

int
uprobe_find(struct dt_enabled *en, struct dt_file *df, const char *rest,
    uint32_t **listp, size_t *np, struct reason *rs)
{
	struct uprobe_lookup ulk = { .ulk_enabled = en,
		.ulk_file = df,
		.ulk_reason = rs };
	char func[GLOBPAT_MAX], *end;
	unsigned long long offset;
	int error;

	if ((error = lookup_split(&ulk, rest, func, sizeof(func))) != 0)
		return error;
	offset = strtoull(func, &end, 0);
	if (end != func && *end == '\0')
		error = lookup_add(&ulk, func, offset);
	if (error != 0) {
		free(ulk.ulk_list);
		return error;
	}
	*listp = ulk.ulk_list;
	*np = ulk.ulk_n;
	return 0;
}
