/* SPDX-License-Identifier: ISC */
/*
 * kcov for kernels whose preempt_count is a separate variable: all but 6.2 to
 * 6.14.
 */
#include "bpf/kcov.bpf.h"

#if defined(__TARGET_ARCH_x86)
extern const int __preempt_count __ksym;

static __always_inline __u32
preempt_count(void)
{
	return *(const int *)bpf_this_cpu_ptr(&__preempt_count);
}
#endif
