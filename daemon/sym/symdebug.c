/* SPDX-License-Identifier: ISC */
/*
 * Debug files, see symdebug.h: in the root of the process that has the file
 * mapped, then in our own, then from a server.  The names come from a file that anybody may have
 * written, so links and dots stay inside of the root, only a regular file is
 * opened, and only one that everybody may read: the names in it are told to who
 * traces the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sym/symdebug.h"
#include "sym/symfetch.h"
#include "sym/symfile.h"
#include "sym/symopen.h"

#define DEBUGDIR "/usr/lib/debug"

typedef char path[SYMREQ_NAME + 4096];

static int
open_in(int root, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return syscall(SYS_openat2, root, name, &how, sizeof(how));
}

/*
 * Opens a regular file that is readable by all users.  Its type is checked before,
 * because opening a device may have an effect; a file whose owner holds a lease
 * on it counts as missing, because its open could wait for 45 seconds.
 */
static int
open_regular(int root, const char *name)
{
	struct stat st;
	int p, fd = -1;

	if ((p = open_in(root, name)) == -1)
		return -1;
	if (fstat(p, &st) == 0 && (st.st_mode & S_IROTH))
		fd = symopen_reopen(p);
	close(p);
	return fd < 0 ? -1 : fd;
}

/* DEBUGDIR/.build-id/ab/cdef.debug */
static int
by_id(const struct symrep_ask *sa, unsigned int n, path out)
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
by_link(const struct symrep_ask *sa, unsigned int n, const char *dir, path out)
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

/* Absolute, or from where the debug file of this build id is; else by its own
 * build id. */
static int
by_alt(const struct symrep_ask *sa, unsigned int n, const char *dir, path out)
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

/* The n-th place to look at; 0: there is none. */
static int
place(const struct symrep_ask *sa, unsigned int n, const char *dir, path out)
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

/* The candidate after *skip others that exist below a root. */
static int
search(int root, const struct symrep_ask *sa, const char *dir, uint32_t *skip)
{
	unsigned int n;
	path name;
	int fd;

	for (n = 0; place(sa, n, dir, name); n++) {
		if ((fd = open_regular(root, name)) == -1)
			continue;
		if ((*skip)-- == 0)
			return fd;
		close(fd);
	}
	return -1;
}

/* The last candidate, if it is asked for by build id. */
static int
fetched(const struct symrep_ask *sa, uint32_t skip, int *fd)
{
	if (sa->sa_how == SYMREP_BYLINK || skip > 0)
		return ENOENT;
	return symfetch_open(sa->sa_buildid, sa->sa_buildidlen, fd);
}

int
symdebug_open(const struct symrep_ask *sa, const struct symfile *sf, int *fd,
    uint64_t *serial)
{
	uint32_t skip = sa->sa_nth;
	int own, found = -1;
	const char *dir = "";
	path copy;

	*serial = 0;
	if (sa->sa_buildidlen > SYMREQ_BUILDID ||
	    memchr(sa->sa_name, '\0', sizeof(sa->sa_name)) == NULL)
		return EINVAL;
	if (sf != NULL && sf->sf_path != NULL && sf->sf_path[0] == '/') {
		snprintf(copy, sizeof(copy), "%s", sf->sf_path);
		dir = dirname(copy);
	}
	if (sf != NULL && sf->sf_rootfd != -1)
		found = search(sf->sf_rootfd, sa, dir, &skip);
	if (found == -1 && (own = open("/", O_PATH | O_CLOEXEC)) != -1) {
		found = search(own, sa, dir, &skip);
		close(own);
	}
	if (found == -1)
		return fetched(sa, skip, fd);
	*fd = found;
	return 0;
}
