/* SPDX-License-Identifier: ISC */
/*
 * The forker: a process that forks inspectors (inspect.h) for dtd.  dtd cannot
 * do that itself: it has threads, and an inspector would share its maps, of
 * which some keep BPF programs in the kernel.
 */
#ifndef DAEMON_INSPECT_FORK_H
#define DAEMON_INSPECT_FORK_H

/* Forks the forker; see inspect_start(). */
void forker_start(char **argv);
/* A socket to a new inspector, or a negative errno.  Any thread. */
int forker_inspector(void);

#endif /* DAEMON_INSPECT_FORK_H */
