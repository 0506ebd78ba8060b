/* SPDX-License-Identifier: ISC */
/*
 * Announces the files of patterns to the daemon.  This process opens them, so
 * they are the files that it sees and may read: in its root directory, or, for
 * the number of a process, in the root directory of that one.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/handle.h"
#include "lib/user_file.h"
#include "wire/wire.h"

#define USER_ROOT 64 /* bytes of "/proc/PID/root" */

/* A pattern, cut into parts. */
struct user_pattern {
	struct dt *upt_dt;
	char upt_prov[16];
	char upt_file[PATH_MAX];
	char upt_rest[WIRE_MAXPATTERN]; /* FUNCTION:NAME, or PROVIDER:NAME */
	int (*upt_fn)(struct dt *, const char *, void *);
	void *upt_arg;
};

int
dt_user_isfile(const char *pattern)
{
	size_t len = strcspn(pattern, ":");

	return pattern[len] == ':' &&
	    ((len == 6 && strncmp(pattern, "uprobe", 6) == 0) ||
		(len == 4 && strncmp(pattern, "usdt", 4) == 0));
}

/* Returns whether a text ends with ":entry" or ":return", or a glob of these. */
static int
user_hasname(const char *rest)
{
	const char *colon = strrchr(rest, ':');

	return colon != NULL &&
	    (strcmp(colon, ":entry") == 0 || strcmp(colon, ":return") == 0 ||
		strcmp(colon, ":*") == 0);
}

/* A function's name may have colons, its file's name has none. */
static int
user_split(struct user_pattern *upt, const char *pattern)
{
	size_t len = strcspn(pattern, ":"), flen;
	const char *rest;
	int isfunc, n;

	snprintf(upt->upt_prov, sizeof(upt->upt_prov), "%.*s", (int)len,
	    pattern);
	isfunc = strcmp(upt->upt_prov, "uprobe") == 0;
	pattern += len + 1;
	flen = strcspn(pattern, ":");
	if (flen == 0 || flen >= sizeof(upt->upt_file))
		return dt_fail(upt->upt_dt, EINVAL, "name a file: %s:PATH:%s",
		    upt->upt_prov, isfunc ? "FUNCTION" : "PROVIDER:NAME");
	memcpy(upt->upt_file, pattern, flen);
	upt->upt_file[flen] = '\0';
	rest = pattern[flen] == ':' ? pattern + flen + 1 : "";
	if (*rest == '\0')
		rest = "*";
	n = snprintf(upt->upt_rest, sizeof(upt->upt_rest), "%s%s", rest,
	    (isfunc ? user_hasname(rest) : strchr(rest, ':') != NULL) ? ""
								      : ":*");
	return (size_t)n < sizeof(upt->upt_rest)
	    ? 0
	    : dt_fail(upt->upt_dt, ENAMETOOLONG, "the pattern is too long");
}

/* Announces an open file, and looks up the rest of the pattern in it. */
static int
user_announce(struct user_pattern *upt, int fd, const char *path)
{
	struct dtioc_file fl = { .dtfl_fd = fd };
	char pattern[WIRE_MAXPATTERN];

	if (strlen(path) >= sizeof(fl.dtfl_path))
		return dt_fail(upt->upt_dt, ENAMETOOLONG, NULL);
	strcpy(fl.dtfl_path, path);
	if (dt_ioctl(upt->upt_dt, DTIOCFILE, &fl) == -1)
		return -1;
	if ((size_t)snprintf(pattern, sizeof(pattern), "%s:@%u:%s",
		upt->upt_prov, fl.dtfl_id, upt->upt_rest) >= sizeof(pattern))
		return dt_fail(upt->upt_dt, ENAMETOOLONG,
		    "the pattern is too long");
	return upt->upt_fn(upt->upt_dt, pattern, upt->upt_arg);
}

static int
user_path(struct user_pattern *upt, const char *path)
{
	char real[PATH_MAX];
	int error, fd, r;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return dt_fail(upt->upt_dt, errno, "cannot open %s: %s", path,
		    strerror(errno));
	r = user_announce(upt, fd, realpath(path, real) != NULL ? real : path);
	error = errno;
	close(fd);
	errno = error;
	return r;
}

