/* SPDX-License-Identifier: ISC */
/*
 * kcov for kernels whose preempt_count is in a per-CPU struct, 6.2 to 6.14.  A
 * separate object, because libbpf resolves all such variables of an object or
 * refuses it.
 */
#include "bpf/kcov.bpf.h"

#if defined(__TARGET_ARCH_x86)
/* Only these kernels have it, so it is not in dt_vmlinux.h. */
struct pcpu_hot {
	int preempt_count;
} __attribute__((preserve_access_index));

extern const struct pcpu_hot pcpu_hot __ksym;

static __always_inline __u32
preempt_count(void)
{
	return ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))
	    ->preempt_count;
}
#endif
