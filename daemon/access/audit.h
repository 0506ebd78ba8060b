/* SPDX-License-Identifier: ISC */
/*
 * Who had what: a message an open, when it has ended, for who has to know later
 * what was traced on this machine.  For all devices.
 */
#ifndef DAEMON_ACCESS_AUDIT_H
#define DAEMON_ACCESS_AUDIT_H

#include <stdint.h>

#include "daemon/access/peer.h"

#define AUDIT_PROBES 400 /* bytes of their names that are kept */

/* Of one open; all of it the control thread's. */
struct audit {
	int64_t au_since;      /* CLOCK_MONOTONIC, ns */
	char au_comm[16];      /* of the process, when it opened */
	unsigned int au_n;     /* probes, also those that were disabled */
	unsigned int au_named; /* of them in au_probes */
	char au_probes[AUDIT_PROBES];
};

/* What came of its hits. */
struct audit_sums {
	uint64_t aus_fired;
	uint64_t aus_read;
	uint64_t aus_dropped;
	uint64_t aus_recursed;
};

void audit_open(struct audit *, const struct peer *);
void audit_probe(struct audit *, const char *prov, const char *func,
    const char *name);
/* number: how the device calls the open. */
void audit_close(const struct audit *, const struct peer *, const char *device,
    unsigned int number, const struct audit_sums *);

#endif /* DAEMON_ACCESS_AUDIT_H */
