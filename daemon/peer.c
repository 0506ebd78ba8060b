/* SPDX-License-Identifier: ISC */
/* Who is at the other end of a socket, see peer.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peer.h"

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
	pr->pr_pid = uc.pid;
	pr->pr_uid = uc.uid;
	pr->pr_gid = uc.gid;
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

	/* how many there are: they are as they were at connect(2) */
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
	gids[(*np)++] = pr->pr_gid;
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

/*
 * Whether fd is the namespace of this kind of the process, which /proc knows
 * as who, and of the daemon.  Links are compared, since the file behind fd may
 * be anything, and a stat(2) of it wait for whoever serves it.
 */
static int
peer_namespace(const char *who, const char *kind, int fd, int *own)
{
	char path[64], told[64], real[64], mine[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (peer_link(path, told, sizeof(told)) != 0)
		return EPERM;
	snprintf(path, sizeof(path), "/proc/%s/ns/%s", who, kind);
	if (peer_link(path, real, sizeof(real)) != 0 || strcmp(told, real) != 0)
		return EPERM;
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	*own = peer_link(path, mine, sizeof(mine)) == 0 &&
	    strcmp(mine, real) == 0;
	return 0;
}

int
peer_pidns_initial(const char *who)
{
	char path[64], link[64];

	/* Its link has had this inode (PROC_PID_INIT_INO) since there are any. */
	snprintf(path, sizeof(path), "/proc/%s/ns/pid", who);
	return peer_link(path, link, sizeof(link)) == 0 &&
	    strcmp(link, "pid:[4026531836]") == 0;
}

int
peer_identify(struct peer *pr, int sock, const int *fds, int nfds, int isparent,
    int *own_userns, char *text)
{
	char who[16] = "self";
	int error;

	/* A client that is not dumpable keeps its links from all but who may
	 * trace it; a private daemon has been in the same namespaces since
	 * its client made it. */
	if (!isparent)
		snprintf(who, sizeof(who), "%d", (int)pr->pr_pid);

	if (nfds != 2) {
		snprintf(text, IOCTL_TEXT,
		    "open wants two descriptors: pid and user namespace");
		return EINVAL;
	}
	/* that it lives is asked last: then its number was its own till now */
	error = peer_namespace(who, "pid", fds[0], &pr->pr_pidns_own) != 0 ||
		peer_namespace(who, "user", fds[1], own_userns) != 0
	    ? EPERM
	    : peer_alive(sock);
	if (error == EPERM)
		snprintf(text, IOCTL_TEXT,
		    "the descriptors sent are not the "
		    "namespaces of process %d",
		    (int)pr->pr_pid);
	if (error != 0)
		return error;
	pr->pr_pidns_initial = peer_pidns_initial(who);
	return 0;
}
