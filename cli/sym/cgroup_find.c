/* SPDX-License-Identifier: ISC */
/*
 * --cgroup: finds the cgroup that a name denotes.  A name without '/' is
 * searched in the whole tree: as a directory, a unit, then a container.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fts.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dev/dt/dtvar.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/sym/cgroup.h"

#define FIND_INITIAL \
	4026531835U    /* inode of the initial namespace of cgroups \
				  */
#define FIND_MAXSAID 8 /* number of matches listed */

/* Result of the search: the best kind of all matches. */
struct find {
	const char *fd_name;
	char *fd_mount;
	enum find_fit {
		FIND_NONE,
		FIND_CONTAINER,
		FIND_UNIT,
		FIND_EXACT,
	} fd_fit;
	unsigned int fd_n;
	uint64_t fd_id;
	uint32_t fd_level;
	struct buf fd_said; /* paths of the matches */
};

/* Returns the mount point of cgroup2, which the caller frees, or NULL. */
static char *
find_mount(void)
{
	struct mntent *m;
	char *dir = NULL;
	FILE *fp;

	if ((fp = setmntent("/proc/self/mounts", "re")) == NULL)
		return NULL;
	while (dir == NULL && (m = getmntent(fp)) != NULL)
		if (strcmp(m->mnt_type, "cgroup2") == 0 &&
		    (dir = strdup(m->mnt_dir)) == NULL)
			err(1, "cgroups");
	endmntent(fp);
	return dir;
}

/*
 * Returns the depth of a path below the root, which is known in the initial
 * namespace only.
 */
static uint32_t
find_level(const char *path)
{
	struct stat st;
	uint32_t level = 0;

	if (stat("/proc/self/ns/cgroup", &st) == -1 ||
	    st.st_ino != FIND_INITIAL)
		return DTFI_ANYLEVEL;
	while (*path != '\0') {
		path += strspn(path, "/");
		level += *path != '\0';
		path += strcspn(path, "/");
	}
	return level;
}

static enum find_fit
find_fits(const char *path, const char *name)
{
	const char *last = strrchr(path, '/');

	if (last != NULL && strcmp(last + 1, name) == 0)
		return FIND_EXACT;
	if (cgroup_isunit(path, name))
		return FIND_UNIT;
	return cgroup_iscontainer(path, name) ? FIND_CONTAINER : FIND_NONE;
}

static void
find_add(struct find *fd, const char *path, uint64_t id)
{
	enum find_fit fit = find_fits(path, fd->fd_name);

	if (fit == FIND_NONE || fit < fd->fd_fit)
		return;
	if (fit > fd->fd_fit) {
		fd->fd_fit = fit;
		fd->fd_n = 0;
		fd->fd_said.b_len = 0;
	}
	fd->fd_id = id;
	fd->fd_level = find_level(path);
	if (fd->fd_n++ < FIND_MAXSAID) {
		buf_str(&fd->fd_said, fd->fd_n > 1 ? ", " : "");
		esc_str(&fd->fd_said, path);
	}
}

static void
find_walk(struct find *fd)
{
	char *const roots[] = { fd->fd_mount, NULL };
	size_t n = strlen(fd->fd_mount);
	FTSENT *e;
	FTS *fts;

	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (fts == NULL)
		err(1, "%s", fd->fd_mount);
	while ((e = fts_read(fts)) != NULL)
		if (e->fts_info == FTS_D && e->fts_level > 0)
			find_add(fd, e->fts_path + n, e->fts_statp->st_ino);
	fts_close(fts);
	buf_c(&fd->fd_said, '\0');
	if (fd->fd_n == 0)
		errx(1,
		    "--cgroup %s: there is no such cgroup, unit or "
		    "container below %s",
		    fd->fd_name, fd->fd_mount);
	if (fd->fd_n > 1)
		errx(1, "--cgroup %s: matches %u cgroups: %s%s", fd->fd_name,
		    fd->fd_n, fd->fd_said.b_data,
		    fd->fd_n > FIND_MAXSAID ? " and others" : "");
}

/* Looks up a path: in the file system, or from the root of cgroups. */
static void
find_path(struct find *fd)
{
	const char *path = fd->fd_name;
	size_t n = strlen(fd->fd_mount);
	struct stat st;
	struct buf b;

	if (strncmp(path, fd->fd_mount, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0'))
		path += n;
	buf_init(&b, -1);
	buf_str(&b, fd->fd_mount);
	buf_c(&b, '/');
	buf_str(&b, path);
	buf_c(&b, '\0');
	if (stat(b.b_data, &st) == -1)
		err(1, "--cgroup %s: looked for %s", fd->fd_name, b.b_data);
	if (!S_ISDIR(st.st_mode))
		errx(1, "--cgroup %s: is a file, not a cgroup", fd->fd_name);
	fd->fd_id = st.st_ino;
	fd->fd_level = find_level(path);
	buf_free(&b);
}

void
cgroup_find(const char *name, uint64_t *id, uint32_t *level)
{
	struct find fd = { .fd_name = name };

	if ((fd.fd_mount = find_mount()) == NULL)
		errx(1, "--cgroup %s: no cgroup2 is mounted here", name);
	buf_init(&fd.fd_said, -1);
	if (strchr(name, '/') != NULL)
		find_path(&fd);
	else
		find_walk(&fd);
	*id = fd.fd_id;
	*level = fd.fd_level;
	buf_free(&fd.fd_said);
	free(fd.fd_mount);
}
