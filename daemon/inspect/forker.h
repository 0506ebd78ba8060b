/* SPDX-License-Identifier: ISC */
/*
 * The forker: a process that forks inspectors (inspect.h) for dtd.  dtd cannot
 * fork them itself: it has threads, and an inspector would share its mappings,
 * some of which keep BPF programs in the kernel.
 */
#ifndef DAEMON_INSPECT_FORKER_H
#define DAEMON_INSPECT_FORKER_H

#include <sys/types.h>

/* Forks the forker; see inspect_start(). */
void forker_start(char **argv);
/*
 * Sets lost(), which is called on the control thread when the forker ends.
 * After event_loop_init().
 */
void forker_watch(void (*lost)(void));
pid_t forker_pid(void);
/*
 * Returns a socket to a new inspector and its pid, or a negative errno.  Any
 * thread.
 */
int forker_inspector(pid_t *pid);

#endif /* DAEMON_INSPECT_FORKER_H */
