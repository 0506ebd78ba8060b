/* SPDX-License-Identifier: ISC */
/* Parses and stores the values of options: numbers, times, sizes. */
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

/* Errors of the types, for rows without opt_expect. */
static const char *const opts_expect[] = {
	[OPT_UINT] = "should be a number, 1 or more",
	[OPT_NUMBER] = "should be a number, 1 or more",
	[OPT_SECONDS] = "should be seconds, for example 10 or 0.5",
	[OPT_SPAN] = "should be a time, for example 30s, 500ms or 5m",
	[OPT_LATENCY] =
	    "should be a time with its unit, for example 1ms, 200us "
	    "or 0.5s",
	[OPT_SIZE] = "should be bytes, for example 512k, 16M or 1G",
};

/* Parses the number of a row.  Returns 0 or -1. */
static int
opts_parse_value(const struct opt *op, const char *arg, uint64_t *vp)
{
	uint64_t max = op->opt_max != 0 ? op->opt_max : UINT64_MAX;
	int error;

	switch (op->opt_type) {
	case OPT_SECONDS:
		error = opts_nsecs(arg, vp);
		break;
	case OPT_SPAN:
		error = opts_span(arg, vp);
		break;
	case OPT_LATENCY:
		error = opts_latency(arg, vp);
		break;
	case OPT_SIZE:
		error = opts_size(arg, vp);
		break;
	default:
		return opts_number(arg, op->opt_min, max, vp);
	}
	return error == -1 || *vp < op->opt_min || *vp > max ? -1 : 0;
}

const char *
opts_value(struct opts *o, const struct opt *op, const char *arg)
{
	void *value = (char *)o + op->opt_offset;
	const char *bad;
	uint64_t v;

	if (op->opt_check != NULL && (bad = op->opt_check(o, arg)) != NULL)
		return bad;
	switch (op->opt_type) {
	case OPT_CALL:
		return NULL;
	case OPT_FLAG:
		*(int *)value = op->opt_min != 0 ? (int)op->opt_min : 1;
		return NULL;
	case OPT_STRING:
		*(const char **)value = arg;
		return NULL;
	default:
		break;
	}
	if (opts_parse_value(op, arg, &v) == -1)
		return op->opt_expect != NULL ? op->opt_expect
					      : opts_expect[op->opt_type];
	if (op->opt_type == OPT_UINT)
		*(unsigned int *)value = v;
	else
		*(uint64_t *)value = v;
	return NULL;
}
