/* SPDX-License-Identifier: ISC */
/* Runs debuginfod-find without the rights of dtd. */
#ifndef SYMBOLIZER_DEBUGINFOD_H
#define SYMBOLIZER_DEBUGINFOD_H

/*
 * Becomes debuginfod-find, which gets the debug file of a build id
 * (hexadecimal) into the folder that the environment names; files have at most
 * nbytes.  Exits with 127 if it is not installed.
 */
void fetch_exec(const char *id, const char *nbytes) __attribute__((noreturn));

/*
 * Removes what debuginfod-find left in the current directory. dtd has read it
 * by then, but may not be able to remove it: it belongs to another user.
 */
void fetch_clear(void) __attribute__((noreturn));

#endif /* SYMBOLIZER_DEBUGINFOD_H */
