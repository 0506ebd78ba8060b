/* SPDX-License-Identifier: ISC */
/*
 * Messages on standard error.  errmsg.c defines the functions of err.h, so that
 * they replace the C library's in all programs.  A message may contain names that
 * others have chosen, so it is escaped as a whole.  It is one line, and its format
 * has no newline.
 */
#ifndef COMMON_ERRMSG_H
#define COMMON_ERRMSG_H

/* Writes a line without the name of the program, escaped in the same way. */
void errmsg(const char *, ...) __attribute__((format(printf, 1, 2)));

/*
 * Reports the option that getopt(3) has just refused.  getopt(3) itself prints
 * nothing in these programs.
 */
void errmsg_option(char **argv);

#endif /* COMMON_ERRMSG_H */
