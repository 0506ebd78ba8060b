/* SPDX-License-Identifier: ISC */
/* The two clocks: that of the records, and that of people.  Any thread. */
#ifndef DAEMON_BASE_CLOCK_H
#define DAEMON_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC, ns. */
int64_t clock_monotonic(void);
/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns. */
int64_t clock_offset(void);

#endif /* DAEMON_BASE_CLOCK_H */
