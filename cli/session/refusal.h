/* SPDX-License-Identifier: ISC */
/*
 * The ends that a user can do something about: no right, no daemon, no such
 * probe.  All print what to do and exit with status 1.
 */
#ifndef CLI_SESSION_REFUSAL_H
#define CLI_SESSION_REFUSAL_H

#include <libdt.h>

/* dt_open(), which never returns NULL here. */
struct dt *refusal_open(const char *path, int flags);
/* After a failure of dt_ioctl(): with EPERM tells which right is missing, with
 * EACCES what of this machine may deny it. */
void refusal_ioctl(struct dt *, const char *what) __attribute__((noreturn));
/* dt_lookup() found nothing: names what is nearest. */
void
refusal_nomatch(struct dt *, const char *pattern) __attribute__((noreturn));

#endif /* CLI_SESSION_REFUSAL_H */
