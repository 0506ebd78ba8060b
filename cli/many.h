/* SPDX-License-Identifier: ISC */
/*
 * Many functions of the kernel at once: what that costs is told before it is
 * done, and while it is done, how long it has taken.
 */
#ifndef CLI_MANY_H
#define CLI_MANY_H

#include <libdt.h>

#define MANY_FUNCS 1000 /* more than so many have to be asked for twice */

/* Functions among n probes of a look-up. */
size_t many_count(const struct dtioc_probe_info *, size_t n);
/* Prints what so many would cost, and ends dt. */
void many_refuse(struct dt *, const char *pattern, size_t nfuncs)
    __attribute__((noreturn));
/* From start to stop a line on a terminal tells that they are being attached,
 * in a thread of its own. */
void many_start(struct dt *, size_t nfuncs);
void many_stop(void);

#endif /* CLI_MANY_H */
