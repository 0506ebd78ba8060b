/* SPDX-License-Identifier: ISC */
/*
 * Periods of clock probes: what a name, a pattern or -F says.
 */
#ifndef CLI_OPTS_PERIOD_H
#define CLI_OPTS_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

/*
 * The device has one clock of a kind, whose name says a rate that nobody asked
 * for.  So a pattern like interval:hz:10 is the clock's provider and a period:
 * returns that, 0 for other patterns, and puts a pattern for the clock into
 * name.  Exits if no clock is so fast.
 */
uint64_t period_clock(const char *pattern, char *name, size_t size);

/* The period of a probe in ns: hz (-F) if not 0, or what was asked for by the
 * pattern if not 0, or its name's; 0 if it is no clock. */
uint64_t
period_of(const struct dtioc_probe_info *, unsigned int hz, uint64_t asked);

#endif /* CLI_OPTS_PERIOD_H */