/* A mapping of code, as a line of /proc/PID/maps describes it. */
struct user_mapping {
	uint64_t ump_dev, ump_ino;
	char ump_path[PATH_MAX];
};

static int
mapping_read(const char *line, struct user_mapping *ump)
{
	unsigned int major, minor;
	char perms[8];
	int n = 0;

	if (sscanf(line, "%*s %7s %*s %x:%x %" SCNu64 " %n", perms, &major,
		&minor, &ump->ump_ino, &n) != 4 ||
	    n == 0 || perms[2] != 'x' || line[n] != '/')
		return 0;
	ump->ump_dev = makedev(major, minor);
	snprintf(ump->ump_path, sizeof(ump->ump_path), "%s", line + n);
	ump->ump_path[strcspn(ump->ump_path, "\n")] = '\0';
	return 1;
}

/*
 * Opens the file of a mapping in the root directory of the process.  A deleted
 * or replaced one is found by the mapping itself, with more rights.
 */
static int
mapping_open(const char *root, const char *line, const struct user_mapping *ump)
{
	char path[PATH_MAX + USER_ROOT];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, ump->ump_path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd != -1 && fstat(fd, &st) == 0 && st.st_ino == ump->ump_ino)
		return fd;
	if (fd != -1)
		close(fd);
	snprintf(path, sizeof(path), "%.*smap_files/%.*s",
	    (int)(strlen(root) - strlen("root")), root, (int)strcspn(line, " "),
	    line);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Reads a line; one that does not fit is skipped.  Returns whether there is one. */
static int
maps_line(FILE *f, char *line, size_t size)
{
	int c;

	while (fgets(line, size, f) != NULL) {
		if (strchr(line, '\n') != NULL)
			return 1;
		do
			c = getc(f);
		while (c != EOF && c != '\n');
	}
	return 0;
}

/* Looks up the pattern in all files that a process has mapped as code. */
static int
user_process(struct user_pattern *upt)
{
	char path[USER_ROOT], line[PATH_MAX + 128], last[PATH_MAX] = "";
	struct user_mapping ump;
	int fd, nfound = 0, error = ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", upt->upt_file);
	if ((f = fopen(path, "re")) == NULL)
		return dt_fail(upt->upt_dt, errno, "process %s: %s",
		    upt->upt_file, strerror(errno));
	snprintf(path, sizeof(path), "/proc/%.20s/root", upt->upt_file);
	while (maps_line(f, line, sizeof(line))) {
		if (!mapping_read(line, &ump) ||
		    strcmp(last, ump.ump_path) == 0)
			continue;
		strcpy(last, ump.ump_path);
		if ((fd = mapping_open(path, line, &ump)) == -1) {
			error = errno;
			continue;
		}
		if (user_announce(upt, fd, ump.ump_path) == 0)
			nfound++;
		else
			error = errno;
		close(fd);
	}
	fclose(f);
	if (nfound > 0)
		return 0;
	return error == ENOENT
	    ? dt_fail(upt->upt_dt, ENOENT,
		  "process %s has mapped no such probe", upt->upt_file)
	    : dt_fail(upt->upt_dt, error, "process %s: %s", upt->upt_file,
		  strerror(error));
}

int
dt_user_files(struct dt *dt, const char *pattern,
    int (*fn)(struct dt *, const char *, void *), void *arg)
{
	struct user_pattern upt = { .upt_dt = dt,
		.upt_fn = fn,
		.upt_arg = arg };
	char path[PATH_MAX];

	if (user_split(&upt, pattern) == -1)
		return -1;
	if (upt.upt_file[0] == '/')
		return user_path(&upt, upt.upt_file);
	if (upt.upt_file[strspn(upt.upt_file, "0123456789")] == '\0')
		return user_process(&upt);
	if (strchr(upt.upt_file, '/') != NULL)
		return dt_fail(dt, EINVAL, "%s: a path must be absolute",
		    upt.upt_file);
	if (dt_user_path(upt.upt_file, path, sizeof(path)) == -1)
		return dt_fail(dt, ENOENT,
		    "%s is neither a program in $PATH nor a library",
		    upt.upt_file);
	return user_path(&upt, path);
}
