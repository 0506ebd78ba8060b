/* SPDX-License-Identifier: ISC */
/*
 * Resolves the id of a cgroup (version 2) to its path, and to the name of its
 * systemd unit or container.
 */
#ifndef CLI_SYM_CGROUP_H
#define CLI_SYM_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/hash.h"

/*
 * Paths by id.  Live ids are looked up in the mounted cgroup2 at their first
 * use; others have to be added.
 */
struct cgroups {
	struct hash cg_paths; /* id -> char [], NULL: not found */
	char *cg_mount;	      /* mount point of cgroup2; NULL: none */
	int cg_fd;	      /* descriptor of the mount point, -1: not
			       * opened */
	int cg_islive;
	int cg_nohandles;   /* ids cannot be opened: the tree is searched */
	uint64_t cg_walked; /* CLOCK_MONOTONIC, ns: time of the last search */
};

void cgroups_init(struct cgroups *, int islive);
void cgroups_free(struct cgroups *);
/* Forgets paths if there are very many.  Paths that were returned are invalid. */
void cgroups_trim(struct cgroups *);
/*
 * Returns the path, "/" for the root, or NULL if it is unknown or no longer
 * known.  The text is untrusted and not escaped; it lives as long as cgroups.
 */
const char *cgroups_path(struct cgroups *, uint64_t id);
/* Copies the path; the first one of an id is kept. */
void cgroups_add(struct cgroups *, uint64_t id, const char *path);

/*
 * Returns the short name of a path: nginx.service, docker:0123456789ab, or the
 * path itself.  Not escaped; returns name, which is cut to size.
 */
const char *cgroup_name(const char *path, char *name, size_t size);

/*
 * Returns whether the last part of a path is a container of this name or id (or
 * its prefix); kind:id, as above, is accepted, too.
 */
int cgroup_iscontainer(const char *path, const char *name);
/* Returns whether it is this unit, whose suffix may be missing. */
int cgroup_isunit(const char *path, const char *name);

/*
 * cgroup_find.c: finds a cgroup of this machine by name: a path in the file
 * system of cgroup2, or from its root; a unit; a container.  Sets the id and
 * the depth (DTFI_ANYLEVEL: unknown).  Exits with a message if there is none,
 * or more than one.
 */
void cgroup_find(const char *name, uint64_t *id, uint32_t *level);

#endif /* CLI_SYM_CGROUP_H */
