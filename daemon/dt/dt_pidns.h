/* SPDX-License-Identifier: ISC */
/* The pid namespace of a client, and processes by their pids there. */
#ifndef DAEMON_DT_DT_PIDNS_H
#define DAEMON_DT_DT_PIDNS_H

#include <stdint.h>
#include <sys/types.h>

struct dt_nsquery;
struct peer;
struct reason;

/* Letters as in dt_softc.h. */
struct dt_pidns {
	uint32_t dpn_kpid;  /* [c] peer in the initial pid namespace */
	uint32_t dpn_inum;  /* [c] inode of the namespace, 0: not known yet */
	uint32_t dpn_level; /* [c] depth of the namespace */
	uint64_t dpn_ns;    /* [c] address of the namespace; 0: dtd's */
};

/* w: determines the namespace of the client, once. */
int dt_pidns_resolve(struct dt_pidns *, const struct peer *, struct reason *);
/* w: looks up a process in that namespace. An errno, as pidns_process(). */
int dt_pidns_find(struct dt_pidns *, const struct peer *, struct dt_nsquery *);
/* w: converts a pid from the client's namespace to dtd's: ESRCH. */
int
dt_pidns_local(struct dt_pidns *, const struct peer *, pid_t pid, pid_t *local);

#endif /* DAEMON_DT_DT_PIDNS_H */
