/* SPDX-License-Identifier: ISC */
/*
 * Completes the calls of bpf/dt_task.bpf.h in programs before they are loaded.
 */
#ifndef DAEMON_KERNEL_BTF_CAST_H
#define DAEMON_KERNEL_BTF_CAST_H

#include <bpf/libbpf.h>

/* Returns 0 or an errno. */
int btf_cast(struct bpf_object *);

#endif /* DAEMON_KERNEL_BTF_CAST_H */
