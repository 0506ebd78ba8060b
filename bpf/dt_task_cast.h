/* SPDX-License-Identifier: ISC */
/*
 * The number of a helper that no kernel has, in the place of the call of
 * bpf_rdonly_cast(), which dtd sets.
 */
#ifndef BPF_DT_TASK_CAST_H
#define BPF_DT_TASK_CAST_H

#define DT_TASK_CAST 1869832

#endif /* BPF_DT_TASK_CAST_H */
