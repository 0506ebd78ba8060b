/* SPDX-License-Identifier: ISC */
/*
 * What the id of a cgroup (version 2) means: its path, and the name by which
 * people know that, of a systemd unit or a container.
 */
#ifndef CLI_SYM_CGROUP_H
#define CLI_SYM_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/hash.h"

/* Paths by id.  Live ones are looked up in the mounted cgroup2, when they are
 * asked for first; others have to be added. */
struct cgroups {
	struct hash cg_paths; /* id -> char [], NULL: looked for in vain */
	char *cg_mount;	      /* where cgroup2 is; NULL: nowhere */
	int cg_fd;	      /* of that, -1: not opened */
	int cg_islive;
	int cg_nohandles;   /* ids can't be opened: the tree is searched */
	uint64_t cg_walked; /* CLOCK_MONOTONIC, ns: when it was searched last */
};

void cgroups_init(struct cgroups *, int islive);
void cgroups_free(struct cgroups *);
/* The path, "/" of the root, or NULL if it is not known (any more).  Others'
 * text, not escaped; lives as long as cgroups. */
const char *cgroups_path(struct cgroups *, uint64_t id);
/* Copies; the first is believed. */
void cgroups_add(struct cgroups *, uint64_t id, const char *path);

/*
 * The name that a path goes by: nginx.service, docker:0123456789ab, or the path
 * itself.  Not escaped; returns name, which is cut to size.
 */
const char *cgroup_name(const char *path, char *name, size_t size);

/* Whether the last part of a path is a container of this id (or its beginning)
 * or name; kind:id, as above, is fine, too. */
int cgroup_iscontainer(const char *path, const char *name);
/* Whether it is this unit, whose ending may lack. */
int cgroup_isunit(const char *path, const char *name);

/*
 * cgroup_find.c: the cgroup that somebody names, here and now: a path in the
 * file system of cgroup2, or from its root; a unit; a container.  Fills the id
 * and the depth (DTFI_ANYLEVEL: unknown).  Exits with a sentence if there is
 * none, or more than one.
 */
void cgroup_find(const char *name, uint64_t *id, uint32_t *level);

#endif /* CLI_SYM_CGROUP_H */
