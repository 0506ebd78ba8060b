/* SPDX-License-Identifier: ISC */
/* Probes and their fields, as dtd lists them for this user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "cli/complete/complete.h"

#define COMPLETE_KERNEL "kprobe:" /* dtd lists functions only by this name */

/* dtd finds probes only in a file. */
static const char *const complete_files[] = { "uprobe:", "usdt:" };
#define COMPLETE_NFILES (sizeof(complete_files) / sizeof(complete_files[0]))

/*
 * Returns the length of PROVIDER:FILE: at the beginning of a word, 0: it has no
 * such beginning.
 */
static size_t
complete_file(const char *word)
{
	size_t i, len;
	const char *colon;

	for (i = 0; i < COMPLETE_NFILES; i++) {
		len = strlen(complete_files[i]);
		if (strncmp(word, complete_files[i], len) == 0 &&
		    (colon = strchr(word + len, ':')) != NULL)
			return colon + 1 - word;
	}
	return 0;
}

/* Composes the name of a probe, with the file as it was typed. */
static void
complete_name(const char *word, const struct dtioc_probe_info *pi, char *name,
    size_t size)
{
	size_t len = complete_file(word);
	const char *func = strchr(pi->dtpi_func, ':');

	if (len > 0 && func != NULL)
		snprintf(name, size, "%.*s%s:%s", (int)len, word, func + 1,
		    pi->dtpi_name);
	else
		snprintf(name, size, "%s:%s:%s", pi->dtpi_prov, pi->dtpi_func,
		    pi->dtpi_name);
}

/*
 * Prints a name up to the colon after the part that is being typed.  The names
 * are sorted by their first parts, so repetitions are adjacent.
 */
static void
complete_part(const struct complete *cpl, const char *name, char *last,
    size_t size)
{
	size_t typed = strlen(cpl->cpl_word), n;
	char part[4 * DTNAMESIZE];

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
	if (strncmp(word, COMPLETE_KERNEL, strlen(COMPLETE_KERNEL)) == 0 ||
	    complete_file(word) > 0)
		snprintf(pattern, size, "%s*", word);
	else
		snprintf(pattern, size, "*");
}

void
complete_probes(const struct complete *cpl)
{
	char name[4 * DTNAMESIZE], last[4 * DTNAMESIZE] = "";
	struct dt *dt = dt_open(NULL, 0);
	struct dtioc_probe_info *pi;
	ssize_t i, n;
	size_t k;

	if (dt == NULL)
		return;
	complete_pattern(cpl->cpl_word, name, sizeof(name));
	n = dt_lookup(dt, name, &pi);
	for (i = 0; i < n; i++) {
		complete_name(cpl->cpl_word, &pi[i], name, sizeof(name));
		complete_part(cpl, name, last, sizeof(last));
	}
	if (n > 0)
		free(pi);
	if (strncmp(COMPLETE_KERNEL, cpl->cpl_word, strlen(cpl->cpl_word)) == 0)
		complete_put(cpl, COMPLETE_KERNEL);
	for (k = 0; k < COMPLETE_NFILES; k++)
		if (strncmp(complete_files[k], cpl->cpl_word,
			strlen(cpl->cpl_word)) == 0)
			complete_put(cpl, complete_files[k]);
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
