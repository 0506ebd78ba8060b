/* SPDX-License-Identifier: ISC */
/*
 * The cgroups of cgroup.h.
 *
 * An id is the number of a directory, and its file handle: who may open
 * handles (root) gets the path of an id at once, and of no other.  For the rest
 * the tree is searched for the directory whose inode has this number, and with
 * it all others of that tree become known; not more than once a second, as a
 * machine may have thousands.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"

#define CGROUP_HANDLE 0xfe	 /* FILEID_KERNFS of the kernel */
#define CGROUP_WALK   1000000000 /* ns between two searches */

/*
 * Paths by id
 */

void
cgroups_init(struct cgroups *cg, int islive)
{
	memset(cg, 0, sizeof(*cg));
	cg->cg_fd = -1;
	cg->cg_islive = islive;
}

void
cgroups_free(struct cgroups *cg)
{
	struct map_entry **list = map_sorted(&cg->cg_paths);
	size_t i;

	for (i = 0; i < cg->cg_paths.mp_n; i++)
		free(list[i]->me_ptr);
	free(list);
	map_clear(&cg->cg_paths);
	free(cg->cg_mount);
	if (cg->cg_fd != -1)
		close(cg->cg_fd);
	cgroups_init(cg, 0);
}

void
cgroups_add(struct cgroups *cg, uint64_t id, const char *path)
{
	struct map_entry *e = map_get(&cg->cg_paths, &id, sizeof(id));

	if (e->me_ptr != NULL)
		return;
	if ((e->me_ptr = strdup(path)) == NULL)
		err(1, "cgroups");
}

/* Finds the mount, once.  Returns 0 or -1. */
static int
cgroups_open(struct cgroups *cg)
{
	struct mntent *m;
	FILE *fp;

	if (cg->cg_fd != -1)
		return 0;
	if (!cg->cg_islive ||
	    (fp = setmntent("/proc/self/mounts", "re")) == NULL)
		return -1;
	while ((m = getmntent(fp)) != NULL) {
		if (strcmp(m->mnt_type, "cgroup2") != 0)
			continue;
		cg->cg_fd = open(m->mnt_dir,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cg->cg_fd == -1)
			continue;
		if ((cg->cg_mount = strdup(m->mnt_dir)) == NULL)
			err(1, "cgroups");
		break;
	}
	endmntent(fp);
	if (cg->cg_fd == -1)
		cg->cg_islive = 0; /* it won't come */
	return cg->cg_fd == -1 ? -1 : 0;
}

/* The path below the mount of a directory that stands somewhere. */
static const char *
cgroups_below(const struct cgroups *cg, const char *full)
{
	size_t n = strlen(cg->cg_mount);

	if (strncmp(full, cg->cg_mount, n) != 0)
		return NULL;
	if (full[n] == '\0')
		return "/";
	return full[n] == '/' ? full + n : NULL;
}

/* By its handle.  Returns -1 if handles can't be opened. */
static int
cgroups_handle(struct cgroups *cg, uint64_t id)
{
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} h = { .fh = { .handle_bytes = sizeof(id),
		    .handle_type = CGROUP_HANDLE } };
	char link[64], full[PATH_MAX];
	const char *path;
	ssize_t n;
	int fd;

	memcpy(h.fh.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(cg->cg_fd, &h.fh, O_PATH | O_CLOEXEC);
	if (fd == -1) /* ESTALE: it is gone */
		return errno == ESTALE ? 0 : -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, full, sizeof(full) - 1);
	close(fd);
	if (n == -1)
		return -1;
	full[n] = '\0';
	if ((path = cgroups_below(cg, full)) != NULL)
		cgroups_add(cg, id, path);
	return 0;
}

static void
cgroups_walk(struct cgroups *cg)
{
	char *const roots[] = { cg->cg_mount, NULL };
	struct timespec ts;
	const char *path;
	uint64_t now;
	FTSENT *e;
	FTS *fts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
	if (cg->cg_walked != 0 && now - cg->cg_walked < CGROUP_WALK)
		return;
	cg->cg_walked = now;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (fts == NULL)
		return;
	while ((e = fts_read(fts)) != NULL) {
		if (e->fts_info == FTS_D &&
		    (path = cgroups_below(cg, e->fts_path)) != NULL)
			cgroups_add(cg, e->fts_statp->st_ino, path);
	}
	fts_close(fts);
}

