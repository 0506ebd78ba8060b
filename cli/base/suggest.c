/* SPDX-License-Identifier: ISC */
/*
 * Finds the most similar word or probe name: a function alone ("openat" for
 * syscall:openat), or the function between the first two colons.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/suggest.h"

#define NEAREST_MAX   32   /* letters that are compared */
#define NEAREST_BEGIN 3	   /* letters of a word that is only a beginning */
#define NEAREST_FAR   1000 /* larger than any distance */

static unsigned int
suggest_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static int
suggest_isother(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/*
 * Number of letters to change, add, remove, or swap with the next (the
 * restricted Damerau-Levenshtein distance); small and capital ones are equal.
 */
static unsigned int
suggest_distance(const char *a, const char *b)
{
	unsigned int rows[3][NEAREST_MAX + 1];
	unsigned int *cur = rows[0], *last = rows[1], *before = rows[2], *t;
	size_t i, j, n = strlen(a), m = strlen(b);

	if (n > NEAREST_MAX || m > NEAREST_MAX)
		return NEAREST_FAR;
	for (j = 0; j <= m; j++)
		cur[j] = j;
	for (i = 1; i <= n; i++) {
		t = before;
		before = last;
		last = cur;
		cur = t;
		cur[0] = i;
		for (j = 1; j <= m; j++) {
			cur[j] = suggest_min(last[j - 1] +
				suggest_isother(a[i - 1], b[j - 1]),
			    suggest_min(last[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				cur[j] = suggest_min(cur[j], before[j - 2] + 1);
		}
	}
	return cur[m];
}

/* Largest distance of a misspelling: a third of the letters. */
static unsigned int
suggest_most(const char *word)
{
	size_t n = strlen(word);

	return n < 3 ? 1 : n / 3;
}

const char *
suggest_word(const char *word, const char *const *words, size_t n)
{
	const char *best = NULL;
	unsigned int d, least = suggest_most(word) + 1;
	size_t i;

	for (i = 0; i < n; i++) {
		d = suggest_distance(word, words[i]);
		if (d < least) {
			least = d;
			best = words[i];
		}
	}
	for (i = 0; i < n && best == NULL; i++)
		if (strlen(word) >= NEAREST_BEGIN &&
		    strncmp(word, words[i], strlen(word)) == 0)
			best = words[i];
	return best;
}

/* Splits at the colons; missing parts are "". */
static void
suggest_split(const char *pattern, char part[3][DTNAMESIZE])
{
	size_t i, n;

	for (i = 0; i < 3; i++) {
		n = strcspn(pattern, i < 2 ? ":" : "");
		snprintf(part[i], DTNAMESIZE, "%.*s", (int)n, pattern);
		pattern += n;
		if (*pattern == ':')
			pattern++;
	}
}

/*
 * Returns whether the name has two parts, as for a tracepoint: its subsystem
 * and its name.
 */
static int
suggest_hastwo(const struct dtioc_probe_info *pi)
{
	return (pi->dtpi_flags & DTPI_RECORD) != 0;
}

/* Distance of a name alone, of the last two parts, or of all three. */
static unsigned int
suggest_of(char part[3][DTNAMESIZE], const struct dtioc_probe_info *pi)
{
	const char *name = suggest_hastwo(pi) ? pi->dtpi_name : pi->dtpi_func;
	unsigned int d;

	if (part[1][0] == '\0')
		return suggest_distance(part[0], name);
	d = suggest_distance(part[0], pi->dtpi_prov) +
	    suggest_distance(part[1], pi->dtpi_func);
	if (part[2][0] == '\0' && suggest_hastwo(pi))
		return suggest_distance(part[0], pi->dtpi_func) +
		    suggest_distance(part[1], name);
	if (part[2][0] == '\0')
		return d;
	return suggest_hastwo(pi) ? d + suggest_distance(part[2], name)
				  : d + (strcmp(part[2], pi->dtpi_name) != 0);
}

int
suggest_probe(const struct dtioc_probe_info *pi, size_t n, const char *pattern,
    char *buf, size_t size)
{
	char part[3][DTNAMESIZE];
	const struct dtioc_probe_info *best = NULL;
	unsigned int d, least = UINT32_MAX;
	size_t i;

	suggest_split(pattern, part);
	for (i = 0; i < n; i++) {
		d = suggest_of(part, &pi[i]);
		if (d < least) {
			least = d;
			best = &pi[i];
		}
	}
	if (best == NULL ||
	    least > suggest_most(part[1][0] != '\0' ? part[1] : part[0]))
		return -1;
	if (strcmp(part[2], best->dtpi_name) == 0 || suggest_hastwo(best) ||
	    strcmp(best->dtpi_func, "hz") == 0)
		snprintf(buf, size, "%s:%s:%s", best->dtpi_prov,
		    best->dtpi_func, best->dtpi_name);
	else
		snprintf(buf, size, "%s:%s", best->dtpi_prov, best->dtpi_func);
	return 0;
}
