/* SPDX-License-Identifier: ISC */
/*
 * Logs one message per session when it ends, for administrators who need to
 * know later what was traced on this machine.  Used by all devices.
 */
#ifndef DAEMON_ACCESS_AUDIT_H
#define DAEMON_ACCESS_AUDIT_H

#include <stdint.h>

#include "daemon/access/peer.h"

#define AUDIT_PROBES 400 /* bytes kept of their names */

/* The audit data of a session.  Control thread only. */
struct audit {
	int64_t au_since;      /* CLOCK_MONOTONIC, ns */
	char au_comm[16];      /* of the process at open */
	unsigned int au_n;     /* probes, including disabled ones */
	unsigned int au_named; /* how many of them au_probes names */
	char au_probes[AUDIT_PROBES];
};

/* The totals of a session's hits. */
struct audit_sums {
	uint64_t aus_fired;
	uint64_t aus_read;
	uint64_t aus_dropped;
	uint64_t aus_recursed;
	uint64_t aus_counted;
	uint64_t aus_mapfull;
};

void audit_open(struct audit *, const struct peer *);
void audit_probe(struct audit *, const char *prov, const char *func,
    const char *name);
/* number: the device's number of the session. */
void audit_close(const struct audit *, const struct peer *, const char *device,
    unsigned int number, const struct audit_sums *);

#endif /* DAEMON_ACCESS_AUDIT_H */