const char *
cgroups_path(struct cgroups *cg, uint64_t id)
{
	struct map_entry *e = map_find(&cg->cg_paths, &id, sizeof(id));

	if (e != NULL && e->me_ptr != NULL)
		return e->me_ptr;
	if (cgroups_open(cg) == -1)
		return NULL;
	if (!cg->cg_nohandles) {
		if (e != NULL)
			return NULL; /* it was gone before */
		cg->cg_nohandles = cgroups_handle(cg, id) == -1;
	}
	if (cg->cg_nohandles)
		cgroups_walk(cg);
	e = map_get(&cg->cg_paths, &id, sizeof(id));
	return e->me_ptr;
}

/*
 * Names
 */

#define CGROUP_IDLEN 12 /* digits of a container's id that people see */

/*
 * Containers: a part of the path that begins and ends so is an id, or a name.
 * Where the part tells nothing of its kind, the first part of the path does.
 * Id: it has CGROUP_IDLEN or more hex digits, and no more than these are shown.
 */
static const struct {
	const char *begin, *end;
	const char *top; /* the first part is this, or its slice */
	int isid;
	const char *kind;
} cgroup_kinds[] = {
	{ "docker-", ".scope", "", 1, "docker" },
	{ "cri-containerd-", ".scope", "", 1, "cri-containerd" },
	{ "cri-containerd-", "", "", 1, "cri-containerd" },
	{ "crio-", ".scope", "", 1, "crio" },
	{ "crio-", "", "", 1, "crio" },
	{ "libpod-", ".scope", "", 1, "libpod" },
	{ "libpod-", "", "", 1, "libpod" },
	{ "nerdctl-", ".scope", "", 1, "nerdctl" },
	{ "lxc.payload.", "", "", 0, "lxc" },
	{ "", "", "docker", 1, "docker" },
	{ "", "", "lxc", 0, "lxc" },
	{ "", "", "kubepods", 1, "kubepods" },
};

/* The endings of systemd's units that have processes, the best first. */
static const char *const cgroup_units[] = { ".service", ".scope", ".socket",
	".mount", ".swap" };

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* A part of a path. */
struct cgroup_part {
	const char *p;
	size_t n;
};

/* The part behind this one; with NULL, the first of path.  0: none. */
static int
cgroup_next(const char *path, struct cgroup_part *pt)
{
	const char *p = pt->p != NULL ? pt->p + pt->n : path;

	p += strspn(p, "/");
	pt->p = p;
	pt->n = strcspn(p, "/");
	return pt->n > 0;
}

static int
cgroup_begins(const struct cgroup_part *pt, const char *s)
{
	size_t n = strlen(s);

	return pt->n >= n && memcmp(pt->p, s, n) == 0;
}

static int
cgroup_ends(const struct cgroup_part *pt, const char *s)
{
	size_t n = strlen(s);

	return pt->n >= n && memcmp(pt->p + pt->n - n, s, n) == 0;
}

static int
cgroup_is(const struct cgroup_part *pt, const char *s)
{
	return pt->n == strlen(s) && cgroup_begins(pt, s);
}

static int
cgroup_istop(const struct cgroup_part *pt, const char *s)
{
	return *s == '\0' || cgroup_is(pt, s) ||
	    (cgroup_begins(pt, s) && pt->n == strlen(s) + 6 &&
		cgroup_ends(pt, ".slice"));
}

static int
cgroup_isid(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strchr("0123456789abcdef", p[i]) == NULL)
			return 0;
	}
	return n >= CGROUP_IDLEN;
}

/* Whether this part is a container: its kind, or NULL; the part becomes its id
 * or name. */
