/* SPDX-License-Identifier: ISC */
/* The way to dtd: found again when dtd was away. */
#ifndef EXPORTER_LINK_H
#define EXPORTER_LINK_H

#include <stddef.h>

#include <libdt.h>

/* path: dtd's socket, NULL for the usual one.  Before link_read(). */
void link_start(const char *path);

/*
 * Fills list, as dt_sums_read(), and release, so many bytes, with dtd's.  -1:
 * dtd is away, or does not answer in time.  One caller at a time.
 */
int link_read(struct dtioc_sum *list, size_t n, char *release, size_t size);

#endif /* EXPORTER_LINK_H */
