/* SPDX-License-Identifier: ISC */
/* A pass of a BPF program over all tasks. */
#ifndef DAEMON_KERNEL_TASK_ITER_H
#define DAEMON_KERNEL_TASK_ITER_H

struct bpf_program;

/* Runs it once for each task that dtd's pid namespace has.  Waits; errno. */
int task_iter_run(struct bpf_program *);

#endif /* DAEMON_KERNEL_TASK_ITER_H */
