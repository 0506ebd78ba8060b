/* SPDX-License-Identifier: ISC */
/* Searches the folders of $PATH. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/program.h"

int
program_exists(const char *name)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];
	size_t len;

	for (; dir != NULL; dir = dir[len] == ':' ? dir + len + 1 : NULL) {
		len = strcspn(dir, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, name);
		if (access(path, X_OK) == 0)
			return 1;
	}
	return 0;
}
