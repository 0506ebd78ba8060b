/* SPDX-License-Identifier: ISC */
/*
 * Inspects the identity of a process.  Its links in /proc/PID/ns block while it
 * executes a program (since Linux 6.18), possibly forever.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/inspect/inspect_client.h"
#include "daemon/inspect/inspector.h"

#define USERNS_DEPTH 32 /* the kernel's limit */

static void
read_link(const char *who, const char *kind, char *link, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", who, kind);
	n = readlink(path, link, size - 1);
	link[n > 0 ? n : 0] = '\0';
}

/* Any process can set its own name. */
static void
read_comm(const char *who, char *comm, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/comm", who);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, comm, size - 1);
		close(fd);
	}
	comm[n > 0 ? n : 0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

/* The inode of a user namespace, and a descriptor of it. */
static int
userns_open(const char *who, ino_t *ino)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/ns/user", who);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	*ino = fstat(fd, &st) == 0 ? st.st_ino : 0;
	return fd;
}

/*
 * Returns the owner of the outermost namespace below own, starting from fd,
 * which is closed.
 */
static uid_t
userns_owner(int fd, ino_t own)
{
	uid_t owner = (uid_t)-1;
	struct stat st;
	int depth, up;

	for (depth = 0; fd != -1 && depth <= USERNS_DEPTH; depth++) {
		if (fstat(fd, &st) == -1 || st.st_ino == own ||
		    ioctl(fd, NS_GET_OWNER_UID, &owner) == -1)
			break;
		up = ioctl(fd, NS_GET_PARENT);
		close(fd);
		fd = up;
	}
	if (fd != -1)
		close(fd);
	return owner;
}

static void
read_userns(const char *who, struct inspect_client *ic)
{
	ino_t ino = 0, own = 0;
	int fd = userns_open("self", &own);

	if (fd != -1)
		close(fd);
	fd = userns_open(who, &ino);
	ic->icl_usernsino = ino;
	ic->icl_owner = userns_owner(fd, own);
}

/* Fills in all parts that can be read; dtd decides about missing ones. */
int
inspect_client(struct inspect_call *call)
{
	struct inspect_client *ic = (struct inspect_client *)call->icc_out;
	char who[16];

	snprintf(who, sizeof(who), "%d", (int)call->icc_pid);
	memset(ic, 0, sizeof(*ic));
	call->icc_outlen = sizeof(*ic);
	read_comm(who, ic->icl_comm, sizeof(ic->icl_comm));
	ic->icl_crederror = proccred_read(who, &ic->icl_cred);
	if (ic->icl_crederror == 0 &&
	    !ptrace_confined("", who, &ic->icl_cred, ic->icl_confined,
		sizeof(ic->icl_confined)))
		ic->icl_confined[0] = '\0';
	read_link(who, "pid", ic->icl_pidns, sizeof(ic->icl_pidns));
	read_link(who, "user", ic->icl_userns, sizeof(ic->icl_userns));
	read_userns(who, ic);
	return 0;
}

int
inspect_client_request(pid_t pid, struct inspect_client *ic)
{
	struct inspect_query ia = { .ia_op = INSPECT_CLIENT,
		.ia_pid = pid,
		.ia_msecs = CLIENT_MSECS,
		.ia_out = ic,
		.ia_outmax = sizeof(*ic) };
	int error = inspect(&ia);

	if (error == 0 && ia.ia_outlen != sizeof(*ic))
		error = EIO;
	return error;
}
