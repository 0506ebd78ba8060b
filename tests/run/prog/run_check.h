/* SPDX-License-Identifier: ISC */
/* Compares a text with a regular expression, or with words. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include <err.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static int
run_matches(const char *re, const char *text)
{
	char why[128];
	regex_t rx;
	int r;

	if ((r = regcomp(&rx, re, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)) !=
	    0) {
		regerror(r, &rx, why, sizeof(why));
		errx(1, "'%s': %s", re, why);
	}
	r = regexec(&rx, text, 0, NULL, 0);
	regfree(&rx);
	return r == 0;
}

/* Tests one word of EXPECT. */
static int
run_word(const char *want, size_t nwant, const char *got, size_t ngot)
{
	long long lo, hi, v;
	char *end;

	if (nwant == 1 && *want == '*')
		return ngot > 0;
	if (nwant == ngot && memcmp(want, got, nwant) == 0)
		return 1;
	v = strtoll(got, &end, 10);
	if (ngot == 0 || end != got + ngot)
		return 0;
	if (nwant > 2 && strncmp(want, ">=", 2) == 0)
		return v >= atoll(want + 2);
	lo = strtoll(want, &end, 10);
	if (end == want || strncmp(end, "..", 2) != 0)
		return 0;
	hi = strtoll(end + 2, NULL, 10);
	return v >= lo && v <= hi;
}

static int
run_words(const char *want, const char *got)
{
	static const char blank[] = " \t\n";
	size_t nwant, ngot;

	for (;;) {
		want += strspn(want, blank);
		got += strspn(got, blank);
		nwant = strcspn(want, blank);
		ngot = strcspn(got, blank);
		if (nwant == 0 || ngot == 0)
			return nwant == ngot;
		if (!run_word(want, nwant, got, ngot))
			return 0;
		want += nwant;
		got += ngot;
	}
}

#endif /* RUN_CHECK_H */
