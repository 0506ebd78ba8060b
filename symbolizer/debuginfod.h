/* SPDX-License-Identifier: ISC */
/* debuginfod-find, without the rights of dtd. */
#ifndef SYMBOLIZER_DEBUGINFOD_H
#define SYMBOLIZER_DEBUGINFOD_H

/*
 * Becomes debuginfod-find, which gets the debug file of a build id
 * (hexadecimal) into the folder that the environment names; files get no larger
 * than so many bytes.  Exits with 127 if it is not installed.
 */
void fetch_exec(const char *id, const char *nbytes) __attribute__((noreturn));

/* Removes what that has left in the folder that this process is in.  dtd has
 * read it then, and may not be able to: it is another user's. */
void fetch_clear(void) __attribute__((noreturn));

#endif /* SYMBOLIZER_DEBUGINFOD_H */
