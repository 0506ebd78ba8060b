/* SPDX-License-Identifier: ISC */
/*
 * Decides whether a process may serve a file.  Readers of such a file wait for
 * that process, and so does the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "daemon/inspect/inspector.h"

/* A line of mountinfo: "30 1 0:27 / /mnt rw - overlay none rw". */
static int
is_overlay(const char *line, dev_t dev)
{
	unsigned int ma, mi;
	const char *type = strstr(line, " - ");

	return type != NULL && strncmp(type + 3, "overlay ", 8) == 0 &&
	    sscanf(line, "%*d %*d %u:%u ", &ma, &mi) == 2 &&
	    makedev(ma, mi) == dev;
}

/*
 * Returns whether an overlay is among this process's own mounts, where only root
 * mounts.  Any user may mount one in a namespace of a user, above files that
 * a process serves; files of that overlay do not show it.
 */
static int
is_roots_overlay(dev_t dev)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int isfound = 0;

	if (f == NULL)
		return 0;
	while (!isfound && getline(&line, &size, f) != -1)
		isfound = is_overlay(line, dev);
	free(line);
	fclose(f);
	return isfound;
}

int
inspect_served_op(struct inspect_call *ic)
{
	uint32_t *isserved = (uint32_t *)ic->icc_out;
	struct statfs sf;
	struct stat sb;

	if (ic->icc_nfds != 1)
		return EINVAL;
	if (fstatfs(ic->icc_fds[0], &sf) == -1 ||
	    fstat(ic->icc_fds[0], &sb) == -1)
		return errno;
	*isserved = sf.f_type == (typeof(sf.f_type))FUSE_SUPER_MAGIC ||
	    (sf.f_type == (typeof(sf.f_type))OVERLAYFS_SUPER_MAGIC &&
		!is_roots_overlay(sb.st_dev));
	ic->icc_outlen = sizeof(*isserved);
	return 0;
}
