/* SPDX-License-Identifier: ISC */
/*
 * Turns values that are read by structs into reads (DTIOCSREADS) of a probe,
 * and finds their results in its events.
 */
#ifndef CLI_SCRIPT_SCRIPT_READS_H
#define CLI_SCRIPT_SCRIPT_READS_H

#include "cli/script/script_bind.h"

/*
 * Adds the reads of a clause to a probe.  reads: by nd_ref, for the clause's
 * hits.  Returns 0, or -1 with the node and sbi_why.
 */
int
script_reads_bind(struct script_bind *, struct bound *, const struct clause *,
    const int8_t *argn, struct script_read *reads, const struct node **bad);
/* Sets the addresses of all kaddr().  Returns 0, or -1 with the script's error. */
int script_reads_kaddrs(struct script *, struct dt *);
/* Sends the reads of enabled probes. */
void script_reads_set(const struct script_bind *);
/* Returns a value of a clause that is read, or NULL. */
const struct node *script_reads_first(const struct clause *);

#endif /* CLI_SCRIPT_SCRIPT_READS_H */
