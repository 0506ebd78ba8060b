/* SPDX-License-Identifier: ISC */
/* Who is at the other end of a socket, see peer.h. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peer.h"

#ifndef SO_PEERPIDFD		/* since Linux 6.5, not in Debian 12's headers */
#define SO_PEERPIDFD	77
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

/*
 * Whether the peer is still the process that its number names: numbers are
 * used again.  Kernels before 6.5 cannot tell; there it counts as so.
 */
static int
peer_alive(int sock)
{
	socklen_t len = sizeof(int);
	int pidfd, alive;

	if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) == -1)
		return errno == ENOPROTOOPT;
	alive = syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 ||
	    errno != ESRCH;
	close(pidfd);
	return alive;
}

/* Whether fd is the peer's namespace of this kind, and the daemon's. */
static int
peer_namespace(pid_t pid, const char *kind, int fd, int *own)
{
	char path[64];
	struct stat told, real, mine;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	if (fstat(fd, &told) == -1 || stat(path, &real) == -1)
		return EPERM;
	if (told.st_ino != real.st_ino || told.st_dev != real.st_dev)
		return EPERM;
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	*own = stat(path, &mine) == 0 && mine.st_ino == real.st_ino &&
	    mine.st_dev == real.st_dev;
	return 0;
}

int
peer_identify(const struct peer *pr, int sock, const int *fds, int nfds,
    int *own_userns, char *text)
{
	int own_pidns;

	if (nfds != 2) {
		snprintf(text, IOCTL_TEXT,
		    "open wants two descriptors: pid and user namespace");
		return EINVAL;
	}
	if (peer_namespace(pr->pr_pid, "pid", fds[0], &own_pidns) != 0 ||
	    peer_namespace(pr->pr_pid, "user", fds[1], own_userns) != 0 ||
	    !peer_alive(sock)) {
		snprintf(text, IOCTL_TEXT, "the descriptors sent are not the "
		    "namespaces of process %d", (int)pr->pr_pid);
		return EPERM;
	}
	if (!own_pidns) {
		snprintf(text, IOCTL_TEXT,
		    "this daemon serves its own pid namespace only");
		return EPERM;
	}
	return 0;
}
