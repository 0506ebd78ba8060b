/* SPDX-License-Identifier: ISC */
/* Periods of clocks and counters, from a name, a pattern or -F. */
#ifndef CLI_OPTS_PERIOD_H
#define CLI_OPTS_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

#define PERIOD_MIN  200000 /* ns: minimum of the device */
#define PERIOD_NAME (2 * DTNAMESIZE + 8)

/*
 * The device has one clock of each kind, the rate in whose name is a default,
 * and one counter of each event.  A pattern like interval:hz:10 or
 * counter:page-faults:5 therefore means the probe and a period.  Returns that
 * period, in ns or events, 0 for other patterns, and writes a pattern for the
 * probe into name, PERIOD_NAME bytes.  The caller checks that this matches a
 * clock or a counter.
 */
uint64_t period_clock(const char *pattern, char *name, size_t size);

/*
 * Returns the period of a probe.  Clocks have one in ns: of hz (-F) if not 0,
 * else the one that the pattern requested if not 0, else the one in the name.
 * Counters have the requested one, in events; 0 is the usual one.  Other probes
 * have 0.
 */
uint64_t
period_of(const struct dtioc_probe_info *, unsigned int hz, uint64_t requested);

#endif /* CLI_OPTS_PERIOD_H */
