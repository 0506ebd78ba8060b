/* SPDX-License-Identifier: ISC */
/* Addresses that the kernel itself names (bpf/kallsyms.bpf.c). */
#ifndef BPF_KALLSYMS_SHARED_H
#define BPF_KALLSYMS_SHARED_H

#include <linux/types.h>

#define KALLSYMS_NQUERY 64  /* addresses of a run */
#define KALLSYMS_TEXT	384 /* "name+0x1c/0x30 [module]", and the end */
#define KALLSYMS_RAN	1   /* result of the program */

struct kallsyms_query {
	__u32 kaq_n;
	__u32 kaq_pad;
	__u64 kaq_pcs[KALLSYMS_NQUERY];
	/* empty: it would not fit */
	char kaq_text[KALLSYMS_NQUERY][KALLSYMS_TEXT];
};

#endif /* BPF_KALLSYMS_SHARED_H */
