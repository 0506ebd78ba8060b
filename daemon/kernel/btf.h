/* SPDX-License-Identifier: ISC */
/*
 * Supplies the kernel's BTF types for loading BPF objects.  libbpf reads and
 * searches all of them, some 5 MB, for each object; here they are read once,
 * and the some hundred types that dtd's programs need are written to a memory
 * file.
 */
#ifndef DAEMON_KERNEL_BTF_H
#define DAEMON_KERNEL_BTF_H

#include <stdint.h>

/*
 * For bpf_object_open_opts.btf_custom_path of every object.  The first call
 * creates the file.  NULL if that fails: libbpf then reads the kernel's BTF.
 */
const char *btf_path(void);

/*
 * Calls fn with the name of each raw tracepoint in the kernel's BTF, in order,
 * until it returns an errno.  The name is valid only during the call.
 */
int btf_rawtps(int (*fn)(const char *name, void *arg), void *arg);

/*
 * Numbers of bpf_rdonly_cast() and of struct task_struct in the kernel's BTF;
 * 0 without them.
 */
struct btf_cast_ids {
	uint32_t cast, task;
};

void btf_cast_ids(struct btf_cast_ids *);

#endif /* DAEMON_KERNEL_BTF_H */
