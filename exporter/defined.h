/* SPDX-License-Identifier: ISC */
/* The metrics that files of a folder define. */
#ifndef EXPORTER_DEFINED_H
#define EXPORTER_DEFINED_H

#include <stdio.h>

/*
 * Reads the files of the folder, and starts to count in the background with this
 * dt(1) and at this socket of dtd.  The strings stay with the caller.
 */
void defined_start(const char *folder, const char *dt, const char *socket);
/*
 * Reads the folder again.  Metrics go on as before if their file is unchanged,
 * or has a mistake.
 */
void defined_load(void);
/* Prints the metrics, as of now. */
void defined_print(FILE *);

#endif /* EXPORTER_DEFINED_H */
