/* SPDX-License-Identifier: ISC */
/* Probes and their fields, as dtd lists them for this user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "cli/complete/complete.h"

#define COMPLETE_KERNEL "kprobe:" /* dtd lists functions only by this name */

/*
 * Prints a name up to the colon after the part that is being typed.  The names
 * are sorted by their first parts, so repetitions are adjacent.
 */
static void
complete_part(const struct complete *cpl, const char *name, char *last,
    size_t size)
{
	size_t typed = strlen(cpl->cpl_word), n;
	char part[3 * DTNAMESIZE];

	if (strncmp(name, cpl->cpl_word, typed) != 0)
		return;
	n = typed + strcspn(name + typed, ":");
	if (name[n] == ':')
		n++;
	snprintf(part, sizeof(part), "%.*s", (int)n, name);
	if (strcmp(part, last) == 0)
		return;
	snprintf(last, size, "%s", part);
	complete_put(cpl, part);
}

/* The pattern of all probes that a word may become. */
static void
complete_pattern(const char *word, char *pattern, size_t size)
{
	if (strncmp(word, COMPLETE_KERNEL, strlen(COMPLETE_KERNEL)) == 0)
		snprintf(pattern, size, "%s*", word);
	else
		snprintf(pattern, size, "*");
}

void
complete_probes(const struct complete *cpl)
{
	char name[3 * DTNAMESIZE], last[3 * DTNAMESIZE] = "";
	struct dt *dt = dt_open(NULL, 0);
	struct dtioc_probe_info *pi;
	ssize_t i, n;

	if (dt == NULL)
		return;
	complete_pattern(cpl->cpl_word, name, sizeof(name));
	n = dt_lookup(dt, name, &pi);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s:%s:%s", pi[i].dtpi_prov,
		    pi[i].dtpi_func, pi[i].dtpi_name);
		complete_part(cpl, name, last, sizeof(last));
	}
	if (n > 0)
		free(pi);
	if (strncmp(COMPLETE_KERNEL, cpl->cpl_word, strlen(cpl->cpl_word)) == 0)
		complete_put(cpl, COMPLETE_KERNEL);
	dt_close(dt);
}

/* Prints the arguments of the first probe that matches. */
static void
complete_args(const struct complete *cpl, struct dt *dt, const char *pattern)
{
	const struct dt_probe_desc *pd;
	struct dtioc_probe_info *pi;
	unsigned int i;

	if (dt_lookup(dt, pattern, &pi) <= 0)
		return;
	pd = dt_probe(dt, pi[0].dtpi_pbn);
	for (i = 0; pd != NULL && i < pd->pd_info.dtpi_nargs; i++)
		complete_put(cpl, pd->pd_names[i].dtan_name);
	free(pi);
}

void
complete_fields(const struct complete *cpl)
{
	struct dt *dt = dt_open(NULL, 0);
	int i;

	for (i = 0; dt != NULL && i < cpl->cpl_nwords; i++)
		if (strchr(cpl->cpl_words[i], ':') != NULL)
			complete_args(cpl, dt, cpl->cpl_words[i]);
	if (dt != NULL)
		dt_close(dt);
}
