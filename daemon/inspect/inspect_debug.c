/* SPDX-License-Identifier: ISC */
/*
 * Finds debug files in an inspector: in the root directory of the process that
 * maps the file, then in dtd's own root directory.  The names come from an
 * untrusted file, so links and dots stay inside the root, and only regular
 * files that are readable by all are opened: their symbols are shown to any
 * user who traces the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/inspect_root.h"
#include "daemon/inspect/inspector.h"

#define DEBUGDIR "/usr/lib/debug"

typedef char path[SYMREQ_NAME + 4096];

/* DEBUGDIR/.build-id/ab/cdef.debug */
static int
by_id(const struct symrep_find *sa, unsigned int n, path out)
{
	size_t at;
	uint32_t i;

	if (n > 0 || sa->sa_buildidlen < 2)
		return 0;
	at = snprintf(out, sizeof(path), DEBUGDIR "/.build-id/%02x/",
	    sa->sa_buildid[0]);
	for (i = 1; i < sa->sa_buildidlen; i++)
		at += snprintf(out + at, sizeof(path) - at, "%02x",
		    sa->sa_buildid[i]);
	snprintf(out + at, sizeof(path) - at, ".debug");
	return 1;
}

/* Where gdb looks for a name that is in .gnu_debuglink. */
static int
by_link(const struct symrep_find *sa, unsigned int n, const char *dir, path out)
{
	static const char *const forms[] = { "%s/%s", "%s/.debug/%s",
		DEBUGDIR "%s/%s" };

	if (n >= sizeof(forms) / sizeof(*forms) || *dir != '/' ||
	    strchr(sa->sa_name, '/') != NULL)
		return 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return (size_t)snprintf(out, sizeof(path), forms[n], dir, sa->sa_name) <
	    sizeof(path);
#pragma GCC diagnostic pop
}

/*
 * Stores the n-th name of a shared debug file: absolute, or relative to the
 * folder of the debug file; then by its own build id.
 */
static int
by_alt(const struct symrep_find *sa, unsigned int n, const char *dir, path out)
{
	if (n == 0 && sa->sa_name[0] == '/')
		return (size_t)snprintf(out, sizeof(path), "%s", sa->sa_name) <
		    sizeof(path);
	if (n == 0)
		return (size_t)snprintf(out, sizeof(path), "%s/%s", dir,
			   sa->sa_name) < sizeof(path);
	/* Debian's are written relative to .build-id/ab/. */
	if (n == 1)
		return (size_t)snprintf(out, sizeof(path),
			   DEBUGDIR "/.build-id/00/%s",
			   sa->sa_name) < sizeof(path);
	return by_id(sa, n - 2, out);
}

/* Stores the n-th name to try.  Returns 0 if there are no more. */
static int
place(const struct symrep_find *sa, unsigned int n, const char *dir, path out)
{
	switch (sa->sa_how) {
	case SYMREP_BYID:
		return by_id(sa, n, out);
	case SYMREP_BYLINK:
		return by_link(sa, n, dir, out);
	case SYMREP_ALT:
		return by_alt(sa, n, dir, out);
	}
	return 0;
}

static int
open_in(int root, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return syscall(SYS_openat2, root, name, &how, sizeof(how));
}

/*
 * Opens a regular file that is readable by all users.  Returns an O_PATH
 * descriptor, or -1.
 */
static int
open_regular(int root, const char *name)
{
	struct stat st;
	int fd;

	if ((fd = open_in(root, name)) == -1)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & S_IROTH))
		return fd;
	close(fd);
	return -1;
}

/*
 * Sends the candidate after *skip others that exist below a root.  One whose
 * owner holds a lease on it counts as missing, because its open could wait for
 * 45 seconds.
 */
static int
search(struct inspect_call *ic, int root, const struct find_debug *fd,
    uint32_t *skip)
{
	int pathfd, error = ENOENT;
	unsigned int n;
	path name;

	for (n = 0; error != 0 && place(&fd->fd_find, n, fd->fd_dir, name);
	     n++) {
		if ((pathfd = open_regular(root, name)) == -1)
			continue;
		if (*skip > 0)
			(*skip)--;
		else if (ic->icc_nfds < INSPECT_MAXFDS &&
		    inspect_send(ic, pathfd, ic->icc_fds[0], fd->fd_serial) ==
			0)
			error = 0;
		close(pathfd);
	}
	return error;
}

int
inspect_debug(struct inspect_call *ic)
{
	const struct find_debug *fd = ic->icc_in;
	uint32_t *skip = (uint32_t *)ic->icc_out;
	int own, error = ENOENT;

	if (ic->icc_inlen != sizeof(*fd) || ic->icc_nfds < 1)
		return EINVAL;
	ic->icc_outlen = sizeof(*skip);
	*skip = fd->fd_find.sa_nth;
	if (ic->icc_nfds > 1)
		error = search(ic, ic->icc_fds[1], fd, skip);
	if (error == 0 ||
	    (own = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) == -1)
		return error;
	error = search(ic, own, fd, skip);
	close(own);
	return error;
}
