/* SPDX-License-Identifier: ISC */
/*
 * The folders of tools: the administrator's, /etc/dt/tools or $DT_TOOLS, and
 * dt's own, share/dt/tools beside the folder of dt.  A name in the first hides
 * the same name in the second.
 */
#ifndef CLI_TOOL_TOOL_DIR_H
#define CLI_TOOL_TOOL_DIR_H

#include <limits.h>
#include <stddef.h>

struct tool_entry {
	char ten_name[NAME_MAX + 1];
	char ten_path[PATH_MAX];
};

/*
 * Stores the entries, sorted by name, which the caller frees.  Returns their
 * number.
 */
size_t tool_dir_list(struct tool_entry **);

#endif /* CLI_TOOL_TOOL_DIR_H */
