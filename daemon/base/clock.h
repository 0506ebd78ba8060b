/* SPDX-License-Identifier: ISC */
/* Reads the clock of the records and its offset from real time.  Any thread. */
#ifndef DAEMON_BASE_CLOCK_H
#define DAEMON_BASE_CLOCK_H

#include <stdint.h>

#include "common/clock.h"

/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns. */
int64_t clock_offset(void);

#endif /* DAEMON_BASE_CLOCK_H */
