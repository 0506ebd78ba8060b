/* SPDX-License-Identifier: ISC */
/* Parses and stores the values of options: numbers, times, sizes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
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

#define TIME_MAX 1e18 /* ns, 31 years */

/* Returns the nanoseconds of a unit, or 0. */
static double
time_unit(const char *unit)
{
	static const struct {
		const char *unit;
		double nsecs;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "m", 60e9 }, { "h", 3600e9 } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].nsecs;
	return 0;
}

int
opts_time(const char *s, double unit, uint64_t *vp)
{
	size_t n = strspn(s, "0123456789.");
	char number[32], *end;
	double v;

	if (n == 0 || n >= sizeof(number))
		return -1;
	memcpy(number, s, n);
	number[n] = '\0';
	v = strtod(number, &end);
	if (end == number || *end != '\0')
		return -1;
	if (s[n] != '\0')
		unit = time_unit(s + n);
	if (unit == 0 || v * unit > TIME_MAX)
		return -1;
	*vp = v * unit + 0.5;
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
	[OPT_TIME] = "should be a time, for example 10 (seconds), 500ms or 5m; "
		     "units are ns, us, ms, s, m, h",
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
	case OPT_TIME:
		error = opts_time(arg, 1e9, vp) == -1 || *vp == 0 ? -1 : 0;
		break;
	case OPT_LATENCY:
		error = opts_time(arg, 0, vp);
		break;
	case OPT_SIZE:
		error = opts_size(arg, vp);
		break;
	default:
		return opts_number(arg, op->opt_min, max, vp);
	}
	return error == -1 || *vp < op->opt_min || *vp > max ? -1 : 0;
}

/*
 * Returns the error of a value.  An invalid time has the same error for all
 * options; the error of a latency without unit suggests two units.
 */
static const char *
opts_wrong(const struct opt *op, const char *arg)
{
	const char *expect = opts_expect[op->opt_type];
	static char why[160];
	uint64_t v;

	switch (op->opt_type) {
	case OPT_TIME:
		if (opts_time(arg, 1e9, &v) == -1)
			return expect;
		break;
	case OPT_LATENCY:
		if (opts_time(arg, 0, &v) == 0 || opts_time(arg, 1e9, &v) == -1)
			break;
		snprintf(why, sizeof(why), "%s; write %.20sms or %.20ss",
		    expect, arg, arg);
		return why;
	default:
		break;
	}
	return op->opt_expect != NULL ? op->opt_expect : expect;
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
		return opts_wrong(op, arg);
	if (op->opt_type == OPT_UINT)
		*(unsigned int *)value = v;
	else
		*(uint64_t *)value = v;
	return NULL;
}
