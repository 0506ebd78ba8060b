/* SPDX-License-Identifier: ISC */
/* Who is at the other end of a socket, and that it is who it says. */
#ifndef DAEMON_PEER_H
#define DAEMON_PEER_H

#include "cdevsw.h"
#include "inspect_client.h"

/* Fills pid, uid and gid as the kernel reports them, and the person that the
 * uid belongs to.  Returns errno. */
int peer_get(struct peer *, int sock);
/*
 * Compares the descriptors that a client sent, of its pid and its user
 * namespace, with those of the process behind the socket, of which an inspector
 * has told ic; NULL: it has made this daemon, and is in the same namespaces.
 * Notes in the peer which pid namespace that is; *own_userns: its user namespace
 * is the daemon's.  Returns EINVAL or EPERM with a text when they differ.
 */
int peer_identify(struct peer *, int sock, const int *fds, int nfds,
    const struct inspect_client *ic, int *own_userns, char *text);
/*
 * 0 if the peer is still the process that its number names: numbers are used
 * again.  Kernels before 6.5 cannot tell; there it counts as so.
 */
int peer_alive(int sock);
/* The peer's groups, its effective one among them; *gidsp is to be freed. */
int peer_groups(const struct peer *, int sock, gid_t **gidsp, size_t *np);
/* Whether dtd is in the initial pid namespace. */
int peer_pidns_initial(void);

#endif /* DAEMON_PEER_H */
