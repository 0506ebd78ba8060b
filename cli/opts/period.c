/* SPDX-License-Identifier: ISC */
/* Computes the periods of clocks and counters. */
#include <stdio.h>
#include <string.h>

#include "cli/opts/opts.h"
#include "cli/opts/period.h"

#define PERIOD_HZ 99 /* for a clock without a rate in its name */

/* Units of clock probes: profile:hz:97 has 97 periods per second. */
static const struct {
	const char *unit;
	uint64_t nsecs; /* ns per unit; 0: a rate per second */
} period_units[] = {
	{ "hz", 0 },
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
};

/* Returns the period for a unit and a number, or 0. */
static uint64_t
period_nsecs(const char *unit, const char *number)
{
	uint64_t v;
	size_t i;

	for (i = 0; i < sizeof(period_units) / sizeof(period_units[0]); i++)
		if (strcmp(unit, period_units[i].unit) == 0 &&
		    opts_number(number, 1, 1000000, &v) == 0)
			return period_units[i].nsecs != 0
			    ? v * period_units[i].nsecs
			    : 1000000000 / v;
	return 0;
}

uint64_t
period_of(const struct dtioc_probe_info *pi, unsigned int hz,
    uint64_t requested)
{
	uint64_t nsecs;

	if ((pi->dtpi_flags & DTPI_CLOCK) == 0)
		return 0;
	if (pi->dtpi_unit == DTPI_EVENTS)
		return requested;
	if (hz != 0)
		return 1000000000 / hz;
	if (requested != 0)
		return requested;
	nsecs = period_nsecs(pi->dtpi_func, pi->dtpi_name);
	return nsecs != 0 ? nsecs : 1000000000 / PERIOD_HZ;
}

uint64_t
period_clock(const char *pattern, char *name, size_t size)
{
	char prov[DTNAMESIZE], unit[DTNAMESIZE], number[DTNAMESIZE];
	uint64_t period;
	int end = 0;

	if (sscanf(pattern, "%63[^:]:%63[^:]:%63[^:]%n", prov, unit, number,
		&end) != 3 ||
	    pattern[end] != '\0')
		return 0;
	if ((period = period_nsecs(unit, number)) != 0) {
		snprintf(name, size, "%s:*:*", prov);
		return period;
	}
	if (opts_number(number, 1, UINT64_MAX, &period) == -1)
		return 0;
	snprintf(name, size, "%s:%s:*", prov, unit);
	return period;
}
