/* SPDX-License-Identifier: ISC */
/*
 * The right TRACE_OWN: who may have it, and what is his.  What a process is at
 * a hit the programs find out (bpf/dt_owner.bpf.h); here is what is asked at
 * the open, and for names.
 */
#ifndef DAEMON_ACCESS_OWNER_H
#define DAEMON_ACCESS_OWNER_H

#include <stddef.h>

#include "daemon/access/peer.h"
#include "daemon/inspect/inspect_client.h"
#include "daemon/inspect/proccred.h"

struct find_stat;

/*
 * Fills pr_owner of a peer whom the configuration gives TRACE_OWN.  0: he does
 * not get it, and pr_noown says why: he is more than one user, or hides, or is
 * of another user namespace; or ptrace(2) is confined here (and the
 * configuration does not say trace-own-despite-lsm).
 */
int owner_admit(struct peer *, int sock, const gid_t *gids, size_t ngids,
    int own_userns, const struct inspect_client *);
/* Whether a process is the owner's own now, as far as an inspector can tell; its
 * user namespace must be the owner's.  Asks: see inspect(). */
int owner_owns(const struct owner *, pid_t);
/*
 * Whether he may read a file, of which an inspector has told this.  By its mode: where a list of
 * access is beside it, or he has too many groups to know them all, nothing but
 * what he may for certain.
 */
int owner_mayread(const struct owner *, const struct find_stat *);

#endif /* DAEMON_ACCESS_OWNER_H */
