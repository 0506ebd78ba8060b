/* SPDX-License-Identifier: ISC */
/*
 * Failures that the user can fix: no right, no daemon, no such probe.  The
 * functions print what to do and exit with status 1.
 */
#ifndef CLI_SESSION_REFUSAL_H
#define CLI_SESSION_REFUSAL_H

#include <libdt.h>

/* Sets what a user with TRACE_OWN reads who lacks TRACE_ALL; NULL: nothing. */
void refusal_advise(const char *text);
/* Puts the text into the environment, for the dt that dt run executes. */
void refusal_export(void);
/* Takes it from there: other programs do not inherit it. */
void refusal_import(void);

/* Like dt_open(), but exits on failure. */
struct dt *refusal_open(const char *path, int flags);
/*
 * Reports a failure of dt_ioctl(): on EPERM the missing right, on EACCES the
 * settings of this machine that may deny it.
 */
void refusal_ioctl(struct dt *, const char *what) __attribute__((noreturn));
/*
 * Reports that dt_lookup() found no probe, and suggests the most similar one.
 */
void
refusal_nomatch(struct dt *, const char *pattern) __attribute__((noreturn));

#endif /* CLI_SESSION_REFUSAL_H */
