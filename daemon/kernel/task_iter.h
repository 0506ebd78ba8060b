/* SPDX-License-Identifier: ISC */
/* A pass of a BPF program over all tasks. */
#ifndef DAEMON_KERNEL_TASK_ITER_H
#define DAEMON_KERNEL_TASK_ITER_H

#include <stddef.h>

struct bpf_program;

/*
 * Runs it once for each task that dtd's pid namespace has.  fn receives the
 * output of the program, in pieces, and returns 0 or an errno, which ends the
 * pass; NULL: it writes nothing.  Waits; errno.
 */
int task_iter_run(struct bpf_program *,
    int (*fn)(void *arg, const void *, size_t), void *arg);

#endif /* DAEMON_KERNEL_TASK_ITER_H */
