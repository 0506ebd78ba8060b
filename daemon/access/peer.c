/* SPDX-License-Identifier: ISC */
/* Reads the credentials, groups and namespaces of a socket's peer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/access/peer.h"
#include "daemon/access/person.h"
#include "daemon/base/reason.h"
#include "daemon/inspect/inspect_client.h"

#ifndef SO_PEERPIDFD /* since Linux 6.5, not in Debian 12's headers */
#define SO_PEERPIDFD 77
#endif

int
peer_get(struct peer *pr, int sock)
{
	struct ucred uc;
	socklen_t len = sizeof(uc);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &uc, &len) == -1)
		return errno;
	pr->peer_pid = uc.pid;
	pr->peer_uid = uc.uid;
	pr->peer_person = person_of(uc.uid);
	pr->peer_gid = uc.gid;
	return 0;
}

int
peer_alive(int sock)
{
	socklen_t len = sizeof(int);
	int pidfd, error = 0;

	if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) == -1)
		return errno == ENOPROTOOPT ? 0
		    : errno == EMFILE || errno == ENFILE || errno == ENOMEM
		    ? errno
		    : EPERM;
	if (syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == -1 &&
	    errno == ESRCH)
		error = EPERM;
	close(pidfd);
	return error;
}

int
peer_groups(const struct peer *pr, int sock, gid_t **gidsp, size_t *np)
{
	socklen_t len = 0;
	gid_t *gids;

	/* queries the size: the groups are fixed at connect(2) */
	if (getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == -1 &&
	    errno != ERANGE)
		return errno;
	if ((gids = malloc(len + sizeof(*gids))) == NULL)
		return ENOMEM;
	if (len > 0 &&
	    getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, gids, &len) == -1) {
		free(gids);
		return errno;
	}
	*np = len / sizeof(*gids);
	gids[(*np)++] = pr->peer_gid;
	*gidsp = gids;
	return 0;
}

static int
peer_link(const char *path, char *link, size_t size)
{
	ssize_t n = readlink(path, link, size - 1);

	if (n == -1)
		return errno;
	link[n] = '\0';
	return 0;
}

/* Reads the link of a namespace of dtd's own. */
static int
peer_ownlink(const char *kind, char *link, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	return peer_link(path, link, size);
}

/*
 * Checks that fd is the peer's namespace of this kind (real), and whether it is
 * dtd's.  Compares links, since fd may be any file, and stat(2) on it may block
 * on its file system.
 */
static int
peer_namespace(const char *kind, const char *real, int fd, int *own)
{
	char path[64], told[CLIENT_NSLINK], mine[CLIENT_NSLINK];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (peer_link(path, told, sizeof(told)) != 0 || strcmp(told, real) != 0)
		return EPERM;
	*own = peer_ownlink(kind, mine, sizeof(mine)) == 0 &&
	    strcmp(mine, real) == 0;
	return 0;
}

/*
 * Compares with the constant inode of the initial namespace
 * (PROC_PID_INIT_INO).
 */
static int
is_initial(const char *link)
{
	return strcmp(link, "pid:[4026531836]") == 0;
}

int
peer_pidns_initial(void)
{
	char link[CLIENT_NSLINK];

	return peer_ownlink("pid", link, sizeof(link)) == 0 && is_initial(link);
}

int
peer_identify(struct peer *pr, int sock, const int *fds, int nfds,
    const struct inspect_client *ic, int *own_userns, struct reason *rs)
{
	struct inspect_client own = { .icl_pidns = "" };
	int error;

	if (nfds != 2)
		return reason_fail(rs, EINVAL,
		    "open requires two descriptors: pid and user namespace");
	if (ic == NULL) {
		(void)peer_ownlink("pid", own.icl_pidns, sizeof(own.icl_pidns));
		(void)peer_ownlink("user", own.icl_userns,
		    sizeof(own.icl_userns));
		ic = &own;
	}
	/* checked last: the pid was the peer's until now */
	error = peer_namespace("pid", ic->icl_pidns, fds[0],
		    &pr->peer_own_pidns) != 0 ||
		peer_namespace("user", ic->icl_userns, fds[1], own_userns) != 0
	    ? EPERM
	    : peer_alive(sock);
	if (error == EPERM)
		reason_set(rs,
		    "the descriptors sent are not the "
		    "namespaces of process %d",
		    (int)pr->peer_pid);
	if (error != 0)
		return error;
	pr->peer_initial_pidns = is_initial(ic->icl_pidns);
	memcpy(pr->peer_comm, ic->icl_comm, sizeof(pr->peer_comm));
	return 0;
}
