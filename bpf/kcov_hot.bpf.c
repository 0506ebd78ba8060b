/* SPDX-License-Identifier: ISC */
/*
 * kcov, for kernels whose preempt_count is in a struct of each CPU, from 6.2 to
 * 6.14.  libbpf resolves all such variables of an object, or refuses it where
 * it may not look for one everywhere, so the two are objects of their own.
 */
#include "bpf/kcov.bpf.h"

#if defined(__TARGET_ARCH_x86)
/* No other kernel has it, so it is not in dt_vmlinux.h. */
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
