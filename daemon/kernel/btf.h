/* SPDX-License-Identifier: ISC */
/*
 * The kernel's types for loading BPF objects.  libbpf reads and searches all
 * of them, some 5 MB, for each object; here they are read once, and what our
 * programs need is set apart: some hundred types, in a file in memory.
 */
#ifndef DAEMON_KERNEL_BTF_H
#define DAEMON_KERNEL_BTF_H

/*
 * For bpf_object_open_opts.btf_custom_path, of every object.  The first call
 * makes the file.  NULL if it cannot be made: libbpf then does what it does
 * without.
 */
const char *btf_path(void);

/*
 * Calls fn with the name of each raw tracepoint that the kernel's types tell
 * of, in their order, until it returns an errno.  The name does not stay.
 */
int btf_rawtps(int (*fn)(const char *name, void *arg), void *arg);

#endif /* DAEMON_KERNEL_BTF_H */
