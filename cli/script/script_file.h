/* SPDX-License-Identifier: ISC */
/* Files of scripts. */
#ifndef CLI_SCRIPT_SCRIPT_FILE_H
#define CLI_SCRIPT_SCRIPT_FILE_H

#include <stddef.h>

/* Returns whether a file is a script: by its name, or by its first line. */
int script_file_is(const char *path);
/* Reads a file, "-": stdin; for free(3).  NULL, with the reason. */
char *script_file_read(const char *path, char *why, size_t nwhy);
/*
 * Returns the description of a script, which is its first line that begins with
 * "// "; for free(3).  *notes: the offset of the lines of comment after it.
 */
char *script_file_what(const char *text, size_t *notes);
/*
 * Returns the description of a tool of dt run, a script or not, for free(3).
 * NULL, with the reason.
 */
char *script_file_tool(const char *path, char *why, size_t nwhy);
/*
 * Returns the command that a line of comment of a tool names for users with
 * TRACE_OWN, for free(3).  NULL: none.
 */
char *script_file_own(const char *path);
/* Returns whether the first line begins with #! and has this option. */
int script_file_hasoption(const char *text, const char *option);

#endif /* CLI_SCRIPT_SCRIPT_FILE_H */
