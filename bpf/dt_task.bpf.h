/* SPDX-License-Identifier: ISC */
/*
 * The current task, as a pointer that is cheap to verify.  For each pointer
 * loaded from a trusted task, verifiers since 6.3 search the BTF of the whole
 * kernel by name, which takes a millisecond for each path to that load.  A task
 * from bpf_rdonly_cast() (6.2) is not trusted, and needs no search.
 *
 * libbpf would find that function by reading all of the kernel's BTF, so dtd
 * sets the call itself (daemon/kernel/btf_cast.c), and replaces it by a move
 * where the kernel lacks it.
 */
#ifndef BPF_DT_TASK_BPF_H
#define BPF_DT_TASK_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "bpf/dt_task_cast.h"

#define DT_TASK_STRING_(n) #n
#define DT_TASK_STRING(n)  DT_TASK_STRING_(n)

/* Only for code inlined into programs: dtd does not look into functions. */
static __always_inline struct task_struct *
dt_task(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	/* clang-format off */
	__asm__ volatile(
	    "r1 = %[task]\n\t"
	    "r2 = 0\n\t"
	    "call " DT_TASK_STRING(DT_TASK_CAST) "\n\t"
	    "%[task] = r0"
	    : [task] "+r"(task)
	    :
	    : "r0", "r1", "r2", "r3", "r4", "r5");
	/* clang-format on */
	return task;
}

#endif /* BPF_DT_TASK_BPF_H */
