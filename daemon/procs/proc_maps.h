/* SPDX-License-Identifier: ISC */
/* Parses a line of /proc/PID/maps. Does no I/O. */
#ifndef DAEMON_PROCS_PROC_MAPS_H
#define DAEMON_PROCS_PROC_MAPS_H

#include <stddef.h>

#include "daemon/procs/sideband_event.h"

/*
 * Takes the line apart that begins at text and has its newline within nbytes.
 * Returns the bytes of the line with its newline, 0 if there is none yet.
 * An executable mapping fills the event as a record of the side-band would
 * (SIDEBAND_MMAP, with the path as the line has it); all else is
 * SIDEBAND_OTHER.
 */
size_t proc_maps_line(const char *text, size_t nbytes, struct sideband_event *);

#endif /* DAEMON_PROCS_PROC_MAPS_H */
