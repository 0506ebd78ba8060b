/* SPDX-License-Identifier: ISC */
/* Starts dt-symbolizer, the program that reads foreign files. */
#ifndef DAEMON_SYM_SYMBOLIZER_SPAWN_H
#define DAEMON_SYM_SYMBOLIZER_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/*
 * For the service: has the symbolizer run as the user SYMBOLIZER_SPAWN_USER,
 * which has no other process.  Otherwise, and if that user does not exist, it
 * runs as user 65534, whose other processes may send it signals.  Call before
 * the first start.
 */
#define SYMBOLIZER_SPAWN_USER "dt-symbolizer"
void symbolizer_spawn_find_user(void);
/* The path of the program. */
void symbolizer_spawn_program(char *, size_t);
/*
 * Starts a symbolizer and returns our ends of its two sockets
 * (wire/symbolizer.h), after it has executed its program.  errno.
 */
int symbolizer_spawn(pid_t *, int *sock, int *channel);

#endif /* DAEMON_SYM_SYMBOLIZER_SPAWN_H */
