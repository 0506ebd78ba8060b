/* SPDX-License-Identifier: ISC */
/* Lists the files in the folders of tools. */
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool/tool_dir.h"

struct tool_list {
	struct tool_entry *tli_entries;
	size_t tli_n;
};

/* Returns the length of a tool's name: without the .bt of a script. */
static int
tool_namelen(const char *name)
{
	const size_t len = strlen(name);

	return len > 3 && strcmp(name + len - 3, ".bt") == 0 ? len - 3 : len;
}

static int
tool_has(const struct tool_list *tli, const char *name)
{
	const size_t len = tool_namelen(name);
	size_t i;

	for (i = 0; i < tli->tli_n; i++)
		if (strlen(tli->tli_entries[i].ten_name) == len &&
		    memcmp(tli->tli_entries[i].ten_name, name, len) == 0)
			return 1;
	return 0;
}

static void
tool_add(struct tool_list *tli, const char *dir, const char *name)
{
	struct tool_entry *ten;

	/* hidden files, and backups of editors */
	if (*name == '.' || name[strlen(name) - 1] == '~' ||
	    tool_has(tli, name))
		return;
	ten = reallocarray(tli->tli_entries, tli->tli_n + 1, sizeof(*ten));
	if (ten == NULL)
		err(1, "tools");
	tli->tli_entries = ten;
	ten += tli->tli_n;
	snprintf(ten->ten_name, sizeof(ten->ten_name), "%.*s",
	    tool_namelen(name), name);
	if (snprintf(ten->ten_path, sizeof(ten->ten_path), "%s/%s", dir, name) <
	    (int)sizeof(ten->ten_path))
		tli->tli_n++;
}

/* A folder that does not exist has no tools. */
static void
tool_dir_add(struct tool_list *tli, const char *dir)
{
	struct dirent *de;
	DIR *dp;

	if ((dp = opendir(dir)) == NULL)
		return;
	while ((de = readdir(dp)) != NULL)
		tool_add(tli, dir, de->d_name);
	closedir(dp);
}

/* Returns the folder of dt's own tools. */
static const char *
tool_dir_own(char *buf, size_t size)
{
	static const char tail[] = "/../share/dt/tools";
	ssize_t n = readlink("/proc/self/exe", buf, size);
	char *slash;

	if (n < 0 || (size_t)n == size)
		return DT_TOOLS_SHARE; /* /proc is not mounted */
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (slash == NULL || slash + sizeof(tail) > buf + size)
		return DT_TOOLS_SHARE;
	strcpy(slash, tail);
	return buf;
}

static int
tool_order(const void *a, const void *b)
{
	const struct tool_entry *x = a, *y = b;

	return strcmp(x->ten_name, y->ten_name);
}

size_t
tool_dir_list(struct tool_entry **entries)
{
	const char *own = secure_getenv("DT_TOOLS");
	struct tool_list tli = { NULL, 0 };
	char buf[PATH_MAX];

	tool_dir_add(&tli, own != NULL ? own : DT_TOOLS_ETC);
	tool_dir_add(&tli, tool_dir_own(buf, sizeof(buf)));
	if (tli.tli_n > 0)
		qsort(tli.tli_entries, tli.tli_n, sizeof(*tli.tli_entries),
		    tool_order);
	*entries = tli.tli_entries;
	return tli.tli_n;
}
