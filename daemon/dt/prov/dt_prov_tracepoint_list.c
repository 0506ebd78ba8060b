/* SPDX-License-Identifier: ISC */
/*
 * Creates probes from the kernel's list of tracepoints, at the start and when a
 * client looks up an unknown one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dt/dt_provider.h"
#include "daemon/dt/prov/dt_prov_tracepoint_common.h"
#include "daemon/kernel/tracefs.h"

/* Splits a line SUBSYSTEM:NAME. */
static char *
line_name(char *line)
{
	char *name = strchr(line, ':');

	if (name != NULL)
		*name++ = '\0';
	return name;
}

/* The probe points to the names. */
static int
list_add(const struct dt_provider *prov, const char *sub, const char *name,
    dt_tp_attach_fn *attach)
{
	static unsigned int n;
	struct dt_tp *tp;
	struct dt_probe *dtp;

	/* a user event's may be longer; no client could name it */
	if (strlen(sub) >= DTNAMESIZE || strlen(name) >= DTNAMESIZE)
		return 0;
	if ((tp = calloc(2, sizeof(*tp))) == NULL)
		return ENOMEM;
	dt_tp_init(tp, attach);
	if ((dtp = dt_probe_add(prov, sub, name, n, 0)) == NULL) {
		free(tp);
		return ENOMEM;
	}
	dtp->dtp_own = tp;
	n++;
	return 0;
}

int
dt_tplist_add(const struct dt_provider *prov, char *text,
    dt_tp_attach_fn *attach)
{
	char *line, *name;
	int error;

	while ((line = strsep(&text, "\n")) != NULL)
		if ((name = line_name(line)) != NULL &&
		    (error = list_add(prov, line, name, attach)) != 0)
			return error;
	return 0;
}

void *
dt_tplist_reread(void)
{
	char *text;
	size_t len;

	return tracefs_read(TPLIST_FILE, &text, &len) == 0 ? text : NULL;
}

static struct dt_probe *
list_next(const struct dt_provider *prov, struct dt_probe *dtp)
{
	do
		if ((dtp = TAILQ_NEXT(dtp, dtp_next)) == NULL)
			dtp = TAILQ_FIRST(&dt_probes);
	while (dtp->dtp_prov != prov);
	return dtp;
}

/*
 * Returns whether a tracepoint is known.  Searches from *lastp on, a known one,
 * because both lists have nearly the same order.
 */
static int
list_isknown(const struct dt_provider *prov, const char *sub, const char *name,
    struct dt_probe **lastp)
{
	struct dt_probe *dtp = *lastp;

	do {
		dtp = list_next(prov, dtp);
		if (strcmp(dtp->dtp_name, name) == 0 &&
		    strcmp(dtp->dtp_func, sub) == 0) {
			*lastp = dtp;
			return 1;
		}
	} while (dtp != *lastp);
	return 0;
}

void
dt_tplist_merge(const struct dt_provider *prov, char *list,
    dt_tp_attach_fn *attach)
{
	char *text = list, *line, *name;
	struct dt_probe *last;

	TAILQ_FOREACH(last, &dt_probes, dtp_next)
		if (last->dtp_prov == prov)
			break;
	while (last != NULL && (line = strsep(&text, "\n")) != NULL) {
		if ((name = line_name(line)) == NULL ||
		    list_isknown(prov, line, name, &last))
			continue;
		line = strdup(line);
		name = strdup(name);
		if (line == NULL || name == NULL ||
		    list_add(prov, line, name, attach) != 0) {
			free(line);
			free(name);
			break;
		}
	}
	free(list);
}