static const char *
cgroup_kind(const struct cgroup_part *top, struct cgroup_part *pt, int *isid)
{
	size_t i, begin, end;

	for (i = 0; i < N(cgroup_kinds); i++) {
		if (!cgroup_begins(pt, cgroup_kinds[i].begin) ||
		    !cgroup_ends(pt, cgroup_kinds[i].end) ||
		    !cgroup_istop(top, cgroup_kinds[i].top))
			continue;
		if (*cgroup_kinds[i].begin == '\0' && pt->p == top->p)
			continue; /* the folder of all of them */
		begin = strlen(cgroup_kinds[i].begin);
		end = strlen(cgroup_kinds[i].end);
		if (cgroup_kinds[i].isid &&
		    !cgroup_isid(pt->p + begin, pt->n - begin - end))
			continue;
		pt->p += begin;
		pt->n -= begin + end;
		*isid = cgroup_kinds[i].isid;
		return cgroup_kinds[i].kind;
	}
	return NULL;
}

/* A container, whatever it has made within. */
static int
cgroup_container(const char *path, char *name, size_t size)
{
	struct cgroup_part top = { 0 }, pt = { 0 }, shown;
	const char *kind;
	int isid;

	if (!cgroup_next(path, &top))
		return 0;
	while (cgroup_next(path, &pt)) {
		shown = pt;
		if ((kind = cgroup_kind(&top, &shown, &isid)) == NULL)
			continue;
		if (isid)
			shown.n = CGROUP_IDLEN;
		snprintf(name, size, "%s:%.*s", kind, (int)shown.n, shown.p);
		return 1;
	}
	return 0;
}

/* The innermost unit; a slice if nothing is below it.  The init.scope of a
 * unit is that unit itself. */
static int
cgroup_unit(const char *path, char *name, size_t size)
{
	struct cgroup_part pt, found, last = { 0 };
	size_t i;

	for (i = 0; i < N(cgroup_units); i++) {
		found = pt = (struct cgroup_part){ 0 };
		while (cgroup_next(path, &pt)) {
			last = pt;
			if (cgroup_ends(&pt, cgroup_units[i]) &&
			    !cgroup_is(&pt, "init.scope"))
				found = pt;
		}
		if (found.n > 0)
			break;
	}
	if (found.n == 0 &&
	    (cgroup_ends(&last, ".slice") || cgroup_is(&last, "init.scope")))
		found = last;
	if (found.n == 0)
		return 0;
	snprintf(name, size, "%.*s", (int)found.n, found.p);
	return 1;
}

const char *
cgroup_name(const char *path, char *name, size_t size)
{
	if (!cgroup_container(path, name, size) &&
	    !cgroup_unit(path, name, size))
		snprintf(name, size, "%s", path);
	return name;
}

/* First and last part.  0: there is none. */
static int
cgroup_ends_of(const char *path, struct cgroup_part *top,
    struct cgroup_part *last)
{
	struct cgroup_part pt = { 0 };

	*top = *last = pt;
	if (!cgroup_next(path, top))
		return 0;
	while (cgroup_next(path, &pt))
		*last = pt;
	return 1;
}

int
cgroup_iscontainer(const char *path, const char *name)
{
	struct cgroup_part top, id;
	const char *kind, *colon;
	int isid;

	if (!cgroup_ends_of(path, &top, &id) ||
	    (kind = cgroup_kind(&top, &id, &isid)) == NULL)
		return 0;
	if ((colon = strchr(name, ':')) != NULL) {
		if (strlen(kind) != (size_t)(colon - name) ||
		    memcmp(kind, name, colon - name) != 0)
			return 0;
		name = colon + 1;
	}
	if (*name == '\0')
		return 0;
	return isid ? cgroup_begins(&id, name) : cgroup_is(&id, name);
}

int
cgroup_isunit(const char *path, const char *name)
{
	struct cgroup_part top, unit;
	size_t i, n = strlen(name);

	if (!cgroup_ends_of(path, &top, &unit) || !cgroup_begins(&unit, name))
		return 0;
	if (unit.n == n)
		return 1;
	for (i = 0; i < N(cgroup_units); i++)
		if (unit.n == n + strlen(cgroup_units[i]) &&
		    cgroup_ends(&unit, cgroup_units[i]))
			return 1;
	return 0;
}
