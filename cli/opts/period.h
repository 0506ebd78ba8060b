/* SPDX-License-Identifier: ISC */
/* Periods of clock probes, from a name, a pattern or -F. */
#ifndef CLI_OPTS_PERIOD_H
#define CLI_OPTS_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

#define PERIOD_MIN 200000 /* ns: minimum of the device */

/*
 * The device has one clock of each kind; the rate in its name is a default. A
 * pattern like interval:hz:10 therefore means the clock of the provider and a
 * period.  Returns that period, 0 for other patterns, and writes a pattern for
 * the clock into name.  The caller checks that this matches a clock.
 */
uint64_t period_clock(const char *pattern, char *name, size_t size);

/*
 * Returns the period of a probe in ns: of hz (-F) if not 0, else the one that
 * the pattern requested if not 0, else the one in its name; 0 if it is not a
 * clock.
 */
uint64_t
period_of(const struct dtioc_probe_info *, unsigned int hz, uint64_t requested);

#endif /* CLI_OPTS_PERIOD_H */
