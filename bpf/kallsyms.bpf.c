/* SPDX-License-Identifier: ISC */
/*
 * Names kernel addresses as the kernel does in its own messages.  A raw_tp
 * program that dtd runs with BPF_PROG_TEST_RUN; it is attached to nothing.  Maps:
 * kallsyms_query only, under a lock of dtd.
 */
#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "bpf/kallsyms_shared.h"

struct kallsyms_query kallsyms_query = {};

static const char kallsyms_format[] = "%pS";

/* Returns KALLSYMS_RAN, which differs from the result of a skipped run. */
SEC("raw_tp")
int
kallsyms_name(void *ctx __attribute__((unused)))
{
	struct kallsyms_query *q = &kallsyms_query;
	__u64 pc;
	__u32 i;

	for (i = 0; i < KALLSYMS_NQUERY; i++) {
		if (i >= q->kaq_n)
			break;
		pc = q->kaq_pcs[i];
		if (bpf_snprintf(q->kaq_text[i], KALLSYMS_TEXT, kallsyms_format,
			&pc, sizeof(pc)) > KALLSYMS_TEXT)
			q->kaq_text[i][0] = '\0';
	}
	return KALLSYMS_RAN;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
