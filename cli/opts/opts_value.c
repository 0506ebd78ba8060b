/* SPDX-License-Identifier: ISC */
/* Parses values of options: numbers, times, sizes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/opts.h"

int
opts_number(const char *s, uint64_t min, uint64_t max, uint64_t *vp)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -1; /* strtoull accepts "-1" and " 1" */
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0' || v < min || v > max)
		return -1;
	*vp = v;
	return 0;
}

int
opts_nsecs(const char *s, uint64_t *vp)
{
	double v;
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -1;
	v = strtod(s, &end);
	if (end == s || *end != '\0' || !(v >= 1e-6 && v <= 1e9) ||
	    strpbrk(s, "xX") != NULL)
		return -1;
	*vp = v * 1e9 + 0.5;
	return 0;
}

int
opts_span(const char *s, uint64_t *vp)
{
	static const struct {
		const char *unit;
		double secs;
	} units[] = { { "ms", 1e-3 }, { "s", 1 }, { "m", 60 }, { "h", 3600 } };
	size_t i, n = strspn(s, "0123456789.");
	char number[32];
	uint64_t v;

	if (s[n] == '\0')
		return opts_nsecs(s, vp);
	if (n >= sizeof(number))
		return -1;
	memcpy(number, s, n);
	number[n] = '\0';
	for (i = 0; strcmp(s + n, units[i].unit) != 0;)
		if (++i == sizeof(units) / sizeof(units[0]))
			return -1;
	if (opts_nsecs(number, &v) == -1 || v * units[i].secs > 1e18)
		return -1;
	*vp = v * units[i].secs;
	return 0;
}

int
opts_latency(const char *s, uint64_t *vp)
{
	static const struct {
		const char *unit;
		double nsecs;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t i, n = strspn(s, "0123456789.");
	char number[32], *end;
	double v;

	if (n == 0 || n >= sizeof(number))
		return -1;
	memcpy(number, s, n);
	number[n] = '\0';
	v = strtod(number, &end);
	if (*end != '\0')
		return -1;
	for (i = 0; strcmp(s + n, units[i].unit) != 0;)
		if (++i == sizeof(units) / sizeof(units[0]))
			return -1;
	if (v * units[i].nsecs > 1e18)
		return -1;
	*vp = v * units[i].nsecs + 0.5;
	return 0;
}

int
opts_size(const char *s, uint64_t *vp)
{
	static const char units[] = "kmg";
	unsigned long long v;
	const char *unit;
	char *end;
	int shift = 0;

	if (!isdigit((unsigned char)*s))
		return -1;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end != '\0') {
		unit = strchr(units, tolower((unsigned char)*end));
		if (unit == NULL || end[1] != '\0')
			return -1;
		shift = (unit - units + 1) * 10;
	}
	if (errno != 0 || v == 0 || v > (1ULL << 40) >> shift)
		return -1;
	*vp = v << shift;
	return 0;
}
