/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the patterns of lookups, which come from clients.  The input is a
 * pattern, a newline and a text.  Short ones are compared with fnmatch(3),
 * whose time is exponential in the pattern.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"

#define COMPARED 24 /* bytes of pattern and of text */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Copies a string to memory of its exact size, for the sanitizer. */
static char *
string(const uint8_t *data, size_t nbytes)
{
	char *s = malloc(nbytes + 1);

	if (s == NULL)
		abort();
	memcpy(s, data, nbytes);
	s[nbytes] = '\0';
	return s;
}

static void
fuzz_match(const struct globpat *gp, const char *pattern, const char *text)
{
	int r = globpat_match(gp, text);

	if (strlen(pattern) > COMPARED || strlen(text) > COMPARED)
		return;
	if (r != (fnmatch(pattern, text, 0) == 0))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	const uint8_t *end = memchr(data, '\n', nbytes);
	char *pattern, *text;
	struct reason why = { "" };
	struct globpat gp;
	int error;

	if (end == NULL)
		return 0;
	pattern = string(data, end - data);
	text = string(end + 1, data + nbytes - end - 1);
	if ((error = globpat_compile(&gp, pattern, &why)) == 0)
		fuzz_match(&gp, pattern, text);
	else if (why.rsn_text[0] == '\0' ||
	    (error == ENAMETOOLONG) != (strlen(pattern) >= GLOBPAT_MAX))
		abort();
	free(pattern);
	free(text);
	return 0;
}
