/* SPDX-License-Identifier: ISC */
/* Parses the argument of --key. */
#include <stdio.h>
#include <string.h>

#include "cli/opts/pair_key.h"

/* Copies a name of n characters.  Returns 0 or -1. */
static int
pair_key_name(char *to, size_t size, const char *from, size_t n)
{
	if (n == 0 || n >= size || memchr(from, '=', n) != NULL)
		return -1;
	snprintf(to, size, "%.*s", (int)n, from);
	return 0;
}

unsigned int
pair_key_parse(const char *keys, struct pair_key_name kn[DTPA_NKEYS])
{
	const char *equals;
	unsigned int n;
	size_t len, left;

	for (n = 0; n < DTPA_NKEYS; keys += len + 1) {
		len = strcspn(keys, ",");
		equals = memchr(keys, '=', len);
		left = equals != NULL ? (size_t)(equals - keys) : len;
		if (pair_key_name(kn[n].kn_from, sizeof(kn[n].kn_from), keys,
			left) == -1)
			return 0;
		if (equals == NULL)
			strcpy(kn[n].kn_to, kn[n].kn_from);
		else if (pair_key_name(kn[n].kn_to, sizeof(kn[n].kn_to),
			     equals + 1, len - left - 1) == -1)
			return 0;
		n++;
		if (keys[len] == '\0')
			return n;
	}
	return 0;
}

int
pair_key_same(const char *keys, const char *name)
{
	struct pair_key_name kn[DTPA_NKEYS];
	unsigned int i, n = pair_key_parse(keys, kn);

	for (i = 0; i < n; i++)
		if (strcmp(kn[i].kn_from, name) == 0 &&
		    strcmp(kn[i].kn_to, name) == 0)
			return 1;
	return 0;
}
