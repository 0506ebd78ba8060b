/* SPDX-License-Identifier: ISC */
/* The connection to dtd, restored when dtd restarts. */
#ifndef EXPORTER_DTD_LINK_H
#define EXPORTER_DTD_LINK_H

#include <stddef.h>

#include <libdt.h>

/* Sets dtd's socket, NULL for the default.  Call before dtd_link_read(). */
void dtd_link_start(const char *path);

/*
 * Fills list like dt_sums_read(), and release, of size bytes, with dtd's
 * release.  Returns -1 if dtd is unavailable or does not reply in time.  Not
 * thread-safe.
 */
int dtd_link_read(struct dtioc_sum *list, size_t n, char *release, size_t size);

#endif /* EXPORTER_DTD_LINK_H */
