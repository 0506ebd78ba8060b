/* SPDX-License-Identifier: ISC */
/* Runs dt(1). */
#ifndef EXPORTER_SPAWN_H
#define EXPORTER_SPAWN_H

#include <sys/types.h>

/*
 * Starts a program with these descriptors as its standard input, output and
 * error; -1: /dev/null.  Signals have their defaults.  Returns 0 or an errno.
 */
int spawn_program(const char *program, char *const *argv, const int fds[3],
    pid_t *pid);

#endif /* EXPORTER_SPAWN_H */
