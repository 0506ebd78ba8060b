/* SPDX-License-Identifier: ISC */
/*
 * Rights of clients, as bits of dtvar.h.  An ioctl lists rights of which one is
 * required (struct ioctl_desc), a provider the rights that its probes require.
 *
 * The configuration gives rights to users, groups and all users ("everybody").
 * Names are looked up when it is read, so that an open does not wait for a name
 * service. Control thread only.
 */
#ifndef DAEMON_ACCESS_RIGHT_H
#define DAEMON_ACCESS_RIGHT_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/access/peer.h"

struct inspect_client;
struct reason;

/*
 * Replace the table of rights: begin an empty one, add to it, then commit or
 * abort it.  In addition, group dt has TRACE_ALL and group dt-stats STATS, if
 * these groups exist, and all users have LIST.
 */
void right_begin(void);
/*
 * Adds "RIGHT[,RIGHT...] to user|group NAME|NUMBER" or "... to everybody".
 * Returns -1 with an error "N: text" in why; it refers to the N-th character of
 * value (from 1).
 */
int right_allow(const char *value, char *why, size_t len);
void right_commit(void);
void right_abort(void);

/*
 * Returns the rights that the table gives to a user in these groups; does not
 * use SO_PEERCRED.
 */
unsigned int
right_find(uid_t uid, const gid_t *gids, size_t ngids, int own_userns);

/*
 * Fills peer_rights and the fields that depend on it.  Uid 0 of the daemon's own
 * user namespace has all rights; other users have the rights in the table,
 * users of another user namespace only the rights of "everybody".  The client
 * of a private daemon (ic NULL) has all rights, since the daemon has no more
 * privileges than its client. Returns an errno if the peer has exited or memory
 * runs out.
 */
int right_grant(struct peer *, int sock, int own_userns,
    const struct inspect_client *ic);

/*
 * Returns 0 if the peer has one of these rights, else EPERM: the text states
 * the missing rights, and why a configured one was withheld; the refusal is
 * counted.  The argument what, unless NULL, names the object that requires
 * them.
 */
int right_check(const struct peer *, unsigned int rights, const char *what,
    struct reason *);

#endif /* DAEMON_ACCESS_RIGHT_H */
