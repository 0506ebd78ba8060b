/* SPDX-License-Identifier: ISC */
/*
 * Finds descriptors among arguments, by the kernel's own names and types.  dtd
 * reads their paths at system calls, dt shows the paths of all.
 */
#ifndef WIRE_ARGFD_H
#define WIRE_ARGFD_H

int argfd_is(const char *name, const char *type);
/* Whether an argument of a function is the descriptor of the directory that a
 * path begins at, if the next argument is a path. */
int argfd_isdir(const char *func, const char *name);

#endif /* WIRE_ARGFD_H */
