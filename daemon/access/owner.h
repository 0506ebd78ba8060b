/* SPDX-License-Identifier: ISC */
/*
 * The right TRACE_OWN: checks whether a client may have it, and whether a
 * process is the client's own, at open and when symbols are requested.  At a
 * hit, BPF programs check the process (bpf/dt_owner.bpf.h).
 */
#ifndef DAEMON_ACCESS_OWNER_H
#define DAEMON_ACCESS_OWNER_H

#include <stddef.h>

#include "daemon/access/peer.h"
#include "daemon/inspect/inspect_client.h"
#include "daemon/inspect/proccred.h"

struct find_stat;

/*
 * Fills peer_owner of a peer that the configuration gives TRACE_OWN.  Returns 0
 * and sets peer_noown to the reason if the right is refused: the process has
 * several user ids, is not dumpable or is in another user namespace; or
 * ptrace(2) is confined (and trace-own-despite-lsm is not set).
 */
int owner_admit(struct peer *, int sock, const gid_t *gids, size_t ngids,
    int own_userns, const struct inspect_client *);
/*
 * Returns whether an inspector finds a process to be the owner's own now; its
 * user namespace must be the owner's.  Uses inspect(), with its restrictions.
 */
int owner_owns(const struct owner *, pid_t);
/*
 * Returns whether the owner may read a file with this inspected status.  Judges
 * by mode; with an access control list, or more groups than onr_gids holds,
 * only what is certain is permitted.
 */
int owner_mayread(const struct owner *, const struct find_stat *);

#endif /* DAEMON_ACCESS_OWNER_H */
