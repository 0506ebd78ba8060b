/* SPDX-License-Identifier: ISC */
/*
 * Derives the short name of a cgroup, of a unit or a container, from its path.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/sym/cgroup.h"

#define CGROUP_IDLEN 12 /* digits of a container's id that are printed */

/*
 * Containers: a part of the path with this prefix and suffix contains an id or
 * a name. Where the part does not determine the kind, the first part of the
 * path does. An id has CGROUP_IDLEN or more hex digits, and that many are
 * printed.
 */
static const struct {
	const char *begin, *end;
	const char *top; /* first part of the path, or its slice */
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

/* Suffixes of systemd units with processes, by preference. */
static const char *const cgroup_units[] = { ".service", ".scope", ".socket",
	".mount", ".swap" };

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* A part of a path. */
struct cgroup_part {
	const char *p;
	size_t n;
};

/*
 * Moves to the next part; with NULL, to the first part of path.  Returns 0 at
 * the end.
 */
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

/*
 * Returns the kind of container that this part names, or NULL; reduces the part
 * to its id or name.
 */
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
			continue; /* the folder of all containers */
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

/* Finds the container, also for a cgroup within it. */
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

/*
 * Finds the innermost unit; a slice if there is no other unit below it.  The
 * init.scope of a unit is that unit itself.
 */
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

/* Returns the first and the last part.  0: none. */
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
